/** Which repository a path belongs to: the nearest directory above it that holds `.git`. */
import { type Asking, ask } from '../core/question.ts'
import { dirname, type Flavour, join, normalise, parentsOf } from './lexical.ts'
import { newPathBudget, resolvePath } from './resolve.ts'

/** Directories looked at above one path; deeper trees than this are no one's work. */
const MOST_LEVELS = 256
/** A `.git` file holds one line. */
const MOST_BYTES = 4096

export interface Repo {
  /** The top of the work tree. */
  readonly root: string
  /** Where git keeps its own files for it. */
  readonly gitDir: string
  /** True for a work tree that `git worktree add` made: history lives in the main one. */
  readonly linked: boolean
}

/**
 * The repository around a physical path (a path inside `.git` belongs to the one that it serves). `none`: no `.git`
 * up to the root. `unknown`: a fact could not be had. A directory counts from itself on.
 */
export function* repoOf(path: string, flavour: Flavour = 'posix'): Asking<Repo | 'none' | 'unknown'> {
  const start = normalise(path, flavour)
  const dirs = [start, ...parentsOf(start, flavour)]
  if (dirs.length > MOST_LEVELS) return 'unknown'
  for (const dir of dirs) {
    const dotGit = join(dir, '.git', flavour)
    const found = yield* ask('stat', { path: dotGit })
    if (found === 'unknown') return 'unknown'
    if (found === 'absent') continue
    if (found.kind === 'dir') return { root: dir, gitDir: dotGit, linked: false }
    if (found.kind === 'device') continue
    let at = dotGit
    if (found.kind === 'link') {
      const place = yield* resolvePath(dotGit, { follow: true, budget: newPathBudget(flavour) })
      if (place.is === 'unresolved') return 'unknown'
      if (!place.exists) continue
      if (place.kind === 'dir') return { root: dir, gitDir: place.target, linked: false }
      at = place.target
    }
    const text = yield* ask('text', { path: at, limit: MOST_BYTES })
    if (text === 'unknown' || text === 'unreadable') return 'unknown'
    if (text === 'absent') continue
    const line = /^gitdir:[ \t]*([^\r\n]+?)\s*$/m.exec(text.text)
    if (!line) continue
    const gitDir = normalise(join(dirname(at, flavour), line[1]!, flavour), flavour)
    return { root: dir, gitDir, linked: /[\\/]worktrees[\\/][^\\/]+$/.test(gitDir) }
  }
  return 'none'
}
