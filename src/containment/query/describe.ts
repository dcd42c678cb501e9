/** What kind of data a capture is, told from its bytes. */
import { counted } from '../../core/count.ts'
import type { Bytes } from '../bytes.ts'
import { buffer } from '../capture/lines.ts'
import { formatOf, wideOf } from '../digest/magic.ts'
import type { Lines } from '../store/types.ts'
import { isBlank, rowsIn } from './rows.ts'

/** A JSON text above this is described by its first bytes only. */
const MOST_JSON = 16 * 1024 * 1024
/** Names of members that are told, and levels of a document. */
const MOST_NAMES = 12
const DEPTH = 2
/** Lines that are looked at to tell what the others are. */
const SAMPLE_LINES = 5
/** Records that are counted by their fields. */
const MOST_RECORDS = 200_000
const MOST_LINE = 64 * 1024

/** One clause about the data, such as `JSON, an array of 1500: {id: number, name: text}`; `text` where nothing is known. */
export function describe(bytes: Lines): string {
  if (bytes.size === 0) return 'empty'
  const head = bytes.read(0, 8192)
  if (wideOf(head) !== undefined) return 'text in UTF-16'
  const format = formatOf(head)
  if (format !== undefined) return format
  if (head.includes(0)) return 'binary data'
  return json(bytes) ?? records(bytes) ?? columns(bytes) ?? 'text'
}

const textOf = (bytes: Bytes, from: number, to: number): string => buffer(bytes.read(from, to)).toString('utf8')

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function json(bytes: Lines): string | undefined {
  const first = textOf(bytes, 0, 512).trimStart()[0]
  if ((first !== '{' && first !== '[') || bytes.size > MOST_JSON) return undefined
  const found = parsed(textOf(bytes, 0, bytes.size))
  return found === undefined ? undefined : `JSON, ${shapeOf(found.value, DEPTH)}`
}

/** A value by its kinds: names and types, no content. */
function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    const kinds = new Map<string, number>()
    for (const item of value) {
      const kind = depth > 0 ? shapeOf(item, depth - 1) : kindOf(item)
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    }
    const listed = [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 3)
    const more = kinds.size > listed.length ? ' and others' : ''
    return `an array of ${value.length}${listed.length === 0 ? '' : `: ${listed.map(([kind]) => kind).join(' or ')}${more}`}`
  }
  if (typeof value !== 'object' || value === null) return kindOf(value)
  const names = Object.keys(value)
  const shown = names.slice(0, MOST_NAMES).map((name) => {
    const member = (value as Record<string, unknown>)[name]
    return `${name.slice(0, 40)}: ${depth > 0 ? shapeOf(member, depth - 1) : kindOf(member)}`
  })
  const more = names.length > shown.length ? `, ${names.length - shown.length} more` : ''
  return `{${shown.join(', ')}${more}}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'string' ? 'text' : typeof value
}

/** JSON, one value a line. */
function records(bytes: Lines): string | undefined {
  let count = 0
  let odd = 0
  const fields = new Map<string, number>()
  for (const row of rowsIn(bytes, 0, bytes.size)) {
    if (isBlank(bytes, row)) continue
    if (count === MOST_RECORDS) break
    const found = row.whole && row.to - row.from <= MOST_LINE ? parsed(textOf(bytes, row.from, row.to)) : undefined
    const value = found?.value
    count++
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const name of Object.keys(value)) fields.set(name, (fields.get(name) ?? 0) + 1)
    } else if (++odd > count / 10 && count >= Math.min(SAMPLE_LINES, bytes.lines)) return undefined
  }
  if (count < 2 || odd * 10 > count) return undefined
  const listed = [...fields].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const names = listed.slice(0, MOST_NAMES).map(([name, times]) => `${name.slice(0, 40)} ${times}`)
  const more = listed.length > names.length ? `, ${listed.length - names.length} more` : ''
  const of = count === MOST_RECORDS ? `the first ${count} of the records` : `${count} records`
  return `JSON lines, ${of}, fields: ${names.join(', ')}${more}`
}

/** Rows of as many columns each. */
function columns(bytes: Lines): string | undefined {
  if (bytes.lines < 3) return undefined
  const lines: string[] = []
  for (const row of rowsIn(bytes, 0, Math.min(bytes.size, MOST_LINE))) {
    lines.push(textOf(bytes, row.from, row.to).replace(/\r$/, ''))
    if (lines.length > 20) break
  }
  for (const [separator, name] of [
    ['\t', 'tabs'],
    [',', 'commas'],
    [';', 'semicolons'],
  ] as const) {
    const counts = lines.map((line) => splitRow(line, separator).length)
    const width = counts[0] ?? 0
    if (width < 2 || counts.some((count) => count !== width)) continue
    const header = splitRow(lines[0] ?? '', separator).slice(0, MOST_NAMES)
    const names = header.every((cell) => /^[\p{L}_][\p{L}\p{N}_ .()-]{0,39}$/u.test(cell))
      ? `: ${header.join(', ')}`
      : ''
    return `a table of ${counted(bytes.lines, 'row')} with ${counted(width, 'column')} between ${name}${names}`
  }
  return undefined
}

/** The cells of a row; a separator in quotation marks is none (RFC 4180). */
function splitRow(line: string, separator: string): readonly string[] {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (const c of line) {
    if (c === '"') quoted = !quoted
    else if (c === separator && !quoted) {
      cells.push(cell)
      cell = ''
    } else cell += c
  }
  return [...cells, cell]
}
