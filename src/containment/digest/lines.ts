/**
 * Lines of a capture in bounded memory. All of it is counted; of a long capture only the beginning and the end are read
 * line by line, by bytes and never by a clock.
 */
import type { Bytes } from '../bytes.ts'
import { LINE_CAP } from './family.ts'

const CHUNK = 1 << 19
const LF = 0x0a
const CR = 0x0d

/** Places in the line index; when there are more, every second one goes. */
const PLACES = 16_384

/** Where one line lies. Offsets without the line end. */
export interface Place {
  readonly n: number
  readonly from: number
  readonly to: number
}

export interface Sink {
  /** Bytes that the lines to come are in, unless `long` is told of them. The same memory may come again with others. */
  chunk?(bytes: Uint8Array): void
  /** A line of at most `LINE_CAP` bytes: `buffer[start, end)`, whose first byte is at `from` in the capture. */
  line(buffer: Uint8Array, start: number, end: number, n: number, from: number): void
  /** A longer one, to be read in parts. */
  long(n: number, from: number, to: number): void
}

/** Lines and bytes that were counted but not read: the middle of a long capture. Both ends included. */
export interface Unread {
  readonly lines: { readonly from: number; readonly to: number }
  readonly bytes: { readonly from: number; readonly to: number }
}

export interface Scanned {
  readonly lines: number
  readonly unread?: Unread
}

/** Offsets of line beginnings, a few of them, to find any line without reading from the start. */
export class LineIndex {
  #stride = 64
  #starts: number[] = [0]

  note(n: number, from: number): void {
    if ((n - 1) % this.#stride !== 0 || (n - 1) / this.#stride !== this.#starts.length) return
    this.#starts.push(from)
    if (this.#starts.length <= PLACES) return
    this.#starts = this.#starts.filter((_, at) => at % 2 === 0)
    this.#stride *= 2
  }

  /** The nearest known line at or before `n`. */
  before(n: number): { readonly n: number; readonly from: number } {
    const at = Math.min(Math.floor((n - 1) / this.#stride), this.#starts.length - 1)
    return { n: at * this.#stride + 1, from: this.#starts[at] ?? 0 }
  }
}

/** Reads all lines of a capture once, in order. */
export function scan(
  bytes: Bytes,
  windows: { readonly first: number; readonly last: number },
  index: LineIndex,
  sink: Sink,
): Scanned {
  const { size } = bytes
  const cut = size > windows.first + windows.last
  const reader = new Reader(bytes, index, sink)
  reader.read(cut ? windows.first : size)
  if (!cut) return { lines: reader.n - 1 }
  const lines = reader.n
  const from = reader.at
  reader.skip(size - windows.last)
  const unread =
    reader.at > from ? { lines: { from: lines, to: reader.n - 1 }, bytes: { from, to: reader.at - 1 } } : undefined
  reader.read(size)
  return { lines: reader.n - 1, ...(unread === undefined ? {} : { unread }) }
}

class Reader {
  /** The line that is next, and where it begins. */
  n = 1
  at = 0
  readonly #bytes: Bytes
  readonly #index: LineIndex
  readonly #sink: Sink
  #memory: Uint8Array | undefined

  constructor(bytes: Bytes, index: LineIndex, sink: Sink) {
    this.#bytes = bytes
    this.#index = index
    this.#sink = sink
  }

  /** The next bytes from `at` on. What was given before is no longer valid. */
  #next(at: number): Uint8Array {
    const { size, into } = this.#bytes
    const length = Math.min(CHUNK, size - at)
    if (into === undefined) return this.#bytes.read(at, at + length)
    this.#memory ??= new Uint8Array(CHUNK)
    return this.#memory.subarray(0, into(this.#memory.subarray(0, length), at))
  }

  /** Reads the lines that begin before `until`. */
  read(until: number): void {
    const { size } = this.#bytes
    while (this.at < until && this.at < size) {
      const base = this.at
      const chunk = this.#next(base)
      if (chunk.length === 0) return
      this.#sink.chunk?.(chunk)
      let start = 0
      while (base + start < until) {
        const end = chunk.indexOf(LF, start)
        if (end < 0) break
        this.#line(chunk, start, end, base)
        start = end + 1
      }
      this.at = base + start
      if (this.at >= until) return
      if (base + chunk.length >= size) {
        if (start < chunk.length) this.#line(chunk, start, chunk.length, base)
        this.at = size
        return
      }
      if (start === 0) this.#endless(base + chunk.length)
    }
  }

  #line(chunk: Uint8Array, start: number, end: number, base: number): void {
    const to = end > start && chunk[end - 1] === CR ? end - 1 : end
    this.#index.note(this.n, base + start)
    if (to - start > LINE_CAP) this.#sink.long(this.n, base + start, base + to)
    else this.#sink.line(chunk, start, to, this.n, base + start)
    this.n++
  }

  /** A line that is longer than a chunk: only its end is looked for. */
  #endless(from: number): void {
    const start = this.at
    let at = from
    for (;;) {
      const chunk = this.#next(at)
      const end = chunk.indexOf(LF)
      const last = end < 0 && (chunk.length === 0 || at + chunk.length >= this.#bytes.size)
      if (end >= 0 || last) {
        const to = end >= 0 ? at + end : at + chunk.length
        this.#index.note(this.n, start)
        this.#sink.long(this.n, start, to)
        this.n++
        this.at = end >= 0 ? to + 1 : to
        return
      }
      at += chunk.length
    }
  }

  /** Counts the lines that end before `until`, and stops where the next one begins. */
  skip(until: number): void {
    let at = this.at
    while (at < until) {
      const chunk = this.#next(at)
      if (chunk.length === 0) return
      for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, end + 1)) {
        if (at + end >= until) return
        this.#index.note(this.n, this.at)
        this.n++
        this.at = at + end + 1
      }
      at += chunk.length
    }
  }
}
