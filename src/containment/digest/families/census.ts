/**
 * Counts the values of records by column, in bounded memory, and tells which values are the odd ones: seldom ones of a
 * column that has few values, and those that are not made like the others of their column.
 */
import type { Span } from '../family.ts'

/** Where a record stands: its lines, and its bytes where it is a part of a line. */
export interface At {
  readonly span: Span
  readonly bytes?: { readonly from: number; readonly to: number }
}

export interface Value {
  readonly text: string
  count: number
  /** The first record with it. */
  readonly at: At
  /** The next ones, a few. */
  readonly also: At[]
  /** Where the value itself stands. */
  readonly cell: At | undefined
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
const COLUMNS = 128
/** Longer values are only compared by how they are made. */
const LONG = 80
/** Places that are held of one value beside its first. */
const ALSO = 2
/** Records before anything is odd. */
const LEAST = 8

class Column {
  readonly name: string
  count = 0
  /** Undefined: too many values. */
  values: Map<string, Value> | undefined = new Map()
  made: Map<string, Value> | undefined = new Map()

  constructor(name: string) {
    this.name = name
  }

  add(text: string, at: At, cell: At | undefined): void {
    this.count++
    if (text.length > LONG) this.values = undefined
    this.values = tally(this.values, text, text, at, cell)
    this.made = tally(this.made, makeOf(text), text, at, cell)
  }
}

function tally(
  values: Map<string, Value> | undefined,
  key: string,
  text: string,
  at: At,
  cell: At | undefined,
): Map<string, Value> | undefined {
  if (values === undefined) return undefined
  const there = values.get(key)
  if (there !== undefined) {
    there.count++
    if (there.also.length < ALSO) there.also.push(at)
  } else if (values.size >= VALUES) return undefined
  else values.set(key, { text, count: 1, at, also: [], cell })
  return values
}

/** How a value is made: numbers, words and what stands between them. */
export function makeOf(text: string): string {
  const cut = text.length > 200 ? text.slice(0, 200) : text
  return cut
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{7,}\b/giu, 'h')
    .replace(/\d[\d.,:]*/gu, '0')
    .replace(/\p{L}[\p{L}\p{M}_]*/gu, 'a')
    .replace(/(?:[a0][- _./]?){4,}/gu, 'b')
    .slice(0, 40)
}

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
        column = new Column(cell.column)
        this.#columns.set(cell.column, column)
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
          const [value] = column.made?.values() ?? []
          if (value !== undefined) found.push({ column: name, value, weight: Math.log2(this.records / count) })
        }
        continue
      }
      for (const values of [column.values, column.made]) {
        if (values === undefined) continue
        const few = seldom(values, count)
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
function seldom(values: ReadonlyMap<string, Value>, count: number): readonly Value[] {
  const few = [...values.values()].filter((value) => value.count <= Math.max(3, count / 12))
  const records = few.reduce((sum, value) => sum + value.count, 0)
  return few.length < values.size && records <= count / 4 ? few : []
}
