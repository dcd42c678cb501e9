/**
 * Finds the bytes of one value in a JSON text by its pointer (RFC 6901), without holding the text: what is answered is a
 * slice of the capture, not a value written anew. Of members with one name the first counts.
 */
import type { Bytes } from '../bytes.ts'
import { buffer } from '../capture/lines.ts'

export type Found = { readonly from: number; readonly to: number } | { readonly refused: string }

const CHUNK = 256 * 1024
/** Levels of a value: more is no data that anybody points into. */
const MOST_DEPTH = 10_000
/** Names that are given where one is not found. */
const MOST_NAMES = 8
/** Bytes of a number at most. */
const MOST_WORD = 4096
/** Bytes of a name at most. */
const MOST_NAME = 64 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = new Set([0x7b, 0x5b])

class Fault extends Error {}

class Reader {
  at = 0
  readonly #bytes: Bytes
  #base = 0
  #chunk = buffer(new Uint8Array(0))

  constructor(bytes: Bytes) {
    this.#bytes = bytes
  }

  /** The byte at `at`, or -1 behind the end. */
  peek(): number {
    const place = this.at - this.#base
    if (place >= 0 && place < this.#chunk.length) return this.#chunk[place]!
    if (this.at >= this.#bytes.size) return -1
    this.#base = this.at
    this.#chunk = buffer(this.#bytes.read(this.at, this.at + CHUNK))
    return this.#chunk[0] ?? -1
  }

  blank(): number {
    for (;;) {
      const c = this.peek()
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c
      this.at++
    }
  }

  expect(c: number): void {
    if (this.blank() !== c) throw this.fault()
    this.at++
  }

  fault(): Fault {
    return new Fault(
      this.at >= this.#bytes.size ? 'the JSON text ends too early' : `byte ${this.at} is not what JSON allows there`,
    )
  }

  /** Goes behind the text whose quotation mark is next. */
  skipText(): void {
    this.at++
    for (;;) {
      if (this.peek() < 0) throw this.fault()
      const from = this.at - this.#base
      const quote = this.#chunk.indexOf(QUOTE, from)
      const slash = this.#chunk.subarray(from, quote < 0 ? undefined : quote).indexOf(BACKSLASH)
      if (slash >= 0) {
        this.at += slash + 2
      } else if (quote >= 0) {
        this.at = this.#base + quote + 1
        return
      } else this.at = this.#base + this.#chunk.length
    }
  }

  /** The name that is next. */
  name(): string {
    if (this.blank() !== QUOTE) throw this.fault()
    const from = this.at
    this.skipText()
    if (this.at - from > MOST_NAME) throw new Fault(`the name at byte ${from} is longer than any that is looked for`)
    try {
      return JSON.parse(buffer(this.#bytes.read(from, this.at)).toString('utf8')) as string
    } catch {
      this.at = from
      throw this.fault()
    }
  }

  /** Goes behind the value that is next. */
  skipValue(): void {
    const c = this.blank()
    if (c === QUOTE) this.skipText()
    else if (OPEN.has(c)) this.#skipNested()
    else this.#skipWord()
  }

  #skipNested(): void {
    let depth = 0
    for (;;) {
      const next = this.blank()
      if (next === QUOTE) {
        this.skipText()
        continue
      }
      if (next < 0) throw this.fault()
      this.at++
      if (next === 0x7b || next === 0x5b) {
        if (++depth > MOST_DEPTH) throw new Fault(`the value is nested deeper than ${MOST_DEPTH} levels`)
      } else if ((next === 0x7d || next === 0x5d) && --depth === 0) return
    }
  }

  #skipWord(): void {
    const from = this.at
    for (;;) {
      const c = this.peek()
      const inWord =
        (c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x7a) || c === 0x2d || c === 0x2b || c === 0x2e || c === 0x45
      if (!inWord) break
      this.at++
    }
    const word = this.at - from > MOST_WORD ? '' : buffer(this.#bytes.read(from, this.at)).toString('latin1')
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word)) {
      this.at = from
      throw this.fault()
    }
  }
}

/** The bytes of the value that `pointer` names. `refused`: a clause that says why there is none, and what there is. */
export function findPointer(bytes: Bytes, pointer: string): Found {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const reader = new Reader(bytes)
  let done = ''
  try {
    for (const step of steps) {
      const c = reader.blank()
      const missing = c === 0x7b ? member(reader, step) : c === 0x5b ? element(reader, step) : scalar(reader)
      if (missing !== undefined) return { refused: `${done === '' ? 'the document' : done} ${missing}` }
      done += `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`
    }
    reader.blank()
    const from = reader.at
    reader.skipValue()
    return { from, to: reader.at }
  } catch (error) {
    if (error instanceof Fault) return { refused: `--json-pointer needs a JSON text, and ${error.message}` }
    throw error
  }
}

/** Goes to the value of a member. Returns why there is none. */
function member(reader: Reader, name: string): string | undefined {
  reader.expect(0x7b)
  const names: string[] = []
  let count = 0
  if (reader.blank() === 0x7d) return 'is an empty object'
  for (;;) {
    const own = reader.name()
    reader.expect(0x3a)
    if (own === name) return undefined
    count++
    if (names.length < MOST_NAMES) names.push(own.slice(0, 40))
    reader.skipValue()
    const next = reader.blank()
    if (next === 0x7d) break
    reader.expect(0x2c)
  }
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return `has no member ${JSON.stringify(name)}; it has ${names.map((own) => JSON.stringify(own)).join(', ')}${more}`
}

/** Goes to an element. Returns why there is none. */
function element(reader: Reader, step: string): string | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(step)) return `is an array, and ${JSON.stringify(step)} is no index`
  const wanted = Number(step)
  reader.expect(0x5b)
  if (reader.blank() === 0x5d) return 'is an empty array'
  for (let i = 0; ; i++) {
    if (i === wanted) return undefined
    reader.skipValue()
    const next = reader.blank()
    if (next === 0x5d) return `has ${i + 1} elements, 0 to ${i}`
    reader.expect(0x2c)
  }
}

function scalar(reader: Reader): string {
  reader.skipValue()
  return 'is neither an object nor an array'
}
