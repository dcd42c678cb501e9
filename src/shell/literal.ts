/** Text as written to text as meant: backslashes, and the tildes that a shell expands. */
import type { Part } from './tree.ts'

/**
 * Unquoted text with backslashes: runs of plain characters (one to one with the source) and escaped characters, which
 * are quoted. A backslash before a line end vanishes.
 */
export function bareLiteral(text: string, at: number): Part[] {
  if (!text.includes('\\')) return text === '' ? [] : [plain(text, at)]
  const out: Part[] = []
  let start = 0
  let escaped = ''
  let escapedFrom = 0
  const flush = (end: number): void => {
    if (end > start) out.push(plain(text.slice(start, end), at + start))
  }
  const flushEscaped = (end: number): void => {
    if (escaped === '') return
    out.push({ is: 'literal', text: escaped, quoted: true, span: { from: at + escapedFrom, to: at + end } })
    escaped = ''
  }
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\') {
      if (escaped !== '') {
        flushEscaped(i)
        start = i
      }
      continue
    }
    flush(i)
    start = i
    if (text[i + 1] === '\n') {
      flushEscaped(i)
    } else {
      if (escaped === '') escapedFrom = i
      // The second half of a surrogate pair stays with its first: it is an ordinary character.
      escaped += i + 1 < text.length ? text[i + 1]! : '\\'
    }
    i++
    start = i + 1
  }
  if (escaped !== '') flushEscaped(text.length)
  else flush(text.length)
  return out
}

const plain = (text: string, at: number): Part => ({
  is: 'literal',
  text,
  quoted: false,
  span: { from: at, to: at + text.length },
})

/** Text between double quotes, or in a here-document. `operand`: of `${x:-…}`, where the brace can be escaped, too. */
export function unescapeQuoted(text: string, operand: boolean): string {
  if (!text.includes('\\')) return text
  return text.replace(operand ? /\\([$`"\\}\n])/g : /\\([$`\\\n])/g, (_, c: string) => (c === '\n' ? '' : c))
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/** Splits off the tildes that the shell would expand in a word treated as `how` says. */
export function findTildes(parts: Part[], how: 'argument' | 'assigned' | 'text'): Part[] {
  const first = parts[0]
  if (first?.is !== 'literal' || first.quoted) return how === 'assigned' ? splitAll(parts, true, false) : parts
  const assignment = how === 'argument' && first.text.includes('=') ? (ASSIGNMENT.exec(first.text)?.[0].length ?? 0) : 0
  if (how === 'text' || (how === 'argument' && assignment === 0)) {
    if (!first.text.startsWith('~')) return parts
    return [...splitTildes(first, first.text, false, true, parts.length > 1, 0), ...parts.slice(1)]
  }
  return splitAll(parts, true, true, assignment)
}

/** Tildes at the start and after each unquoted colon, as in the value of an assignment. */
function splitAll(parts: Part[], colons: boolean, atStart: boolean, skip = 0): Part[] {
  if (!parts.some((part) => part.is === 'literal' && !part.quoted && part.text.includes('~'))) return parts
  const out: Part[] = []
  let start = atStart
  let begin = skip
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if (part.is !== 'literal' || part.quoted) {
      out.push(part)
      start = false
    } else {
      out.push(...splitTildes(part, part.text, colons, start, i + 1 < parts.length, begin))
      start = colons && part.text.endsWith(':')
    }
    begin = 0
  }
  return out
}

/**
 * One run of plain characters. `more`: something follows it, so a tilde whose name reaches the end is no tilde.
 * `skip`: characters before the place where a value starts.
 */
function splitTildes(part: Part, text: string, colons: boolean, atStart: boolean, more: boolean, skip: number): Part[] {
  const base = part.span.from
  const out: Part[] = []
  let from = 0
  for (let i = skip; i < text.length; i++) {
    const here = i === skip ? atStart : colons && text[i - 1] === ':'
    if (!here || text[i] !== '~') continue
    let end = i + 1
    while (end < text.length && text[end] !== '/' && !(colons && text[end] === ':')) end++
    if (end === text.length && more) break
    const user = text.slice(i + 1, end)
    if (!/^[A-Za-z0-9_.+-]*$/.test(user)) continue
    if (i > from) out.push(plain(text.slice(from, i), base + from))
    out.push({ is: 'tilde', user, span: { from: base + i, to: base + end } })
    from = end
    i = end - 1
  }
  if (from < text.length) out.push(from === 0 ? part : plain(text.slice(from), base + from))
  return out
}
