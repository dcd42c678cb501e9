/**
 * Numbers that are unlike the numbers in their place. Shapes mask numbers, so of ten thousand requests that one was
 * answered with 500 is no other shape. Here each number counts by its class (its digits, a zero, the hundred that it is
 * of) for the lines that are held together alike; a class that hardly occurs among many is odd. So is another number
 * where all have the same.
 */
import type { Place } from './lines.ts'

/** Words and numbers of a line at which numbers are looked at. */
export const NUMBERED = 24
const CLASSES = 32
const HUNDREDS = 16

/** Lines that are held together alike before their numbers count, and before one of them can be odd. */
const FROM = 16
const MANY = 200
/** Occurrences of a class that is odd: so many, and one in so many lines. */
const FEW = 2
const SHARE = 200
/** Odd classes at one place: where there are more, numbers there are of any size. */
const SPREAD = 2
/** Lines of the end in which a number may change for good. */
const NEAR = 8
/** Odd lines of one capture. */
const MOST = 12

/** The class of the digits `buffer[from, to)`, which may be joined by other signs. */
export function classOf(buffer: Uint8Array, from: number, to: number): number {
  let end = from
  while (end < to && buffer[end]! >= 0x30 && buffer[end]! <= 0x39) end++
  const digits = end - from
  if (end === to && digits === 1 && buffer[from] === 0x30) return 0
  if (end === to && digits === 3) return HUNDREDS + buffer[from]! - 0x30
  return Math.min(digits, HUNDREDS - 1)
}

/** The number that the digits `buffer[from, to)` begin with. */
export function numberOf(buffer: Uint8Array, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to && buffer[i]! >= 0x30 && buffer[i]! <= 0x39; i++) value = value * 10 + buffer[i]! - 0x30
  return value
}

/** A line with an odd number. */
export interface Odd {
  readonly place: Place
  /** Lines that have a number in its place. */
  readonly among: number
}

/** The numbers of one line; the first `numbers` of each hold. */
interface Read {
  /** Where it stands, counted in words and numbers. */
  readonly slots: Uint8Array
  readonly classes: Uint8Array
  readonly values: Float64Array
  readonly numbers: number
}

/** The numbers of lines that are held together alike. */
export class Numbers {
  #lines = 0
  #counts: Uint8Array | undefined
  readonly #last = new Float64Array(NUMBERED)
  readonly #places = new Map<number, Place[]>()
  /** The number that stands in each place, and lines that have another one there; those of a place with too many are left. */
  #same: Float64Array | undefined
  #apart: Uint8Array | undefined
  #others: Map<number, Place[]> | undefined

  /** Counts the numbers of one line. */
  add({ slots, classes, values, numbers }: Read, n: number, from: number, to: number): void {
    if (++this.#lines < FROM) return
    this.#counts ??= new Uint8Array(NUMBERED * CLASSES)
    const counts = this.#counts
    this.#same ??= new Float64Array(NUMBERED).fill(Number.NaN)
    const same = this.#same
    for (let i = 0; i < numbers; i++) {
      const slot = slots[i]!
      const key = slot * CLASSES + classes[i]!
      if (values[i] !== same[slot]!) this.#other(same, slot, values[i]!, n, from, to)
      const countsUp = values[i] === this.#last[slot]! + 1
      this.#last[slot] = values[i]!
      const times = counts[key]!
      if (times > FEW) continue
      // What counts up comes to a new number by itself.
      counts[key] = countsUp ? FEW + 1 : times + 1
      if (countsUp || times === FEW) this.#places.delete(key)
      else if (times === 0) this.#places.set(key, [{ n, from, to }])
      else this.#places.get(key)!.push({ n, from, to })
    }
  }

  /** A number that is not the one that stood in its place. */
  #other(same: Float64Array, slot: number, value: number, n: number, from: number, to: number): void {
    if (Number.isNaN(same[slot]!)) {
      same[slot] = value
      return
    }
    this.#apart ??= new Uint8Array(NUMBERED)
    this.#others ??= new Map()
    if (this.#apart[slot]! > FEW) return
    if (++this.#apart[slot]! > FEW) this.#others.delete(slot)
    else this.#others.set(slot, [...(this.#others.get(slot) ?? []), { n, from, to }])
  }

  /** The last line came `count` times more. */
  again(count: number): void {
    this.#lines += count
  }

  /** Lines whose number is odd. `last`: the last line of all, at which a number that counts up is new. */
  odd(last: number): readonly Odd[] {
    if (this.#lines < MANY) return []
    const bySlot = new Map<number, Place[]>()
    const classes = new Map<number, number>()
    for (const [key, places] of this.#places) {
      const slot = Math.floor(key / CLASSES)
      classes.set(slot, (classes.get(slot) ?? 0) + 1)
      bySlot.set(slot, [...(bySlot.get(slot) ?? []), ...places])
    }
    // What changes at the end, as an hour does, is no other number among equal ones.
    const others = [...(this.#others?.values() ?? [])].filter((places) => places.some(({ n }) => n < last - NEAR))
    const byValue = others.flatMap((places) => places.map((place) => ({ place, among: this.#lines })))
    const byClass = [...bySlot]
      .filter(([slot, places]) => classes.get(slot)! <= SPREAD && places.length * SHARE <= this.#lines)
      .flatMap(([, places]) => places.filter(({ n }) => n !== last).map((place) => ({ place, among: this.#lines })))
    return [...byClass, ...byValue]
  }
}

/** The odd lines of a capture, those among the most lines first. */
export function oddest(all: readonly Odd[]): readonly Odd[] {
  const seen = new Set<number>()
  return [...all]
    .sort((a, b) => b.among - a.among || a.place.from - b.place.from)
    .filter(({ place }) => !seen.has(place.from) && seen.add(place.from))
    .slice(0, MOST)
}
