/** Private keys in text: they go over lines, whole or cut, and often with something before each line. */
import { PRIVATE_KEY } from './kinds.ts'
import type { Secret } from './redact.ts'

const MARK = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/** A line of the body, of some length: a shorter one would be taken for one in any text. */
const BODY = /^[A-Za-z0-9+/=]{16,}$/
/** The last line of the body may be short, and armour ends in a checksum. */
const SHORT = /^[A-Za-z0-9+/=]{1,}$/
const HEADER = /^[A-Za-z][A-Za-z-]{1,24}: .{0,200}$/

/** Characters of a header, and of what stands before it, that are looked at. */
const MOST_HEADER = 512

interface Row {
  /** Where the line begins and ends, without its line end. */
  readonly from: number
  readonly to: number
}

/**
 * The private keys of `text`, each as one piece: from its first line to its last, or as far as it goes where one of them
 * is missing. What programs put before each line (a file name and a number, an indent, a mark of a diff) may vary in
 * its numbers only.
 */
export function keyBlocks(text: string): Secret[] {
  const out: Secret[] = []
  let done = 0
  MARK.lastIndex = 0
  for (let match = MARK.exec(text); match !== null; match = MARK.exec(text)) {
    if (match.index < done) continue
    const found = match[1] === 'BEGIN' ? opened(text, match) : closed(text, match, done)
    out.push({ ...found, name: PRIVATE_KEY.name })
    done = found.to
    MARK.lastIndex = done
  }
  return out
}

/** Whether a private key that was begun in `text` goes on behind its end. */
export function openAtEnd(text: string): number | undefined {
  const last = keyBlocks(text).at(-1)
  // The last line of a body is short, and known for one only by the line behind it.
  if (last === undefined || text.slice(last.to).trim().includes('\n')) return undefined
  const piece = text.slice(last.from, last.to)
  return /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----$/.test(piece) ? undefined : last.from
}

/** From the first line on. */
function opened(text: string, begin: RegExpExecArray): { from: number; to: number } {
  const from = begin.index
  const first = rowAt(text, from)
  const prefix = text.slice(first.from, from)
  const sameLine = markIn(text, 'END', from + begin[0].length, first.to)
  if (sameLine !== undefined) return { from, to: sameLine }
  let to = first.to
  for (let row = next(text, first); row !== undefined; row = next(text, row)) {
    const end = markIn(text, 'END', row.from, row.to)
    if (end !== undefined) return { from, to: end }
    const body = bodyOf(text, row, prefix)
    if (body === undefined) return { from, to }
    if (body === '') continue
    if (!BODY.test(body) && !HEADER.test(body)) {
      const after = next(text, row)
      const closes = after !== undefined && markIn(text, 'END', after.from, after.to) !== undefined
      if (!SHORT.test(body) || !(closes || body.startsWith('='))) return { from, to }
    }
    to = row.to
  }
  return { from, to }
}

/** Back from the last line, where the first is missing. */
function closed(text: string, end: RegExpExecArray, least: number): { from: number; to: number } {
  const to = end.index + end[0].length
  const last = rowAt(text, end.index)
  const prefix = text.slice(last.from, end.index)
  let from = end.index
  let isLast = true
  for (let row = previous(text, last); row !== undefined && row.from >= least; row = previous(text, row)) {
    const body = bodyOf(text, row, prefix)
    if (body === undefined || !(BODY.test(body) || (isLast && SHORT.test(body)))) break
    from = row.to - body.length
    isLast = false
  }
  return { from, to }
}

const rowAt = (text: string, at: number): Row => {
  const from = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return { from, to: trimmed(text, from, end === -1 ? text.length : end) }
}

const next = (text: string, row: Row): Row | undefined => {
  const end = text.indexOf('\n', row.to)
  return end === -1 || end + 1 >= text.length ? undefined : rowAt(text, end + 1)
}

const previous = (text: string, row: Row): Row | undefined => (row.from === 0 ? undefined : rowAt(text, row.from - 1))

/** A carriage return and blanks at the end are none of the line. */
function trimmed(text: string, from: number, to: number): number {
  let at = to
  while (at > from && /[\r\t ]/.test(text[at - 1]!)) at--
  return at
}

/** The line without what stands before it, or undefined where something else stands there. */
function bodyOf(text: string, row: Row, prefix: string): string | undefined {
  const line = text.slice(row.from, row.to)
  if (line.startsWith('[ctx')) return undefined
  if (line.startsWith(prefix)) return line.slice(prefix.length).trim()
  if (line.trim() === '') return ''
  let at = line.length
  while (at > 0 && /[A-Za-z0-9+/=]/.test(line[at - 1]!)) at--
  const body = line.slice(at)
  const before = line.slice(0, at)
  const shape = shapeOf(prefix)
  if (shapeOf(before) === shape) return body
  const header = /[A-Za-z][A-Za-z-]{1,24}: .{0,200}$/.exec(line.slice(-MOST_HEADER))?.[0]
  return header !== undefined && shapeOf(line.slice(0, line.length - header.length)) === shape ? header : undefined
}

/** What stands before a line, without its numbers; search tools write `:` for a hit and `-` for what is around it. */
const shapeOf = (prefix: string): string =>
  prefix
    .replace(/[0-9]+/g, '0')
    .replace(/[:-]/g, ':')
    .replace(/[ \t]+/g, ' ')

function markIn(text: string, word: string, from: number, to: number): number | undefined {
  const at = text.slice(from, to).search(new RegExp(`-----${word} [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`))
  if (at === -1) return undefined
  return text.indexOf('-----', from + at + 5 + word.length) + 5
}
