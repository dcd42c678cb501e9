/**
 * Lines that overwrote themselves with carriage returns: the last state of each is shown, the others are counted, and
 * states that are unlike the others are shown though the screen no longer had them.
 */
import { shownText } from '../clean.ts'
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { Blocks, BOUND } from './blocks.ts'
import { Rarity } from './rarity.ts'
import { counted } from './words.ts'

const CR = 0x0d
const LF = 0x0a
/** Bytes at both ends in which returns are looked for, and how many there must be. */
const LOOK = 1 << 16
const LEAST = 8
/** Bytes of one state that are looked at. */
const STATE = 4096
/** Lines that overwrote themselves and are shown. */
const LINES = 64
/** Plain lines up to which all are shown. */
const PLAIN = 24

interface State {
  readonly n: number
  readonly from: number
  readonly to: number
}

class Progress implements Reader {
  readonly #blocks: Blocks
  readonly #rare = new Rarity(true)
  readonly #last: State[] = []
  readonly #plain: State[] = []
  #count = { lines: 0, states: 0, plain: 0 }
  #parsed = 0
  #long = false
  /** The state that is read, as far as it is kept. */
  #held = new Uint8Array(STATE)
  #length = 0

  constructor(probe: Probe) {
    this.#blocks = new Blocks(probe.bytes)
  }

  line({ n, from, to }: Line): void {
    this.#parsed++
    if (to - from > BOUND) this.#long = true
    if (this.#long) return
    let start = from
    let states = 0
    let last: State | undefined
    this.#length = 0
    const end = (at: number) => {
      const text = shownText(this.#held, 0, this.#length)
      if (text.trim() !== '') {
        states++
        last = { n, from: start, to: Math.min(at, start + STATE) }
        this.#rare.add(text, last)
      }
      start = at + 1
      this.#length = 0
    }
    for (const { bytes, at } of this.#blocks.parts(from, to))
      for (let i = 0; i < bytes.length; i++) {
        if (bytes[i] === CR) end(at + i)
        else if (this.#length < STATE) this.#held[this.#length++] = bytes[i]!
      }
    end(to)
    if (last === undefined) return
    if (states === 1) {
      this.#count.plain++
      if (this.#plain.length < PLAIN) this.#plain.push(last)
      return
    }
    this.#count.lines++
    this.#count.states += states
    this.#last.push(last)
    // The first lines and the last ones.
    if (this.#last.length > LINES) this.#last.splice(LINES / 2, 1)
  }

  end(): Reading | undefined {
    const { lines, states, plain } = this.#count
    if (states < LEAST || this.#long) return undefined
    const facts: Fact[] = [
      `${counted(lines, 'line')} overwrote themselves, ${counted(states, 'state')}; the last of each is shown`,
    ]
    if (lines === 1) facts[0] = `1 line overwrote itself, ${states} states; the last is shown`
    const items: Item[] = this.#last.map(({ n, from, to }) => ({
      kind: 'total',
      span: { from: n, to: n },
      bytes: { from, to },
      weight: 5,
    }))
    const shown = new Set(this.#last.map(({ from }) => from))
    for (const { place, weight } of this.#rare.rare(16))
      if (!shown.has(place.from))
        items.push({
          kind: 'rare',
          span: { from: place.n, to: place.n },
          bytes: { from: place.from, to: place.to },
          weight,
        })
    if (plain <= PLAIN)
      for (const { n, from, to } of this.#plain)
        items.push({ kind: 'rare', span: { from: n, to: n }, bytes: { from, to }, weight: 6 })
    return { parsed: this.#parsed, other: 0, facts, items, ends: { head: 0, tail: 0 } }
  }
}

/** Returns that are not part of a line end. */
function returns(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) if (bytes[at + 1] !== LF) count++
  return count
}

export const progress: Family = {
  id: 'progress',
  detect: ({ bytes }: Probe) => {
    const { size } = bytes
    const head = bytes.read(0, Math.min(LOOK, size))
    // A zero byte is no text.
    if (head.subarray(0, 8192).includes(0)) return false
    return returns(head) >= LEAST || (size > LOOK && returns(bytes.read(size - LOOK, size)) >= LEAST)
  },
  reader: (probe: Probe) => new Progress(probe),
}
