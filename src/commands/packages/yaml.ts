/**
 * The part of YAML that task files are written in: nested mappings and lists by indentation, plain and quoted texts,
 * block texts, one-line lists and mappings of texts. Anchors, tags and several documents are not read.
 */

/** Lines of one file. */
const MOST_LINES = 5_000
/** Characters of one line: longer ones are data, and patterns over them would take long. */
const MOST_LINE = 4_096
/** Levels of nesting. */
const MOST_DEPTH = 32

export type Yaml = string | readonly Yaml[] | { readonly [key: string]: Yaml }

interface Line {
  readonly indent: number
  readonly text: string
  readonly raw: string
}

/** Reads a text. Undefined where it is none of this. Never throws. */
export function readYaml(text: string): Yaml | undefined {
  const raw = text.split(/\r?\n/)
  if (raw.length > MOST_LINES || raw.some((line) => line.length > MOST_LINE)) return undefined
  const lines = raw.map((line): Line => ({ indent: /^ */.exec(line)![0].length, text: bare(line).trim(), raw: line }))
  const reader = { lines, at: 0 }
  skip(reader)
  return reader.at >= lines.length ? undefined : block(reader, lines[reader.at]!.indent, 0)
}

interface Reader {
  readonly lines: readonly Line[]
  at: number
}

const skip = (r: Reader): void => {
  while (r.at < r.lines.length && (r.lines[r.at]!.text === '' || r.lines[r.at]!.text === '---')) r.at++
}

/** A line without its comment. */
function bare(line: string): string {
  let quote = ''
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!
    if (quote !== '') {
      if (c === '\\' && quote === '"') i++
      else if (c === quote) quote = ''
    } else if ((c === '"' || c === "'") && /(?:^|[\s:,[{-])$/.test(line.slice(0, i))) quote = c
    else if (c === '#' && (i === 0 || /\s/.test(line[i - 1]!))) return line.slice(0, i)
  }
  return line
}

const KEY = /^("(?:\\.|[^"\\])*"|'[^']*'|[^\s"'[{#-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+(.*))?$/

function block(r: Reader, indent: number, depth: number): Yaml | undefined {
  if (depth > MOST_DEPTH) return undefined
  return r.lines[r.at]!.text.startsWith('- ') || r.lines[r.at]!.text === '-'
    ? list(r, indent, depth)
    : mapping(r, indent, depth)
}

function list(r: Reader, indent: number, depth: number): Yaml | undefined {
  const out: Yaml[] = []
  for (skip(r); r.at < r.lines.length; skip(r)) {
    const line = r.lines[r.at]!
    if (line.indent !== indent || !(line.text === '-' || line.text.startsWith('- '))) break
    const rest = line.text.slice(1).trim()
    const inner = indent + (line.text.length - rest.length)
    if (rest !== '' && KEY.test(rest) && !/^["'].*["']$/.test(rest)) {
      // `- key: value` opens a mapping whose keys stand below the first one.
      const lines = r.lines as Line[]
      lines[r.at] = { indent: inner, text: rest, raw: ' '.repeat(inner) + rest }
      const value = mapping(r, inner, depth + 1)
      if (value === undefined) return undefined
      out.push(value)
      continue
    }
    r.at++
    const value = scalarOrBlock(r, rest, indent, depth)
    if (value === undefined) return undefined
    out.push(value)
  }
  return out
}

function mapping(r: Reader, indent: number, depth: number): Yaml | undefined {
  const out = new Map<string, Yaml>()
  for (skip(r); r.at < r.lines.length; skip(r)) {
    const line = r.lines[r.at]!
    if (line.indent !== indent) break
    const match = KEY.exec(line.text)
    if (match === null) return out.size === 0 ? undefined : Object.fromEntries(out)
    r.at++
    const value = scalarOrBlock(r, match[2] ?? '', indent, depth)
    if (value === undefined) return undefined
    out.set(unquoted(match[1]!), value)
  }
  return Object.fromEntries(out)
}

function scalarOrBlock(r: Reader, text: string, indent: number, depth: number): Yaml | undefined {
  if (/^[|>][+-]?\d*$/.test(text)) return literalBlock(r, indent, text.startsWith('>'))
  if (text !== '') return inline(text, depth)
  skip(r)
  const next = r.lines[r.at]
  if (next === undefined) return ''
  const nested = next.indent > indent || (next.indent === indent && next.text.startsWith('- '))
  return nested ? block(r, next.indent, depth + 1) : ''
}

function literalBlock(r: Reader, indent: number, folded: boolean): string {
  const out: string[] = []
  let own: number | undefined
  for (; r.at < r.lines.length; r.at++) {
    const line = r.lines[r.at]!
    if (line.raw.trim() === '') {
      out.push('')
      continue
    }
    if (line.indent <= indent) break
    own ??= line.indent
    out.push(line.raw.slice(own))
  }
  return out.join(folded ? ' ' : '\n').trimEnd()
}

function inline(text: string, depth: number): Yaml {
  if (depth < MOST_DEPTH && /^\[.*\]$/.test(text))
    return pieces(text.slice(1, -1)).map((piece) => inline(piece, depth + 1))
  if (depth < MOST_DEPTH && /^\{(?!\{).*\}$/.test(text)) {
    const pairs = pieces(text.slice(1, -1)).map((piece) => /^([^:]+):\s*(.*)$/.exec(piece))
    return Object.fromEntries(
      pairs.flatMap((pair) => (pair ? [[unquoted(pair[1]!.trim()), inline(pair[2]!, depth + 1)]] : [])),
    )
  }
  return unquoted(text)
}

/** Parts between commas that stand outside quotes and brackets. */
function pieces(text: string): readonly string[] {
  const out: string[] = []
  let level = 0
  let quote = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quote !== '') quote = c === quote ? '' : quote
    else if (c === '"' || c === "'") quote = c
    else if (c === '[' || c === '{') level++
    else if (c === ']' || c === '}') level--
    else if (c === ',' && level === 0) {
      out.push(text.slice(from, i).trim())
      from = i + 1
    }
  }
  const last = text.slice(from).trim()
  return last === '' ? out : [...out, last]
}

function unquoted(text: string): string {
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'")
  if (!/^".*"$/s.test(text)) return text
  return text.slice(1, -1).replace(/\\(.)/gs, (_, c: string) => (c === 'n' ? '\n' : c === 't' ? '\t' : c))
}
