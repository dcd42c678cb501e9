/** Answers one address: the bytes that it names, within a budget, and the address of what is left. */
import { counted } from '../../core/count.ts'
import { type Address, formatAddress, type Handle, handleText, type Selector, shellAddress } from '../address.ts'
import { scanLines } from '../capture/lines.ts'
import { narrow } from '../digest/wide.ts'
import type { Lines } from '../store/types.ts'
import { anchorOf, findAnchor } from './anchor.ts'
import { brokenIn, fitting, hexLines, isBinary, Masker, type MaskSlice, numbered, Page } from './page.ts'
import { findPointer } from './pointer.ts'
import { isBlank, type Row, rowsIn } from './rows.ts'
import type { Opened, Refusal } from './source.ts'

export interface GetOptions {
  /** Tokens of the whole answer. */
  readonly budget: number
  readonly mask: MaskSlice
  /** Places of the lines of a shape. */
  readonly shapeRows?: (bytes: Lines, shape: number) => readonly Row[] | Refusal
}

export interface Answer {
  /** Ends with a line end. */
  readonly text: string
  /** The address that goes on where this answer ends; absent where nothing is left. */
  readonly next?: Address
  readonly masked: number
}

/** Rows to show, each with its number in the unit of the selector, and how to go on. */
interface Selection {
  /** What the first line says beside the address. */
  readonly label: string
  readonly selector: Selector | undefined
  readonly rows: Iterable<{ readonly row: Row; readonly at: number }>
  /** The bytes from the first to the last row. */
  readonly from: number
  readonly to: number
  /** How to go on at a row that was not shown. */
  after(at: number): Selector
}

/** Tokens for the last line of an answer. */
const RESERVE = 40
/** Tokens below which an answer cannot advance. */
export const LEAST_BUDGET = 100

/** What an address names, as text; or a clause that says why it names nothing, with a range that does. */
export function getAnswer(opened: Opened, selector: Selector | undefined, options: GetOptions): Answer | Refusal {
  const { handle } = opened
  const wide = selector === undefined || selector.by === 'lines' ? wideText(opened.bytes) : undefined
  const bytes = wide?.bytes ?? opened.bytes
  const selection = select(bytes, handle, selector, options)
  if ('refused' in selection) return selection
  const page = new Page(options.budget, RESERVE, options.mask)
  const label = formatAddress({ handle, ...(selection.selector === undefined ? {} : { selector: selection.selector }) })
  const { from, to } = selection
  const binary = isBinary(bytes.read(from, Math.min(to, from + 8192)))
  const odd =
    wide !== undefined ? ', UTF-16 shown as UTF-8' : binary || !isBroken(bytes, from, to, options) ? '' : BROKEN
  page.push(`[ctx get ${label} | ${selection.label}${odd}]`)
  if (binary) return asHex(page, handle, bytes, selection, options.mask)
  return asLines(page, handle, bytes, selection, options, wide?.placeOf ?? ((place) => place))
}

const BROKEN = ', not all of it UTF-8: \ufffd stands for other bytes, --raw passes them'

/** Whether a part of what may be shown is no UTF-8. */
function isBroken(bytes: Lines, from: number, to: number, { budget }: GetOptions): boolean {
  const end = Math.min(to, from + budget * 16)
  // What is looked at may end within a character; what was asked for may not.
  return brokenIn(bytes.read(from, end)) > (end < to ? 1 : 0)
}

/** A capture of two bytes a character as text whose lines have the same numbers, and where its bytes lie in the capture. */
export function wideText(
  raw: Lines,
): { readonly bytes: Lines; readonly placeOf: (place: number) => number } | undefined {
  const narrowed = narrow(raw)
  if (narrowed?.lines !== true) return undefined
  const { bytes, placeOf } = narrowed
  return { bytes: scanLines(bytes), placeOf }
}

/** `placeOf`: where a byte of what is shown lies in the capture. */
function asLines(
  page: Page,
  handle: Handle,
  bytes: Lines,
  selection: Selection,
  options: GetOptions,
  placeOf: (place: number) => number,
): Answer {
  const masker = new Masker(bytes, options.mask)
  masker.region(selection.from, Math.min(selection.to, selection.from + options.budget * 16))
  const done = (next?: Selector, other?: Selector): Answer => {
    for (const more of [next, other])
      if (more !== undefined) page.push(`[ctx more: ctx get ${shellAddress({ handle, selector: more })}]`)
    return {
      text: page.text,
      masked: masker.masked,
      ...(next === undefined ? {} : { next: { handle, selector: next } }),
    }
  }
  let first = true
  for (const { row, at } of selection.rows) {
    if (row.whole && page.add(numbered(row.n, masker.slice(row.from, row.to)))) {
      first = false
      continue
    }
    if (!first) return done(selection.after(at))
    // Not even one line fits: a part of it, and then by bytes.
    const cut = fitting(bytes, row, page.left - 8, (from, to) => numbered(row.n, masker.slice(from, to)))
    page.push(numbered(row.n, masker.slice(row.from, cut)))
    if (selection.selector?.by !== 'shape')
      return done({ by: 'bytes', from: placeOf(cut), to: placeOf(selection.to) - 1 })
    const end = row.whole ? row.to : bytes.lineStart(row.n + 1)
    return done(
      { by: 'bytes', from: cut, to: end - 1 },
      at < (selection.selector.to ?? at) ? selection.after(at + 1) : undefined,
    )
  }
  return done()
}

function asHex(page: Page, handle: Handle, bytes: Lines, { from, to }: Selection, mask: MaskSlice): Answer {
  page.push(`[ctx no text: bytes ${from}:${to - 1} as digits; ctx get --raw passes them as they are]`)
  for (const { line, from: start } of hexLines(bytes, from, to, mask)) {
    if (page.add(line)) continue
    const selector: Selector = { by: 'bytes', from: start, to: to - 1 }
    page.push(`[ctx more: ctx get ${shellAddress({ handle, selector })}]`)
    return { text: page.text, masked: 0, next: { handle, selector } }
  }
  return { text: page.text, masked: 0 }
}

function* placed(rows: Iterable<Row>, first: number): Generator<{ row: Row; at: number }> {
  let at = first
  for (const row of rows) yield { row, at: at++ }
}

/** What the selector picks. Also for those who want the bytes as they are. */
export function select(
  bytes: Lines,
  handle: Handle,
  selector: Selector | undefined,
  options: Pick<GetOptions, 'shapeRows'>,
): Selection | Refusal {
  switch (selector?.by) {
    case undefined:
      return byLines(bytes, 1, bytes.lines, bytes.lines === 0 ? 'no bytes' : undefined, undefined)
    case 'lines':
      return anchored(bytes, handle, selector)
    case 'bytes': {
      if (selector.from >= bytes.size) return behind(handle, '--bytes', 'bytes', bytes.size, 0)
      const to = Math.min(selector.to + 1, bytes.size)
      const shown: Selector = { by: 'bytes', from: selector.from, to: to - 1 }
      return byBytes(bytes, selector.from, to, `${to - selector.from} of ${bytes.size} bytes`, shown)
    }
    case 'pointer': {
      const found = findPointer(bytes, selector.pointer)
      if ('refused' in found) return found
      return byBytes(bytes, found.from, found.to, `bytes ${found.from}:${found.to - 1}`, selector)
    }
    case 'records':
      return byRecords(bytes, handle, selector)
    case 'shape':
      return byShape(bytes, handle, selector, options.shapeRows)
  }
}

/** The bytes that a selector of a contiguous part picks, `to` not included. */
export function getRange(
  bytes: Lines,
  handle: Handle,
  selector: Selector | undefined,
): { readonly from: number; readonly to: number } | Refusal {
  if (selector?.by === 'shape') return { refused: 'a shape is no range; give lines, bytes, records or a pointer' }
  const selection = select(bytes, handle, selector, {})
  return 'refused' in selection ? selection : { from: selection.from, to: selection.to }
}

function behind(handle: Handle, flag: string, unit: string, count: number, least: 0 | 1): Refusal {
  if (count === 0) return { refused: `${handleText(handle)} has no ${unit}` }
  const range = `${flag} ${least}:${count - 1 + least}`
  return { refused: `that lies behind the end: ${handleText(handle)} has ${count} ${unit}, ${range}` }
}

function byBytes(bytes: Lines, from: number, to: number, label: string, selector: Selector): Selection {
  // Rows behind the first that does not fit are reached by their bytes.
  const starts: number[] = []
  function* rows(): Generator<{ row: Row; at: number }> {
    for (const row of rowsIn(bytes, from, to)) yield { row, at: starts.push(row.from) - 1 }
  }
  const after = (at: number): Selector => ({ by: 'bytes', from: starts[at] ?? to, to: to - 1 })
  return { label, selector, rows: rows(), from, to, after }
}

function byLines(
  bytes: Lines,
  from: number,
  to: number,
  label: string | undefined,
  anchor: string | undefined,
): Selection {
  const [start, end] = [bytes.lineStart(from), bytes.lineStart(to + 1)]
  const all = from === 1 && to === bytes.lines
  return {
    label:
      label ?? (all ? (to === 1 ? 'its one line' : `all ${to} lines`) : `${to - from + 1} of ${bytes.lines} lines`),
    selector: to < from ? undefined : { by: 'lines', from, to, ...(anchor === undefined ? {} : { anchor }) },
    rows: placed(rowsIn(bytes, start, end), from),
    from: start,
    to: end,
    after: (at) => ({ by: 'lines', from: at, to }),
  }
}

/** Lines of a live file are named with their anchor, so that they are found again when the file has changed. */
function anchored(bytes: Lines, handle: Handle, selector: Selector & { by: 'lines' }): Selection | Refusal {
  const count = selector.to - selector.from + 1
  if (selector.anchor !== undefined) {
    const found = findAnchor(bytes, selector.anchor, count, selector.from)
    if (found === undefined)
      return {
        refused: `the lines with the anchor ${selector.anchor} are gone from ${handleText(handle)}; without @${selector.anchor} the lines that are there now are shown`,
      }
    const moved = found === selector.from ? undefined : `moved from ${selector.from}:${selector.to}`
    return byLines(bytes, found, found + count - 1, moved, selector.anchor)
  }
  if (selector.from > bytes.lines) return behind(handle, '--lines', 'lines', bytes.lines, 1)
  const to = Math.min(selector.to, bytes.lines)
  const anchor = handle.is === 'repo' ? anchorOf(bytes, selector.from, to) : undefined
  return byLines(bytes, selector.from, to, undefined, anchor)
}

function byRecords(bytes: Lines, handle: Handle, { from, to }: Selector & { by: 'records' }): Selection | Refusal {
  let count = 0
  let start: number | undefined
  let end = 0
  for (const row of rowsIn(bytes, 0, bytes.size)) {
    if (isBlank(bytes, row)) continue
    count++
    if (count === from) start = row.from
    if (count >= from) end = row.whole ? row.to : bytes.lineStart(row.n + 1)
    if (count === to) break
  }
  if (start === undefined) return behind(handle, '--records', 'records', count, 1)
  function* rows(): Generator<{ row: Row; at: number }> {
    let at = from
    for (const row of rowsIn(bytes, start ?? 0, end)) if (!isBlank(bytes, row)) yield { row, at: at++ }
  }
  const last = Math.min(to, count)
  return {
    label: counted(last - from + 1, 'record'),
    selector: { by: 'records', from, to: last },
    rows: rows(),
    from: start,
    to: end,
    after: (at) => ({ by: 'records', from: at, to: last }),
  }
}

function byShape(
  bytes: Lines,
  handle: Handle,
  selector: Selector & { by: 'shape' },
  rowsOf: GetOptions['shapeRows'],
): Selection | Refusal {
  const found = rowsOf?.(bytes, selector.shape) ?? { refused: 'shapes cannot be told here' }
  if ('refused' in found) return found
  const from = selector.from ?? 1
  if (from > found.length) {
    const range = `--shape ${selector.shape}:1:${found.length}`
    return {
      refused: `that lies behind the end: shape ${selector.shape} of ${handleText(handle)} occurs ${counted(found.length, 'time')}, ${range}`,
    }
  }
  const to = Math.min(selector.to ?? found.length, found.length)
  const rows = found.slice(from - 1, to)
  return {
    label: `${rows.length} of ${found.length} lines of this shape`,
    selector: { by: 'shape', shape: selector.shape, from, to },
    rows: placed(rows, from),
    from: rows[0]!.from,
    to: rows.at(-1)!.to,
    after: (at) => ({ by: 'shape', shape: selector.shape, from: at, to }),
  }
}
