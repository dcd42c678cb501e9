/** What may be read at all. A cheap scan before the parser, so that hostile text is never slow. */
import type { Problem } from './tree.ts'

/** Longest text in UTF-8 bytes: no person and no agent writes a longer command, and the parser takes seconds beyond. */
export const MOST_BYTES = 1_048_576

/** Deepest nesting: people use five levels; the parser's own limit is 256, and our walks recurse once a level. */
export const MOST_LEVELS = 64

/** Most `$(`, backquote pairs, `<(`, `>(` and `$((`: each costs a parse of its own. */
export const MOST_OPENERS = 2_000

/** Most here-documents: the parser's time grows with the square of those opened on one line. */
export const MOST_HEREDOCS = 2_000

/** Most `${`: unclosed ones are read again at every level. */
export const MOST_PARAMETERS = 20_000

const BACKSLASH = 92
const DOLLAR = 36
const LESS = 60
const GREATER = 62
const PAREN = 40
const BRACE = 123
const BACKQUOTE = 96

/** The first limit that `text` exceeds, judged from its characters alone, or undefined. */
export function overLimit(text: string): Problem | undefined {
  const span = { from: 0, to: text.length }
  if (text.length > MOST_BYTES) return { span, what: 'longer than 1 MiB' }
  let bytes = text.length
  let openers = 0
  let quotes = 0
  let heredocs = 0
  let parameters = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c >= 0x80) {
      // Two bytes up to U+07FF, three up to U+FFFF; a surrogate pair is two units and four bytes.
      bytes += c < 0x800 ? 1 : c >= 0xd800 && c <= 0xdfff ? 1 : 2
      continue
    }
    if (c === BACKQUOTE) quotes++
    else if (c === BRACE) {
      if (text.charCodeAt(i - 1) === DOLLAR) parameters++
    } else if (c === PAREN) {
      let before = i - 1
      // A line continuation may stand between the two characters of an opener.
      while (before >= 1 && text.charCodeAt(before) === 10 && text.charCodeAt(before - 1) === BACKSLASH) before -= 2
      const p = text.charCodeAt(before)
      if (p === DOLLAR || p === LESS || p === GREATER) openers++
    } else if (c === LESS && text.charCodeAt(i + 1) === LESS) {
      if (text.charCodeAt(i + 2) === LESS) i += 2
      else {
        heredocs++
        i++
      }
    }
  }
  if (bytes > MOST_BYTES) return { span, what: 'longer than 1 MiB' }
  if (openers + Math.ceil(quotes / 2) > MOST_OPENERS) return { span, what: 'more than 2,000 substitutions' }
  if (parameters > MOST_PARAMETERS) return { span, what: 'more than 20,000 parameters in braces' }
  if (heredocs > MOST_HEREDOCS) return { span, what: 'more than 2,000 here-documents' }
  return undefined
}
