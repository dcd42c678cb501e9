/**
 * Counts the values of records by column, in bounded memory, and tells which values are the odd ones: seldom ones of a
 * column that has few values, and those that are not made like the others of their column.
 */
import type { Span } from '../family.ts'
import { own } from './words.ts'

/** Where a record stands: its lines, and its bytes where it is a part of a line. */
export interface At {
  readonly span: Span
  readonly bytes?: { readonly from: number; readonly to: number }
  /** Its place among its like, from 0. */
  readonly index?: number
}

export interface Value {
  readonly text: string
  count: number
  /** The first record with it. */
  readonly at: At
  /** The next ones, a few. */
  readonly also: At[]
  /** Where the value itself stands, in the first records. */
  readonly cells: At[]
}

export interface Cell {
  readonly column: string
  readonly text: string
  readonly at?: At
}

export interface Odd {
  readonly column: string
  readonly value: Value
  /** More: rarer. */
  readonly weight: number
}

/** Values of one column that are told apart; a column with more is read by how its values are made. */
const VALUES = 40
const COLUMNS = 64
/** Longer values are only compared by how they are made. */
const LONG = 80
/** Places that are held of one value beside its first. */
const ALSO = 2
/** How much larger than the next a number is that stands out. */
const FAR = 5
/** Records before anything is odd. */
const LEAST = 8

class Column {
  readonly name: string
  count = 0
  /** Undefined: too many values. */
  values: Map<string, Value> | undefined = new Map()
  /** By how they are made, from when there are too many values; undefined: too many ways. */
  made: Map<string, Value> | undefined
  /** Of numbers, from when there are too many values: how many, the largest one, and the next. */
  numbers = 0
  largest: Value | undefined
  next = 0
  #most = 0

  constructor(name: string) {
    this.name = name
  }

  add(text: string, at: At, cell: At | undefined): void {
    this.count++
    if (this.values !== undefined) {
      if (text.length <= LONG && tally(this.values, text, text, at, cell)) return
      this.made = new Map()
      for (const value of this.values.values()) {
        this.#number(value.text, value.count, value.at, value.cells[0])
        if (this.made !== undefined) this.#make(value)
      }
      this.values = undefined
    }
    this.#number(text, 1, at, cell)
    if (this.made !== undefined && !tally(this.made, makeOf(text), text, at, cell)) this.made = undefined
  }

  #number(text: string, times: number, at: At, cell: At | undefined): void {
    const first = text.charCodeAt(0)
    if (!(isDigit(first) || first === 45)) return
    const value = Number(text)
    if (Number.isNaN(value)) return
    this.numbers += times
    if (value > this.#most) {
      this.next = this.#most
      this.#most = value
      this.largest = { text, count: times, at, also: [], cells: cell === undefined ? [] : [cell] }
    } else if (value > this.next) this.next = value
  }

  /** The largest number where it is far from all others. */
  get far(): Value | undefined {
    const alone = this.largest?.count === 1 && this.next > 0 && this.#most > FAR * this.next
    return alone && this.numbers >= this.count * 0.9 ? this.largest : undefined
  }

  /** Counts a value that was told apart before by how it is made. */
  #make(value: Value): void {
    const key = makeOf(value.text)
    const there = this.made!.get(key)
    if (there !== undefined) there.count += value.count
    else if (this.made!.size >= VALUES) this.made = undefined
    else this.made!.set(key, value)
  }
}

/** Counts a value. False where there is no room for it. */
function tally(values: Map<string, Value>, key: string, text: string, at: At, cell: At | undefined): boolean {
  const there = values.get(key)
  if (there !== undefined) {
    there.count++
    if (there.also.length < ALSO) {
      there.also.push(at)
      if (cell !== undefined) there.cells.push(cell)
    }
    return true
  }
  if (values.size >= VALUES) return false
  const kept = own(text)
  values.set(key === text ? kept : own(key), {
    text: kept,
    count: 1,
    at,
    also: [],
    cells: cell === undefined ? [] : [cell],
  })
  return true
}

/** Words of a value after which it is prose. */
const WORDS = 4

/** How a value is made: numbers, words, mixtures of both, and what stands between them. */
export function makeOf(text: string): string {
  const end = Math.min(text.length, 200)
  let made = ''
  let words = 0
  for (let i = 0; i < end; ) {
    let letters = false
    let digits = false
    const from = i
    while (i < end) {
      const c = text.charCodeAt(i)
      if (c >= 48 && c <= 57) digits = true
      else if ((c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95 || c >= 0xc0) letters = true
      // Digits go on behind a point: times, versions, amounts.
      else if (!(digits && !letters && isJoint(c) && isDigit(text.charCodeAt(i + 1)))) break
      i++
    }
    if (i > from) {
      if (++words >= WORDS) return 'prose'
      made += digits ? (letters ? 'x' : '0') : 'a'
    } else made += text[i++]!
  }
  return made.length > 40 ? made.slice(0, 40) : made
}

const isDigit = (c: number): boolean => c >= 48 && c <= 57
/** `.`, `:`, `,` */
const isJoint = (c: number): boolean => c === 46 || c === 58 || c === 44

export class Census {
  readonly #columns = new Map<string, Column>()
  /** Records that were counted. */
  records = 0

  add(cells: Iterable<Cell>, at: At): void {
    this.records++
    for (const cell of cells) {
      let column = this.#columns.get(cell.column)
      if (column === undefined) {
        if (this.#columns.size >= COLUMNS) continue
        column = new Column(own(cell.column))
        this.#columns.set(column.name, column)
      }
      column.add(cell.text, at, cell.at)
    }
  }

  /** Columns in the order in which they were first seen, with the number of records that have them. */
  get columns(): readonly { readonly name: string; readonly count: number }[] {
    return [...this.#columns.values()].map(({ name, count }) => ({ name, count }))
  }

  /** All values of the columns that repeat a few of them, most frequent first. */
  few(most: number): readonly { readonly column: string; readonly values: readonly Value[] }[] {
    return [...this.#columns.values()]
      .filter(
        ({ values, count }) =>
          values !== undefined && values.size > 1 && values.size <= most && count >= 4 * values.size,
      )
      .map(({ name, values }) => ({ column: name, values: ranked(values!) }))
  }

  /** Values that stand out, rarest first; a record is named once. */
  odd(most: number): readonly Odd[] {
    const found: Odd[] = []
    for (const column of this.#columns.values()) {
      const { name, count } = column
      if (count < LEAST) {
        // A column that only a few records have.
        if (this.records >= LEAST && count <= Math.max(3, this.records / 20)) {
          const [value] = column.values?.values() ?? column.made?.values() ?? []
          if (value !== undefined) found.push({ column: name, value, weight: Math.log2(this.records / count) })
        }
        continue
      }
      const { far } = column
      if (far !== undefined) found.push({ column: name, value: far, weight: Math.log2(count) })
      for (const values of [column.values, column.made]) {
        if (values === undefined) continue
        // A few ways of writing are common where a value is any text: only the rarest say something.
        const few = seldom(values, count, values === column.made ? 100 : 12)
        for (const value of few)
          found.push({ column: name, value, weight: Math.log2(count / value.count) - Math.log2(few.length) })
      }
    }
    found.sort((a, b) => b.weight - a.weight || a.value.at.span.from - b.value.at.span.from)
    const seen = new Set<string>()
    return found
      .filter(({ value, column }) => {
        const key = `${value.at.span.from}:${value.at.bytes?.from ?? ''}:${column}`
        const fresh = !seen.has(key)
        seen.add(key)
        return fresh
      })
      .slice(0, most)
  }
}

/** A record that stands out. */
export interface OddRecord {
  readonly at: At
  readonly weight: number
}

/** The records that odd values are in, each once, rarest first: all of a value that few have. */
export function oddRecords(odd: readonly Odd[], most: number): readonly OddRecord[] {
  const found = new Map<string, { at: At; weight: number }>()
  for (const { value, weight } of odd) {
    const places = value.count <= 1 + ALSO ? [value.at, ...value.also] : [value.at]
    places.forEach((at, index) => {
      const key = `${at.span.from}:${at.bytes?.from ?? ''}`
      const there = found.get(key)
      // Every further oddity of a record adds a little; a second record with the same value says less than the first.
      if (there === undefined) found.set(key, { at, weight: weight - index })
      else there.weight = Math.max(there.weight, weight - index) + 0.5
    })
  }
  return [...found.values()].sort((a, b) => b.weight - a.weight || a.at.span.from - b.at.span.from).slice(0, most)
}

const ranked = (values: ReadonlyMap<string, Value>): Value[] =>
  [...values.values()].sort((a, b) => b.count - a.count || a.at.span.from - b.at.span.from)

/** The values that few records have, where most records share others. */
function seldom(values: ReadonlyMap<string, Value>, count: number, share: number): readonly Value[] {
  const few = [...values.values()].filter((value) => value.count <= Math.max(3, count / share))
  const records = few.reduce((sum, value) => sum + value.count, 0)
  return few.length < values.size && records <= count / 4 ? few : []
}
