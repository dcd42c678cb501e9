/**
 * JSON in lines: one record a line, with a few lines of text between them at most. Fields are counted; shown are records
 * with a value or a field that few have, and those whose message is unlike the others.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { LINE_CAP } from '../family.ts'
import { type Cell, Census, oddRecords } from './census.ts'
import { Rarity } from './rarity.ts'
import { counted } from './words.ts'

/** Fields of a record that are looked at, and levels of objects in it. */
const FIELDS = 48
const LEVELS = 3

/** Fields that hold words for people. */
const WORDS = /(?:^|\.)(?:msg|message|text|error|err|reason|event|description|detail)$/iu

class Records implements Reader {
  readonly #census = new Census()
  readonly #rare = new Rarity(true)
  readonly #texts: Item[] = []
  #records = 0
  #blank = 0
  #other = 0
  #first = 0

  line(line: Line): void {
    const { text, n } = line
    if (text.trim() === '') {
      this.#blank++
      return
    }
    // Only the beginning of it is there to be read.
    if (line.to - line.from > LINE_CAP && /^\s*[{[]/u.test(text)) {
      this.#records++
      return
    }
    const record = parsed(text)
    if (record === undefined) {
      this.#other++
      if (this.#texts.length < 32) this.#texts.push({ kind: 'rare', span: { from: n, to: n }, weight: 8 })
      return
    }
    this.#records++
    if (this.#first === 0) this.#first = n
    const cells: Cell[] = []
    flatten(record, '', LEVELS, cells)
    this.#census.add(cells, { span: { from: n, to: n } })
    const words = cells.filter(({ column }) => WORDS.test(column)).map(({ text }) => text)
    if (words.length > 0) this.#rare.add(words.join(' '), line)
  }

  end(): Reading | undefined {
    const records = this.#records
    if (records < 4 || this.#other > records / 10 + 2) return undefined
    const { columns } = this.#census
    const facts: Fact[] = [
      { text: counted(records, 'JSON record'), at: { by: 'records', from: 1, to: records } },
      ...(columns.length > 0 ? [counted(columns.length, 'field')] : []),
      ...(this.#other > 0 ? [`${counted(this.#other, 'line')} of other text`] : []),
    ]
    // An address by records counts the lines that are records alone.
    if (this.#other > 0) facts[0] = counted(records, 'JSON record')
    const items: Item[] = [...this.#texts]
    for (const { at, weight } of oddRecords(this.#census.odd(24), 20))
      items.push({ kind: 'rare', span: at.span, weight })
    for (const { place, weight } of this.#rare.rare(12))
      items.push({ kind: 'rare', span: { from: place.n, to: place.n }, weight: weight + 1 })
    if (this.#first > 0) items.push({ kind: 'example', span: { from: this.#first, to: this.#first } })
    return { parsed: records + this.#blank, other: this.#other, facts, items: once(items), ends: { head: 1, tail: 2 } }
  }
}

/** The same line once, with its highest weight. */
export function once(items: readonly Item[]): Item[] {
  const best = new Map<string, Item>()
  for (const item of items) {
    const key = `${item.span.from}:${item.bytes?.from ?? ''}:${item.times ?? ''}`
    const there = best.get(key)
    if (there === undefined || (item.weight ?? 0) > (there.weight ?? 0)) best.set(key, item)
  }
  return [...best.values()]
}

function parsed(text: string): object | undefined {
  const first = text.trimStart()[0]
  if (first !== '{' && first !== '[') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The scalars of a record by their path; arrays by their length. */
function flatten(value: unknown, path: string, levels: number, into: Cell[]): void {
  if (into.length >= FIELDS) return
  if (Array.isArray(value)) into.push({ column: `${path}[]`, text: `${value.length}` })
  else if (typeof value === 'object' && value !== null) {
    if (levels === 0) return
    for (const [key, inner] of Object.entries(value))
      flatten(inner, path === '' ? key : `${path}.${key}`, levels - 1, into)
  } else into.push({ column: path, text: typeof value === 'string' ? value : `${value}` })
}

export const jsonl: Family = {
  id: 'jsonl',
  detect: (probe: Probe) => {
    const lines = probe.head.filter(({ text }) => text.trim() !== '')
    const records = lines.filter(
      (line) => parsed(line.text) !== undefined || (line.to - line.from > LINE_CAP && /^\s*\{/u.test(line.text)),
    ).length
    return records >= 4 && records >= lines.length * 0.8
  },
  reader: () => new Records(),
}
