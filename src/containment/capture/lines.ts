/**
 * Where lines begin: one mark for each block of 64 KiB, made while the bytes stream by. 8 bytes a block, so that the marks
 * of 10 GiB are 1.3 MB.
 */
import type { Bytes } from '../bytes.ts'
import type { Lines } from '../store/types.ts'

/** Bytes from one mark to the next. */
export const BLOCK = 64 * 1024
const NEWLINE = 0x0a
/** Bytes a line below which looking at each word is quicker than a search for every line end. */
const SHORT_LINES = 96

/** The bytes as a Buffer over the same memory: its searches are native. */
export const buffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const NO_WORDS = new Int32Array(0)

/** How many line ends there are. `long`: lines are known to be long, so that a search jumps far. */
export function countLineEnds(bytes: Uint8Array, long = false): number {
  let count = 0
  if (long) {
    const text = buffer(bytes)
    for (let at = text.indexOf(NEWLINE); at >= 0; at = text.indexOf(NEWLINE, at + 1)) count++
    return count
  }
  const head = Math.min(bytes.length, -bytes.byteOffset & 3)
  const words =
    bytes.length < 8 ? NO_WORDS : new Int32Array(bytes.buffer, bytes.byteOffset + head, (bytes.length - head) >> 2)
  for (let i = 0; i < head; i++) if (bytes[i] === NEWLINE) count++
  for (let i = 0; i < words.length; i++) {
    // Bytes that are line ends become zero; then the top bit of exactly those bytes is set, and the four bits are added up.
    const x = words[i]! ^ 0x0a0a0a0a
    const zero = ~(((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x | 0x7f7f7f7f)
    if (zero !== 0) count += Math.imul(zero >>> 7, 0x01010101) >>> 24
  }
  for (let i = head + words.length * 4; i < bytes.length; i++) if (bytes[i] === NEWLINE) count++
  return count
}

/** Counts lines of bytes that stream by, and keeps the marks. */
export class LineCounter {
  bytes = 0
  /** Line ends so far. */
  ends = 0
  #endsWithLine = true
  #long = true
  /** `#marks[k]`: line ends before the byte `k * BLOCK`. */
  #marks = new Float64Array(16)
  #count = 0

  /** Lines so far: a last one without an end counts. */
  get lines(): number {
    return this.ends + (this.#endsWithLine ? 0 : 1)
  }

  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    const before = this.ends
    let at = 0
    while (at < chunk.length) {
      if (this.bytes % BLOCK === 0) this.#mark()
      const part = chunk.subarray(at, at + BLOCK - (this.bytes % BLOCK))
      this.ends += countLineEnds(part, this.#long)
      this.bytes += part.length
      at += part.length
    }
    this.#endsWithLine = chunk[chunk.length - 1] === NEWLINE
    this.#long = (this.ends - before) * SHORT_LINES < chunk.length
  }

  #mark(): void {
    if (this.#count === this.#marks.length) {
      const more = new Float64Array(this.#marks.length * 2)
      more.set(this.#marks)
      this.#marks = more
    }
    this.#marks[this.#count++] = this.ends
  }

  /** Another counter in the same state. */
  copy(): LineCounter {
    const other = new LineCounter()
    other.bytes = this.bytes
    other.ends = this.ends
    other.#endsWithLine = this.#endsWithLine
    other.#long = this.#long
    other.#marks = this.#marks.slice()
    other.#count = this.#count
    return other
  }

  /** The marks so far; a view that later calls do not change. */
  get marks(): Float64Array {
    return this.#marks.subarray(0, this.#count)
  }
}

/** Bytes with their lines, found by marks. `ends`: line ends in all. */
export function indexed(bytes: Bytes, marks: Float64Array, lines: number): Lines {
  return {
    size: bytes.size,
    lines,
    read: (from, to) => bytes.read(from, to),
    ...(bytes.into === undefined ? {} : { into: bytes.into }),
    lineStart(n) {
      if (n <= 1) return 0
      const wanted = n - 1
      // The last block that begins before the wanted line end.
      let low = 0
      let high = marks.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if (marks[middle]! < wanted) low = middle
        else high = middle - 1
      }
      let left = wanted - (marks[low] ?? 0)
      const block = buffer(bytes.read(low * BLOCK, (low + 1) * BLOCK))
      let at = -1
      while (left > 0) {
        at = block.indexOf(NEWLINE, at + 1)
        if (at < 0) return bytes.size
        left--
      }
      return low * BLOCK + at + 1
    },
    lineAt(offset) {
      const place = Math.max(0, Math.min(offset, bytes.size))
      const block = Math.min(Math.floor(place / BLOCK), Math.max(0, marks.length - 1))
      return (marks[block] ?? 0) + countLineEnds(bytes.read(block * BLOCK, place)) + 1
    },
  }
}

/** Reads all of `bytes` once, for its marks. */
export function scanLines(bytes: Bytes): Lines {
  const counter = new LineCounter()
  for (let at = 0; at < bytes.size; at += 16 * BLOCK) counter.add(bytes.read(at, at + 16 * BLOCK))
  return indexed(bytes, counter.marks, counter.lines)
}
