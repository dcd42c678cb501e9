/** Places in JavaScript's stacks and in the reports of its test runners. */
import { type Block, foreign } from './report.ts'

/** Longer lines are no frames. */
const LONG = 1000

/**
 * The path of a frame: `at f (a.js:1:2)`, `at a.js:1:2`, `❯ f a.ts:1:2`, and frames without a word in front, as in YAML.
 * Undefined for other lines. Read from the end, since most lines are no frames.
 */
export function frameOf(text: string): string | undefined {
  let at = text.length
  if (at > LONG) return undefined
  if (text.endsWith(' {')) at -= 2
  if (text[at - 1] === ')') at--
  for (let part = 0; part < 2; part++) {
    const from = at
    while (at > 0 && isDigit(text.charCodeAt(at - 1))) at--
    if (at === from || text[at - 1] !== ':') return undefined
    at--
  }
  let start = at
  while (start > 0 && !' (\t'.includes(text[start - 1]!)) start--
  const path = text.slice(start, at)
  return path.startsWith('node:') || /[^.:][./\\]|[./\\][^.:]/u.test(path) ? path : undefined
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39

/** Adds the line to the block's places where it is a frame in the project's own code. Whether it is a frame at all. */
export function frame(block: Block, text: string, n: number): boolean {
  const path = frameOf(text)
  if (path === undefined) return false
  if (!path.startsWith('node:') && !foreign(path)) block.at(n)
  return true
}

/** The first line of an error that was thrown. */
export const THROWN = /^(?:Uncaught )?(?:[A-Z]\w*)?(?:Error|Exception|DOMException)(?: \[\w+\])?(?:: |$)/u

/** The line in front of it that tells where: the path and the line alone. */
export const THROWN_AT = /^(?:file:\/\/)?(?:\/|[A-Za-z]:\\|\.{1,2}\/)[^\s:]+:\d+$/u
