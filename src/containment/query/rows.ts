/** Lines of a part of a capture, one after the other, in bounded memory. */
import { buffer } from '../capture/lines.ts'
import type { Lines } from '../store/types.ts'

/** A line, or what of it lies in the part that was asked for. */
export interface Row {
  /** Its line, from 1. */
  readonly n: number
  /** Bytes without the line end. */
  readonly from: number
  readonly to: number
  /** False: the line goes on behind `to`, further than anybody shows of one line. */
  readonly whole: boolean
}

const CHUNK = 64 * 1024
/** Bytes of one line that are looked at: a longer one is shown in parts. */
export const MOST_ROW = 256 * 1024

/** The lines between two places, the first and the last cut to them. */
export function* rowsIn(bytes: Lines, from: number, to: number): Generator<Row> {
  const end = Math.min(to, bytes.size)
  let at = Math.max(0, from)
  let n = at < end ? bytes.lineAt(at) : 0
  let chunk = buffer(new Uint8Array(0))
  let base = at
  while (at < end) {
    let stop = -1
    let seen = at
    while (stop < 0 && seen < end && seen - at <= MOST_ROW) {
      if (seen < base || seen >= base + chunk.length) {
        base = seen
        chunk = buffer(bytes.read(base, Math.min(end, base + CHUNK)))
        if (chunk.length === 0) return
      }
      const found = chunk.indexOf(0x0a, seen - base)
      if (found >= 0) stop = base + found
      else seen = base + chunk.length
    }
    if (stop < 0 && seen < end) {
      yield { n, from: at, to: at + MOST_ROW, whole: false }
      // Whoever wants what comes behind so long a line waits until its end is found.
      at = bytes.lineStart(++n)
      continue
    }
    yield { n, from: at, to: stop < 0 ? end : stop, whole: true }
    at = stop < 0 ? end : stop + 1
    n++
  }
}

/** Whether a line holds nothing but blanks. */
export function isBlank(bytes: Lines, row: Row): boolean {
  if (row.from >= row.to) return true
  if (!row.whole || row.to - row.from > CHUNK) return false
  return /^[ \t\r\f\v]*$/.test(buffer(bytes.read(row.from, row.to)).toString('latin1'))
}
