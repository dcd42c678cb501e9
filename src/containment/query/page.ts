/** Text of an answer within a budget of tokens: lines as they are in the capture, without control sequences and secrets. */
import { isUtf8 } from 'node:buffer'
import { APART, apartText, shownText } from '../digest/clean.ts'
import { maskApart } from '../redact/apart.ts'
import type { Lines } from '../store/types.ts'
import { tokensOf } from '../tokens.ts'
import type { Row } from './rows.ts'

/** Masks `text`, seen with what stands before and behind it in the capture. */
export type MaskSlice = (
  before: string,
  text: string,
  behind: string,
) => { readonly text: string; readonly masked: number }

/** Bytes on either side of a slice that decide what in it is a secret: as long as a private key. */
const AROUND = 8 * 1024

/** Bytes as text, without control sequences. */
export function plain(bytes: Lines, from: number, to: number): string {
  const part = bytes.read(from, to)
  return shownText(part, 0, part.length, false)
}

/** Bytes of several lines as text: each line without control sequences. */
const block = (bytes: Lines, from: number, to: number): string => {
  const part = bytes.read(from, to)
  const out: string[] = []
  for (let at = 0; at <= part.length; ) {
    const end = part.indexOf(0x0a, at)
    out.push(apartText(part, at, end < 0 ? part.length : end, false).replaceAll(APART, '\n'))
    if (end < 0) break
    at = end + 1
  }
  return out.join('\n')
}

/** Shows slices of one capture. Where a region holds no secret, that is found out once for all of it. */
export class Masker {
  masked = 0
  readonly #bytes: Lines
  readonly #mask: MaskSlice
  #clean = { from: 0, to: 0 }

  constructor(bytes: Lines, mask: MaskSlice) {
    this.#bytes = bytes
    this.#mask = mask
  }

  /** Says that slices between these places will be shown. */
  region(from: number, to: number): void {
    const [before, behind] = this.#around(from, to)
    const { masked } = maskApart(block(this.#bytes, from, to), (text) => this.#mask(before, text, behind))
    if (masked === 0) this.#clean = { from, to }
  }

  /** One slice as it may be shown. */
  slice(from: number, to: number): string {
    if (from >= this.#clean.from && to <= this.#clean.to) return plain(this.#bytes, from, to)
    const part = this.#bytes.read(from, to)
    const text = apartText(part, 0, part.length, false)
    const [before, behind] = this.#around(from, to)
    const { text: shown, masked } = maskApart(text, (one) => this.#mask(before, one, behind))
    this.masked += masked
    return shown
  }

  #around(from: number, to: number): [string, string] {
    return [block(this.#bytes, Math.max(0, from - AROUND), from), block(this.#bytes, to, to + AROUND)]
  }
}

/** Lines of an answer, as many as the budget takes. */
export class Page {
  readonly lines: string[] = []
  #tokens = 0
  readonly #budget: number
  readonly #mask: MaskSlice

  /** `reserve`: tokens kept for the last lines, which are always added. `mask`: for what lines of the frame quote. */
  constructor(budget: number, reserve: number, mask: MaskSlice) {
    this.#budget = budget - reserve
    this.#mask = mask
  }

  get left(): number {
    return this.#budget - this.#tokens
  }

  /** Adds a line if it fits, and says whether it did. */
  add(line: string): boolean {
    const cost = tokensOf(`${line}\n`)
    if (cost > this.left) return false
    this.push(line, cost)
    return true
  }

  /** Adds a line in any case. What a line of the frame quotes (a path, a command) cannot begin another line. */
  push(line: string, cost = tokensOf(`${line}\n`)): void {
    this.lines.push(line.startsWith('[ctx ') ? this.#mask('', oneLine(line), '').text : line)
    this.#tokens += cost
  }

  /** Takes tokens for lines that were added at no price. */
  spend(tokens: number): void {
    this.#tokens += tokens
  }

  get text(): string {
    return `${this.lines.join('\n')}\n`
  }
}

/** A text without control characters and line ends. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

/** The line with its number, as the grammar of shown lines has it. */
export const numbered = (n: number, text: string): string => `L${n}: ${text}`

/** Where a row is cut so that its text costs at most `tokens`: a place within it, at the beginning of a character. */
export function fitting(bytes: Lines, row: Row, tokens: number, show: (from: number, to: number) => string): number {
  // A token is hardly ever more than 16 bytes of text; what is looked at stays small.
  let low = row.from
  let high = Math.min(row.to, row.from + Math.max(16, tokens * 16))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (tokensOf(show(row.from, middle)) <= tokens) low = middle
    else high = middle - 1
  }
  const cut = Math.max(low, row.from + 1)
  const back = characterStart(bytes, cut)
  return back > row.from ? back : cut
}

/** The beginning of the character of UTF-8 that the byte at `at` belongs to. */
function characterStart(bytes: Lines, at: number): number {
  const part = bytes.read(Math.max(0, at - 3), at + 1)
  for (let i = part.length - 1; i >= 0; i--) if ((part[i]! & 0xc0) !== 0x80) return at - (part.length - 1 - i)
  return at
}

/** Share of bytes, one in so many, that make a text none: control characters, and what is no UTF-8. */
const ODD = 8

/** Whether bytes are no text. Of a text, single bytes may be broken. */
export function isBinary(part: Uint8Array): boolean {
  if (part.includes(0)) return true
  let odd = 0
  for (const byte of part) if (byte < 0x20 && !isBlankOrEscape(byte)) odd++
  return odd * ODD > part.length || (odd + brokenIn(part)) * ODD > part.length
}

const isBlankOrEscape = (byte: number): boolean => (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b

/** How many characters of a text are shown as U+FFFD though the bytes say something else. */
export function brokenIn(part: Uint8Array): number {
  if (isUtf8(part)) return 0
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length)
  let signs = 0
  for (const sign of bytes.toString('utf8')) if (sign === '\ufffd') signs++
  for (let at = bytes.indexOf('\ufffd'); at >= 0; at = bytes.indexOf('\ufffd', at + 3)) signs--
  return signs
}

/** Bytes that are shown in one line of digits, and on either side of them that decide whether a secret is there. */
const DIGITS = 16
const BESIDE = 512

/** Bytes as hexadecimal digits, in lines of the frame. What a secret stands in is not shown. */
export function* hexLines(
  bytes: Lines,
  from: number,
  to: number,
  mask: MaskSlice,
): Generator<{ line: string; from: number }> {
  const text = (a: number, b: number): string => Buffer.from(bytes.read(Math.max(0, a), b)).toString('latin1')
  for (let at = from; at < to; at += DIGITS) {
    const end = Math.min(to, at + DIGITS)
    const parts = [text(at - BESIDE, at), text(at, end), text(end, end + BESIDE)] as const
    // Between two texts a zero byte stands for a line end; in one of two bytes a character it is none.
    const hides = ['\n', ''].some((instead) => {
      const [before, own, behind] = parts.map((one) => one.replaceAll('\0', instead)) as [string, string, string]
      return mask(before, own, behind).masked > 0
    })
    const digits = [...bytes.read(at, end)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    yield { line: `[ctx hex ${at}: ${hides ? 'a secret stands here; --raw passes it' : digits}]`, from: at }
  }
}
