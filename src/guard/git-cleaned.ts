/** What `git clean -X` takes whole: later steps of the line see it as gone, all else that it was given as still there. */
import type { Asking } from '../core/question.ts'
import { isInside, type PathSense } from '../paths/lexical.ts'
import { repoOf } from '../paths/repo.ts'
import { below, factsOf } from './git-state.ts'
import { changesOf, gitSteps, type Overlay, through } from './overlay.ts'

/** Files that say what git ignores. */
const RULES = /[/\\](?:\.gitignore|info[/\\]exclude)$/

/**
 * Whether git ignores a path (physical, absolute) as a whole, so that nothing tracked lies in it, and the line did nothing
 * before that may have changed this. False where it cannot be told: then it is judged as if it stayed.
 */
export function* goesWhole(path: string, overlay: Overlay | undefined, sense: PathSense): Asking<boolean> {
  const repo = yield* through(repoOf(path, sense.flavour), overlay)
  if (typeof repo !== 'object') return false
  if (gitSteps(overlay, repo.root).some((op) => op.is !== 'clean' || op.keeps !== undefined)) return false
  for (const change of changesOf(overlay)) if (RULES.test(change.path)) return false
  const state = yield* factsOf(repo.root, ['ignored'])
  if (typeof state !== 'object') return false
  return (state.ignored ?? []).some((name) => isInside(path, below(repo.root, name, sense), sense))
}
