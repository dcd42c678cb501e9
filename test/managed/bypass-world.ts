/** Sandboxes with the real way out, and upstreams of our own behind it whose logs are the judge. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentSpec, Environments, ProgramEnd } from '../../src/managed/contract.ts'
import { type Lab, type LabOptions, startLab } from '../../src/managed/egress/lab.testing.ts'
import { placeholderOf } from '../../src/managed/egress/placeholders.ts'
import { openEnvironments } from '../../src/managed/sandbox/environments.ts'
import { TestClock } from '../../src/managed/sandbox/sandbox.testing.ts'

export interface Ran {
  readonly out: string
  readonly end: ProgramEnd
}

export interface World {
  readonly lab: Lab
  readonly environments: Environments
  /** Directory of the host that holds all of it. */
  readonly directory: string
  make(spec: EnvironmentSpec): Promise<string>
  /** Runs a program in `/workspace`: stdout, then stderr. */
  run(id: string, argv: readonly string[], env?: Readonly<Record<string, string>>, ms?: number): Promise<Ran>
  close(): Promise<void>
}

/** Rejects where no sandbox can be made; callers ask `canIsolate` before. */
export async function startWorld(options: LabOptions): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-world-'))
  const lab = await startLab(options)
  const environments = await openEnvironments({
    state: join(directory, 'state'),
    egress: lab.egress,
    clock: new TestClock(),
    credentials: { placeholder: placeholderOf },
    report: () => {},
  })
  return {
    ...{ lab, environments, directory },
    make: async (spec) => (await environments.create(spec)).id,
    async run(id, argv, env = {}, ms = 120_000) {
      const end = await environments.run(id, { argv, cwd: '/workspace', env, timeout: ms, outputLimit: 1 << 20 })
      return { out: Buffer.concat([end.stdout, end.stderr]).toString(), end }
    },
    async close() {
      await environments.close()
      await lab.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
