/** Which ADLC repositories a path lies in. */
import { type Asking, ask } from '../core/question.ts'
import { components, dirname, type Flavour, join, keyOfPath, type PathSense, splitRoot } from '../paths/lexical.ts'
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

/** What was found on the way to a directory, itself included. */
interface Way {
  readonly found: readonly (FoundRoot & { readonly git: boolean })[]
  readonly levels: number
  /** Nothing lies below. */
  readonly ends: boolean
}

/** Ways to directories by their paths: most paths of a call lie in few directories. */
export type Ways = Map<string, Way>

export interface RootFacts {
  readonly ways: Ways
  /** Keys of home directories, by name and physically: a `.adlc` there is no repository. */
  readonly homes: ReadonlySet<string>
  readonly sense: PathSense
  readonly paths: PathBudget
}

/**
 * The roots around an absolute, normalised path, the innermost first. A root is the nearest directory with `.adlc` and
 * `.git`, else the outermost one with `.adlc`; the search then goes on above it, since whoever plants a repository inside
 * another must not free what the outer one froze.
 */
export function* rootsAround(path: string, facts: RootFacts): Asking<readonly FoundRoot[]> {
  const { found } = yield* wayTo(path, facts)
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

/** A directory's own path where `path` is one that POSIX would not write another way; undefined where that is not plain. */
const parentOf = (path: string, flavour: Flavour): string | undefined =>
  flavour === 'posix' && path.lastIndexOf('/') > 0 ? path.slice(0, path.lastIndexOf('/')) : undefined

function* wayTo(path: string, facts: RootFacts): Asking<Way> {
  const { sense } = facts
  const above = parentOf(path, sense.flavour)
  const before = above === undefined ? undefined : facts.ways.get(above)
  if (before) return yield* further(before, above!, [path.slice(above!.length + 1)], facts)
  const parts = components(path, sense.flavour)
  const start: Way = { found: [], levels: 0, ends: false }
  const { root } = splitRoot(path, sense.flavour)
  if (above === undefined) return yield* further(start, root, parts, facts)
  const way = yield* further(start, root, parts.slice(0, -1), facts)
  facts.ways.set(above, way)
  return yield* further(way, above, parts.slice(-1), facts)
}

/** From the top, one at a time: all directories of a long path together would be quadratically long. */
function* further(way: Way, from: string, parts: readonly string[], facts: RootFacts): Asking<Way> {
  const { sense } = facts
  let { levels, ends } = way
  let dir = from
  const found = [...way.found]
  for (const part of parts) {
    if (ends) break
    dir = join(dir, part, sense.flavour)
    const seen = facts.paths.seen.get(facts.paths.foldsCase ? keyOfPath(dir, sense) : dir)
    // Nothing lies below what is not there.
    ends = seen === 'absent' || (typeof seen === 'object' && seen.kind === 'file')
    if (ends) break
    if (++levels > MOST_LEVELS) {
      found.push({ root: dir, linked: false, git: true, unsure: `${dir} lies below too many directories` })
      ends = true
      break
    }
    if (facts.homes.has(keyOfPath(dir, sense))) continue
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
  return { found, levels, ends }
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
