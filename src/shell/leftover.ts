/** What the parser reads past without a word: each is an error in bash, so each makes a reading partial. */

/** Between the words of a command stand blanks, line continuations, and carriage returns of texts from elsewhere. */
const BETWEEN_WORDS = /^(?:[ \t\r]|\\\n)*$/

const isBetweenWords = (text: string): boolean => text === ' ' || BETWEEN_WORDS.test(text)

/** The first place between `children` (sorted, within `from` to `to`) where something stands that belongs to none. */
export function strayBetween(
  text: string,
  children: readonly { readonly pos: number; readonly end: number }[],
  from: number,
): number | undefined {
  let at = from
  for (const child of children) {
    if (child.pos > at && !isBetweenWords(text.slice(at, child.pos))) return at
    at = Math.max(at, child.end)
  }
  return undefined
}

/** Text of a literal in which an expansion begins that never ends: `${`, `$(`, `$[` or a backquote, unescaped. */
export function unclosedExpansion(text: string): number | undefined {
  if (!text.includes('$') && !text.includes('`')) return undefined
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '\\') i++
    else if (char === '`' || (char === '$' && /[{([]/.test(text[i + 1] ?? ''))) return i
  }
  return undefined
}

/** Whether every quote in a here-document's delimiter is closed. */
export function quotesClosed(text: string): boolean {
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (quote === '') {
      if (char === '\\') i++
      else if (char === "'" || char === '"') quote = char
    } else if (char === '\\' && quote === '"') i++
    else if (char === quote) quote = ''
  }
  return quote === ''
}

/** Whether a parenthesis follows a command: the start of something that was dropped. */
export function strayAfter(text: string, command: { readonly end: number }): boolean {
  let at = command.end
  while (text[at] === ' ' || text[at] === '\t') at++
  return text[at] === '('
}
