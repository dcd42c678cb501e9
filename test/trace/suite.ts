/** Runs a corpus in the sandbox under strace, judges each line, and adds up. */
import { COMMITTED } from '../execution/run.ts'
import type { Sandbox, Snapshot } from '../execution/sandbox.ts'
import { worldOf } from '../execution/world.ts'
import { type Compared, compare, judged } from './compare.ts'
import { TRACED } from './strace.ts'

/** Lines that one sandbox runs before the next one starts: together they stay below its limit of time. */
const AT_A_TIME = 5

/** Lines with what strace wrote of each, and the tree that each began in. */
export interface Recorded {
  readonly start: Snapshot
  readonly lines: readonly { readonly line: string; readonly trace: string }[]
}

/** Runs every line in a fresh tree. */
export async function record(lines: readonly string[], sandbox: Sandbox): Promise<Recorded> {
  const out: { line: string; trace: string }[] = []
  for (let at = 0; at < lines.length; at += AT_A_TIME) {
    const batch = lines.slice(at, at + AT_A_TIME)
    const traces = await sandbox.traced(batch, TRACED)
    for (const [i, line] of batch.entries()) out.push({ line, trace: traces[i] ?? '' })
  }
  return { start: sandbox.start, lines: out }
}

/** Judges every line, and holds the kernel's word against it. */
export function compareAll({ start, lines }: Recorded): readonly Compared[] {
  const world = worldOf(start, { committed: COMMITTED })
  return lines.map(({ line, trace }) => compare(line, trace, judged(line, world)))
}

export async function runCorpus(lines: readonly string[], sandbox: Sandbox): Promise<readonly Compared[]> {
  const out: Compared[] = []
  for (const one of compareAll(await record(lines, sandbox)))
    out.push(one.harmed.length === 0 ? one : { ...one, harmed: await reallyHarmed(one, sandbox) })
  return out
}

/** Git writes files anew whose time it does not know: what has the same content and mode as before is not harmed. */
async function reallyHarmed({ command, harmed }: Compared, sandbox: Sandbox): Promise<readonly string[]> {
  const [after] = await sandbox.run([command])
  const at = (path: string) => [sandbox.start.get(path), after?.get(path)] as const
  return harmed.filter((path) => {
    const [a, b] = at(path)
    return !(a && b && a.kind === b.kind && a.mode === b.mode && a.content === b.content && a.target === b.target)
  })
}

export interface Totals {
  readonly lines: number
  readonly changes: number
  readonly foreseen: number
  readonly unknownOnly: number
  readonly missed: number
  /** Lines without a destruction that was foretold for sure and did not happen. */
  readonly honest: number
  readonly harmed: number
}

export function totalsOf(all: readonly Compared[]): Totals {
  const sum = (of: (one: Compared) => number): number => all.reduce((total, one) => total + of(one), 0)
  return {
    lines: all.length,
    changes: sum(({ changes }) => changes),
    foreseen: sum(({ foreseen }) => foreseen),
    unknownOnly: sum(({ unknownOnly }) => unknownOnly),
    missed: sum(({ missed }) => missed.length),
    honest: all.filter(({ neverHappened }) => neverHappened.length === 0).length,
    harmed: sum(({ harmed }) => harmed.length),
  }
}
