/** Ranks lines by how much of a query they have: rare words count more, and so do short lines (after Okapi BM25). */
import type { Hit } from './match.ts'

/** Words of a query that count: one bit each. */
const MOST_TERMS = 30

/** The words of a query, in lower case, each once. */
export function termsOf(query: string): readonly string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []
  return [...new Set(words)].slice(0, MOST_TERMS)
}

/** Weight of a line's length. */
const B = 0.5

/** The hits with the best first; of equal ones the earlier. `lines`: of all that was looked through. */
export function ranked<T extends Hit>(hits: readonly T[], terms: number, lines: number): readonly T[] {
  const counts = Array.from({ length: terms }, (_, t) => hits.filter((hit) => (hit.terms >>> t) & 1).length)
  const weights = counts.map((count) => Math.log(1 + (lines - count + 0.5) / (count + 0.5)))
  const mean = hits.reduce((sum, hit) => sum + hit.to - hit.from, 0) / Math.max(1, hits.length)
  const scored = hits.map((hit, i) => {
    let sum = 0
    for (let t = 0; t < terms; t++) if ((hit.terms >>> t) & 1) sum += weights[t]!
    return { hit, i, score: sum / (1 - B + (B * (hit.to - hit.from)) / Math.max(1, mean)) ** 0.25 }
  })
  return scored.sort((a, b) => b.score - a.score || a.i - b.i).map(({ hit }) => hit)
}
