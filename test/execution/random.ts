/** A seeded source of choices: the same seed gives the same sequences on every machine. */

export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** Picks by weight; weights are positive. */
  weighted<T extends { readonly weight?: number }>(items: readonly T[]): T
}

/** Mulberry32: small, and good enough to spread choices. */
export function newRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(items.length)]!,
    weighted(items) {
      const total = items.reduce((sum, { weight = 1 }) => sum + weight, 0)
      let at = next() * total
      for (const item of items) {
        at -= item.weight ?? 1
        if (at < 0) return item
      }
      return items.at(-1)!
    },
  }
}
