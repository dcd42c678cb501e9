/** A capture that was analysed, read again by line number or place; and lines as they are shown. */
import type { Bytes } from '../bytes.ts'
import { maskApart } from '../redact/apart.ts'
import { tokensOf } from '../tokens.ts'
import type { Analysis } from './analysis.ts'
import { APART, apartText, outOfSequence, shownText } from './clean.ts'
import { LINE_CAP, type Line } from './family.ts'
import type { Place } from './lines.ts'
import type { Shape } from './shapes.ts'

/** A longer line is shown by its beginning and its end. Bytes. */
const WHOLE = 480
const BEGINNING = 280
const ENDING = 120
/** Bytes beside a slice in which a secret is looked for that the slice would cut in two, where the mask sees only texts. */
const BESIDE = 200
/** Bytes before and behind a slice that a mask is given which sees more. Private keys are that long. */
const BEFORE = 4096
const BEHIND = 512
const STEP = 1 << 13
/** Bytes around a cut that are looked at, so that nothing is cut in two. */
const AROUND = 64
const LF = 0x0a

export type Mask = (text: string) => { readonly text: string; readonly masked: number }
/** Masks a slice with what stands before and behind it in view. */
export type MaskSlice = (
  before: string,
  text: string,
  behind: string,
) => { readonly text: string; readonly masked: number }

/** A line, or a part of one, as it is shown. */
export interface Row extends Place {
  readonly text: string
  readonly masked: number
  /** Of the text, and of the end of a line that is cut. */
  readonly tokens: number
  /** Bytes of a long line that are left out behind `text`, both ends included, and the end of the line. */
  readonly cut?: { readonly from: number; readonly to: number; readonly rest: string }
}

export class Document {
  readonly analysis: Analysis
  readonly #bytes: Bytes
  readonly #mask: Mask
  readonly #maskSlice: MaskSlice | undefined
  readonly #rows = new Map<string, Row>()

  constructor(bytes: Bytes, analysis: Analysis, mask: Mask, maskSlice?: MaskSlice) {
    this.#bytes = bytes
    this.analysis = analysis
    this.#mask = mask
    this.#maskSlice = maskSlice
  }

  /** Lines `from` to `to`, both ends included, as far as there are such lines. */
  places(from: number, to: number): Place[] {
    const last = Math.min(to, this.analysis.lines)
    const found: Place[] = []
    if (from > last || from < 1) return found
    let { n, from: start } = this.analysis.index.before(from)
    const { size } = this.#bytes
    let at = start
    while (n <= last && at < size) {
      const long = this.analysis.longs.get(start)
      if (long !== undefined) {
        if (n >= from) found.push({ n, from: start, to: long })
        n++
        start = at = this.#nextLine(long)
        continue
      }
      const chunk = this.#bytes.read(at, Math.min(at + STEP, size))
      if (chunk.length === 0) break
      let end = chunk.indexOf(LF)
      for (; end >= 0 && n <= last; end = chunk.indexOf(LF, end + 1)) {
        if (n >= from) found.push({ n, from: start, to: this.#withoutReturn(start, at + end) })
        n++
        start = at + end + 1
        if (this.analysis.longs.has(start)) break
      }
      at = end < 0 ? at + chunk.length : start
    }
    if (n <= last && n >= from && start < size) found.push({ n, from: start, to: this.#withoutReturn(start, size) })
    return found
  }

  /** Where the line begins that is behind the one that ends at `to`. */
  #nextLine(to: number): number {
    const [first, second] = this.#bytes.read(to, to + 2)
    return to + (first === LF ? 1 : first === 0x0d && second === LF ? 2 : 0)
  }

  #withoutReturn(from: number, to: number): number {
    return to > from && this.#bytes.read(to - 1, to)[0] === 0x0d ? to - 1 : to
  }

  /** What a terminal would show of a line, without masking: for comparisons, never for showing. */
  raw(place: Place): string {
    const bytes = this.bytesOf(place)
    return shownText(bytes, 0, bytes.length)
  }

  /** A whole line as it is shown, however long. */
  wholeRow(place: Place): Row {
    const slice = this.#slice(place.from, place.to, place.from, place.to)
    return { ...place, ...slice, tokens: tokensOf(slice.text) }
  }

  /** The bytes of a line, up to the longest that a reader is given. */
  bytesOf({ from, to }: Place): Uint8Array {
    return this.#bytes.read(from, Math.min(to, from + LINE_CAP))
  }

  /** The shape of a line. */
  shape(place: Place): Shape | undefined {
    return this.analysis.shapeOf(this.bytesOf(place))
  }

  /** A line as families are given it. */
  line(place: Place): Line {
    return { ...place, text: this.raw(place) }
  }

  /** A line or part of one as it is shown: control sequences out, secrets masked, long ones cut in the middle. */
  row(place: Place): Row {
    const key = `${place.from}:${place.to}`
    let row = this.#rows.get(key)
    if (row === undefined) {
      row = this.#make(place)
      this.#rows.set(key, row)
    }
    return row
  }

  #make(place: Place): Row {
    const { from, to } = place
    if (to - from <= WHOLE) {
      const { text, masked } = this.#slice(from, to, from, to)
      return { ...place, text, masked, tokens: tokensOf(text) }
    }
    const start = this.#boundary(from + BEGINNING)
    const end = this.#boundary(to - ENDING)
    const head = this.#slice(from, start, from, to)
    const tail = this.#slice(end, to, from, to)
    return {
      ...place,
      text: head.text,
      masked: head.masked + tail.masked,
      tokens: tokensOf(head.text) + tokensOf(tail.text),
      cut: { from: start, to: end - 1, rest: tail.text },
    }
  }

  /** Moves an offset to where a character begins, and out of an escape sequence. */
  #boundary(at: number): number {
    const start = Math.max(0, at - AROUND)
    const bytes = this.#bytes.read(start, at + AROUND)
    let end = outOfSequence(bytes, at - start)
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end++
    return start + end
  }

  /** The slice `[from, to)` of the line `[first, last)`. A secret that its ends would cut is masked as a whole. */
  #slice(from: number, to: number, first: number, last: number): { text: string; masked: number } {
    const maskSlice = this.#maskSlice
    if (maskSlice !== undefined) {
      const before = this.#lines(Math.max(0, from - BEFORE), from)
      const behind = this.#lines(to, Math.min(this.#bytes.size, to + BEHIND))
      const part = this.#bytes.read(from, to)
      return maskApart(apartText(part, 0, part.length), (text) => maskSlice(before, text, behind))
    }
    const wide = this.#bytes.read(Math.max(first, from - BESIDE), Math.min(last, to + BESIDE))
    const beside = maskApart(apartText(wide, 0, wide.length), this.#mask)
    if (beside.masked > 0) return beside
    const bytes = this.#bytes.read(from, to)
    return { text: shownText(bytes, 0, bytes.length), masked: 0 }
  }

  /** Several lines, all that they showed on the way: what stands beside a slice decides what in it is a secret. */
  #lines(from: number, to: number): string {
    const bytes = this.#bytes.read(from, to)
    const texts: string[] = []
    let start = 0
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      texts.push(apartText(bytes, start, end, false).replaceAll(APART, '\n'))
      start = end + 1
    }
    texts.push(apartText(bytes, start, bytes.length, false).replaceAll(APART, '\n'))
    return texts.join('\n')
  }
}
