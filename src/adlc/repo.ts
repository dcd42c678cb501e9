/** Which ADLC repositories a path lies in. */
import { type Asking, ask } from '../core/question.ts'
import { components, dirname, join, keyOfPath, type PathSense, splitRoot } from '../paths/lexical.ts'
import { repoOf } from '../paths/repo.ts'
import { type PathBudget, resolvePath } from '../paths/resolve.ts'

/** Directories above one path that exist: deeper trees than this are no one's work. */
const MOST_LEVELS = 256
/** The file that leads back from git's data to a work tree holds one line. */
const MOST_GITDIR = 4096

export interface FoundRoot {
  /** As the path spells it. */
  readonly root: string
  /** `.adlc` is a link to a directory. */
  readonly linked: boolean
  /** A sentence without its full stop: whether there is a repository could not be found out, so there is one. */
  readonly unsure?: string
}

export interface RootFacts {
  /** Home directories, by name and physically: a `.adlc` there is no repository. */
  readonly homes: readonly string[]
  readonly sense: PathSense
  readonly paths: PathBudget
}

/**
 * The roots around an absolute, normalised path, the innermost first. A root is the nearest directory with `.adlc` and
 * `.git`, else the outermost one with `.adlc`; the search then goes on above it, since whoever plants a repository inside
 * another must not free what the outer one froze.
 */
export function* rootsAround(path: string, facts: RootFacts): Asking<readonly FoundRoot[]> {
  const { sense } = facts
  const homes = new Set(facts.homes.map((home) => keyOfPath(home, sense)))
  const found: (FoundRoot & { readonly git: boolean })[] = []
  let dir = splitRoot(path, sense.flavour).root
  let levels = 0
  // From the top, one at a time: all directories of a long path together would be quadratically long.
  for (const part of components(path, sense.flavour)) {
    dir = join(dir, part, sense.flavour)
    const seen = facts.paths.seen.get(facts.paths.foldsCase ? keyOfPath(dir, sense) : dir)
    // Nothing lies below what is not there.
    if (seen === 'absent' || (typeof seen === 'object' && seen.kind === 'file')) break
    if (++levels > MOST_LEVELS) {
      found.push({ root: dir, linked: false, git: true, unsure: `${dir} lies below too many directories` })
      break
    }
    if (homes.has(keyOfPath(dir, sense))) continue
    const at = join(dir, '.adlc', sense.flavour)
    const kind = yield* kindOf(at, facts)
    if (kind === 'none') continue
    const git = yield* ask('stat', { path: join(dir, '.git', sense.flavour) })
    found.push({
      root: dir,
      linked: kind === 'link',
      git: git !== 'absent',
      ...(kind === 'unknown' && { unsure: `whether ${at} is a directory could not be found out` }),
    })
  }
  const out: FoundRoot[] = []
  for (let left = found; left.length > 0; ) {
    const own = left.findLastIndex(({ git }) => git)
    const at = Math.max(own, 0)
    const { git, ...root } = left[at]!
    void git
    out.push(root)
    left = left.slice(0, at)
  }
  return out
}

function* kindOf(path: string, facts: RootFacts): Asking<'dir' | 'link' | 'none' | 'unknown'> {
  const stat = yield* ask('stat', { path })
  if (stat === 'absent') return 'none'
  if (stat !== 'unknown' && stat.kind !== 'link') return stat.kind === 'dir' ? 'dir' : 'none'
  // Nothing lies behind a loop of links, whatever the system says to a question about it.
  const to = yield* resolvePath(path, { follow: true, budget: facts.paths })
  if (to.is === 'unresolved') return to.why === 'links' ? 'none' : 'unknown'
  if (stat === 'unknown') return 'unknown'
  return to.kind === 'dir' ? 'link' : 'none'
}

/**
 * Whether the repository at `root` is a work tree that git made for the one at `outer`: git's own data, which is frozen,
 * must lead back to it.
 */
export function* isWorktreeOf(root: string, outer: string, sense: PathSense): Asking<boolean> {
  const { flavour } = sense
  const repo = yield* repoOf(root, flavour)
  if (typeof repo === 'string' || !repo.linked || keyOfPath(repo.root, sense) !== keyOfPath(root, sense)) return false
  const home = join(join(outer, '.git', flavour), 'worktrees', flavour)
  if (keyOfPath(dirname(repo.gitDir, flavour), sense) !== keyOfPath(home, sense)) return false
  const back = yield* ask('text', { path: join(repo.gitDir, 'gitdir', flavour), limit: MOST_GITDIR })
  if (typeof back === 'string') return false
  return keyOfPath(back.text.trim(), sense) === keyOfPath(join(root, '.git', flavour), sense)
}
