/** What generators of outputs are made of. */

export interface Needle {
  readonly class: string
  readonly any: readonly string[]
}

export interface Corpus {
  readonly id: string
  readonly exit: number
  readonly text: Buffer
  readonly needles: readonly Needle[]
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
export function randomOf(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return { int, of: <T>(list: readonly T[]): T => list[int(0, list.length - 1)]!, hex: (n: number) => hexOf(int, n) }
}

const hexOf = (int: (a: number, b: number) => number, n: number) =>
  Array.from({ length: n }, () => int(0, 15).toString(16)).join('')

export type Random = ReturnType<typeof randomOf>
export type Make = (r: Random) => Omit<Corpus, 'id' | 'text'> & { readonly text: string }

export const NOUNS =
  'order invoice shard ledger parcel basket tenant quota widget cursor bucket replica lease voucher segment'.split(' ')
export const VERBS =
  'load store merge split route parse render rotate drain settle fetch index publish encode verify'.split(' ')
export const PLACES = 'core api web jobs billing search auth sync edge report'.split(' ')
export const name = (r: Random) => `${r.of(VERBS)}_${r.of(NOUNS)}_${r.int(1, 999)}`
export const file = (r: Random, ext: string) => `${r.of(PLACES)}/${r.of(NOUNS)}_${r.of(VERBS)}${r.int(1, 40)}.${ext}`
export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
export const needle = (kind: string, ...any: string[]): Needle => ({ class: kind, any })
export const text = (lines: readonly (string | readonly string[])[]) => `${lines.flat().join('\n')}\n`
/** Different whole numbers below `n`. */
export const picks = (r: Random, count: number, n: number) => {
  const found = new Set<number>()
  while (found.size < count) found.add(r.int(0, n - 1))
  return [...found].sort((a, b) => a - b)
}
