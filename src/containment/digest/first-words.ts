/**
 * The words that lines begin with. Where a few words begin nearly all lines, as a state or a level does, a line that begins
 * with another one is unlike the rest, however unlike each other the rest of the lines is.
 */
import type { Place } from './lines.ts'
import type { Odd } from './numbers.ts'

/** Words that are counted; where more begin lines, they are no states. */
const WORDS = 24
/** Lines before one can be unlike the others. */
const MANY = 200
/** Occurrences of a word that is odd, such words, and one line in so many that begins with one of them. */
const FEW = 2
const ODD = 3
const SHARE = 100
/** Lines at the beginning that may be a heading; they are shown anyway. */
const HEADING = 8

interface Begun {
  count: number
  readonly places: Place[]
}

export class FirstWords {
  #lines = 0
  #words: Map<number, Begun> | undefined = new Map()
  #last: { readonly word: number; readonly begun: Begun } | undefined

  /** Counts one line by the hash of its first word. */
  add(word: number, n: number, from: number, to: number): void {
    if (this.#words === undefined || n <= HEADING) return
    this.#lines++
    let begun = this.#last?.word === word ? this.#last.begun : this.#words.get(word)
    if (begun === undefined) {
      if (this.#words.size === WORDS) {
        this.#words = undefined
        return
      }
      begun = { count: 0, places: [] }
      this.#words.set(word, begun)
    }
    if (begun.count++ < FEW) begun.places.push({ n, from, to })
    if (this.#last?.begun !== begun) this.#last = { word, begun }
  }

  /** The last line came `count` times more. */
  again(count: number): void {
    if (this.#last === undefined) return
    this.#lines += count
    this.#last.begun.count += count
  }

  /** Lines that begin unlike the others. */
  odd(): readonly Odd[] {
    if (this.#words === undefined || this.#lines < MANY) return []
    const few = [...this.#words.values()].filter(({ count }) => count <= FEW)
    const places = few.flatMap((begun) => begun.places)
    if (few.length > ODD || places.length * SHARE > this.#lines) return []
    return places.map((place) => ({ place, among: this.#lines }))
  }
}
