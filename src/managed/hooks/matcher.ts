/** Which tools a rule is for: RE2 on the whole name, and three texts that mean every tool. */
import { RE2JS } from 're2js'

export interface Matcher {
  readonly text: string
  matches(tool: string): boolean
  /** Why it cannot be compiled; it then matches nothing. */
  readonly broken?: string
}

/**
 * What compiling may cost: an agent can write the file, and one pattern such as `[\pL]{1000}` takes as long as thousands
 * of names. One unit is a character, times what counted repetitions make of it; the longest name of a tool has 20.
 */
const MOST_COST = { one: 1_024, file: 8_192 }

/** What `broken` says where a pattern may be RE2, but is not compiled. */
export const TOO_LARGE = 'it is too large, or its repetitions are'
export const TOO_MANY = 'the matchers of this file are too many or too large'
const MOST_KNOWN = 64

/** `*` and the empty text are no RE2, but published as catch-alls. */
const EVERYTHING = new Set(['', '*', '.*'])

export function compileMatcher(text: string): Matcher {
  if (EVERYTHING.has(text)) return { text, matches: () => true }
  const nothing = (broken: string): Matcher => ({ text, matches: () => false, broken })
  if (costOf(text) > MOST_COST.one) return nothing(TOO_LARGE)
  try {
    const compiled = RE2JS.compile(text)
    // There are few tools, and the same ones are asked about before every call.
    const known = new Map<string, boolean>()
    const matches = (tool: string): boolean => {
      const found = known.get(tool) ?? compiled.matches(tool)
      if (known.size < MOST_KNOWN) known.set(tool, found)
      return found
    }
    return { text, matches }
  } catch (error) {
    return nothing((error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, ''))
  }
}

/** At least the product of all counts, as they may be nested. */
const costOf = (text: string): number =>
  [...text.slice(0, MOST_COST.one).matchAll(/\{(\d*),?(\d*)\}/g)].reduce(
    (cost, [, least, most]) => cost * Math.max(1, Number(least), Number(most)),
    text.length,
  )

/** The matchers of one file: the same text is compiled once, and all of them together cost no more than they may. */
export class Matchers {
  private readonly made = new Map<string, Matcher>()
  private spent = 0

  compile(text: string): Matcher {
    const known = this.made.get(text)
    if (known !== undefined) return known
    const matcher =
      this.spent + costOf(text) > MOST_COST.file
        ? { text, matches: () => false, broken: TOO_MANY }
        : compileMatcher(text)
    if (!EVERYTHING.has(text) && matcher.broken === undefined) this.spent += costOf(text)
    this.made.set(text, matcher)
    return matcher
  }
}
