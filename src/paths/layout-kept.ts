/** The layout of the call before, as long as it is the same: with all that was looked up in it. */
import { type Layout, type LayoutFacts, newLayout } from './layout.ts'

let last: Layout | undefined

/** The layout of these facts: the one made before where they are the same, with all that was looked up in it. */
export function layoutOf(facts: LayoutFacts): Layout {
  if (last === undefined || !isSameFacts(last.facts, facts)) last = newLayout(facts)
  return last
}

/** Whether facts are the same; lists that are not short are compared by identity. */
function isSameFacts(a: LayoutFacts, b: LayoutFacts): boolean {
  const keys = Object.keys(a) as (keyof LayoutFacts)[]
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key] || areSame(a[key], b[key]))
}

const MOST_COMPARED = 16

const areSame = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) &&
  Array.isArray(b) &&
  a.length === b.length &&
  a.length <= MOST_COMPARED &&
  a.every((one, i) => typeof one === 'string' && one === b[i])
