/** How far a plan goes: an end for any line, whatever loops it holds, and a look at the clock on the way. */
import { type Asking, ask } from '../core/question.ts'

/** What one plan has done so far. */
export interface Pace {
  /** Nodes of shell trees that were run. */
  nodes: number
  /** No further step is taken: a limit was reached, or the time. What is left is not known, and somebody says so. */
  over: boolean
}

export const newPace = (): Pace => ({ nodes: 0, over: false })

/** Nodes of one verdict: lists, branches and loops around commands count, too. */
export const MOST_NODES = 60_000
/** Nodes between two looks at the clock: some milliseconds of planning. */
const LOOK = 32

/** One step of planning. True where it was the last one: the caller says that there is more. */
export function* paced(pace: Pace): Asking<boolean> {
  const step = ++pace.nodes
  if (pace.over) return false
  if (step > MOST_NODES) pace.over = true
  else if (step % LOOK === 0) pace.over = (yield* ask('time', { step })) === 'unknown'
  return pace.over
}
