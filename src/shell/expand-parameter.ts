/** `$x` and `${x…}`. */
import type { Asking } from '../core/question.ts'
import {
  concat,
  either,
  exact,
  type GlobPart,
  notNumber,
  oneOf,
  prefixOf,
  suffixOf,
  taintsOf,
  textOf,
  textsOf,
  unknown,
  type Value,
  type Why,
} from '../core/value.ts'
import { numberOfWord, runCommandsIn } from './expand-arithmetic.ts'
import { DEFAULT_IFS, ifsOf } from './fields.ts'
import { changeCase, removeMatch, replaceMatch } from './pattern.ts'
import {
  type Expanding,
  type Mode,
  type Piece,
  patternOfWord,
  piecesOf,
  textOfWord,
  valueOfPieces,
  valuePiece,
} from './pieces.ts'
import { countOf, positionalAt, sliced } from './positional.ts'
import type { Operation, Parameter, Word } from './tree.ts'
import { wordsOfOperation } from './walk.ts'

type Found = Value | 'unset'

const PLAIN_NAME = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$!#-])$/

export function* parameterPieces(part: Parameter, expanding: Expanding, mode: Mode): Asking<readonly Piece[]> {
  const all = part.name === '@' || part.name === '*'
  if (all && part.prefix === undefined && part.index === undefined)
    return yield* positionalPieces(part, expanding, mode)
  const at = part.index && textOfIndex(part.index)
  if (part.prefix === undefined && (at === '@' || at === '*') && !APART.has(part.operation?.is)) {
    const whole = elementsOf(yield* lookup(part.name, expanding))
    if (whole) {
      const values: Value[] = []
      for (const each of whole) values.push(part.operation ? yield* operate(each, part.operation, expanding) : each)
      return yield* joinAll(values, { ...part, name: at }, expanding, mode)
    }
  }
  const found = yield* lookupPart(part, expanding)
  if (part.operation?.is === 'default') return yield* defaulted(part, part.operation, found, expanding, mode)
  const value = found === 'unset' ? exact('') : found
  const result = part.operation ? yield* operate(value, part.operation, expanding) : value
  // An array that is not there has no elements, not an empty one.
  if (found === 'unset' && part.index !== undefined && textOfIndex(part.index) === '@') return []
  return [valuePiece(result, part.quoted)]
}

/** Operations that do something else to a whole array than to each of its elements. */
const APART: ReadonlySet<string | undefined> = new Set(['default', 'slice', 'other'])

const textOfIndex = (index: Word): string | undefined => {
  const only = index.parts[0]
  return index.parts.length === 1 && only?.is === 'literal' ? only.text : undefined
}

/** The parameter itself, before its operation, with `#` and `!` in front. */
function* lookupPart(part: Parameter, expanding: Expanding): Asking<Found> {
  if (part.name === '') return unknown('syntax')
  if (part.index) return yield* element(part, part.index, expanding)
  if (part.prefix === '#') {
    if (part.name === '@' || part.name === '*') return yield* count(expanding)
    const value = yield* lookup(part.name, expanding)
    return value === 'unset' ? exact('0') : lengthOf(value)
  }
  if (part.prefix === '!') {
    // `${!x*}` lists names; which there are is not known.
    if (part.operation?.is === 'other') return unknown('variable')
    return yield* indirect(yield* lookup(part.name, expanding), expanding)
  }
  const value = yield* lookup(part.name, expanding)
  // An array by its name alone is its first element.
  return elementsOf(value) ? elementAt(value, 0) : value
}

const elementsOf = (value: Found): readonly Value[] | undefined =>
  value !== 'unset' && value.is === 'unknown' ? value.elements : undefined

/** An element by its number. Behind a pattern, which may be several names, the numbers are not known. */
function elementAt(value: Found, at: number): Found {
  const elements = elementsOf(value)
  if (elements === undefined || !elements.slice(0, at + 1).every(({ is }) => is === 'exact')) return unknown('variable')
  return elements[at] ?? 'unset'
}

function* element(part: Parameter, index: Word, expanding: Expanding): Asking<Found> {
  // The index runs what it holds.
  yield* textOfWord(index, expanding)
  const value = yield* lookup(part.name, expanding)
  const at = textOfIndex(index)
  const elements = elementsOf(value)
  if (elements) {
    if (part.prefix === undefined && at !== undefined && /^\d{1,6}$/.test(at)) return elementAt(value, Number(at))
    const all = at === '@' || at === '*'
    if (part.prefix === '#' && all && elements.every(({ is }) => is === 'exact')) return exact(String(elements.length))
    return unknown('variable')
  }
  // The planner keeps whole arrays as unknown, so an exact value is that of a plain variable.
  if (value === 'unset' && part.prefix === undefined) return 'unset'
  if (part.prefix === undefined && value !== 'unset' && (at === '0' || at === '@' || at === '*')) return value
  return unknown('variable')
}

function* count(expanding: Expanding): Asking<Value> {
  const positional = expanding.env.positional()
  const number = positional && countOf(positional)
  if (positional) return number === undefined ? unknown('positional') : exact(String(number))
  const value = yield* expanding.env.variable('#')
  return value === 'unset' ? unknown('positional') : value
}

/** A parameter by its plain name. */
function* lookup(name: string, expanding: Expanding): Asking<Found> {
  if (name === '#') return yield* count(expanding)
  if (/^[0-9]+$/.test(name) && !/^0+$/.test(name)) {
    const positional = expanding.env.positional()
    return positional ? positionalAt(positional, Number(name) - 1) : unknown('positional')
  }
  const value = yield* expanding.env.variable(name)
  // The shell sets it when it starts.
  return name === 'IFS' && value === 'unset' ? exact(DEFAULT_IFS) : value
}

function* indirect(names: Found, expanding: Expanding): Asking<Found> {
  const texts = names === 'unset' ? undefined : textsOf(names)
  if (!texts) return names === 'unset' ? unknown('syntax') : unknown('variable')
  let result: Found | undefined
  for (const name of texts) {
    if (!PLAIN_NAME.test(name)) return unknown('variable')
    const value = yield* lookup(name, expanding)
    if (result === undefined) result = value
    else if (result !== value)
      result = either(result === 'unset' ? exact('') : result, value === 'unset' ? exact('') : value)
  }
  return result ?? unknown('variable')
}

/** Characters, where a character is surely a byte as well. */
function lengthOf(value: Value): Value {
  const texts = textsOf(value)
  if (!texts) return unknown('variable')
  return texts.every(isAscii) ? oneOf(texts.map((text) => String(text.length))) : unknown('variable')
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** `$@` and `$*`, with what may be done to them. */
function* positionalPieces(part: Parameter, expanding: Expanding, mode: Mode): Asking<readonly Piece[]> {
  const known = expanding.env.positional()
  const operation = part.operation
  if (operation?.is === 'default') {
    const set: Found = known
      ? known.length === 0
        ? 'unset'
        : known.length === 1
          ? known[0]!
          : exact(' ')
      : unknown('positional')
    // Where they are set, they come one by one.
    if (known && known.length > 0 && !operation.operator.endsWith('+'))
      return yield* joinAll(known, part, expanding, mode)
    return yield* defaulted(part, operation, set, expanding, mode)
  }
  if (!known) {
    if (operation) for (const word of wordsOfOperation(operation)) yield* textOfWord(word, expanding)
    return [valuePiece(unknown('positional'), part.quoted)]
  }
  if (!operation) return yield* joinAll(known, part, expanding, mode)
  if (operation.is === 'slice') {
    const zero = yield* expanding.env.variable('0')
    const offset = yield* numberOfWord(operation.offset, expanding)
    const length = operation.length && (yield* numberOfWord(operation.length, expanding))
    if (offset === undefined || (operation.length && length === undefined))
      return [valuePiece(unknown('arithmetic'), part.quoted)]
    const list = [zero === 'unset' ? unknown('positional') : zero, ...known]
    const from = offset < 0n ? list.length + Number(offset) : Number(offset)
    if (from < 0) return []
    const to = length === undefined ? list.length : from + Math.max(0, Number(length))
    return yield* joinAll(sliced(list, from, to), part, expanding, mode)
  }
  const changed: Value[] = []
  for (const value of known) changed.push(yield* operate(value, operation, expanding))
  return yield* joinAll(changed, part, expanding, mode)
}

/** `"$@"`: a field each; `"$*"`: one, joined by the first character of `$IFS`; unquoted: a field each, split again. */
function* joinAll(
  values: readonly Value[],
  part: Parameter,
  expanding: Expanding,
  mode: Mode,
): Asking<readonly Piece[]> {
  const apart = mode === 'fields' && (part.name === '@' || !part.quoted)
  const out: Piece[] = []
  if (apart) {
    for (const [i, value] of values.entries()) {
      if (i > 0) out.push({ is: 'break', quoted: part.quoted })
      out.push(valuePiece(value, part.quoted))
    }
    return out
  }
  const ifs = part.name === '@' ? exact(' ') : yield* ifsOf(expanding)
  const between = ifs.is === 'exact' ? exact(ifs.text.slice(0, 1)) : unknown('variable')
  let value: Value = exact('')
  for (const [i, each] of values.entries()) value = i === 0 ? each : concat(concat(value, between), each)
  return [valuePiece(value, part.quoted)]
}

type Default = Operation & { is: 'default' }

/** `${x:-y}`, `${x:=y}`, `${x:?y}`, `${x:+y}` and the forms without a colon. */
function* defaulted(
  part: Parameter,
  operation: Default,
  found: Found,
  expanding: Expanding,
  mode: Mode,
): Asking<readonly Piece[]> {
  const { operator, word } = operation
  const absent = isAbsent(found, operator.startsWith(':'))
  const value = found === 'unset' ? exact('') : found
  switch (operator) {
    case '+':
    case ':+':
      if (absent === 'yes') return [valuePiece(exact(''), part.quoted)]
      if (absent === 'no') return yield* operandPieces(word, part, expanding, mode)
      return [valuePiece(either(exact(''), yield* textOfWord(word, expanding)), part.quoted)]
    case '?':
    case ':?':
      if (absent !== 'no') yield* textOfWord(word, expanding)
      if (absent === 'yes') {
        expanding.env.stops?.()
        return [valuePiece(unknown('variable'), part.quoted)]
      }
      return [valuePiece(withoutAbsent(value, operator), part.quoted)]
    default:
      if (absent === 'no') return [valuePiece(value, part.quoted)]
  }
  const assigns = operator.endsWith('=')
  if (absent === 'yes' && !assigns) return yield* operandPieces(word, part, expanding, mode)
  const other = yield* textOfWord(word, expanding)
  const result = absent === 'yes' ? other : either(withoutAbsent(value, operator), other)
  if (assigns) expanding.env.assign(part.name, result)
  return [valuePiece(result, part.quoted)]
}

/** A default as if it stood in place of the parameter: split like it, and no longer written in the word. */
function* operandPieces(word: Word, part: Parameter, expanding: Expanding, mode: Mode): Asking<readonly Piece[]> {
  const pieces = yield* piecesOf(word.parts, expanding, mode, !part.quoted)
  return pieces.map((piece) => (piece.is === 'text' ? { ...piece, written: false } : piece))
}

/** Whether a parameter is unset, or (with `empty`) unset or empty. */
function isAbsent(found: Found, empty: boolean): 'yes' | 'no' | 'perhaps' {
  if (found === 'unset') return 'yes'
  const texts = textsOf(found)
  if (texts) {
    if (!empty || !texts.includes('')) return 'no'
    return texts.length === 1 ? 'yes' : 'perhaps'
  }
  return found.is === 'unknown' ? 'perhaps' : 'no'
}

/** The value where it is not the one that the operator replaces. */
function withoutAbsent(value: Value, operator: string): Value {
  if (value.is !== 'oneOf' || !operator.startsWith(':')) return value
  return oneOf(value.texts.filter((text) => text !== ''))
}

/** The operations that change a text. */
function* operate(value: Value, operation: Operation, expanding: Expanding): Asking<Value> {
  switch (operation.is) {
    case 'remove': {
      const patterns = patternsOf(yield* patternOfWord(operation.word, expanding))
      if (!patterns) return unknown(whyOf(value), taintsIn(value))
      return (
        eachText(value, (text) => removeMatch(text, patterns, operation.operator)) ??
        cut(value, patterns, operation.operator)
      )
    }
    case 'replace': {
      const patterns = patternsOf(yield* patternOfWord(operation.pattern, expanding))
      const pieces = yield* piecesOf(operation.by.parts, expanding, 'text', false)
      const by = textOf(valueOfPieces(pieces, 'text'))
      // An unquoted `&` is the matched text in newer shells and itself in older ones.
      const vague = pieces.some((piece) => piece.is === 'text' && !piece.quoted && piece.text.includes('&'))
      if (!patterns || by === undefined || vague) return unknown(whyOf(value), taintsIn(value))
      return (
        eachText(value, (text) => replaceMatch(text, patterns, by, operation.operator)) ??
        unknown(whyOf(value), taintsIn(value))
      )
    }
    case 'slice': {
      const offset = yield* numberOfWord(operation.offset, expanding)
      const length = operation.length && (yield* numberOfWord(operation.length, expanding))
      if (offset === undefined || (operation.length && length === undefined)) return unknown('arithmetic')
      return eachText(value, (text) => slice(text, offset, length)) ?? unknown(whyOf(value), taintsIn(value))
    }
    case 'case': {
      const pattern = operation.word && patternsOf(yield* patternOfWord(operation.word, expanding))
      if (operation.word && !pattern) return unknown(whyOf(value), taintsIn(value))
      return (
        eachText(value, (text) => (isAscii(text) ? changeCase(text, pattern, operation.operator) : undefined)) ??
        unknown(whyOf(value), taintsIn(value))
      )
    }
    default:
      for (const word of wordsOfOperation(operation)) yield* textOfWord(word, expanding)
      // `${x@P}` expands what the variable says as a prompt: the commands in it run.
      for (const text of textsOf(value) ?? []) yield* runCommandsIn(text, expanding)
      return unknown('variable')
  }
}

/** Where a value came from stays known, whatever is cut off it. */
const taintsIn = (value: Value): ReturnType<typeof taintsOf> | undefined => {
  const taints = taintsOf(value)
  return taints.length > 0 ? taints : undefined
}

const whyOf = (value: Value): Why =>
  value.is === 'unknown' || value.is === 'partly' ? notNumber(value.why) : 'variable'

/** The pattern's pieces, or undefined where it is not known. */
function patternsOf(value: Value): readonly GlobPart[] | undefined {
  if (value.is === 'exact') return value.text === '' ? [] : [{ is: 'text', text: value.text }]
  return value.is === 'glob' && !value.parts.some((part) => part.is === 'any') ? value.parts : undefined
}

/** `change` on each text; undefined where the texts are not known. A change that fails makes the value unknown. */
function eachText(value: Value, change: (text: string) => string | undefined): Value | undefined {
  const texts = textsOf(value)
  if (!texts) return undefined
  const changed: string[] = []
  for (const text of texts) {
    const result = change(text)
    if (result === undefined) return unknown('budget')
    changed.push(result)
  }
  return oneOf(changed)
}

/** Removing a known ending from a value whose ending is known (`${f%.c}` of `*.c`), and the same in front. */
function cut(value: Value, pattern: readonly GlobPart[], operator: string): Value {
  const only = pattern[0]
  if (pattern.length !== 1 || only?.is !== 'text') return unknown(whyOf(value), taintsIn(value))
  const atEnd = operator.startsWith('%')
  const known = atEnd ? suffixOf(value) : prefixOf(value)
  const fits = atEnd ? known.endsWith(only.text) : known.startsWith(only.text)
  if (!fits) return unknown(whyOf(value), taintsIn(value))
  const size = only.text.length
  if (value.is === 'partly') {
    const prefix = atEnd ? value.prefix : value.prefix.slice(size)
    const suffix = atEnd ? value.suffix.slice(0, value.suffix.length - size) : value.suffix
    return concat(concat(exact(prefix), unknown(value.why)), exact(suffix))
  }
  if (value.is !== 'glob') return unknown(whyOf(value), taintsIn(value))
  const parts = value.parts.map((part, i) => {
    if (part.is !== 'text' || i !== (atEnd ? value.parts.length - 1 : 0)) return part
    return { ...part, text: atEnd ? part.text.slice(0, part.text.length - size) : part.text.slice(size) }
  })
  return { is: 'glob', parts: parts.filter((part) => part.is !== 'text' || part.text !== '') }
}

/** Undefined where characters may not be bytes, or where the shell would refuse it. */
function slice(text: string, offset: bigint, length: bigint | undefined): string | undefined {
  if (!isAscii(text)) return undefined
  const size = BigInt(text.length)
  const from = offset < 0n ? size + offset : offset
  if (from < 0n || from > size) return ''
  const to = length === undefined ? size : length < 0n ? size + length : from + length
  if (to < from) return undefined
  return text.slice(Number(from), Number(to > size ? size : to))
}
