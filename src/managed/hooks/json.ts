/**
 * JSON that keeps the order of its keys, and keys that are there twice: the groups of a `hooks.json` run in the order of
 * the file, and an object of JavaScript would put `"10"` behind `"2"`.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** A value with the line (from 1) that it begins in. */
export type Ordered =
  | { readonly is: 'object'; readonly line: number; readonly members: readonly Member[] }
  | { readonly is: 'array'; readonly line: number; readonly items: readonly Ordered[] }
  | { readonly is: 'scalar'; readonly line: number; readonly value: string | number | boolean | null }

export interface Member {
  readonly key: string
  readonly line: number
  readonly value: Ordered
}

/** Why a text is no JSON for us. */
export interface JsonFault {
  readonly why: string
  readonly line?: number
}

/** Levels of brackets: a real file has six; every reader behind this one may recurse. */
const DEEPEST = 64

/** Reads plain JSON: no comments, no trailing commas, at most 64 levels. Never throws. */
export function parseOrdered(text: string): Ordered | JsonFault {
  const deep = tooDeep(text)
  if (deep !== undefined) return { why: `it has more than ${DEEPEST} levels`, line: lineFinder(text)(deep) }
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  const lineOf = lineFinder(text)
  try {
    JSON.parse(text)
  } catch {
    // The standard reader decides; the other one knows the place.
    const first = errors[0]
    if (text.trim() === '') return { why: 'it is empty' }
    if (first === undefined) return { why: 'it is no JSON' }
    return { why: `it is no JSON: ${wordsOf(first)}`, line: lineOf(first.offset) }
  }
  return tree === undefined ? { why: 'it is no JSON' } : ordered(tree, lineOf)
}

export const isFault = (value: Ordered | JsonFault): value is JsonFault => 'why' in value

function ordered(node: Node, lineOf: (offset: number) => number): Ordered {
  const line = lineOf(node.offset)
  if (node.type === 'array')
    return { is: 'array', line, items: (node.children ?? []).map((item) => ordered(item, lineOf)) }
  if (node.type !== 'object') return { is: 'scalar', line, value: node.value }
  const members = (node.children ?? []).flatMap(({ children, offset }): Member[] => {
    const [key, value] = children ?? []
    return key === undefined || value === undefined
      ? []
      : [{ key: key.value, line: lineOf(offset), value: ordered(value, lineOf) }]
  })
  return { is: 'object', line, members }
}

/** Where brackets open one level too many, outside of strings. */
function tooDeep(text: string): number | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (char === '{' || char === '[') {
      if (++depth > DEEPEST) return at
    } else if (char === '}' || char === ']') depth--
  }
  return undefined
}

/** Lines of offsets that are asked for in about the order of the text. */
function lineFinder(text: string): (offset: number) => number {
  let [at, line] = [0, 1]
  return (offset) => {
    if (offset < at) [at, line] = [0, 1]
    for (; at < offset && at < text.length; at++) if (text.charCodeAt(at) === 10) line++
    return line
  }
}

/** `CommaExpected` → `comma expected`. */
const wordsOf = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
