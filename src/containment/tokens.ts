/**
 * How many tokens a text costs a model, without a tokenizer: characters are counted by class, and each class has a price.
 */

/** Counts by class. What they mean stands beside the prices. */
export interface Counts {
  words: number
  letters: number
  digits: number
  marks: number
  moreMarks: number
  rules: number
  blanks: number
  lines: number
  wide: number
}

const NONE = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const BLANK = 4
const LINE = 5
const MARK = 6
const WIDE = 7

const CLASS = new Uint8Array(128)
for (let c = 0; c < 128; c++) {
  if (c >= 0x61 && c <= 0x7a) CLASS[c] = LOWER
  else if (c >= 0x41 && c <= 0x5a) CLASS[c] = UPPER
  else if (c >= 0x30 && c <= 0x39) CLASS[c] = DIGIT
  else if (c === 0x20 || c === 0x09) CLASS[c] = BLANK
  else if (c === 0x0a || c === 0x0d) CLASS[c] = LINE
  else CLASS[c] = MARK
}

/** Counts the characters of a text by class. Linear in its length. */
export function countsOf(text: string): Counts {
  const counts = { words: 0, letters: 0, digits: 0, marks: 0, moreMarks: 0, rules: 0, blanks: 0, lines: 0, wide: 0 }
  let before = NONE
  let run = 0
  const { length } = text
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i)
    const is = c < 128 ? CLASS[c]! : WIDE
    if (is === LOWER || is === UPPER) {
      // A word begins behind anything that is no letter, and where capitals begin in it.
      if ((before !== LOWER && before !== UPPER) || (is === UPPER && before === LOWER)) {
        counts.words++
        run = 0
      }
      if (++run > 5) counts.letters++
    } else if (is === DIGIT) {
      if (before !== DIGIT) run = 0
      if (run++ % 3 === 0) counts.digits++
    } else if (is === MARK) {
      if (before !== MARK) counts.marks++
      else if (text.charCodeAt(i - 1) === c) counts.rules++
      else counts.moreMarks++
    } else if (is === BLANK) {
      // One blank belongs to the word behind it.
      if (before === BLANK && run++ === 0) counts.blanks++
      else if (before !== BLANK) run = 0
    } else if (is === LINE) {
      if (before !== LINE) counts.lines++
    } else counts.wide++
    before = is
  }
  return counts
}

/** Tokens of a text, as an estimate. 0 for no text. */
export function tokensOf(text: string): number {
  if (text === '') return 0
  const c = countsOf(text)
  const sum =
    c.words * 0.935 +
    c.letters * 0.188 +
    c.digits * 1.52 +
    c.marks * 0.306 +
    c.moreMarks * 0.98 +
    c.rules * 0.132 +
    c.blanks * 1.02 +
    c.lines * 0.8 +
    c.wide * 1.43
  return Math.max(1, Math.round(sum))
}
