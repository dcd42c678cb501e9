/** An environment in which handlers are tried out: real sandbox, real way out, and nothing of it left afterwards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hookWorldOf } from '../../managed/agent/hook-world.ts'
import type { Clock, HookWorld, Network, ProgramRun } from '../../managed/contract.ts'
import { createEgress } from '../../managed/egress/egress.ts'
import type { OperatorOptions } from '../../managed/egress/operator.ts'
import { openEnvironments } from '../../managed/sandbox/environments.ts'
import type { TrialFile } from './hooks-input.ts'

export interface Trial {
  readonly world: HookWorld
  close(): Promise<void>
}

export interface TrialSpec {
  readonly files: ReadonlyMap<string, TrialFile>
  /** Where hooks may lie, in order. */
  readonly roots: readonly string[]
  readonly network: Network
  readonly operator: OperatorOptions
}

const CLOCK: Clock = {
  now: () => Date.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

/** Opens it. Rejects with a sentence where this machine has no sandbox, and with `ManagedError` where the spec makes no sense. */
export async function openTrial({ files, roots, network, operator }: TrialSpec): Promise<Trial> {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-hooks-'))
  const report = (): void => {}
  const egress = createEgress({ dir: join(dir, 'egress'), clock: CLOCK, report, operator })
  const ends: (() => Promise<void>)[] = [() => egress.close()]
  const close = async (): Promise<void> => {
    for (const end of ends.reverse()) await end()
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    const credentials = { placeholder: () => undefined }
    const state = join(dir, 'sandbox')
    const environments = await openEnvironments({ state, egress, credentials, clock: CLOCK, report })
    ends.push(() => environments.close())
    const { id } = await environments.create({ network })
    ends.push(() => environments.remove(id))
    const tree = await environments.files(id)
    for (const [path, { bytes }] of files) await tree.write(path, bytes, true)
    const executable = [...files].flatMap(([path, file]) => (file.executable ? [path] : []))
    if (executable.length > 0) await environments.run(id, { ...CHMOD, argv: ['chmod', '+x', '--', ...executable] })
    return { world: { ...(await hookWorldOf(environments, egress, id, undefined)), roots }, close }
  } catch (error) {
    await close()
    throw error
  }
}

const CHMOD: Omit<ProgramRun, 'argv'> = { cwd: '/', timeout: 20_000, outputLimit: 4_096 }
