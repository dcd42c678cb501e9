/** Runs the probe against the fake host, whole or with one fault. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Finding, probeHost } from '../../src/cli/probe/probe-host.ts'
import { claude } from '../../src/cli/probe/rig/claude.ts'
import type { Fault } from './fake-host.ts'

const HOOK = `${process.execPath} ${fileURLToPath(new URL('small-hook.mjs', import.meta.url))} {host} {event}`
const FAKE = pathToFileURL(fileURLToPath(new URL('fake-host.ts', import.meta.url))).href

/** What the probe finds of a host with that fault. `ids`: only these scenarios, for a quick look. */
export async function probeFault(fault: Fault, ids?: readonly string[]): Promise<readonly Finding[]> {
  const directory = mkdtempSync(join(tmpdir(), 'probe-'))
  const program = join(directory, 'fake-host.mjs')
  const words = [`import { fakeHost } from ${JSON.stringify(FAKE)}`, `await fakeHost(${JSON.stringify(fault)})`]
  writeFileSync(program, `${words.join('\n')}\n`)
  const scenarios = claude.scenarios.filter(({ id }) => ids === undefined || ids.includes(id))
  try {
    return await probeHost({ ...claude, scenarios }, program, HOOK, () => performance.now())
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
