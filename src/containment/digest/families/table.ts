/**
 * Aligned tables under a header, as kubectl, docker, helm, ps and df print them. The header stands first; values of the
 * columns that repeat a few are counted, and rows with a seldom value are shown whole.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { type Cell, Census, oddRecords } from './census.ts'
import { counted } from './words.ts'

/** Values of a column up to which all of them are counted in the digest. */
const FEW = 8
/** Characters of a header at most. */
const HEADER = 2000
/** Lines at the head among which the header is looked for. */
const BEFORE = 4

interface Field {
  readonly text: string
  /** UTF-16 offsets in the line. */
  readonly from: number
  readonly to: number
}

interface Layout {
  readonly header: number
  readonly columns: readonly string[]
  /** The fields of a row; undefined: the line is none. */
  split(text: string): readonly Field[] | undefined
}

/** Words of a header, which stand apart by at least `gap` blanks. */
function headings(text: string, gap: number): Field[] {
  const found: Field[] = []
  const word = gap > 1 ? /\S+(?: \S+)*/gu : /\S+/gu
  for (const match of text.matchAll(word))
    found.push({ text: match[0], from: match.index, to: match.index + match[0].length })
  return found
}

const HEADING = /^[A-Z%#][\w %()#:/.*-]*$/u

const isHeader = (fields: readonly Field[]): boolean =>
  fields.length >= 3 && fields.every(({ text }) => HEADING.test(text) && text.length <= 40)

/** Columns that begin where their heading begins. */
function leftAligned(header: string): Layout['split'] | undefined {
  const fields = headings(header, 2)
  if (!isHeader(fields)) return undefined
  return (text) => {
    const row: Field[] = []
    for (let at = 0; at < fields.length; at++) {
      const from = fields[at]!.from
      const to = Math.min(fields[at + 1]?.from ?? text.length, text.length)
      if (from > 0 && from <= text.length && text[from - 1] !== ' ') return undefined
      row.push(from >= to ? { text: '', from: text.length, to: text.length } : trimmed(text, from, to))
    }
    return row[0]!.text === '' && !/^\s/u.test(header) ? undefined : row
  }
}

function trimmed(text: string, from: number, to: number): Field {
  let [a, b] = [from, to]
  while (a < b && text[a] === ' ') a++
  while (b > a && text[b - 1] === ' ') b--
  return { text: text.slice(a, b), from: a, to: b }
}

/** Columns that are told by their order: the last one takes what is left. */
function byWords(count: number): Layout['split'] {
  return (text) => {
    const row: Field[] = []
    for (const match of text.matchAll(/\S+/gu)) {
      const from = match.index
      if (row.length === count - 1) {
        row.push(trimmed(text, from, text.length))
        return row
      }
      row.push({ text: match[0], from, to: from + match[0].length })
    }
    return undefined
  }
}

/** Rules under a header and around a table. */
const RULE = /^[-=+|:\s]+$/u

/** Fields between bars, as psql, mysql and Markdown print them. */
function barred(header: string): Layout['split'] | undefined {
  const bars = header.split('|').length - 1
  const closed = /^\s*\|/u.test(header)
  if (bars < (closed ? 3 : 1)) return undefined
  return (text) => {
    const row: Field[] = []
    let from = 0
    for (const part of text.split('|')) {
      row.push(trimmed(text, from, from + part.length))
      from += part.length + 1
    }
    if (row.length !== bars + 1) return undefined
    return closed ? row.slice(1, -1) : row
  }
}

/** The layout in which the lines below a header fit; undefined where there is no such header. */
export function layoutOf(head: readonly Line[]): Layout | undefined {
  for (let at = 0; at < Math.min(BEFORE, head.length); at++) {
    const text = head[at]!.text
    const rows = head.slice(at + 1).filter((line) => line.text.trim() !== '' && !RULE.test(line.text))
    if (rows.length < 4) return undefined
    if (text.length > HEADER || RULE.test(text)) continue
    const fits = (split: Layout['split']) =>
      rows.filter((row) => split(row.text) !== undefined).length >= rows.length * 0.9
    const below = head[at + 1]!.text
    const bars = RULE.test(below) && /-{3}|={3}/u.test(below) && /[+|]/u.test(below) ? barred(text) : undefined
    if (bars !== undefined && fits(bars))
      return { header: head[at]!.n, columns: bars(text)!.map(({ text }) => text), split: bars }
    const left = leftAligned(text)
    // Where most rows have gaps inside a field the columns are not these.
    const gaps = (split: Layout['split']) =>
      rows.filter((row) => split(row.text)?.some(({ text }) => / {2}/u.test(text))).length > rows.length / 2
    if (left !== undefined && fits(left) && !gaps(left))
      return { header: head[at]!.n, columns: headings(text, 2).map(({ text }) => text), split: left }
    const words = headings(text, 1)
    if (!isHeader(words) && !isHeader(words.slice(0, -1))) continue
    // `Mounted on` is one column.
    for (const count of [words.length, words.length - 1]) {
      const split = byWords(count)
      if (count >= 4 && fits(split)) {
        const columns = words.map(({ text }) => text)
        return {
          header: head[at]!.n,
          columns: [...columns.slice(0, count - 1), columns.slice(count - 1).join(' ')],
          split,
        }
      }
    }
  }
  return undefined
}

const SHARES = /%|\b(?:CPU|MEM|MEMORY)\b/iu

class Table implements Reader {
  readonly #layout: Layout
  readonly #census = new Census()
  readonly #most = new Map<number, { n: number; value: number; rows: number }>()
  #rows = 0
  #parsed = 0
  #other = 0
  readonly #strange: number[] = []

  constructor(layout: Layout) {
    this.#layout = layout
  }

  line(line: Line): void {
    const { text, n } = line
    if (n <= this.#layout.header || text.trim() === '' || RULE.test(text)) {
      this.#parsed++
      if (n < this.#layout.header && text.trim() !== '') this.#strange.push(n)
      return
    }
    const fields = this.#layout.split(text)
    if (fields === undefined) {
      this.#other++
      if (this.#strange.length < 16) this.#strange.push(n)
      return
    }
    this.#parsed++
    this.#rows++
    const plain = /^[\t\x20-\x7e]*$/u.test(text) && line.to - line.from === text.length
    const span = { from: n, to: n }
    this.#census.add(
      fields.map(({ text, from, to }, at): Cell => {
        const bytes = plain && to > from ? { bytes: { from: line.from + from, to: line.from + to } } : {}
        return { column: `${at}`, text, at: { span, ...bytes } }
      }),
      { span },
    )
    fields.forEach((field, at) => {
      if (SHARES.test(this.#layout.columns[at] ?? '')) this.#share(at, Number.parseFloat(field.text), n)
    })
  }

  /** Remembers the row with the largest share of a column. */
  #share(column: number, value: number, n: number): void {
    if (!(value > 0)) return
    const most = this.#most.get(column)
    if (most === undefined || value > most.value) this.#most.set(column, { n, value, rows: 1 })
    else if (value === most.value) most.rows++
  }

  end(): Reading | undefined {
    const rows = this.#rows
    if (rows < 4 || this.#other > rows / 20 + 1) return undefined
    const { header, columns } = this.#layout
    const facts: Fact[] = [`${counted(rows, 'row')} of ${counted(columns.length, 'column')}`]
    const items: Item[] = [{ kind: 'verdict', span: { from: header, to: header }, weight: 9 }]
    for (const n of this.#strange) items.push({ kind: 'cause', span: { from: n, to: n }, weight: 9 })
    const odd = this.#census.odd(40)
    const oddest = new Map<string, number>()
    for (const { at, weight } of oddRecords(odd, 32)) items.push({ kind: 'rare', span: at.span, weight })
    for (const { column, weight } of odd) {
      oddest.set(column, Math.max(oddest.get(column) ?? 0, weight))
    }
    for (const { n, rows } of this.#most.values())
      if (rows === 1) items.push({ kind: 'rare', span: { from: n, to: n }, weight: 3 })
    // A number in front of a row that is shown whole would be read as that of the row.
    const taken = new Set(items.map(({ span }) => span.from))
    for (const { column, values } of this.#census.few(FEW))
      for (const value of values) {
        const cell = value.cells.find(({ span, bytes }) => bytes !== undefined && !taken.has(span.from))
        if (cell === undefined || !/\p{L}/u.test(value.text)) continue
        items.push({ kind: 'total', ...cell, times: value.count, weight: oddest.get(column) ?? 0 })
      }
    return { parsed: this.#parsed, other: this.#other, facts, items, ends: { head: 1, tail: 1 } }
  }
}

export const table: Family = {
  id: 'table',
  detect: (probe: Probe) => layoutOf(probe.head) !== undefined,
  reader: (probe: Probe) => {
    const layout = layoutOf(probe.head)
    if (layout === undefined) throw new Error('a table without a header')
    return new Table(layout)
  },
}
