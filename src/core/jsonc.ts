/**
 * JSON with comments and trailing commas, read strictly: everything else is as `JSON.parse` has it, and every value
 * knows its place. One reader serves the hook and the messages for people.
 */

/** A place in the text, both from 1; the column counts UTF-16 units. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface JsoncValue {
  readonly ok: true
  readonly value: unknown
  /** Where the value at a path of keys and indices begins; undefined where there is none. `[]` is the whole. */
  place(path: readonly (string | number)[]): Place | undefined
  /** Keys that are written twice in one object, at the place of the later one, which is the one that holds. */
  readonly repeated: readonly { readonly key: string; readonly place: Place }[]
}

export interface JsoncError {
  readonly ok: false
  /** What is wrong, without the place and without a full stop. */
  readonly message: string
  readonly place: Place
}

/** Configuration nests a few levels; the bound keeps the reader from running out of stack. */
const MOST_LEVELS = 100
/** UTF-16 units; a megabyte of configuration is a mistake. */
const MOST_TEXT = 1 << 20

/** Raised and caught in this file only. */
class Fault {
  readonly message: string
  readonly at: number
  constructor(message: string, at: number) {
    this.message = message
    this.at = at
  }
}

/** Reads `text`. Never throws; an empty text is an error, as in JSON. A leading byte order mark is skipped. */
export function readJsonc(text: string): JsoncValue | JsoncError {
  if (text.length > MOST_TEXT) return { ok: false, message: 'is longer than 1 MiB', place: { line: 1, column: 1 } }
  const reader = new Reader(text)
  try {
    const value = reader.whole()
    const { starts, repeated } = reader
    return {
      ok: true,
      value,
      place: (path) => {
        const at = starts.get(nameOf(path))
        return at === undefined ? undefined : placeOf(text, at)
      },
      repeated: repeated.map(({ key, at }) => ({ key, place: placeOf(text, at) })),
    }
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    return { ok: false, message: fault.message, place: placeOf(text, fault.at) }
  }
}

const nameOf = (path: readonly (string | number)[]): string =>
  path.map((step) => JSON.stringify(String(step))).join('/')

function placeOf(text: string, at: number): Place {
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) {
    line++
    start = end + 1
  }
  return { line, column: at - start + 1 }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const WORDS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

class Reader {
  readonly starts = new Map<string, number>()
  readonly repeated: { key: string; at: number }[] = []
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  whole(): unknown {
    if (this.text.charCodeAt(0) === 0xfeff) this.at = 1
    this.skip()
    const value = this.value('', 0)
    this.skip()
    if (this.at < this.text.length) throw new Fault('there is more after the end of the value', this.at)
    return value
  }

  /** Blanks and comments. */
  skip(): void {
    const { text } = this
    for (;;) {
      const unit = text.charCodeAt(this.at)
      if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) {
        this.at++
      } else if (unit === 0x2f && text[this.at + 1] === '/') {
        const end = text.indexOf('\n', this.at)
        this.at = end === -1 ? text.length : end
      } else if (unit === 0x2f && text[this.at + 1] === '*') {
        const end = text.indexOf('*/', this.at + 2)
        if (end === -1) throw new Fault('a comment is not closed', this.at)
        this.at = end + 2
      } else {
        return
      }
    }
  }

  value(name: string, level: number): unknown {
    if (level > MOST_LEVELS) throw new Fault(`it is nested more than ${MOST_LEVELS} levels deep`, this.at)
    this.starts.set(name, this.at)
    const first = this.text[this.at]
    if (first === '{') return this.object(name, level)
    if (first === '[') return this.array(name, level)
    if (first === '"') return this.string()
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return value
      }
    }
    NUMBER.lastIndex = this.at
    const number = NUMBER.exec(this.text)?.[0]
    if (number !== undefined) {
      this.at += number.length
      return Number(number)
    }
    throw this.unexpected('a value')
  }

  object(name: string, level: number): unknown {
    const out: Record<string, unknown> = {}
    this.at++
    for (;;) {
      this.skip()
      if (this.take('}')) return out
      const at = this.at
      if (this.text[at] !== '"') throw this.unexpected('a key in double quotes or `}`')
      const key = this.string()
      this.skip()
      if (!this.take(':')) throw this.unexpected('`:`')
      this.skip()
      if (Object.hasOwn(out, key)) this.repeated.push({ key, at })
      const value = this.value(below(name, key), level + 1)
      // Defined, not assigned: a key called `__proto__` must stay a key.
      Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true })
      this.skip()
      if (this.take('}')) return out
      if (!this.take(',')) throw this.unexpected('`,` or `}`')
    }
  }

  array(name: string, level: number): unknown {
    const out: unknown[] = []
    this.at++
    for (;;) {
      this.skip()
      if (this.take(']')) return out
      out.push(this.value(below(name, String(out.length)), level + 1))
      this.skip()
      if (this.take(']')) return out
      if (!this.take(',')) throw this.unexpected('`,` or `]`')
    }
  }

  string(): string {
    const { text } = this
    const start = this.at++
    let out = ''
    for (;;) {
      PLAIN.lastIndex = this.at
      const plain = PLAIN.exec(text)![0]
      out += plain
      this.at += plain.length
      const next = text[this.at]
      if (next === '"') {
        this.at++
        return out
      }
      if (next !== '\\') {
        throw next === undefined || next === '\n'
          ? new Fault('a string is not closed', start)
          : new Fault('a string holds a control character', this.at)
      }
      out += this.escape()
    }
  }

  /** The character that the escape at the backslash stands for. */
  escape(): string {
    const letter = this.text[this.at + 1] ?? ''
    const known = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (known !== undefined) {
      this.at += 2
      return known
    }
    const digits = this.text.slice(this.at + 2, this.at + 6)
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw new Fault('a string holds an unknown escape', this.at)
    this.at += 6
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  take(mark: string): boolean {
    if (this.text[this.at] !== mark) return false
    this.at++
    return true
  }

  unexpected(wanted: string): Fault {
    const found = this.text[this.at]
    return new Fault(
      found === undefined ? `it ends where ${wanted} should follow` : `${wanted} should stand here, not \`${found}\``,
      this.at,
    )
  }
}

const below = (name: string, step: string): string => (name === '' ? '' : name + '/') + JSON.stringify(step)
