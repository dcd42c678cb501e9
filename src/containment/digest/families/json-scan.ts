/**
 * Reads JSON (RFC 8259) as it comes, in parts of any size, and tells its values with their places. It holds the stack of
 * open arrays and objects and the beginning of one string, never the document.
 */

export interface Scalar {
  readonly is: 'string' | 'number' | 'true' | 'false' | 'null'
  /** As it is written; of a string what is between the quotes, cut to `KEPT` bytes. */
  readonly text: string
  readonly from: number
  /** Behind its last byte. */
  readonly to: number
  readonly line: number
}

export interface Watcher {
  /** An array or object begins. `key`: its name in the object around it. */
  open(is: 'array' | 'object', key: string | undefined, from: number, line: number): void
  close(is: 'array' | 'object', to: number, line: number): void
  /** `start`: where the value or, in an object, its name begins. */
  scalar(value: Scalar, key: string | undefined, start: number): void
}

/** Bytes of one string that are kept. */
const KEPT = 240
/** Stands behind a name that is longer. No name that is written out ends with it unless it holds an escape for it. */
export const CUT = '\u0000'
/** Levels of arrays and objects. */
const DEPTH = 2000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const WORDS: Readonly<Record<number, 'true' | 'false' | 'null'>> = { 116: 'true', 102: 'false', 110: 'null' }
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u

type State = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'after' | 'end' | 'string' | 'word'

/** A name as it is meant; as it is written where it holds an escape that is none. */
function unescaped(written: string): string {
  try {
    return JSON.parse(`"${written}"`) as string
  } catch {
    return written + CUT
  }
}

/** Whether a word could go on: `tru`, `12.`. */
function isBegun(text: Buffer, length: number): boolean {
  const written = text.toString('latin1', 0, length)
  const word = WORDS[written.charCodeAt(0)]
  return word === undefined ? !NUMBER.test(written) : written !== word && word.startsWith(written)
}

export class JsonScan {
  readonly #watcher: Watcher
  readonly #stack: ('array' | 'object')[] = []
  #state: State = 'value'
  #key: string | undefined
  #keyFrom = 0
  #isKey = false
  #escaped = false
  readonly #text = Buffer.alloc(KEPT)
  #length = 0
  #ascii = true
  #from = 0
  #line = 0
  #wrong = false
  /** A string was open where its line ended: right only where nothing follows. */
  #cut = false
  /** Whole documents that ended, and whether one is open. */
  documents = 0

  constructor(watcher: Watcher) {
    this.#watcher = watcher
  }

  /** What was read so far is no JSON. */
  get wrong(): boolean {
    return this.#wrong
  }

  /** Inside a value that goes on. */
  get open(): boolean {
    return this.#stack.length > 0 || this.#state === 'string' || this.#state === 'word'
  }

  get depth(): number {
    return this.#stack.length
  }

  /** Reads a part of a line; `at`: the offset of its first byte. The parts of all lines are given in order. */
  read(bytes: Uint8Array, at: number, line: number): void {
    if (this.#cut && bytes.length > 0) this.#wrong = true
    for (let i = 0; i < bytes.length && !this.#wrong; i++) {
      const c = bytes[i]!
      if (this.#state === 'string') i = this.#string(bytes, i, at, line)
      else if (this.#state === 'word') {
        if (!this.#word(c, at + i)) i--
      } else if (c !== 0x20 && c !== 0x09 && c !== 0x0a && c !== 0x0d) this.#token(c, at + i, line)
    }
  }

  /** The line is over: so is a number or a word, and no string goes on. */
  endLine(at: number): void {
    if (this.#cut) this.#wrong = true
    if (this.#state === 'string') this.#cut = true
    if (this.#state !== 'word') return
    if (isBegun(this.#text, this.#length)) this.#cut = true
    else this.#endWord(at)
  }

  #token(c: number, at: number, line: number): void {
    const state = this.#state
    if (state === 'colon') {
      if (c === 0x3a) this.#state = 'value'
      else this.#wrong = true
    } else if (state === 'key' || state === 'firstKey') {
      if (c === QUOTE) this.#begin('string', at, line, true)
      else if (c === 0x7d && state === 'firstKey') this.#close('object', at, line)
      else this.#wrong = true
    } else if (state === 'after') {
      const top = this.#stack.at(-1)
      if (c === 0x2c) this.#state = top === 'array' ? 'value' : 'key'
      else if (c === 0x5d && top === 'array') this.#close('array', at, line)
      else if (c === 0x7d && top === 'object') this.#close('object', at, line)
      else this.#wrong = true
    } else this.#value(c, at, line)
  }

  #value(c: number, at: number, line: number): void {
    if (this.#key === undefined) this.#keyFrom = at
    if (c === 0x7b || c === 0x5b) {
      const is = c === 0x7b ? 'object' : 'array'
      if (this.#stack.length >= DEPTH) {
        this.#wrong = true
        return
      }
      this.#watcher.open(is, this.#key, at, line)
      this.#key = undefined
      this.#stack.push(is)
      this.#state = is === 'object' ? 'firstKey' : 'first'
    } else if (c === QUOTE) this.#begin('string', at, line, false)
    else if (c === 0x5d && this.#state === 'first') this.#close('array', at, line)
    else if (c === 0x2d || (c >= 0x30 && c <= 0x39) || WORDS[c] !== undefined) {
      this.#begin('word', at, line, false)
      this.#text[0] = c
      this.#length = 1
    } else this.#wrong = true
  }

  #begin(state: 'string' | 'word', at: number, line: number, key: boolean): void {
    this.#state = state
    this.#isKey = key
    this.#length = 0
    this.#ascii = true
    this.#escaped = false
    this.#from = at
    this.#line = line
    if (key) this.#keyFrom = at
  }

  /** Goes on in a string; gives the index of the last byte that was read. */
  #string(bytes: Uint8Array, start: number, at: number, line: number): number {
    const text = this.#text
    let length = this.#length
    let escaped = this.#escaped
    let all = 0
    let i = start
    for (; i < bytes.length; i++) {
      const c = bytes[i]!
      if (escaped) escaped = false
      else if (c === BACKSLASH) escaped = true
      else if (c === QUOTE) break
      else if (c < 0x20 && c !== 0x09) {
        this.#wrong = true
        return i
      }
      all |= c
      if (length < KEPT) text[length++] = c
    }
    this.#length = length
    this.#escaped = escaped
    if (all >= 0x80) this.#ascii = false
    if (i < bytes.length) this.#endString(at + i + 1, line)
    return i
  }

  #endString(to: number, line: number): void {
    const text = this.#ascii
      ? this.#text.toString('latin1', 0, this.#length)
      : this.#text.toString('utf8', 0, this.#length)
    if (this.#isKey) {
      this.#key = this.#length >= KEPT ? text + CUT : text.includes('\\') ? unescaped(text) : text
      this.#state = 'colon'
    } else this.#emit({ is: 'string', text, from: this.#from, to, line })
  }

  /** False: the byte does not belong to the word, which is over. */
  #word(c: number, at: number): boolean {
    const belongs =
      (c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x7a) || c === 0x45 || c === 0x2b || c === 0x2d || c === 0x2e
    if (belongs) {
      if (this.#length < KEPT) this.#text[this.#length++] = c
      return true
    }
    this.#endWord(at)
    return false
  }

  #endWord(to: number): void {
    const text = this.#text.toString('latin1', 0, this.#length)
    const word = WORDS[text.charCodeAt(0)]
    if (word === undefined ? NUMBER.test(text) || this.#length >= KEPT : text === word)
      this.#emit({ is: word ?? 'number', text, from: this.#from, to, line: this.#line })
    else this.#wrong = true
  }

  #emit(value: Scalar): void {
    this.#watcher.scalar(value, this.#key, this.#keyFrom)
    this.#key = undefined
    this.#done()
  }

  #close(is: 'array' | 'object', at: number, line: number): void {
    this.#stack.pop()
    this.#watcher.close(is, at + 1, line)
    this.#done()
  }

  #done(): void {
    if (this.#stack.length > 0) {
      this.#state = 'after'
      return
    }
    this.#state = 'value'
    this.documents++
  }
}
