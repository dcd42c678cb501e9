/** Places in JavaScript's stacks and in the reports of its test runners. */
import { type Block, foreign } from './report.ts'

/** `at f (a.js:1:2)`, `at a.js:1:2`, `❯ f a.ts:1:2`, and frames without a word in front, as in YAML. */
const FRAME =
  /^\s*(?:(?:at|❯) )?(?:.*?[( ])?((?:file:\/\/\/?|node:|[A-Za-z]:[\\/])?[^\s():]*[^\s():.][^\s():]*):(\d+):(\d+)\)?(?: \{)?$/u

/** The path of a frame; undefined for other lines. */
export function frameOf(text: string): string | undefined {
  if (text.length > 1000) return undefined
  const path = FRAME.exec(text)?.[1]
  return path !== undefined && /[./\\]/u.test(path) ? path : path?.startsWith('node:') ? path : undefined
}

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
