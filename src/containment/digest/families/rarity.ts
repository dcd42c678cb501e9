/** Which lines of one sort are unlike the others. Holds shapes, never the lines. */
import type { Place } from '../lines.ts'
import { type Voice, voiceOf } from '../loud.ts'
import { type Shape, Shapes } from '../shapes.ts'
import { own } from './words.ts'

/** Characters of it that are kept. */
const SAMPLE = 200
/** Bytes of a text that its shape is told from. */
const CUT = 2048

/** Occurrences up to which a shape is rare, whatever the number of lines. */
const FEW = 2
/** Share of all lines that rare ones have together at most. When most lines are unlike each other, none stands out. */
const SHARE = 0.2

export interface Rare {
  readonly place: Place
  /** More: rarer, or with words that speak of trouble. */
  readonly weight: number
}

const SILENT: Voice = { loud: 0, failure: false, total: false }
const ENCODER = new TextEncoder()
const SCRATCH = new Uint8Array(CUT)

export class Rarity {
  readonly #shapes: Shapes
  #text = ''

  /** `words`: whether words that speak of trouble make a text stand out; not so in names and source text. */
  constructor(words = false) {
    this.#shapes = new Shapes(() => ({
      text: own(this.#text.slice(0, SAMPLE)),
      voice: words ? voiceOf(this.#text) : SILENT,
      garbled: false,
    }))
  }

  get lines(): number {
    return this.#shapes.lines
  }

  /** Counts one text, which stands at `place`; only its beginning is looked at. */
  add(text: string, place: Place): void {
    this.#text = text.length > CUT ? text.slice(0, CUT) : text
    const { written } = ENCODER.encodeInto(this.#text, SCRATCH)
    this.#shapes.add(SCRATCH, 0, written, place.n, place.from, place.to)
  }

  /** The texts that are unlike the others, rarest first; none where nothing repeats. */
  rare(most: number): readonly Rare[] {
    const total = this.#shapes.lines
    const few = Math.max(FEW, Math.floor(total / 500))
    const rare = this.#shapes.list().filter(({ count }) => count <= few)
    const lines = rare.reduce((sum, { count }) => sum + count, 0)
    const stands = lines <= Math.max(3, total * SHARE)
    return (stands ? rare : rare.filter(({ voice }) => voice.loud > 0))
      .map((shape) => ({ place: shape.first, weight: weightOf(shape, total) }))
      .sort((a, b) => b.weight - a.weight || a.place.from - b.place.from)
      .slice(0, most)
  }
}

const weightOf = ({ count, voice }: Shape, total: number): number => Math.log2(Math.max(1, total / count)) + voice.loud
