/**
 * Comma, semicolon and tab separated values. Columns are named by the header's own line; shown are the values that few
 * records have and records with another number of fields than the header, each as it was written.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading, Span } from '../family.ts'
import { Census, oddRecords } from './census.ts'
import { gitVerb } from './commands.ts'
import { counted } from './words.ts'

/** Lines that one record spans at most. */
const SPAN = 1000
/** Records with a wrong number of fields that are named. */
const WRONG = 16

interface Record {
  readonly fields: readonly string[]
  /** In a quoted field that goes on. */
  readonly open: boolean
  /** Quotes where none may be. */
  readonly wrong: boolean
}

/** Splits one line, which may begin inside a quoted field (RFC 4180; a doubled quote is one). */
export function fieldsOf(text: string, separator: string, inside: boolean): Record {
  if (!inside && !text.includes('"')) return { fields: text.split(separator), open: false, wrong: false }
  const fields: string[] = []
  let field = ''
  let open = inside
  let quoted = inside
  let wrong = false
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (open) {
      if (c !== '"') field += c
      else if (text[i + 1] === '"') {
        field += '"'
        i++
      } else open = false
    } else if (c === separator) {
      fields.push(field)
      field = ''
      quoted = false
    } else if (c === '"' && field === '' && !quoted) {
      open = true
      quoted = true
    } else {
      if (quoted) wrong = true
      field += c
    }
  }
  fields.push(field)
  return { fields, open, wrong }
}

class Separated implements Reader {
  readonly #separator: string
  readonly #census = new Census()
  #columns: readonly string[] = []
  /** Columns by their number: two may have one name. */
  #names: readonly string[] = []
  #header: Line | undefined
  #held: { from: number; fields: string[] } | undefined
  #records = 0
  #parsed = 0
  #wrong: number[] = []
  #misfits = 0
  #bad = 0
  #first: Span | undefined

  constructor(separator: string) {
    this.#separator = separator
  }

  line(line: Line): void {
    this.#parsed++
    if (line.text === '' && this.#held === undefined) return
    const held = this.#held
    const { fields, open, wrong } = fieldsOf(line.text, this.#separator, held !== undefined)
    if (wrong) this.#bad++
    const all = held === undefined ? [...fields] : joined(held.fields, fields)
    const from = held?.from ?? line.n
    if (open && line.n - from < SPAN) {
      this.#held = { from, fields: all }
      return
    }
    if (open) this.#bad++
    this.#held = undefined
    this.#record(all, { from, to: line.n }, line)
  }

  #record(fields: readonly string[], span: Span, line: Line): void {
    if (this.#header === undefined) {
      this.#header = line
      this.#columns = fields
      this.#names = fields.map((_, at) => `${at}`)
      return
    }
    this.#records++
    this.#first ??= span
    if (fields.length !== this.#columns.length) {
      this.#bad++
      this.#misfits++
      if (this.#wrong.length < WRONG) this.#wrong.push(span.from)
      return
    }
    this.#census.add(
      fields.map((text, at) => ({ column: this.#names[at]!, text })),
      { span },
    )
  }

  end(): Reading | undefined {
    const records = this.#records
    if (this.#header === undefined || records < 4) return undefined
    // A record that never closed, or many that do not fit: this is some other text with separators in it.
    if (this.#held !== undefined || this.#bad > Math.max(2, records / 50)) return undefined
    const { n } = this.#header
    const facts: Fact[] = [
      `${counted(records, 'record')} of ${counted(this.#columns.length, 'column')} below the header`,
    ]
    if (this.#misfits > 0) facts.push(`${counted(this.#misfits, 'record')} with another number of fields`)
    const items: Item[] = [{ kind: 'verdict', span: { from: n, to: n }, weight: 9 }]
    for (const from of this.#wrong) items.push({ kind: 'rare', span: { from, to: from }, weight: 12 })
    for (const { at, weight } of oddRecords(this.#census.odd(24), 16))
      items.push({ kind: 'rare', span: at.span, weight })
    if (this.#first !== undefined) items.push({ kind: 'example', span: this.#first })
    return { parsed: this.#parsed, other: 0, facts, items, ends: { head: 2, tail: 1 } }
  }
}

/** Fields of a record whose last field goes on in the next line. */
function joined(before: readonly string[], after: readonly string[]): string[] {
  return [...before.slice(0, -1), `${before.at(-1) ?? ''}\n${after[0] ?? ''}`, ...after.slice(1)]
}

/** The separator of the first lines: where the header and the lines below it have the same number of fields. */
export function separatorOf(probe: Probe): string | undefined {
  const lines = probe.head.filter(({ text }) => text !== '').slice(0, 24)
  if (lines.length < 5) return undefined
  for (const separator of ['\t', ',', ';', '|']) {
    const width = fieldsOf(lines[0]!.text, separator, false).fields.length
    if (width < 2 || (width < 3 && separator === '|')) continue
    // A rule beside the header: a table that is drawn, not separated values.
    if (lines.slice(0, 3).some(({ text }) => /^[-+|:=\s]+$/u.test(text))) continue
    let same = 0
    let lone = 0
    let inside = false
    for (const { text } of lines) {
      const begins = !inside
      const { fields, open } = fieldsOf(text, separator, inside)
      inside = open
      if (begins && !open && fields.length === width) same++
      else if (!begins || open) lone++
    }
    if (same + lone >= lines.length - 1 && same >= 4 && isHeader(lines[0]!.text, separator)) return separator
  }
  return undefined
}

/** A header is words; sentences and source text that hold separators are not. */
function isHeader(text: string, separator: string): boolean {
  const { fields, wrong } = fieldsOf(text, separator, false)
  return (
    !wrong &&
    fields.every(
      (field) => field.length <= 60 && /^[\p{L}_#"(%*][^{};<>=]*$/u.test(field.trim()) && !/[.!?:]$/u.test(field),
    )
  )
}

const named = (probe: Probe): boolean =>
  probe.commands.some(
    (command) =>
      gitVerb(command) === undefined &&
      command.args.some(
        (arg) => /\.(?:csv|tsv|tab)$/iu.test(arg) || /^--?(?:csv|tsv|output=csv|format=csv)$/iu.test(arg),
      ),
  )

export const csv: Family = {
  id: 'csv',
  detect: (probe: Probe) => {
    const separator = separatorOf(probe)
    if (separator === undefined) return false
    // Prose has commas too: without a name that says so there must be three columns, or tabs.
    const width = fieldsOf(probe.head[0]!.text, separator, false).fields.length
    return named(probe) || separator === '\t' || width >= 3
  },
  reader: (probe: Probe) => new Separated(separatorOf(probe) ?? ','),
}
