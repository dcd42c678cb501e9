/** `{a,b}` and `{1..9}`, expanded before anything else is. */
import type { Span } from '../core/value.ts'
import type { Part } from './tree.ts'

/** One unquoted character, or (with `parts`) something that braces do not look into. */
export interface Unit {
  readonly char: string
  readonly parts?: readonly Part[]
  readonly span: Span
}

/** Most alternatives of a word: commands that people write stay far below, and each becomes an argument to judge. */
export const MOST_ALTERNATIVES = 256

/** Most characters of a word with braces, and of all alternatives together: joining copies them each time. */
const MOST_UNITS = 16_384

/** Braces in braces: each level is a call. */
const MOST_NESTED = 32

type Units = readonly Unit[]

interface Pair {
  readonly close: number
  readonly commas: readonly number[]
}

/** The words that a word with braces stands for, or undefined where there are too many. */
export function expandBraces(units: Units): readonly Units[] | undefined {
  if (units.length > MOST_UNITS) return undefined
  return expandRange(units, pairsOf(units), 0, units.length, 0)
}

/** Matching braces with the commas that belong to them. Unmatched ones are characters like any other. */
function pairsOf(units: Units): ReadonlyMap<number, Pair> {
  const pairs = new Map<number, Pair>()
  const open: { at: number; commas: number[] }[] = []
  for (let i = 0; i < units.length; i++) {
    const char = units[i]!.char
    if (char === '{') open.push({ at: i, commas: [] })
    else if (char === ',') open.at(-1)?.commas.push(i)
    else if (char === '}') {
      const last = open.pop()
      if (last) pairs.set(last.at, { close: i, commas: last.commas })
    }
  }
  return pairs
}

function expandRange(
  units: Units,
  pairs: ReadonlyMap<number, Pair>,
  from: number,
  to: number,
  level: number,
): Units[] | undefined {
  if (level > MOST_NESTED) return undefined
  let words: Units[] = [[]]
  let plain = from
  for (let i = from; i < to; i++) {
    const pair = units[i]!.char === '{' ? pairs.get(i) : undefined
    if (!pair || pair.close >= to) continue
    const alternatives =
      pair.commas.length > 0 ? expandList(units, pairs, i, pair, level) : expandSequence(units, i, pair.close)
    if (alternatives === 'too many') return undefined
    if (alternatives === undefined) continue
    const joined = join(join(words, [units.slice(plain, i)]), alternatives)
    if (!joined) return undefined
    words = joined
    i = pair.close
    plain = i + 1
  }
  return join(words, [units.slice(plain, to)])
}

function expandList(
  units: Units,
  pairs: ReadonlyMap<number, Pair>,
  open: number,
  pair: Pair,
  level: number,
): Units[] | 'too many' {
  const out: Units[] = []
  let start = open + 1
  for (const end of [...pair.commas, pair.close]) {
    const words = expandRange(units, pairs, start, end, level + 1)
    if (!words || out.length + words.length > MOST_ALTERNATIVES) return 'too many'
    out.push(...words)
    start = end + 1
  }
  return out
}

function join(left: readonly Units[] | undefined, right: readonly Units[]): Units[] | undefined {
  if (!left || left.length * right.length > MOST_ALTERNATIVES) return undefined
  const out: Units[] = []
  let size = 0
  for (const a of left)
    for (const b of right) {
      size += a.length + b.length
      // One alternative is the word itself, however long.
      if (size > MOST_UNITS && left.length * right.length > 1) return undefined
      out.push(b.length === 0 ? a : a.length === 0 ? b : a.concat(b))
    }
  return out
}

const SEQUENCE = /^(?:(-?\d{1,15})\.\.(-?\d{1,15})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,15}))?$/

/** `{1..9}`, `{a..e..2}`; undefined where it is no sequence. */
function expandSequence(units: Units, open: number, close: number): Units[] | 'too many' | undefined {
  if (close - open > 60) return undefined
  let text = ''
  for (let i = open + 1; i < close; i++) {
    if (units[i]!.parts) return undefined
    text += units[i]!.char
  }
  const match = SEQUENCE.exec(text)
  if (!match) return undefined
  const letters = match[3] !== undefined
  const first = letters ? match[3]!.charCodeAt(0) : Number(match[1])
  const last = letters ? match[4]!.charCodeAt(0) : Number(match[2])
  const step = Math.abs(Number(match[5] ?? 1)) || 1
  if (Math.abs(last - first) / step + 1 > MOST_ALTERNATIVES) return 'too many'
  const width = letters ? 0 : Math.max(paddedWidth(match[1]!), paddedWidth(match[2]!))
  const span = { from: units[open]!.span.from, to: units[close]!.span.to }
  const out: Units[] = []
  for (let i = 0, n = first; i <= Math.abs(last - first); i += step, n += first <= last ? step : -step) {
    const word = letters ? String.fromCharCode(n) : padded(n, width)
    out.push([...word].map((char) => ({ char, span })))
  }
  return out
}

/** `{01..10}` pads every number to the longer of the two, sign included. */
const paddedWidth = (number: string): number => (/^-?0\d/.test(number) ? number.length : 0)

function padded(n: number, width: number): string {
  const digits = String(Math.abs(n))
  return n < 0 ? `-${digits.padStart(width - 1, '0')}` : digits.padStart(width, '0')
}
