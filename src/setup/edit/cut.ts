/** Takes what setup inserted out of a file again, whatever else has changed in it since. */
import { createScanner, type Node } from 'jsonc-parser'
import { BOM, type Span, TOKEN, treeOf, withoutSpans } from './insert.ts'

/** A shorter insertion, such as a comma, cannot be told from others. */
const LEAST_CHUNK = 24

/**
 * The text without the chunks, where each of them stands there exactly once and what is left can still be read.
 * `readable`: whether a text is one that the host reads.
 */
export function cutVerbatim(
  text: string,
  chunks: readonly string[],
  readable: (text: string) => boolean,
): string | undefined {
  if (chunks.length === 0 || chunks.some((chunk) => chunk.length < LEAST_CHUNK)) return undefined
  const spans: Span[] = []
  for (const chunk of chunks) {
    const at = text.indexOf(chunk)
    if (at < 0 || text.indexOf(chunk, at + 1) >= 0) return undefined
    spans.push({ at, length: chunk.length })
  }
  spans.sort((a, b) => a.at - b.at)
  const rest = withoutSpans(text, spans)
  return readable(rest) ? rest : undefined
}

/** Most rounds of taking one entry out: more entries of ours than any file has. */
const MOST_ROUNDS = 256

/**
 * The text without the elements of lists below `at` that `isOurs` knows, and without the lists and objects at `made` as
 * far as they are empty then. Undefined where the text cannot be read.
 */
export function cutEntries(
  whole: string,
  at: readonly string[],
  isOurs: (value: unknown) => boolean,
  made: readonly (readonly string[])[],
): string | undefined {
  const mark = whole.startsWith(BOM) ? 1 : 0
  let text = whole.slice(mark)
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const tree = treeOf(text, 'jsonc')
    if ('refused' in tree) return undefined
    const found = ownElement(nodeAt(tree, at), isOurs)
    if (found === undefined) break
    text = withoutChild(text, found.list, found.index)
  }
  // The innermost first.
  for (const path of [...made].filter(({ length }) => length > 0).sort((a, b) => b.length - a.length)) {
    const tree = treeOf(text, 'jsonc')
    if ('refused' in tree) return undefined
    const holder = nodeAt(tree, path.slice(0, -1))
    const index = (holder?.children ?? []).findIndex(({ children }) => children?.[0]?.value === path.at(-1))
    const value = holder?.children?.[index]?.children?.[1]
    if (holder === undefined || value === undefined || (value.children ?? ['']).length > 0) continue
    // A comment in it is somebody's.
    if (/\/[/*]/.test(text.slice(value.offset, value.offset + value.length))) continue
    text = withoutChild(text, holder, index)
  }
  return whole.slice(0, mark) + text
}

/** An element of ours in one of the lists of an object. */
function ownElement(
  holder: Node | undefined,
  isOurs: (value: unknown) => boolean,
): { list: Node; index: number } | undefined {
  if (holder?.type !== 'object') return undefined
  for (const { children } of holder.children ?? []) {
    const list = children?.[1]
    if (list?.type !== 'array') continue
    const index = (list.children ?? []).findIndex((element) => isOurs(plainOf(element)))
    if (index >= 0) return { list, index }
  }
  return undefined
}

/** The text without one child of a list or an object: its own signs, one comma, and the blanks before it. */
function withoutChild(text: string, parent: Node, index: number): string {
  const child = parent.children![index]!
  const end = child.offset + child.length
  const before = parent.children![index - 1]
  const after = parent.children![index + 1]
  const comma =
    before === undefined
      ? commaIn(text, end, after?.offset ?? parent.offset + parent.length - 1)
      : commaIn(text, before.offset + before.length, child.offset)
  const commas: Span[] = comma === undefined ? [] : [{ at: comma, length: 1 }]
  const blanks = /[ \t\r\n]*$/.exec(text.slice(0, child.offset))![0].length
  const cut = (from: number): string =>
    withoutSpans(
      text,
      [...commas.filter(({ at }) => at < from || at >= end), { at: from, length: end - from }].sort(
        (a, b) => a.at - b.at,
      ),
    )
  const short = cut(child.offset - blanks)
  // Behind a comment to the end of its line the blanks are needed.
  return countOf(short) === countOf(text) - countIn(child) - commas.length ? short : cut(child.offset)
}

function commaIn(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  return (scanner.scan() as number) === TOKEN.comma && scanner.getTokenOffset() < to
    ? scanner.getTokenOffset()
    : undefined
}

/** How many signs of JSON a text has, comments and blanks left out. */
function countOf(text: string): number {
  const scanner = createScanner(text, true)
  let count = 0
  while ((scanner.scan() as number) !== TOKEN.end) count++
  return count
}

const countIn = (node: Node): number => {
  const children = node.children ?? []
  const inner = children.reduce((sum, child) => sum + countIn(child), 0)
  if (node.type === 'property') return inner + 1
  if (node.type !== 'object' && node.type !== 'array') return 1
  return inner + 2 + Math.max(0, children.length - 1)
}

export function nodeAt(tree: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = tree
  for (const key of path) {
    if (node?.type !== 'object') return undefined
    node = node.children?.find((property) => property.children?.[0]?.value === key)?.children?.[1]
  }
  return node
}

/** The value of a node. */
export function plainOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainOf)
  if (node.type !== 'object') return node.value
  const pairs = (node.children ?? []).map(({ children }) => [children?.[0]?.value, children?.[1]] as const)
  return Object.fromEntries(pairs.map(([key, value]) => [key, value === undefined ? undefined : plainOf(value)]))
}
