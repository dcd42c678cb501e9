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
  /**
   * The line that was given last, `count` times more: each takes `length` bytes with its end, the first of them is number
   * `n` and begins at `from`. Without this, `line` is called for each.
   */
  again?(buffer: Uint8Array, start: number, length: number, count: number, n: number, from: number): void
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

/** Bytes that know where their lines are, as the store's do. */
interface Indexed {
  lineStart(n: number): number
  lineAt(offset: number): number
}

const isIndexed = (bytes: Bytes): bytes is Bytes & Indexed => 'lineStart' in bytes && 'lineAt' in bytes

/** Offsets of line beginnings, a few of them, to find any line without reading from the start. */
export class LineIndex {
  #stride = 64
  #starts: number[] = [0]
  /** Where reading went on behind lines that nobody counted one by one. */
  #resumed: { readonly n: number; readonly from: number } | undefined

  /** Whether line `n` is to be noted. */
  wants(n: number): boolean {
    return (n - 1) % this.#stride === 0 && (n - 1) / this.#stride === this.#starts.length
  }

  note(n: number, from: number): void {
    if (!this.wants(n)) return
    this.#starts.push(from)
    if (this.#starts.length <= PLACES) return
    this.#starts = this.#starts.filter((_, at) => at % 2 === 0)
    this.#stride *= 2
  }

  /** Notes what is wanted of `count` lines of `length` bytes each, the first of which is line `n` at `from`. */
  noteEqual(n: number, from: number, length: number, count: number): void {
    for (let next = n + ((this.#stride - ((n - 1) % this.#stride)) % this.#stride); next < n + count; ) {
      this.note(next, from + (next - n) * length)
      next += this.#stride - ((next - 1) % this.#stride)
    }
  }

  resume(n: number, from: number): void {
    this.#resumed = { n, from }
  }

  /** The nearest known line at or before `n`. */
  before(n: number): { readonly n: number; readonly from: number } {
    const at = Math.min(Math.floor((n - 1) / this.#stride), this.#starts.length - 1)
    const noted = { n: at * this.#stride + 1, from: this.#starts[at] ?? 0 }
    const resumed = this.#resumed
    return resumed !== undefined && resumed.n <= n && resumed.n > noted.n ? resumed : noted
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
        const end = endOf(chunk, start)
        if (end < 0) break
        this.#line(chunk, start, end, base)
        start = this.#again(chunk, start, end + 1, base, until)
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

  /** Passes over lines that are equal to the one that ended just before `at`; gives where the next one begins. */
  #again(chunk: Uint8Array, start: number, at: number, base: number, until: number): number {
    const length = at - start
    if (this.#sink.again === undefined || chunk[at] !== chunk[start] || length > LINE_CAP) return at
    const last = Math.min(chunk.length, until - base + length - 1)
    let next = at
    while (next < last && chunk[next] === chunk[next - length]) next++
    const count = Math.floor((next - at) / length)
    if (count === 0) return at
    this.#index.noteEqual(this.n, base + at, length, count)
    this.#sink.again(chunk, start, length, count, this.n, base + at)
    this.n += count
    return at + count * length
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
    if (isIndexed(this.#bytes) && this.at < until) {
      this.n = this.#bytes.lineAt(until)
      this.at = this.#bytes.lineStart(this.n)
      this.#index.resume(this.n, this.at)
      return
    }
    let at = this.at
    while (at < until) {
      const chunk = this.#next(at)
      if (chunk.length === 0) return
      const last = Math.min(chunk.length, until - at)
      for (let i = 0; i < last; i++) {
        if (chunk[i] !== LF) continue
        if (this.#index.wants(this.n)) this.#index.note(this.n, this.at)
        this.n++
        this.at = at + i + 1
      }
      at += chunk.length
    }
  }
}

/** Bytes that are looked at one by one before the search that is faster in long lines. */
const NEAR = 48

/** Where the line end is that comes next; negative where there is none. */
function endOf(chunk: Uint8Array, start: number): number {
  const near = Math.min(chunk.length, start + NEAR)
  for (let i = start; i < near; i++) if (chunk[i] === LF) return i
  return near < chunk.length ? chunk.indexOf(LF, near) : -1
}
