/** Guesses what a misspelt key was meant to be. */

/** Edits beyond which a guess would not help. */
const MOST_EDITS = 3

/** ` Did you mean "x"?` or nothing. */
export function nearest(word: string, known: readonly string[]): string {
  let best: { name: string; edits: number } | undefined
  for (const name of known) {
    const edits = distance(word.toLowerCase(), name)
    if (edits <= Math.min(MOST_EDITS, Math.ceil(name.length / 2)) && (best === undefined || edits < best.edits))
      best = { name, edits }
  }
  return best === undefined ? '' : ` Did you mean "${best.name}"?`
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
