/**
 * What a terminal would show of a line: escape sequences and control characters taken out. What is left are slices of the
 * line; nothing is added and nothing changes places.
 */

const ESC = 0x1b
const BEL = 0x07

/** Copies the shown bytes of `from[start, end)` to `to` and says how many. `to` is at least as long. */
export function cleanBytes(from: Uint8Array, start: number, end: number, to: Uint8Array): number {
  let length = 0
  let i = start
  while (i < end) {
    const c = from[i]!
    if (c === ESC) i = escapeEnd(from, i, end)
    else if (c === 0xc2 && i + 1 < end && from[i + 1]! >= 0x80 && from[i + 1]! <= 0x9f)
      i = from[i + 1] === 0x9b ? csiEnd(from, i + 2, end) : i + 2
    else {
      if (c >= 0x20 ? c !== 0x7f : c === 0x09) to[length++] = c
      i++
    }
  }
  return length
}

/** Behind the escape sequence that begins at `at` (ECMA-48). One that is cut off ends with the line. */
function escapeEnd(from: Uint8Array, at: number, end: number): number {
  const next = at + 1 < end ? from[at + 1]! : 0
  if (next === 0x5b) return csiEnd(from, at + 2, end)
  if (next === 0x5d || next === 0x50 || next === 0x58 || next === 0x5e || next === 0x5f) {
    for (let i = at + 2; i < end; i++) {
      if (from[i] === BEL) return i + 1
      if (from[i] === ESC && i + 1 < end && from[i + 1] === 0x5c) return i + 2
    }
    // Without an end it is no sequence: the line is not lost for it.
    return at + 2
  }
  let i = at + 1
  while (i < end && from[i]! >= 0x20 && from[i]! <= 0x2f) i++
  return i < end && from[i]! >= 0x30 && from[i]! <= 0x7e ? i + 1 : i
}

/** Bytes of a sequence that is looked for around a place. */
const SEQUENCE = 64

/** Behind the escape sequence that the byte at `at` lies in; `at` where it lies in none. */
export function outOfSequence(from: Uint8Array, at: number): number {
  const end = Math.min(from.length, at + SEQUENCE)
  for (let i = at - 1; i >= 0 && i > at - SEQUENCE; i--) {
    if (from[i] === ESC) return Math.max(at, escapeEnd(from, i, end))
    if (from[i] === 0x9b && i > 0 && from[i - 1] === 0xc2) return Math.max(at, csiEnd(from, i + 1, end))
  }
  return at
}

function csiEnd(from: Uint8Array, at: number, end: number): number {
  let i = at
  while (i < end && from[i]! >= 0x20 && from[i]! <= 0x3f) i++
  return i < end && from[i]! >= 0x40 && from[i]! <= 0x7e ? i + 1 : i
}

/** Stands for a control character in a text that has none. */
export const APART = '\u0000'

const UTF8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** Whether all bytes are printable ASCII or tabs, which need no cleaning and decode fastest. */
export function plainAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const c = bytes[i]!
    if (c >= 0x7f || (c < 0x20 && c !== 0x09)) return false
  }
  return true
}

/** Escape sequences (ECMA-48), whole or cut off, and control characters. Tabs stay. */
const CONTROLS =
  /\u001b\[[ -?]*[@-~]?|\u001b[\]PX^_](?:[^\u0007\u001b]*(?:\u0007|\u001b\\))?|\u001b[ -/]*[0-~]?|\u009b[ -?]*[@-~]?|[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g

/**
 * A line as shown text; bytes that are no UTF-8 become U+FFFD. `last`: only what stands behind the last return. Decoded
 * before anything is taken out, so that broken bytes on both sides of it do not become a character that never was.
 */
export function shownText(bytes: Uint8Array, start: number, end: number, last = true): string {
  if (plainAscii(bytes, start, end)) return latin(bytes, start, end)
  const from = last ? lastState(bytes, start, end) : start
  return UTF8.decode(bytes.subarray(from, end)).replace(CONTROLS, '')
}

/** The same with `APART` in place of each control character, line ends among them: what they kept apart stays apart. */
export function apartText(bytes: Uint8Array, start: number, end: number, last = true): string {
  if (plainAscii(bytes, start, end)) return latin(bytes, start, end)
  const from = last ? lastState(bytes, start, end) : start
  return UTF8.decode(bytes.subarray(from, end)).replace(CONTROLS, (found) =>
    found.length > 1 || found === '\u001b' ? '' : APART,
  )
}

const latin = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')

/** Where the last state begins of a line that overwrote itself with carriage returns. */
export function lastState(bytes: Uint8Array, start: number, end: number): number {
  let to = end
  while (to > start && bytes[to - 1] === 0x0d) to--
  for (let i = to - 1; i >= start; i--) if (bytes[i] === 0x0d) return i + 1
  return start
}
