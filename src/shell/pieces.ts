/** The parts of a word, expanded but not yet split: what each is and whether it was quoted. */
import type { Asking } from '../core/question.ts'
import { concat, exact, type GlobPart, oneOf, unknown, type Value } from '../core/value.ts'
import type { ShellEnv } from './expand.ts'
import { evaluateBody } from './expand-arithmetic.ts'
import { parameterPieces } from './expand-parameter.ts'
import { scanGlob } from './pattern.ts'
import type { Part, Word } from './tree.ts'

/** State of the expansion of one word. */
export interface Expanding {
  readonly env: ShellEnv
  readonly source: string
  /** What substitutions gave, so that the alternatives of a brace run what they share once. */
  readonly memo: Map<Part, Value>
  /** Texts of variables whose subscripts were already run by arithmetic. */
  readonly subscripts: Set<string>
  /** `$IFS` once it was needed. */
  ifs: Value | undefined
}

export type Piece =
  /** A text. `split`: it came from an unquoted expansion, so `$IFS` splits it. `written`: it stands so in the word. */
  | {
      readonly is: 'text'
      readonly text: string
      readonly quoted: boolean
      readonly split: boolean
      readonly written: boolean
    }
  /** Pattern characters written in the word. */
  | { readonly is: 'glob'; readonly part: GlobPart; readonly text: string }
  /** Anything but one exact text. */
  | { readonly is: 'value'; readonly value: Value; readonly quoted: boolean }
  /** The end of a field, between two of `"$@"`; of unquoted ones, where there is something in the field. */
  | { readonly is: 'break'; readonly quoted: boolean }

/** `fields`: the pieces will be split; `text`: they become one text. */
export type Mode = 'fields' | 'text'

/** Most arguments of one command: no shell takes many more, and each is judged. */
export const mostFields = 10_000

/** Longest exact text kept: `x=$x$x` doubles. */
const MOST_TEXT = 1_048_576

export const textPiece = (text: string, quoted: boolean, split: boolean, written: boolean): Piece => ({
  is: 'text',
  text,
  quoted,
  split,
  written,
})

/** A value as the result of an expansion. */
export const valuePiece = (value: Value, quoted: boolean): Piece =>
  value.is === 'exact'
    ? value.text.length > MOST_TEXT
      ? { is: 'value', value: unknown('budget'), quoted }
      : textPiece(value.text, quoted, !quoted, false)
    : { is: 'value', value, quoted }

/** `operand`: the parts stand in an unquoted `${x:-…}`, so that even what is written there is split. */
export function* piecesOf(parts: readonly Part[], expanding: Expanding, mode: Mode, operand: boolean): Asking<Piece[]> {
  const out: Piece[] = []
  for (const part of parts) out.push(...(yield* piecesOfPart(part, expanding, mode, operand)))
  return out
}

function* piecesOfPart(part: Part, expanding: Expanding, mode: Mode, operand: boolean): Asking<readonly Piece[]> {
  switch (part.is) {
    case 'literal':
      return [textPiece(part.text, part.quoted, operand && !part.quoted, true)]
    case 'tilde':
      return [valuePiece(yield* expanding.env.homeOf(part.user), true)]
    case 'glob':
      // What stands in a class or an extended pattern runs, whatever becomes of the pattern.
      if (part.inside) yield* piecesOf(part.inside, expanding, 'text', false)
      return [{ is: 'glob', part: globPartOf(part), text: part.text }]
    case 'parameter':
      return yield* parameterPieces(part, expanding, mode)
    case 'command':
      return [valuePiece(yield* output(part, expanding), part.quoted)]
    case 'process':
      return [valuePiece(yield* pathOf(part, expanding), true)]
    case 'arithmetic':
      return [valuePiece(yield* computed(part, expanding), part.quoted)]
    case 'brace':
      for (const inner of new Set([...(part.inside ?? []), ...(part.alternatives ?? []).flat()]))
        yield* piecesOfPart(inner, expanding, 'text', false)
      return [{ is: 'value', value: unknown('budget'), quoted: true }]
  }
}

/** `@(a|b)` of plain characters. */
const PLAIN_CHOICE = /^@\(([\w.,+@%-]+(?:\|[\w.,+@%-]+)*)\)$/

function globPartOf(part: Part & { is: 'glob' }): GlobPart {
  switch (part.kind) {
    case 'star':
      return { is: 'star' }
    case 'question':
      return { is: 'question' }
    case 'class':
      return part.inside ? { is: 'any' } : { is: 'class', text: part.text }
    case 'extended': {
      const plain = part.inside ? null : PLAIN_CHOICE.exec(part.text)
      return plain === null ? { is: 'any' } : { is: 'one', of: plain[1]!.split('|') }
    }
  }
}

function* output(part: Part & { is: 'command' }, expanding: Expanding): Asking<Value> {
  const known = expanding.memo.get(part)
  if (known) return known
  const printed = yield* expanding.env.command(part.script, part.script.source ?? expanding.source)
  const value = withoutLastNewlines(printed)
  expanding.memo.set(part, value)
  return value
}

function withoutLastNewlines(value: Value): Value {
  switch (value.is) {
    case 'exact':
      return exact(trimNewlines(value.text))
    case 'oneOf':
      return oneOf(value.texts.map(trimNewlines))
    case 'partly':
      return concat(concat(exact(value.prefix), unknown(value.why)), exact(trimNewlines(value.suffix)))
    default:
      return value
  }
}

function trimNewlines(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '\n') end--
  return text.slice(0, end)
}

function* pathOf(part: Part & { is: 'process' }, expanding: Expanding): Asking<Value> {
  const known = expanding.memo.get(part)
  if (known) return known
  const value = yield* expanding.env.process(part.script, part.direction, part.script.source ?? expanding.source)
  expanding.memo.set(part, value)
  return value
}

function* computed(part: Part & { is: 'arithmetic' }, expanding: Expanding): Asking<Value> {
  const known = expanding.memo.get(part)
  if (known) return known
  const result = yield* evaluateBody(part.body, expanding)
  const value =
    result === undefined ? unknown('arithmetic') : typeof result === 'bigint' ? exact(String(result)) : result
  expanding.memo.set(part, value)
  return value
}

/** A word as one text, for operands. */
export function* textOfWord(word: Word, expanding: Expanding): Asking<Value> {
  return valueOfPieces(yield* piecesOf(word.parts, expanding, 'text', false), 'text')
}

/** A word as a pattern, for operands. */
export function* patternOfWord(word: Word, expanding: Expanding): Asking<Value> {
  return valueOfPieces(yield* piecesOf(word.parts, expanding, 'text', false), 'pattern')
}

/**
 * Pieces as one value. `text`: pattern characters are text; `pattern`: unquoted ones count, and stars match slashes;
 * `path`: the same, and `**` that fills a component goes down directories.
 */
export function valueOfPieces(pieces: readonly Piece[], as: 'text' | 'pattern' | 'path'): Value {
  let value: Value = exact('')
  const parts: GlobPart[] = []
  let globbing = false
  // Collected apart, since text that is joined one by one takes time with the square of its length.
  let text = ''
  const flush = (): void => {
    if (text !== '') parts.push({ is: 'text', text })
    text = ''
  }
  const join = (): void => {
    flush()
    value = concat(value, fromParts(parts, globbing, as))
    parts.length = 0
    globbing = false
  }
  for (const piece of pieces) {
    switch (piece.is) {
      case 'text': {
        const scanned = as !== 'text' && !piece.quoted && /[*?[]/.test(piece.text) ? scanGlob(piece.text) : undefined
        if (!scanned || scanned.every((part) => part.is === 'text')) text += piece.text
        else {
          flush()
          parts.push(...scanned)
          globbing = true
        }
        break
      }
      case 'glob':
        if (as === 'text') text += piece.text
        else {
          flush()
          parts.push(piece.part)
          if (piece.part.is === 'star' && piece.text.length > 1) parts.push(piece.part)
          globbing = true
        }
        break
      case 'value':
        join()
        value = concat(value, piece.value)
        break
      case 'break':
        break
    }
  }
  join()
  return value.is === 'exact' && value.text.length > MOST_TEXT ? unknown('budget') : value
}

function fromParts(parts: readonly GlobPart[], globbing: boolean, as: 'text' | 'pattern' | 'path'): Value {
  if (!globbing) return exact(parts.map((part) => (part.is === 'text' ? part.text : '')).join(''))
  const out: GlobPart[] = []
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    const last = out.at(-1)
    if (part.is === 'text' && last?.is === 'text') out[out.length - 1] = { is: 'text', text: last.text + part.text }
    else if (part.is !== 'star') out.push(part)
    else if (last?.is === 'star') {
      // `**` as a whole component goes down directories where the shell's option says so: the wider reading.
      const before = out[out.length - 2]
      const after = parts[i + 1]
      const whole =
        (before === undefined || (before.is === 'text' && before.text.endsWith('/'))) &&
        (after === undefined || (after.is === 'text' && after.text.startsWith('/')))
      if (as === 'path' && whole) out[out.length - 1] = { is: 'deep' }
    } else if (last?.is !== 'deep') out.push(part)
  }
  return { is: 'glob', parts: out }
}
