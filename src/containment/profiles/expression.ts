/**
 * Expressions of profiles. They come from a repository and meet outputs that anybody may have written, so they run in an
 * engine whose time grows with the text alone: no expression can be slow. It knows no look-around and no back-references.
 */
import { RE2JS } from 're2js'

/** Characters of an expression, and of a line that is looked at. */
export const MOST_PATTERN = 1_000
export const MOST_LINE = 4_096

export interface Expression {
  /** Whether the line has it. */
  test(line: string): boolean
  /** The groups of its first place in the line, the whole first; undefined where it is not there. */
  groups(line: string): readonly string[] | undefined
}

/** Compiles an expression, or says in a clause what is wrong with it. */
export function expressionOf(pattern: string): Expression | string {
  if (pattern.length > MOST_PATTERN) return `is longer than ${MOST_PATTERN} characters`
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(pattern)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    return `is no expression: ${why}`
  }
  const cut = (line: string): string => (line.length > MOST_LINE ? line.slice(0, MOST_LINE) : line)
  return {
    test: (line) => compiled.test(cut(line)),
    groups(line) {
      const matcher = compiled.matcher(cut(line))
      if (!matcher.find()) return undefined
      return Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? '')
    },
  }
}
