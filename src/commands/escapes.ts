/** Backslash escapes of `echo -e`, `printf` and `tr`, and the formats of `printf`. */
import { concat, exact, textOf, unknown, type Value } from '../core/value.ts'
import { MOST_EXACT, textOfBytes } from './bytes.ts'

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

/** Whose escapes: a format of printf (`\101`), its `%b` (`\101`, `\0101`, `\c`), or `echo -e` (`\0101`, `\c`). */
export type EscapeStyle = 'format' | 'b' | 'echo'

const OCTAL: Readonly<Record<EscapeStyle, RegExp>> = {
  format: /^[0-7]{1,3}/,
  b: /^(?:0[0-7]{0,3}|[1-7][0-7]{0,2})/,
  echo: /^0[0-7]{0,3}/,
}

/** Replaces escapes. `stop`: `\c` ended the text and all output. Undefined text: bytes that are no text. */
export function readEscapes(
  text: string,
  style: EscapeStyle,
): { readonly text: string | undefined; readonly stop: boolean } {
  let out = ''
  let bytes: number[] = []
  let bad = false
  const flush = () => {
    if (bytes.length === 0) return
    const read = textOfBytes(bytes)
    if (read === undefined) bad = true
    else out += read
    bytes = []
  }
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\' || i + 1 >= text.length) {
      flush()
      out += text[i]
      continue
    }
    const rest = text.slice(i + 1, i + 12)
    const octal = OCTAL[style].exec(rest)
    const hex = /^x([0-9A-Fa-f]{1,2})/.exec(rest)
    const unicode = /^u([0-9A-Fa-f]{1,4})/.exec(rest) ?? /^U([0-9A-Fa-f]{1,8})/.exec(rest)
    if (octal) {
      bytes.push(Number.parseInt(octal[0], 8) & 0xff)
      i += octal[0].length
    } else if (hex) {
      bytes.push(Number.parseInt(hex[1]!, 16))
      i += hex[0].length
    } else if (unicode) {
      flush()
      const code = Number.parseInt(unicode[1]!, 16)
      if (code > 0x10ffff) bad = true
      else out += String.fromCodePoint(code)
      i += unicode[0].length
    } else if (rest[0] === 'c' && style !== 'format') {
      flush()
      return { text: bad ? undefined : out, stop: true }
    } else {
      flush()
      const simple = SIMPLE[rest[0]!]
      out += simple ?? `\\${rest[0]}`
      i++
    }
  }
  flush()
  return { text: bad ? undefined : out, stop: false }
}

const CONVERSION = /%([-#0 +']*)(\*|\d+)?(?:\.(\*|\d*))?(?:hh|h|ll|l|j|z|t|L)?([a-zA-Z%])/g

/** How often a format may be used again for further arguments. */
const MOST_ROUNDS = 512

/** What `printf FORMAT ARGS…` prints. Unknown where the format or a conversion cannot be followed. */
export function formatted(format: string, args: readonly Value[]): Value {
  let value = exact('')
  let used = 0
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = used
    let last = 0
    for (const match of format.matchAll(CONVERSION)) {
      const literal = readEscapes(format.slice(last, match.index), 'format')
      if (literal.text === undefined) return unknown('input')
      value = concat(value, exact(literal.text))
      if (literal.stop) return value
      last = match.index + match[0].length
      const [, flags = '', width, precision, kind = ''] = match
      if (kind === '%') {
        value = concat(value, exact('%'))
        continue
      }
      if (width === '*' || precision === '*') return unknown('input')
      const piece = convert(kind, args[used++], flags, width, precision)
      if (piece === undefined) return unknown('input')
      value = concat(value, piece.value)
      if (piece.stop) return value
    }
    const literal = readEscapes(format.slice(last), 'format')
    if (literal.text === undefined) return unknown('input')
    value = concat(value, exact(literal.text))
    if (literal.stop || used >= args.length || used === before) return value
    if ((textOf(value)?.length ?? 0) > MOST_EXACT) return unknown('budget')
  }
  return unknown('budget')
}

/** Widest padding that is followed. */
const MOST_WIDTH = 4096

function convert(
  kind: string,
  arg: Value | undefined,
  flags: string,
  width: string | undefined,
  precision: string | undefined,
): { readonly value: Value; readonly stop?: boolean } | undefined {
  const size = width === undefined ? 0 : Number(width)
  if (size > MOST_WIDTH) return undefined
  const pad = (text: string, fill = ' ') => (flags.includes('-') ? text.padEnd(size) : text.padStart(size, fill))
  const given = arg ?? exact('')
  const text = textOf(given)
  if (kind === 's' || kind === 'b' || kind === 'c') {
    if (text === undefined)
      return size > 0 || precision !== undefined || kind !== 's' ? { value: unknown('input') } : { value: given }
    const read =
      kind === 'b' ? readEscapes(text, 'b') : { text: kind === 'c' ? ([...text][0] ?? '\0') : text, stop: false }
    if (read.text === undefined) return { value: unknown('input') }
    return {
      value: exact(pad(precision === undefined ? read.text : read.text.slice(0, Number(precision)))),
      stop: read.stop,
    }
  }
  if (!'diuxXo'.includes(kind)) return undefined
  const number = text === '' ? 0 : /^["']./.test(text ?? '') ? text!.codePointAt(1)! : Number(text)
  if (text === undefined || !Number.isSafeInteger(number)) return { value: unknown('input') }
  if (precision !== undefined || /[#+ ']/.test(flags)) return { value: unknown('input') }
  const base = kind === 'o' ? 8 : kind === 'x' || kind === 'X' ? 16 : 10
  if (base !== 10 && number < 0) return { value: unknown('input') }
  const digits = kind === 'X' ? number.toString(16).toUpperCase() : number.toString(base)
  return { value: exact(pad(digits, flags.includes('0') && !flags.includes('-') && number >= 0 ? '0' : ' ')) }
}
