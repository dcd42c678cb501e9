/** When a reason has a word that a report asks for. */

/**
 * Whether `text` (lower-cased) has `word`: a number stands alone, an absolute path is not continued by a further
 * segment, anything else is a part of the text.
 */
export function hasWord(text: string, word: string): boolean {
  const wanted = word.toLowerCase()
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    if (stands(text, at, wanted)) return true
  }
  return false
}

function stands(text: string, at: number, word: string): boolean {
  const before = text[at - 1] ?? ''
  const behind = text.slice(at + word.length)
  if (/^[0-9]+$/.test(word)) return !/[0-9]/.test(before) && !/^[0-9]/.test(behind)
  // `/home/dev` is not `/home/dev/proj`; a slash that ends the name is no further segment.
  if (/^(?:\/|[a-z]:[\\/])/.test(word)) return !/^[\\/]?[\w@~+-]|^[\\/]\.|^\.\w/.test(behind)
  return true
}
