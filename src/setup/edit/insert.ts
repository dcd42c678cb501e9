/**
 * Puts entries into a JSON file by insertions alone: not a byte of what stood there changes, so comments, order, blanks
 * and line ends stay, and taking the insertions out again gives the text that was.
 */
import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser'
import type { Json } from '../../core/call.ts'

/** A value that is to stand in the list at `at`; lists and objects on the way are made where they are absent. */
export interface Entry {
  readonly at: readonly string[]
  readonly value: Json
}

/** A value that must stand at `at`; put there where nothing is. */
export interface Needed {
  readonly at: readonly string[]
  readonly value: Json
}

/** Where something of ours stands in a text, in UTF-16 units. */
export interface Span {
  readonly at: number
  readonly length: number
}

export interface Edited {
  readonly text: string
  /** What was inserted, in order, not touching each other. */
  readonly spans: readonly Span[]
}

/** `refused`: one clause that says why the file is left as it is. */
export interface Refusal {
  readonly refused: string
}

export const BOM = '\ufeff'

/** Kinds of signs as the scanner numbers them; its own names are gone once compiled. */
export const TOKEN = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, end: 17 } as const

/** How the host reads the file. With `json` a comment or a trailing comma makes it drop the whole file. */
export type Dialect = 'json' | 'jsonc'

/** The tree of a text without its byte order mark, or why it is not taken. */
export function treeOf(text: string, dialect: Dialect): Node | Refusal {
  if (dialect === 'json') {
    try {
      JSON.parse(text)
    } catch {
      const loose = looseTree(text)
      return {
        refused:
          loose === undefined
            ? 'it is not JSON'
            : 'it holds a comment or a trailing comma, and this host reads strict JSON: it drops the whole file',
      }
    }
  }
  const tree = looseTree(text)
  if (tree === undefined) return { refused: 'it is not JSON' }
  if (tree.type !== 'object') return { refused: `it holds ${kindOf(tree)} where an object is needed` }
  return tree
}

function looseTree(text: string): Node | undefined {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  return errors.length > 0 ? undefined : tree
}

/** Inserts what is missing. The text may be blank: then an object is made of it. */
export function insertJson(
  whole: string,
  entries: readonly Entry[],
  needed: readonly Needed[],
  dialect: Dialect,
): Edited | Refusal {
  const mark = whole.startsWith(BOM) ? 1 : 0
  const made = new Growing(whole.slice(mark))
  const eol = /\r\n/.test(whole) ? '\r\n' : '\n'
  const unit = unitOf(whole)
  if (made.text.trim() === '') made.insert(made.text.length, `{${eol}}${made.text.endsWith('\n') ? '' : eol}`)
  for (const { at, value } of [...needed, ...entries.map(({ at, value }) => ({ at, value: [value] }))]) {
    const tree = treeOf(made.text, dialect)
    if ('refused' in tree) return tree
    const list = Array.isArray(value)
    const found = reach(tree, at)
    if ('refused' in found) return found
    const { node, rest } = found
    if (rest.length > 0) {
      if (node.type !== 'object') return wrong(at.slice(0, at.length - rest.length), node, 'an object')
      const inner = rest.slice(1).reduceRight<Json>((held, key) => ({ [key]: held }), value)
      put(made, node, (indent) => `${JSON.stringify(rest[0])}: ${shown(inner, indent, unit, eol)}`, unit, eol)
    } else if (list) {
      if (node.type !== 'array') return wrong(at, node, 'a list')
      for (const one of value) put(made, node, (indent) => shown(one, indent, unit, eol), unit, eol)
    }
  }
  return { text: whole.slice(0, mark) + made.text, spans: made.spans.map((span) => ({ ...span, at: span.at + mark })) }
}

const wrong = (at: readonly string[], node: Node, needed: string): Refusal => ({
  refused: `${at.length === 0 ? 'it' : at.join('.')} holds ${kindOf(node)} where ${needed} is needed`,
})

const kindOf = (node: Node): string =>
  ({
    array: 'a list',
    object: 'an object',
    null: 'null',
    string: 'a text',
    number: 'a number',
    boolean: 'true or false',
  })[node.type as 'array'] ?? node.type

/** The node at the end of a path as far as it is there, and the keys that are not. */
function reach(tree: Node, at: readonly string[]): { node: Node; rest: readonly string[] } | Refusal {
  let node = tree
  for (const [i, key] of at.entries()) {
    if (node.type !== 'object') return wrong(at.slice(0, i), node, 'an object')
    const held = (node.children ?? []).filter((property) => property.children?.[0]?.value === key)
    // Hosts take the last of two, editors the first: neither can be told to be the right one.
    if (held.length > 1) return { refused: `${at.slice(0, i + 1).join('.')} stands there twice` }
    const value = held[0]?.children?.[1]
    if (value === undefined) return { node, rest: at.slice(i) }
    node = value
  }
  return { node, rest: [] }
}

/** Puts one more child at the end of an object or a list. */
function put(made: Growing, node: Node, child: (indent: string) => string, unit: string, eol: string): void {
  const { text } = made
  const close = node.offset + node.length - 1
  const last = node.children?.at(-1)
  const inline = !/[\r\n]/.test(text.slice(node.offset, close)) && last !== undefined
  const outer = indentAt(text, node.offset)
  if (last === undefined) {
    const at = endOfComments(text, node.offset + 1, close)
    const open = /[\r\n]/.test(text.slice(at, close))
    made.insert(at, `${eol}${outer}${unit}${child(outer + unit)}${open ? '' : eol + outer}`)
    return
  }
  const end = last.offset + last.length
  const { comma, line } = tailOf(text, end, close)
  if (inline) {
    const at = comma ?? end
    made.insert(at, `${comma === undefined ? ', ' : ' '}${child(INLINE)}`)
    return
  }
  const indent = indentAt(text, last.offset)
  // A comment behind the last child belongs to it: ours begins on the next line.
  const body = `${eol}${indent}${child(indent)}`
  if (comma === undefined && line === end) made.insert(end, `,${body}`)
  else {
    made.insert(line, body)
    if (comma === undefined) made.insert(end, ',')
  }
}

/** Says that a child is to stand on one line. */
const INLINE = '\0'

/** Behind the last child: where its trailing comma ends, if any, and where what belongs to its line ends. */
function tailOf(text: string, end: number, close: number): { comma: number | undefined; line: number } {
  const scanner = createScanner(text, false)
  scanner.setPosition(end)
  let comma: number | undefined
  let line = end
  for (let token: number = scanner.scan(); scanner.getTokenOffset() < close; token = scanner.scan()) {
    const after = scanner.getTokenOffset() + scanner.getTokenLength()
    if (token === TOKEN.comma) {
      comma = after
      line = after
    } else if (token === TOKEN.lineBreak) {
      if (comma !== undefined || !/^\s*(?:\/[/*][^\n]*\s*)*,/.test(text.slice(after, close))) break
    } else if (token === TOKEN.lineComment || token === TOKEN.blockComment) line = after
    else if (token === TOKEN.end) break
  }
  return { comma, line }
}

/** Where the comments of an empty container end; its beginning where it has none. */
function endOfComments(text: string, from: number, close: number): number {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  let end = from
  for (let token: number = scanner.scan(); scanner.getTokenOffset() < close; token = scanner.scan()) {
    if (token === TOKEN.end) break
    if (token === TOKEN.lineComment || token === TOKEN.blockComment)
      end = scanner.getTokenOffset() + scanner.getTokenLength()
  }
  return end
}

/** The blanks before the first sign of the line that `at` stands in. */
function indentAt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
  return /^[ \t]*/.exec(text.slice(start, at))![0]
}

/** What one level is indented by: what the first indented line has, else two blanks. */
const unitOf = (text: string): string => /[\r\n]([ \t]+)\S/.exec(text.slice(0, 65_536))?.[1] ?? '  '

function shown(value: Json, indent: string, unit: string, eol: string): string {
  if (indent === INLINE) return JSON.stringify(value)
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`)
}

/** A text that only grows, and knows what was added. */
class Growing {
  text: string
  spans: readonly Span[] = []

  constructor(text: string) {
    this.text = text
  }

  insert(at: number, added: string): void {
    this.text = this.text.slice(0, at) + added + this.text.slice(at)
    this.spans = addedSpan(this.spans, at, added.length)
  }
}

/** Spans after an insertion: those behind it move, one that it lies in or touches grows. */
function addedSpan(spans: readonly Span[], at: number, length: number): readonly Span[] {
  const moved = spans.map((span): Span => {
    if (span.at > at) return { at: span.at + length, length: span.length }
    if (at <= span.at + span.length) return { at: span.at, length: span.length + length }
    return span
  })
  if (!spans.some((span) => span.at <= at && at <= span.at + span.length)) moved.push({ at, length })
  moved.sort((a, b) => a.at - b.at)
  const merged: Span[] = []
  for (const span of moved) {
    const before = merged.at(-1)
    if (before !== undefined && before.at + before.length >= span.at)
      merged[merged.length - 1] = { at: before.at, length: before.length + span.length }
    else merged.push(span)
  }
  return merged
}

/** The text without the spans. */
export function withoutSpans(text: string, spans: readonly Span[]): string {
  let out = ''
  let from = 0
  for (const { at, length } of spans) {
    out += text.slice(from, at)
    from = at + length
  }
  return out + text.slice(from)
}
