/**
 * One line as bytes, read into the hashes of its words and of what holds them together. Numbers, times, versions, hashes
 * and identifiers are masked on the way, so lines that differ in them alone read the same. No text is made: this runs on
 * every line of a flood.
 */

import { classOf, NUMBERED, numberOf } from './numbers.ts'

/** Words of a line that are told apart; what follows counts for the skeleton alone. */
export const WORDS = 48

const PUNCTUATION = 0
const LETTER = 1
const DIGIT = 2
const SPACE = 3
const CONTROL = 4

const CLASS = new Uint8Array(256)
const HEX = new Uint8Array(256)
/** Characters that join numbers into one: `12:30:45`, `1.2.3`, `3/40`, `2026-03-01`. */
const JOINS = new Uint8Array(256)
for (let c = 0; c < 256; c++) {
  if (c < 0x20 || c === 0x7f) CLASS[c] = CONTROL
  if ((c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x5f || c >= 0x80) CLASS[c] = LETTER
  if (c >= 0x30 && c <= 0x39) CLASS[c] = DIGIT
  if ((c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66)) HEX[c] = 1
}
CLASS[0x20] = CLASS[0x09] = SPACE
for (const c of '.:,/-') JOINS[c.charCodeAt(0)] = 1

const SEED = 0x811c9dc5 | 0
const PRIME = 0x01000193
const NUMBER_MARK = 0x4e
const HASH_MARK = 0x48
const NAME_MARK = 0x58
const WORD_MARK = 0x57

/** Mixes a number into a hash. */
export const mix = (hash: number, value: number): number => {
  const mixed = Math.imul(hash ^ value, PRIME)
  return mixed ^ (mixed >>> 15)
}

/** The hash that a word of ASCII letters has in a line. */
export function wordHash(word: string): number {
  let hash = SEED
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), PRIME)
  return hash ^ (hash >>> 15)
}

export class Lexer {
  /** Of the words that are not masked, in order; the first `count` are of this line. */
  readonly words = new Int32Array(WORDS)
  count = 0
  /** Of everything but those words: punctuation, blanks, masks, and where a word stands. */
  skeleton = 0
  /** Where numbers stand, counted in words and numbers, and the class of each; the first `numbers` are of this line. */
  readonly slots = new Uint8Array(NUMBERED)
  readonly classes = new Uint8Array(NUMBERED)
  readonly values = new Float64Array(NUMBERED)
  numbers = 0

  /** Reads one line. False where it holds control characters, which have to be taken out first. */
  read(buffer: Uint8Array, start: number, end: number): boolean {
    let i = start
    while (i < end && CLASS[buffer[i]!] === SPACE) i++
    let skeleton = mix(SEED, i > start ? 1 : 0)
    let count = 0
    let slot = 0
    let numbers = 0
    const words = this.words
    while (i < end) {
      const c = buffer[i]!
      const is = CLASS[c]!
      if (is === LETTER || is === DIGIT) {
        const from = i
        if (HEX[c] === 1 && from + 36 <= end && buffer[from + 8] === 0x2d && isUuid(buffer, from)) {
          i = from + 36
          skeleton = mix(skeleton, HASH_MARK)
          continue
        }
        let hash = SEED
        let letters = 0
        let runs = 0
        let hex = 1
        let digits = -1
        let digitsTo = 0
        while (i < end) {
          const w = buffer[i]!
          const kind = CLASS[w]!
          if (kind === LETTER) {
            hash = Math.imul(hash ^ w, PRIME)
            hex &= HEX[w]!
            letters++
            i++
          } else if (kind === DIGIT) {
            const first = i
            do i++
            while (
              i < end &&
              (CLASS[buffer[i]!] === DIGIT ||
                (JOINS[buffer[i]!] === 1 && i + 1 < end && CLASS[buffer[i + 1]!] === DIGIT))
            )
            hash = Math.imul(hash ^ 0x30, PRIME)
            if (runs++ === 0) {
              digits = first
              digitsTo = i
            }
          } else break
        }
        const length = i - from
        let masked = false
        if (letters === 0) skeleton = mix(skeleton, NUMBER_MARK)
        else if (hex === 1 && ((runs > 0 && length >= 6) || length >= 8)) {
          skeleton = mix(skeleton, HASH_MARK)
          masked = true
        } else if (runs >= 3 && length >= 20) {
          skeleton = mix(skeleton, NAME_MARK)
          masked = true
        } else {
          skeleton = mix(skeleton, WORD_MARK)
          if (count < WORDS) words[count++] = hash ^ (hash >>> 15)
        }
        if (!masked && slot < NUMBERED) {
          if (digits >= 0) {
            this.slots[numbers] = slot
            this.values[numbers] = numberOf(buffer, digits, digitsTo)
            this.classes[numbers++] = classOf(buffer, digits, digitsTo)
          }
          slot++
        }
      } else if (is === PUNCTUATION) {
        const from = i
        do i++
        while (i < end && buffer[i] === c)
        // Rules and bars of any length are the same rule.
        const run = i - from
        skeleton = mix(skeleton, run >= 3 ? c | 0x300 : run === 2 ? c | 0x200 : c)
      } else if (is === SPACE) {
        do i++
        while (i < end && CLASS[buffer[i]!] === SPACE)
        if (i < end) skeleton = mix(skeleton, 0x20)
      } else return false
    }
    this.count = count
    this.numbers = numbers
    this.skeleton = skeleton
    return true
  }
}

const DASHES = [8, 13, 18, 23]

/** Whether the 36 bytes from `from` on are a UUID. */
function isUuid(buffer: Uint8Array, from: number): boolean {
  for (let i = 0; i < 36; i++)
    if (DASHES.includes(i) ? buffer[from + i] !== 0x2d : HEX[buffer[from + i]!] !== 1) return false
  return true
}
