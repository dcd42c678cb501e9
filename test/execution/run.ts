/** Judges sequences, runs them, and holds what changed against what was said. */
import { judgeCommand, type Said } from './judge.ts'
import type { Sandbox, Snapshot } from './sandbox.ts'
import { type Sequence, sequenceOf } from './sequence.ts'
import { isProtected, PLACES, ROOT } from './tree.ts'
import { worldOf } from './world.ts'

export const COMMITTED: ReadonlyMap<string, string> = new Map(
  PLACES.flatMap(({ path, content, link, ignored }) =>
    path.startsWith('/') || path.startsWith('.git/') || ignored ? [] : [[path, link ?? content] as const],
  ),
)

/** Protected paths that are not as they were: content, mode, kind, link, presence. */
export function changedBetween(before: Snapshot, after: Snapshot): string[] {
  const out: string[] = []
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    if (!isProtected(path)) continue
    const [a, b] = [before.get(path), after.get(path)]
    const same = a && b && a.kind === b.kind && a.mode === b.mode && a.content === b.content && a.target === b.target
    if (!same) out.push(path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : path)
  }
  return out
}

/** What running a sequence gave: the tree that each call met, and the protected paths that it changed. */
export interface Ran {
  readonly sequence: Sequence
  readonly before: readonly Snapshot[]
  readonly changed: readonly (readonly string[])[]
}

export interface Outcome extends Omit<Ran, 'before'> {
  /** The verdict on each call, as far as it came: what is stopped ends the sequence. */
  readonly said: readonly Said[]
}

/** Runs every call of a sequence, whatever the guard says of it. */
export async function execute(sequence: Sequence, sandbox: Sandbox): Promise<Ran> {
  const after = await sandbox.run(sequence.calls)
  const before = [sandbox.start, ...after.slice(0, -1)]
  return { sequence, before, changed: after.map((snapshot, i) => changedBetween(before[i]!, snapshot)) }
}

/** Judges the calls in order, each with the tree that it met, until one is stopped. */
export function judgeRan({ sequence, before, changed }: Ran): Outcome {
  const said: Said[] = []
  for (const [i, call] of sequence.calls.entries()) {
    said.push(judgeCommand(call, worldOf(before[i]!, { committed: COMMITTED }), sequence.calls.slice(0, i)))
    if (said.at(-1)!.decision !== 'pass') break
  }
  return { sequence, changed, said }
}

/** A call changed something protected although the guard passed it: a hole. */
export const isHole = ({ changed, said }: Outcome): boolean =>
  changed.some((paths, call) => paths.length > 0 && said[call]?.decision === 'pass')

export const isHarmless = ({ changed }: Pick<Outcome, 'changed'>): boolean =>
  changed.every((paths) => paths.length === 0)

/** Something was stopped in a sequence that changes nothing protected. */
export const isAlarm = (outcome: Outcome): boolean =>
  isHarmless(outcome) && outcome.said.some(({ decision }) => decision !== 'pass')

/** Sandboxes at a time: most of the time one waits for the other's processes. */
const AT_ONCE = 3

/** Runs the sequences of these seeds. `each` gets every one as soon as it has run. */
export async function runSeeds(seeds: readonly number[], sandbox: Sandbox, each: (ran: Ran) => void): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let at = next++; at < seeds.length; at = next++) each(await execute(sequenceOf(seeds[at]!), sandbox))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** A hole with every statement left out that it does not need. */
export async function minimised(outcome: Outcome, sandbox: Sandbox): Promise<Outcome> {
  let best = outcome
  for (let shorter = true; shorter; ) {
    shorter = false
    for (const [call, parts] of best.sequence.parts.entries()) {
      for (const at of parts.keys()) {
        const left = best.sequence.parts.map((list, i) => (i === call ? list.filter((_, j) => j !== at) : list))
        const kept = left.filter((list) => list.length > 0)
        if (kept.length === 0) continue
        const calls = kept.map((list) => list.join('\n'))
        const tried = judgeRan(await execute({ ...best.sequence, parts: kept, calls }, sandbox))
        if (!isHole(tried)) continue
        best = tried
        shorter = true
        break
      }
      if (shorter) break
    }
  }
  return best
}

export interface Summary {
  readonly sequences: number
  /** Sequences that changed something protected. */
  readonly changed: number
  readonly harmless: number
  readonly holes: readonly Outcome[]
  readonly alarms: readonly Outcome[]
  /** Part of the harmless sequences in which every call passed. */
  readonly passed: number
}

export function summaryOf(outcomes: readonly Outcome[]): Summary {
  const harmless = outcomes.filter(isHarmless).length
  const alarms = outcomes.filter(isAlarm)
  return {
    sequences: outcomes.length,
    changed: outcomes.length - harmless,
    harmless,
    holes: outcomes.filter(isHole),
    alarms,
    passed: harmless === 0 ? 1 : (harmless - alarms.length) / harmless,
  }
}

/** An outcome for people. */
export function show({ sequence, changed, said }: Outcome): string {
  const calls = sequence.calls.map((call, i) => {
    const verdict = said[i] ? `${said[i].decision} ${said[i].rule} ${said[i].reason}`.trim() : 'not judged'
    return `${call}\n  # ${verdict}; changed: ${(changed[i] ?? []).join(', ') || 'nothing protected'}`
  })
  return `--- seed ${sequence.seed} (${sequence.aim}; ${sequence.used.join(', ')})\n${calls.join('\n--- next call\n')}\n`
}
