/** One pass over a capture: counts, both ends, shapes, what is no text. Everything that a digest is made from. */
import type { Bytes } from '../bytes.ts'
import { cleanBytes, lastState, shownText } from './clean.ts'
import { LINE_CAP } from './family.ts'
import { LineIndex, type Place, type Scanned, type Sink, scan } from './lines.ts'
import { type Voice, voiceOf } from './loud.ts'
import { formatOf } from './magic.ts'
import type { Odd } from './numbers.ts'
import { part, partingOf } from './pieces.ts'
import { type Shape, Shapes } from './shapes.ts'

const CR = 0x0d

/** Lines of both ends that are known. */
export const HEAD = 40
export const TAIL = 80

/** A line is parted above this length. */
const LONG = 4096
/** Lines of text behind one that is none, after which the text is taken for text again. */
const QUARANTINE = 16
/** Long lines whose end is kept. */
const LONGS = 10_000
/** Bytes of a sample, which a voice is told from. */
const SAMPLE = 400

export interface Windows {
  readonly first: number
  readonly last: number
}

export interface Analysis extends Scanned {
  readonly size: number
  readonly index: LineIndex
  readonly head: readonly Place[]
  readonly tail: readonly Place[]
  readonly shapes: readonly Shape[]
  /** Lines with a number that is unlike those in its place, or a first word that hardly another line has. */
  readonly odd: readonly Odd[]
  /** The shape that a line was counted to; undefined for one that was not, or that was parted. */
  shapeOf(line: Uint8Array): Shape | undefined
  /** Lines and parts of lines that the shapes count. */
  readonly counted: number
  /** Lines that were parted. */
  readonly parted: number
  readonly binary?: { readonly lines: number; readonly last: number; readonly format?: string }
  /** The middle of a line that is too long to be read as a whole, and how many such lines there are. */
  readonly middle?: { readonly lines: number; readonly n: number; readonly from: number; readonly to: number }
  /** Ends of lines longer than `LINE_CAP`, by where they begin, so that nobody has to look for them again. */
  readonly longs: ReadonlyMap<number, number>
  /** Private keys, as lines; no line of them is shown. */
  readonly secrets: readonly { from: number; to: number }[]
}

const SILENT: Voice = { loud: 0, failure: false, total: false }

const tell = (buffer: Uint8Array, start: number, end: number) => {
  const text = shownText(buffer, start, Math.min(end, start + SAMPLE), false)
  let odd = 0
  for (const c of text) if (c === '\ufffd') odd++
  const garbled = odd * 8 > text.length
  return { text, voice: garbled ? SILENT : voiceOf(text), garbled }
}

class Collector implements Sink {
  readonly shapes = new Shapes(tell)
  readonly head: Place[] = []
  /** Number, begin and end of the last lines. */
  readonly #ring = new Float64Array(3 * TAIL)
  #last = 0
  readonly secrets: { from: number; to: number }[] = []
  readonly longs = new Map<number, number>()
  middle: Analysis['middle']
  parted = 0
  binaryLines = 0
  lastBinary = 0
  #quarantine = 0
  /** Lines that were counted before the last one. */
  #before = 0
  #inKey = false
  #keys = false
  #scratch = new Uint8Array(LINE_CAP)
  #memory: Uint8Array | undefined
  readonly #bytes: Bytes
  readonly #windows: Windows

  constructor(bytes: Bytes, windows: Windows) {
    this.#bytes = bytes
    this.#windows = windows
  }

  get tail(): Place[] {
    const places: Place[] = []
    for (let n = Math.max(1, this.#last - TAIL + 1); n <= this.#last; n++) {
      const at = 3 * (n % TAIL)
      if (this.#ring[at] === n) places.push({ n, from: this.#ring[at + 1]!, to: this.#ring[at + 2]! })
    }
    return places
  }

  #note(n: number, from: number, to: number): void {
    if (this.head.length < HEAD) this.head.push({ n, from, to })
    const at = 3 * (n % TAIL)
    this.#ring[at] = n
    this.#ring[at + 1] = from
    this.#ring[at + 2] = to
    this.#last = n
  }

  chunk(bytes: Uint8Array): void {
    // Looked for once a chunk: hardly any holds one.
    this.#keys = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('PRIVATE KEY-----')
  }

  line(buffer: Uint8Array, start: number, end: number, n: number, from: number): void {
    this.#note(n, from, from + end - start)
    this.#before = this.shapes.lines
    if (this.#secret(buffer, start, end, n)) return
    if (end - start > LONG) {
      this.#long(buffer, start, end, n, from)
      return
    }
    if (this.#quarantine > 0) this.#quarantine--
    if (this.#quarantine > 0 && isText(buffer, start, end)) return
    if (!this.shapes.add(buffer, start, end, n, from, from + end - start)) this.#odd(buffer, start, end, n, from)
  }

  again(buffer: Uint8Array, start: number, length: number, count: number, n: number, from: number): void {
    const added = this.shapes.lines - this.#before
    const end = start + length - 1
    const to = buffer[end - 1] === CR && length > 1 ? end - 1 : end
    // Only a line that counted once can be counted again without being read.
    const plain = added === 1 && !this.#inKey && this.#quarantine === 0 && this.head.length >= HEAD
    const skipped = plain ? Math.max(0, count - TAIL) : 0
    const last = n + skipped - 1
    const done = plain && this.shapes.again(skipped, last, from + (skipped - 1) * length, to - start) ? skipped : 0
    for (let k = done; k < count; k++) this.line(buffer, start, to, n + k, from + k * length)
  }

  /** A line with control characters: overwritten, coloured, or no text at all. */
  #odd(buffer: Uint8Array, start: number, end: number, n: number, from: number): void {
    if (!isText(buffer, start, end)) {
      this.binaryLines++
      this.lastBinary = n
      this.#quarantine = QUARANTINE
      return
    }
    part(buffer, start, end, 'return', true, (a, b) => {
      this.shapes.parts = b - a < end - start
      const length = cleanBytes(buffer, a, b, this.#scratch)
      this.shapes.add(this.#scratch, 0, length, n, from + a - start, from + b - start)
    })
    this.shapes.parts = false
  }

  #long(buffer: Uint8Array, start: number, end: number, n: number, from: number): void {
    if (!isText(buffer, start, Math.min(end, start + LONG))) {
      this.#odd(buffer, start, Math.min(end, start + LONG), n, from)
      return
    }
    this.parted++
    const how = partingOf(buffer.subarray(start, Math.min(end, start + LONG)))
    this.shapes.parts = true
    part(buffer, start, end, how, true, (a, b) => this.#piece(buffer, a, b, n, from + a - start))
    this.shapes.parts = false
  }

  #piece(buffer: Uint8Array, a: number, b: number, n: number, from: number): void {
    if (b - a > LINE_CAP) return
    if (this.shapes.add(buffer, a, b, n, from, from + b - a)) return
    const length = cleanBytes(buffer, a, b, this.#scratch)
    this.shapes.add(this.#scratch, 0, length, n, from, from + b - a)
  }

  shapeOf(line: Uint8Array): Shape | undefined {
    if (line.length > LONG) return undefined
    const scratch = new Uint8Array(line.length)
    const from = lastState(line, 0, line.length)
    return this.shapes.shapeOf(scratch, 0, cleanBytes(line, from, line.length, scratch))
  }

  long(n: number, from: number, to: number): void {
    this.#note(n, from, to)
    if (this.longs.size < LONGS) this.longs.set(from, to)
    const { first, last } = this.#windows
    const head = this.#bytes.read(from, Math.min(to, from + LONG))
    if (!isText(head, 0, head.length)) {
      this.binaryLines++
      this.lastBinary = n
      this.#quarantine = QUARANTINE
      return
    }
    this.parted++
    const how = partingOf(head)
    const whole = to - from <= first + last
    if (!whole)
      this.middle = { n, from: from + first, to: to - last, ...this.middle, lines: (this.middle?.lines ?? 0) + 1 }
    const ranges = whole ? [[from, to] as const] : [[from, from + first] as const, [to - last, to] as const]
    this.shapes.parts = true
    for (const [a, b] of ranges) {
      let at = a
      while (at < b) {
        const chunk = this.#read(at, Math.min(at + LINE_CAP, b))
        if (chunk.length === 0) break
        let next = part(chunk, 0, chunk.length, how, at + chunk.length >= b, (s, e) =>
          this.#piece(chunk, s, e, n, at + s),
        )
        if (next === 0) next = chunk.length
        at += next
      }
    }
    this.shapes.parts = false
  }

  #read(from: number, to: number): Uint8Array {
    const { into } = this.#bytes
    if (into === undefined) return this.#bytes.read(from, to)
    this.#memory ??= new Uint8Array(LINE_CAP)
    return this.#memory.subarray(0, into(this.#memory.subarray(0, to - from), from))
  }

  /** Whether a line belongs to a private key, which is never shown and never counted. */
  #secret(buffer: Uint8Array, start: number, end: number, n: number): boolean {
    if (!this.#inKey && !this.#keys) return false
    const text = shownText(buffer, start, Math.min(end, start + 200))
    if (this.#inKey) {
      const block = this.secrets.at(-1)!
      block.to = n
      if (/-----END [A-Z0-9 ]*-----/.test(text) || n - block.from > 200) this.#inKey = false
      return true
    }
    if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(text) || /-----END /.test(text)) return false
    this.#inKey = true
    this.secrets.push({ from: n, to: n })
    return true
  }
}

/** Whether bytes are text: no zero byte, and few control characters beside escape sequences and returns. */
function isText(buffer: Uint8Array, start: number, end: number): boolean {
  let odd = 0
  for (let i = start; i < end; i++) {
    const c = buffer[i]!
    if (c >= 0x20) continue
    if (c === 0) return false
    if (c !== 0x09 && c !== 0x0d && c !== 0x1b && c !== 0x08 && c !== 0x07 && c !== 0x0c) odd++
  }
  return odd * 10 <= end - start
}

/** Reads a capture once. */
export function analyse(bytes: Bytes, windows: Windows): Analysis {
  const index = new LineIndex()
  const collector = new Collector(bytes, windows)
  const scanned = scan(bytes, windows, index, collector)
  const format = formatOf(bytes.read(0, 512))
  const { binaryLines: lines, lastBinary: last } = collector
  return {
    ...scanned,
    size: bytes.size,
    index,
    head: collector.head,
    tail: collector.tail,
    shapes: collector.shapes.list(),
    odd: collector.shapes.odd(scanned.lines),
    shapeOf: (line) => collector.shapeOf(line),
    counted: collector.shapes.lines,
    parted: collector.parted,
    longs: collector.longs,
    secrets: collector.secrets,
    ...(collector.middle === undefined ? {} : { middle: collector.middle }),
    ...(lines === 0 ? {} : { binary: { lines, last, ...(format === undefined ? {} : { format }) } }),
  }
}
