/**
 * Small automata over code points, for patterns of paths. Backtracking expressions can take forever on a name that
 * somebody chose for the purpose; these take at most text times states, and two of them can be intersected.
 */

/** Sorted, disjoint, inclusive ranges: `[lo, hi, lo, hi, …]`. */
export type CharSet = readonly number[]

const LAST = 0x10ffff
const SLASH = 47
const DOT = 46

export const ANY: CharSet = [0, LAST]
export const NO_SLASH: CharSet = [0, SLASH - 1, SLASH + 1, LAST]
/** First character of a name that a shell pattern matches: no dot. */
export const NO_DOT: CharSet = [0, DOT - 1, SLASH + 1, LAST]
export const SEPARATOR: CharSet = [SLASH, SLASH]

export function charSet(pairs: readonly (readonly [number, number])[]): CharSet {
  const out: number[] = []
  for (const [lo, hi] of pairs.filter(([lo, hi]) => lo <= hi).sort((a, b) => a[0] - b[0])) {
    const end = out.at(-1)
    if (end !== undefined && lo <= end + 1) out[out.length - 1] = Math.max(end, hi)
    else out.push(lo, hi)
  }
  return out
}

export function complement(set: CharSet): CharSet {
  const out: number[] = []
  let from = 0
  for (let i = 0; i < set.length; i += 2) {
    if (set[i]! > from) out.push(from, set[i]! - 1)
    from = set[i + 1]! + 1
  }
  if (from <= LAST) out.push(from, LAST)
  return out
}

export function overlap(a: CharSet, b: CharSet): CharSet {
  const out: number[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const lo = Math.max(a[i]!, b[j]!)
    const hi = Math.min(a[i + 1]!, b[j + 1]!)
    if (lo <= hi) out.push(lo, hi)
    if (a[i + 1]! < b[j + 1]!) i += 2
    else j += 2
  }
  return out
}

function has(set: CharSet, code: number): boolean {
  for (let i = 0; i < set.length; i += 2) if (code >= set[i]! && code <= set[i + 1]!) return true
  return false
}

/** A pattern of texts, as a tree that `compile` turns into an automaton. */
export type Regular =
  | { readonly is: 'set'; readonly set: CharSet }
  | { readonly is: 'sequence'; readonly of: readonly Regular[] }
  | { readonly is: 'choice'; readonly of: readonly Regular[] }
  | { readonly is: 'repeat'; readonly of: Regular } // any number of times, none included
  | { readonly is: 'not'; readonly of: Regular } // any name without separators that `of` is not

export const set = (of: CharSet): Regular => ({ is: 'set', set: of })
export const sequence = (...of: readonly Regular[]): Regular => (of.length === 1 ? of[0]! : { is: 'sequence', of })
export const choice = (...of: readonly Regular[]): Regular => (of.length === 1 ? of[0]! : { is: 'choice', of })
export const repeat = (of: Regular): Regular => ({ is: 'repeat', of })
export const EMPTY: Regular = { is: 'sequence', of: [] }
export const literal = (text: string): Regular =>
  sequence(...[...text].map((char) => set([char.codePointAt(0)!, char.codePointAt(0)!])))

/** One name, not empty. */
export const NAME: Regular = sequence(set(NO_SLASH), repeat(set(NO_SLASH)))
/** Nothing, or anything below. */
export const BELOW: Regular = repeat(sequence(set(SEPARATOR), NAME))

/** States of one automaton; a pattern that needs more is no pattern that a person wrote. */
export const MOST_STATES = 20_000
/** States of a negated part once it is deterministic, which can be exponential. */
const MOST_NEGATED = 256
/** Pairs of states that an intersection looks at before it answers "perhaps", which is the safe answer. */
const MOST_PAIRS = 200_000

export class TooLarge extends Error {}

interface State {
  readonly free: number[]
  readonly edges: { readonly set: CharSet; readonly to: number }[]
}

export interface Automaton {
  readonly states: readonly State[]
  readonly start: number
  readonly end: number
}

/** Throws `TooLarge` above `MOST_STATES` (or `MOST_NEGATED` in a negated part). */
export function compile(pattern: Regular): Automaton {
  const states: State[] = []
  const add = (): number => {
    if (states.length >= MOST_STATES) throw new TooLarge()
    return states.push({ free: [], edges: [] }) - 1
  }
  const build = (node: Regular, from: number): number => {
    switch (node.is) {
      case 'set': {
        const to = add()
        if (node.set.length > 0) states[from]!.edges.push({ set: node.set, to })
        return to
      }
      case 'sequence': {
        let at = from
        for (const part of node.of) at = build(part, at)
        return at
      }
      case 'choice': {
        const to = add()
        for (const part of node.of) {
          const begin = add()
          states[from]!.free.push(begin)
          states[build(part, begin)]!.free.push(to)
        }
        return to
      }
      case 'repeat': {
        const loop = add()
        states[from]!.free.push(loop)
        states[build(node.of, loop)]!.free.push(loop)
        const to = add()
        states[loop]!.free.push(to)
        return to
      }
      case 'not':
        return negate(compile(node.of), from, add, states)
    }
  }
  const start = add()
  const end = build(pattern, start)
  return { states, start, end }
}

/** Adds "any name that `inner` does not accept" behind `from`, by making `inner` deterministic. */
function negate(inner: Automaton, from: number, add: () => number, states: State[]): number {
  const cuts = new Set<number>([0, SLASH, SLASH + 1])
  for (const { edges } of inner.states) {
    for (const edge of edges)
      for (let i = 0; i < edge.set.length; i += 2) cuts.add(edge.set[i]!).add(edge.set[i + 1]! + 1)
  }
  const points = [...cuts].filter((cut) => cut <= LAST).sort((a, b) => a - b)
  const end = add()
  const known = new Map<string, number>()
  const todo: { here: ReadonlySet<number>; state: number }[] = []
  const enter = (here: ReadonlySet<number>): number => {
    const key = [...here].sort((a, b) => a - b).join()
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size >= MOST_NEGATED) throw new TooLarge()
    const state = add()
    known.set(key, state)
    if (!here.has(inner.end)) states[state]!.free.push(end)
    todo.push({ here, state })
    return state
  }
  states[from]!.free.push(enter(begin(inner)))
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const [i, point] of points.entries()) {
      if (point === SLASH) continue
      const range: CharSet = [point, (points[i + 1] ?? LAST + 1) - 1]
      const to = enter(step(inner, next.here, point))
      states[next.state]!.edges.push({ set: range, to })
    }
  }
  return end
}

/** The states that are reached without reading anything. */
export function begin(of: Automaton): ReadonlySet<number> {
  return close(of, [of.start])
}

function close(of: Automaton, from: Iterable<number>): Set<number> {
  const out = new Set<number>()
  const todo = [...from]
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (out.has(at)) continue
    out.add(at)
    todo.push(...of.states[at]!.free)
  }
  return out
}

function step(of: Automaton, here: ReadonlySet<number>, code: number): ReadonlySet<number> {
  const next: number[] = []
  for (const at of here) for (const edge of of.states[at]!.edges) if (has(edge.set, code)) next.push(edge.to)
  return close(of, next)
}

/** Sets of states of one automaton with what each character makes of them, as far as texts have led there. */
interface Walked {
  readonly here: ReadonlySet<number>
  readonly next: Map<number, Walked>
}

/** Sets of one automaton that are kept: paths that people name lead to a few dozen. */
const MOST_WALKED = 2_000

/** Characters whose way is kept; names of files are mostly made of these. */
const MOST_KEPT = 0xff

const walks = new WeakMap<Automaton, { readonly start: Walked; readonly known: Map<string, Walked> }>()

/** The states after reading `text`; empty where no text of the pattern begins so. */
export function after(of: Automaton, text: string): ReadonlySet<number> {
  let walk = walks.get(of)
  if (walk === undefined) {
    walk = { start: { here: begin(of), next: new Map() }, known: new Map() }
    walks.set(of, walk)
  }
  let at = walk.start
  for (let i = 0; i < text.length && at.here.size > 0; i++) {
    const code = text.codePointAt(i)!
    if (code > 0xffff) i++
    let to = at.next.get(code)
    if (to === undefined) {
      const here = step(of, at.here, code)
      const key = [...here].sort((a, b) => a - b).join()
      to = walk.known.get(key) ?? { here, next: new Map() }
      // Beyond the limit nothing is kept, so that no text can fill the memory.
      if (walk.known.size < MOST_WALKED) {
        walk.known.set(key, to)
        if (code <= MOST_KEPT) at.next.set(code, to)
      }
    }
    at = to
  }
  return at.here
}

export const accepts = (of: Automaton, text: string): boolean => after(of, text).has(of.end)

/** Whether some text belongs to both. True where that would take too long to find out. */
export function intersects(a: Automaton, b: Automaton): boolean {
  const seen = new Set<number>()
  const todo: number[] = []
  const width = b.states.length
  const push = (i: number, j: number) => {
    const pair = i * width + j
    if (seen.has(pair)) return
    seen.add(pair)
    todo.push(pair)
  }
  push(a.start, b.start)
  for (let pair = todo.pop(); pair !== undefined; pair = todo.pop()) {
    const i = Math.floor(pair / width)
    const j = pair % width
    if (i === a.end && j === b.end) return true
    if (seen.size > MOST_PAIRS) return true
    const left = a.states[i]!
    const right = b.states[j]!
    for (const to of left.free) push(to, j)
    for (const to of right.free) push(i, to)
    for (const x of left.edges) for (const y of right.edges) if (overlap(x.set, y.set).length > 0) push(x.to, y.to)
  }
  return false
}
