/** Cuts program text into tokens. What differs between languages is a grammar's own hook. */

export type Piece = { readonly is: 'text'; readonly text: string } | { readonly is: 'code'; readonly code: string }

export interface Token {
  readonly t: 'name' | 'string' | 'shell' | 'number' | 'punct' | 'newline' | 'regex'
  readonly text: string
  /** Of strings: literal text and code between, in order. */
  readonly pieces?: readonly Piece[]
  /** Of newlines: the column of the first word on the next line. */
  readonly indent?: number
  /** White space stands before it. */
  readonly spaced: boolean
  readonly from: number
  readonly to: number
}

/** A token of a language's own kind, found at `at`. */
export interface Special {
  readonly t: Token['t'] | 'skip'
  readonly text?: string
  readonly pieces?: readonly Piece[]
  readonly to: number
  /** A here-document: the place behind its body, which begins on the next line. */
  readonly body?: number
}

export interface Lexing {
  readonly lineComments: readonly string[]
  readonly blockComments: readonly (readonly [string, string])[]
  /** Matched at a position (sticky). */
  readonly name: RegExp
  readonly operators: readonly string[]
  /** Strings, here-documents and the like; undefined: nothing special begins here. `last` is the token before. */
  special(text: string, at: number, last: Token | undefined): Special | undefined
}

/** Programs longer than this are not read: a person does not write more on a line or in a script. */
export const MOST_TEXT = 256 * 1024
/** More tokens than any text of that length that is worth reading. */
export const MOST_TOKENS = 60_000

const NUMBER = /(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[nLlfFdDjJ]?/y

/** The tokens of a text, or undefined where it is too long. */
export function lex(source: string, how: Lexing): readonly Token[] | undefined {
  if (source.length > MOST_TEXT) return undefined
  const tokens: Token[] = []
  const operators = [...how.operators].sort((a, b) => b.length - a.length)
  let spaced = true
  let at = 0
  let body: number | undefined
  const push = (t: Token['t'], to: number, more: Partial<Token> = {}) => {
    tokens.push({ t, text: source.slice(at, to), spaced, from: at, to, ...more })
    spaced = false
    at = to
  }
  while (at < source.length) {
    if (tokens.length > MOST_TOKENS) return undefined
    const c = source[at]!
    if (c === '\n') {
      let to = Math.max(at + 1, body ?? 0)
      body = undefined
      let indent = 0
      while (to < source.length && (source[to] === ' ' || source[to] === '\t')) {
        indent += source[to] === '\t' ? 8 - (indent % 8) : 1
        to++
      }
      push('newline', to, { indent })
      spaced = true
      continue
    }
    if (c === ' ' || c === '\t' || c === '\r' || c === '\f' || c === '\ufeff') {
      at++
      spaced = true
      continue
    }
    const special = how.special(source, at, tokens.at(-1))
    if (special) {
      const to = Math.max(special.to, at + 1)
      body = special.body ?? body
      if (special.t === 'skip') {
        at = to
        spaced = true
      } else {
        push(special.t, to, {
          ...(special.text === undefined ? {} : { text: special.text }),
          ...(special.pieces ? { pieces: special.pieces } : {}),
        })
      }
      continue
    }
    const block = how.blockComments.find(([open]) => source.startsWith(open, at))
    if (block) {
      const end = source.indexOf(block[1], at + block[0].length)
      at = end < 0 ? source.length : end + block[1].length
      spaced = true
      continue
    }
    if (how.lineComments.some((mark) => source.startsWith(mark, at))) {
      const end = source.indexOf('\n', at)
      at = end < 0 ? source.length : end
      continue
    }
    how.name.lastIndex = at
    const name = how.name.exec(source)
    if (name && name[0].length > 0) {
      push('name', at + name[0].length)
      continue
    }
    NUMBER.lastIndex = at
    const number = NUMBER.exec(source)
    if (number) {
      push('number', at + number[0].length)
      continue
    }
    const operator = operators.find((one) => source.startsWith(one, at))
    push('punct', at + (operator?.length ?? 1))
  }
  return tokens
}

/** Characters behind a backslash that stand for another. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '0': '\0',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
}

/** One escape at `at`, which is a backslash: its text and the place behind it. */
export function escapeAt(source: string, at: number): { readonly text: string; readonly to: number } {
  const c = source[at + 1]
  if (c === undefined) return { text: '\\', to: at + 1 }
  if (c === '\n') return { text: '', to: at + 2 }
  const hex = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|[ux]\{([0-9a-fA-F]+)\}|U([0-9a-fA-F]{8}))/.exec(
    source.slice(at + 1, at + 12),
  )
  if (hex) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? hex[4]!, 16)
    return { text: code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd', to: at + 1 + hex[0].length }
  }
  const octal = /^[0-7]{2,3}/.exec(source.slice(at + 1, at + 4))
  if (octal) return { text: String.fromCharCode(Number.parseInt(octal[0], 8)), to: at + 1 + octal[0].length }
  return { text: ESCAPES[c] ?? c, to: at + 2 }
}

/** What a string literal does with its text. */
export interface Quoting {
  readonly close: string
  /** Brackets nest: `q{a{b}}`. */
  readonly open?: string
  readonly escapes: 'all' | 'quote' | 'none'
  /** Code within: returns the code and the place behind it. */
  readonly inside?: (source: string, at: number) => { readonly code: string; readonly to: number } | undefined
  /** A newline ends it, unclosed. */
  readonly oneLine?: boolean
  /** The escape character; a backslash where absent. */
  readonly escape?: string
}

/** Reads a quoted text that begins behind its opening mark at `at`. */
export function quoted(
  source: string,
  at: number,
  how: Quoting,
): { readonly pieces: readonly Piece[]; readonly to: number } {
  const pieces: Piece[] = []
  let plain = ''
  let depth = 0
  let i = at
  const mark = how.escape ?? '\\'
  while (i < source.length) {
    if (source.startsWith(how.close, i) && depth === 0) {
      i += how.close.length
      break
    }
    const c = source[i]!
    if (how.open && c === how.open) depth++
    else if (how.open && c === how.close) depth--
    if (how.oneLine && c === '\n') break
    if (c === mark && how.escapes === 'all') {
      const one = mark === '\\' ? escapeAt(source, i) : { text: source[i + 1] ?? '', to: i + 2 }
      plain += one.text
      i = one.to
      continue
    }
    if (c === mark && how.escapes === 'quote' && (source.startsWith(how.close, i + 1) || source[i + 1] === mark)) {
      plain += source[i + 1]
      i += 2
      continue
    }
    const inside = how.inside?.(source, i)
    if (inside) {
      if (plain !== '') pieces.push({ is: 'text', text: plain })
      plain = ''
      pieces.push({ is: 'code', code: inside.code })
      i = Math.max(inside.to, i + 1)
      continue
    }
    plain += c
    i++
  }
  if (plain !== '' || pieces.length === 0) pieces.push({ is: 'text', text: plain })
  return { pieces, to: i }
}

/** How a language puts code into a text: the code that begins at a place, if any does. */
export type Inside = NonNullable<Quoting['inside']>

/** The quotes of Perl, PHP and Ruby: `'…'` as it is, `"…"` with code in it, and a command between backticks. */
export function quotes(source: string, at: number, inside: Inside): Special | undefined {
  switch (source[at]) {
    case "'":
      return { t: 'string', ...quoted(source, at + 1, { close: "'", escapes: 'quote' }) }
    case '"':
      return { t: 'string', ...quoted(source, at + 1, { close: '"', escapes: 'all', inside }) }
    case '`':
      return { t: 'shell', ...quoted(source, at + 1, { close: '`', escapes: 'all', inside }) }
    default:
      return undefined
  }
}

/** The mark that closes what one of these opens. */
export const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }

/**
 * The body of a here-document that begins at `from`, to the line that `stop` matches, and the place behind that line.
 * Without `inside` it is text as it is.
 */
export function hereBody(
  source: string,
  from: number,
  stop: RegExp,
  inside: Inside | undefined,
): { readonly pieces: readonly Piece[]; readonly end: number } {
  const rest = source.slice(from)
  const last = stop.exec(rest)
  const body = last ? rest.slice(0, last.index) : rest
  const pieces: readonly Piece[] =
    inside === undefined
      ? [{ is: 'text', text: body }]
      : quoted(body, 0, { close: '\0', escapes: 'all', inside }).pieces
  return { pieces, end: from + body.length + (last?.[0].length ?? 0) }
}

/** The code between braces that open at `at`, strings within passed over. */
export function braced(source: string, at: number): { readonly code: string; readonly to: number } {
  let depth = 0
  for (let i = at; i < source.length; i++) {
    const c = source[i]!
    if (c === '{') depth++
    else if (c === '}') {
      depth--
      if (depth === 0) return { code: source.slice(at + 1, i), to: i + 1 }
    } else if (c === '"' || c === "'" || c === '`') {
      for (i++; i < source.length && source[i] !== c; i++) if (source[i] === '\\') i++
    }
  }
  return { code: source.slice(at + 1), to: source.length }
}
