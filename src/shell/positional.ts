/** Parameters by their place. A pattern among them may stand for several: what lies behind it is not where it seems to be. */
import { unknown, type Value } from '../core/value.ts'

const firstPattern = (all: readonly Value[]): number => all.findIndex(({ is }) => is === 'glob')

/** The parameter at a place, from 0. Behind a pattern it is any name that the pattern matches, or what follows. */
export function positionalAt(all: readonly Value[], at: number): Value | 'unset' {
  const first = firstPattern(all)
  if (first < 0 || at <= first) return all[at] ?? 'unset'
  return first === all.length - 1 ? all[first]! : unknown('positional')
}

/** How many there are; undefined where that is not known. */
export const countOf = (all: readonly Value[]): number | undefined => (firstPattern(all) < 0 ? all.length : undefined)

/** Those from one place to another: a pattern in front may reach into them. */
export function sliced(all: readonly Value[], from: number, to: number): readonly Value[] {
  const before = all.slice(0, from).findLast(({ is }) => is === 'glob')
  return before === undefined ? all.slice(from, to) : [before, ...all.slice(from, to)]
}

/** What is left after some were taken away; undefined where that is not known. */
export function shifted(all: readonly Value[], by: number): readonly Value[] | undefined {
  const first = firstPattern(all)
  if (by === 0 || first < 0 || first >= by) return all.slice(by)
  return first === all.length - 1 ? all.slice(first) : undefined
}
