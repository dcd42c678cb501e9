/** Looking into a directory, where only that tells: does something below match a glob, or have a telling name? */
import { type Asking, ask } from '../core/question.ts'
import { type Flavour, join } from './lexical.ts'

/** Entries of one directory. */
const MOST_IN_DIRECTORY = 10_000
/** Directories below one another. */
const MOST_DEPTH = 64

export interface LookBelow {
  readonly flavour: Flavour
  /** Whether a path is one that is looked for. */
  found(path: string): boolean
  /** Whether one could lie below a directory; false saves the look into it. */
  mayContain(dir: string): boolean
  /** Entries that may still be looked at; shared by the looks of one call and counted down. */
  readonly budget: { entries: number }
}

/**
 * The first path below `dir` (a physical directory) that is looked for; `none` where there is none for sure; `unknown`
 * where a limit or a missing fact stands before that. Links are not followed: deleting a tree does not, either.
 */
export function* findBelow(dir: string, look: LookBelow): Asking<{ readonly path: string } | 'none' | 'unknown'> {
  const todo: { path: string; depth: number }[] = [{ path: dir, depth: 0 }]
  let unsure = false
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (!look.mayContain(next.path)) continue
    if (next.depth >= MOST_DEPTH || look.budget.entries <= 0) {
      unsure = true
      continue
    }
    const limit = Math.min(MOST_IN_DIRECTORY, look.budget.entries)
    const listed = yield* ask('list', { dir: next.path, limit })
    if (listed === 'absent') continue
    if (listed === 'unknown') {
      unsure = true
      continue
    }
    look.budget.entries -= listed.entries.length + 1
    if (listed.cut) unsure = true
    for (const { name, kind } of listed.entries) {
      const path = join(next.path, name, look.flavour)
      if (look.found(path)) return { path }
      if (kind === 'dir') todo.push({ path, depth: next.depth + 1 })
    }
  }
  return unsure ? 'unknown' : 'none'
}
