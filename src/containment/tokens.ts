/**
 * How many tokens a text costs a model, without a tokenizer. The text is parted as the o200k vocabulary parts it (words
 * with the character before them, up to three digits, runs of marks, blanks), and each part has a price for what it is.
 */

/** How a text falls into parts. What each count means stands beside its price. */
export interface TextParts {
  words: number
  long: number
  longer: number
  capitals: number
  marked: number
  mixed: number
  digits: number
  marks: number
  moreMarks: number
  rules: number
  bars: number
  blanks: number
  lines: number
  tabs: number
  ends: number
  controls: number
  symbols: number
  wide: number
}

const LOWER = 1
const UPPER = 2
const DIGIT = 3
const BLANK = 4
const LINE = 5
const MARK = 6
const CONTROL = 7

const CLASS = new Uint8Array(128)
for (let c = 0; c < 128; c++) {
  if (c >= 0x61 && c <= 0x7a) CLASS[c] = LOWER
  else if (c >= 0x41 && c <= 0x5a) CLASS[c] = UPPER
  else if (c >= 0x30 && c <= 0x39) CLASS[c] = DIGIT
  else if (c === 0x20 || c === 0x09) CLASS[c] = BLANK
  else if (c === 0x0a) CLASS[c] = LINE
  else CLASS[c] = c < 0x20 || c === 0x7f ? CONTROL : MARK
}

const TAB = 0x09
/** Marks of one kind in a row that are a part of their own among others. */
const BAR = 3

/** Parts a text. Linear in its length. */
export function textParts(text: string): TextParts {
  const parts = {
    words: 0,
    long: 0,
    longer: 0,
    capitals: 0,
    marked: 0,
    mixed: 0,
    digits: 0,
    marks: 0,
    moreMarks: 0,
    rules: 0,
    bars: 0,
    blanks: 0,
    lines: 0,
    tabs: 0,
    ends: 0,
    controls: 0,
    symbols: 0,
    wide: 0,
  }
  const { length } = text
  const classAt = (at: number): number => {
    if (at >= length) return 0
    const c = text.charCodeAt(at)
    if (c < 128) return CLASS[c]!
    // Punctuation, arrows, signs, emoji and what stands for broken bytes; the rest counts as letters.
    return (c >= 0x2000 && c < 0x2e80) || c >= 0xd800 || c < 0xc0 ? MARK : LOWER
  }
  let i = 0
  let before = 0
  while (i < length) {
    let is = classAt(i)
    if (is === LOWER || is === UPPER || ((is === MARK || is === BLANK) && isLetter(classAt(i + 1)))) {
      if (is === MARK) parts.marked++
      if (text.charCodeAt(i) === TAB) parts.tabs++
      if (is === MARK || is === BLANK) is = classAt(++i)
      else if (before === DIGIT) parts.mixed++
      const start = i
      while (classAt(i) === UPPER) i++
      if (i - start > 1) parts.capitals += i - start - 1
      for (; classAt(i) === LOWER; i++) if (text.charCodeAt(i) > 127) parts.wide++
      const letters = i - start
      parts.words++
      if (letters > 4) parts.long += Math.min(letters, 8) - 4
      if (letters > 8) parts.longer += letters - 8
      before = LOWER
    } else if (is === DIGIT) {
      const start = i
      while (i - start < 3 && classAt(i) === DIGIT) i++
      parts.digits++
      before = DIGIT
    } else if (is === MARK || (is === BLANK && classAt(i + 1) === MARK)) {
      if (is === BLANK) i++
      parts.marks++
      let run = 1
      const start = i
      if (text.charCodeAt(i) > 127) parts.symbols++
      for (i++; classAt(i) === MARK; i++) {
        if (text.charCodeAt(i) > 127) parts.symbols++
        else if (text.charCodeAt(i) !== text.charCodeAt(i - 1)) {
          parts.moreMarks++
          if (run >= BAR) parts.bars++
          run = 1
        } else {
          run++
          if (run % 16 === 0) parts.rules++
          if (run === BAR && i - run >= start) parts.bars++
        }
      }
      // Line ends belong to the marks before them.
      if (classAt(i) === LINE) parts.ends++
      while (classAt(i) === LINE) i++
      before = MARK
    } else if (is === LINE || is === BLANK) {
      const start = i
      for (; classAt(i) === BLANK || classAt(i) === LINE; i++) if (text.charCodeAt(i) === TAB) parts.tabs++
      let last = i - 1
      while (last >= start && classAt(last) !== LINE) last--
      if (last >= start) {
        parts.lines++
        i = last + 1
      } else {
        parts.blanks++
        // The last blank goes with the word behind it, and before digits alone.
        if (i - start > 1 && i < length) i--
      }
      before = BLANK
    } else {
      parts.controls++
      i++
      before = CONTROL
    }
  }
  return parts
}

const isLetter = (is: number): boolean => is === LOWER || is === UPPER

/**
 * Prices, fitted by least squares of the relative error to o200k counts of the open corpora, a second set of generated
 * outputs, and sources and texts in English; see `npm run bench -- digest` for how well they hold.
 */
const PRICES: TextParts = {
  /** Words of up to four letters, with the blank or mark before them. */
  words: 0.937,
  /** Letters beyond the fourth, and beyond the eighth. */
  long: 0.085,
  longer: 0.25,
  /** Capitals behind the first of a word. */
  capitals: 0.247,
  /** Words with a mark before them in place of a blank. */
  marked: 0.337,
  /** Words that go on where digits stopped: hashes and the like. */
  mixed: 0.198,
  /** Up to three digits. */
  digits: 1,
  /** Runs of marks; marks in them that differ from the one before; every sixteenth that does not. */
  marks: 0.911,
  moreMarks: 0.123,
  rules: 0.355,
  /** Ends of a bar of one mark among other marks. */
  bars: 1.342,
  /** Blanks that belong to no word; line ends. */
  blanks: 1.11,
  lines: 0.842,
  tabs: 0.097,
  /** Line ends behind marks, which go with them. */
  ends: 0,
  /** Control characters. */
  controls: 0.664,
  /** Signs beyond ASCII. */
  symbols: 0.577,
  /** Letters beyond ASCII. */
  wide: 0.288,
}

/** Tokens of a text, as an estimate. 0 for no text. */
export function tokensOf(text: string): number {
  if (text === '') return 0
  const parts = textParts(text)
  let sum = 0
  for (const key of KINDS) sum += parts[key] * PRICES[key]
  return Math.max(1, Math.round(sum))
}

const KINDS = Object.keys(PRICES) as (keyof TextParts)[]
