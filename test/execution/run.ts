/** Judges sequences, runs them, and holds what changed against what was said. */
import { judgeCommand, type Said } from './judge.ts'
import { openSandbox, type Sandbox, type Snapshot } from './sandbox.ts'
import { type Sequence, sequenceOf } from './sequence.ts'
import { isProtected, PLACES, ROOT } from './tree.ts'
import { worldOf } from './world.ts'

export interface Outcome {
  readonly sequence: Sequence
  /** Protected paths that changed, by the call after which it showed. */
  readonly changed: readonly (readonly string[])[]
  /** The verdict on each call, as far as it came: what is stopped ends the sequence. */
  readonly said: readonly Said[]
}

const COMMITTED: ReadonlyMap<string, string> = new Map(
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

/** What running gave: the tree that each call met, and what it changed. */
export interface Ran {
  readonly sequence: Sequence
  readonly before: readonly Snapshot[]
  readonly changed: readonly (readonly string[])[]
}

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

const passed = ({ said }: Outcome, call: number): boolean => said[call]?.decision === 'pass'

/** A call changed something protected although the guard passed it: a hole. */
export const isHole = (outcome: Outcome): boolean =>
  outcome.changed.some((paths, call) => paths.length > 0 && passed(outcome, call))

export const isHarmless = ({ changed }: Outcome): boolean => changed.every((paths) => paths.length === 0)

/** Something was stopped in a sequence that changes nothing protected. */
export const isAlarm = (outcome: Outcome): boolean =>
  isHarmless(outcome) && outcome.said.some(({ decision }) => decision !== 'pass')

/** Runs the sequences of these seeds, two at a time, and judges them. */
export async function runAll(seeds: readonly number[], onOutcome?: (outcome: Outcome) => void): Promise<Outcome[]> {
  const sandbox = await openSandbox()
  const out: Outcome[] = []
  let next = 0
  const worker = async () => {
    for (let at = next++; at < seeds.length; at = next++) {
      const outcome = judgeRan(await execute(sequenceOf(seeds[at]!), sandbox))
      out.push(outcome)
      onOutcome?.(outcome)
    }
  }
  try {
    await Promise.all([worker(), worker(), worker()])
  } finally {
    sandbox.close()
  }
  return out.sort((a, b) => a.sequence.seed - b.sequence.seed)
}
