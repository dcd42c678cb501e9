/** Splitting on `$IFS`. */
import type { Asking } from '../core/question.ts'
import { either, exact, MOST_TEXTS, oneOf, textsOf, unknown, type Value } from '../core/value.ts'
import { type Expanding, mostFields, type Piece, textPiece, valueOfPieces } from './pieces.ts'

export const DEFAULT_IFS = ' \t\n'

export interface Made {
  readonly value: Value
  /** Every character of it stands in the word. */
  readonly written: boolean
  readonly maybe?: true
}

/** `$IFS`, asked for once a word. */
export function* ifsOf(expanding: Expanding): Asking<Value> {
  if (!expanding.ifs) {
    const value = yield* expanding.env.variable('IFS')
    expanding.ifs = value === 'unset' ? exact(DEFAULT_IFS) : value
  }
  return expanding.ifs
}

/**
 * The fields of one word. Where an expansion has several texts that split differently, each is split by itself and the
 * fields are joined place by place. `command`: the first of them is the command's name, which must not be guessed.
 */
export function* allFields(pieces: readonly Piece[], expanding: Expanding, command: boolean): Asking<Made[]> {
  const needs = pieces.some((piece) => (piece.is === 'text' && piece.split) || isOpen(piece))
  if (!needs) return splitPieces(pieces, '')
  const ifs = yield* ifsOf(expanding)
  if (ifs.is !== 'exact') return splitPieces(pieces.map(unsplittable), '')
  const worlds = worldsOf(pieces, ifs.text)
  if (!worlds) return [{ value: unknown('budget'), written: false }]
  const results = worlds.map((world) => splitPieces(world, ifs.text))
  return results.length === 1 ? results[0]! : mergeFields(results, command)
}

/** Several texts, any of which may have to be split or matched. */
const isOpen = (piece: Piece): piece is Piece & { is: 'value' } =>
  piece.is === 'value' && !piece.quoted && piece.value.is === 'oneOf'

/** With an unknown `$IFS`, any character may split. */
const unsplittable = (piece: Piece): Piece =>
  piece.is === 'text' && piece.split && piece.text !== ''
    ? { is: 'value', value: unknown('variable'), quoted: true }
    : isOpen(piece)
      ? { is: 'value', value: unknown('variable'), quoted: true }
      : piece

/** One list of pieces for each combination of texts that matters; undefined where there are too many. */
function worldsOf(pieces: readonly Piece[], ifs: string): readonly (readonly Piece[])[] | undefined {
  let worlds: Piece[][] = [[]]
  for (const piece of pieces) {
    const texts = isOpen(piece) ? textsOf(piece.value) : undefined
    if (!texts?.some((text) => text === '' || matters(text, ifs))) {
      for (const world of worlds) world.push(piece)
      continue
    }
    if (worlds.length * texts.length > MOST_TEXTS) return undefined
    worlds = worlds.flatMap((world) => texts.map((text) => [...world, textPiece(text, false, true, false)]))
  }
  return worlds
}

function matters(text: string, ifs: string): boolean {
  for (const char of text) if ('*?['.includes(char) || ifs.includes(char)) return true
  return false
}

function mergeFields(results: readonly (readonly Made[])[], command: boolean): Made[] {
  const longest = Math.max(...results.map((fields) => fields.length))
  const out: Made[] = []
  for (let i = 0; i < longest; i++) {
    const here = results.flatMap((fields) => (fields[i] ? [fields[i]!] : []))
    const all = here.length === results.length
    if (!all && i === 0 && command) return [{ value: unknown('variable'), written: false }]
    const texts = here.map((field) => textsOf(field.value))
    const value = texts.every((each) => each !== undefined)
      ? oneOf(texts.flat())
      : here.map((field) => field.value).reduce(either)
    out.push({ value, written: false, ...(!all && { maybe: true as const }) })
  }
  return out
}

/** Splits pieces on a known `$IFS`. */
function splitPieces(pieces: readonly Piece[], ifs: string): Made[] {
  const out: Made[] = []
  let field: Piece[] = []
  /** Something of the field is there, even if it is empty: quotes, or text. */
  let present = false
  /** The last field was ended by blanks alone, so a separator right behind them ends nothing more. */
  let afterBlanks = false
  const end = (): void => {
    if (out.length <= mostFields) out.push(finish(field))
    field = []
    present = false
  }
  for (const piece of pieces) {
    if (piece.is === 'break') {
      if (present || piece.quoted) end()
      afterBlanks = false
      continue
    }
    if (piece.is !== 'text' || !piece.split || ifs === '') {
      field.push(piece)
      if (piece.is !== 'text' || piece.quoted || piece.text !== '') {
        present = true
        afterBlanks = false
      }
      continue
    }
    const text = piece.text
    const add = (from: number, to: number): void => {
      if (to <= from) return
      field.push({ ...piece, text: text.slice(from, to) })
      present = true
      afterBlanks = false
    }
    let start = 0
    for (let i = 0; i < text.length; i++) {
      const char = text[i]!
      if (!ifs.includes(char)) continue
      add(start, i)
      let blank = isBlank(char)
      if (blank) {
        while (i + 1 < text.length && isBlank(text[i + 1]!) && ifs.includes(text[i + 1]!)) i++
        if (i + 1 < text.length && ifs.includes(text[i + 1]!)) {
          i++
          blank = false
        }
      }
      if (!blank) {
        while (i + 1 < text.length && isBlank(text[i + 1]!) && ifs.includes(text[i + 1]!)) i++
        if (present || !afterBlanks) end()
        afterBlanks = false
      } else if (present) {
        end()
        afterBlanks = true
      }
      start = i + 1
    }
    add(start, text.length)
  }
  if (present) end()
  return out
}

const isBlank = (char: string): boolean => char === ' ' || char === '\t' || char === '\n'

const finish = (field: readonly Piece[]): Made => ({
  value: valueOfPieces(field, 'path'),
  written: field.every((piece) => piece.is === 'glob' || (piece.is === 'text' && piece.written)),
})
