/**
 * What a repository holds that exists nowhere else, as it will be when a step of the line runs: git's own answer, and on
 * it what earlier steps of the same line did (a stash saves, a commit saves and is new itself, a pop brings back).
 */
import type { GitOp, GitPaths } from '../core/git-op.ts'
import { type Asking, ask, type GitFact, type GitState } from '../core/question.ts'
import { join, type PathSense } from '../paths/lexical.ts'
import { gitRegion } from './region.ts'

/** Files of a work tree, as absolute paths. */
export interface Files {
  /** Tracked files whose content is in no index and no commit. */
  readonly modified: ReadonlySet<string>
  /** Files whose index entry is in no commit. */
  readonly staged: ReadonlySet<string>
  readonly untracked: ReadonlySet<string>
}

export interface Work extends Files {
  readonly root: string
  /** Repositories inside that the outer one does not track. */
  readonly repos: readonly string[]
  /** Commits that this line made and did not push. */
  readonly commits: number
  /** A plain push of this line sent what HEAD held then. */
  readonly pushed: boolean
  /** Branch that this line went to. */
  readonly branch: string | undefined
  /** Branches that this line made where they stood: they hold nothing of their own. */
  readonly made: ReadonlySet<string>
  /** New branches and tags that hold all that HEAD holds now. */
  readonly held: ReadonlySet<string>
  /** What the files hold can no longer be told: something was brought back that nobody counted. */
  readonly murky: boolean
  /** Stashes of this line that still lie there, the last one last. */
  readonly stashed: readonly Files[]
  /** A remote was added or moved on this line. */
  readonly newRemotes: boolean
  /** A remote that was there leads elsewhere since. */
  readonly movedRemotes: boolean
}

const NONE: ReadonlySet<string> = new Set()
const EMPTY: Files = { modified: NONE, staged: NONE, untracked: NONE }

/**
 * Asks git. `none`: there is no repository there. `unknown`: it cannot be told. Only where even `head` has no answer is
 * there no repository; another group may be missing from an answer by itself.
 */
export function* factsOf(root: string, of: readonly GitFact[]): Asking<GitState | 'none' | 'unknown'> {
  const state = yield* ask('git', { repo: root, of })
  if (state === 'unknown' || Object.keys(state).length > 0) return state
  if (of.includes('head')) return 'none'
  const head = yield* ask('git', { repo: root, of: ['head'] })
  return head === 'unknown' ? 'unknown' : Object.keys(head).length === 0 ? 'none' : state
}

/** The files of a work tree after the steps before. `start`: where relative paths of these steps begin. */
export function* workOf(root: string, steps: readonly GitOp[], sense: PathSense): Asking<Work | 'none' | 'unknown'> {
  const state = yield* factsOf(root, ['changes'])
  if (state === 'none' || state === 'unknown') return state
  const { modified, staged, untracked } = state
  if (modified === undefined || staged === undefined || untracked === undefined) return 'unknown'
  const at = (paths: readonly string[]): ReadonlySet<string> => new Set(paths.map((path) => below(root, path, sense)))
  // Untracked files are listed one by one; a directory among them is a repository that git does not look into.
  const isRepo = (path: string): boolean => path.endsWith('/')
  return steps.reduce<Work>((work, op) => after(work, op, sense), {
    root,
    modified: at(modified),
    staged: at(staged),
    untracked: at(untracked.filter((path) => !isRepo(path))),
    ...FRESH,
    repos: untracked.filter(isRepo).map((path) => below(root, path, sense)),
  })
}

const FRESH = {
  repos: [],
  commits: 0,
  pushed: false,
  branch: undefined,
  made: NONE,
  held: NONE,
  murky: false,
  stashed: [],
  newRemotes: false,
  movedRemotes: false,
} as const

/** The history part alone, where the files do not matter and need not be asked for. */
export const historyOf = (root: string, steps: readonly GitOp[], sense: PathSense): Work =>
  steps.reduce<Work>((work, op) => after(work, op, sense), {
    root,
    ...EMPTY,
    ...FRESH,
  })

/** A path of git's, which always has slashes, below the root. */
export const below = (root: string, path: string, sense: PathSense): string =>
  join(root, sense.flavour === 'win32' ? path.replaceAll('/', '\\') : path, sense.flavour).replace(/[/\\]$/, '')

const minus = (set: ReadonlySet<string>, gone: (path: string) => boolean): ReadonlySet<string> =>
  new Set([...set].filter((path) => !gone(path)))

const plus = (a: ReadonlySet<string>, b: Iterable<string>): ReadonlySet<string> => new Set([...a, ...b])

/** The state after one more step. */
function after(work: Work, op: GitOp, sense: PathSense): Work {
  const covers = (paths: GitPaths): ((path: string) => boolean) => {
    const region = gitRegion(paths, work.root, work.root, sense)
    return region.whole ? () => true : (path) => region.touches(path)
  }
  switch (op.is) {
    case 'stash-push': {
      const hit = covers(op.paths)
      const mine = (path: string) => hit(path) && (!op.staged || work.staged.has(path))
      const stash: Files = {
        modified: new Set([...work.modified].filter(mine)),
        staged: new Set([...work.staged].filter(mine)),
        untracked: op.untracked ? new Set([...work.untracked].filter(hit)) : NONE,
      }
      return {
        ...work,
        modified: minus(work.modified, mine),
        staged: minus(work.staged, mine),
        untracked: op.untracked ? minus(work.untracked, hit) : work.untracked,
        stashed: [...work.stashed, stash],
      }
    }
    case 'stash-pop': {
      const back = work.stashed.at(-1)
      if (back === undefined) return { ...work, murky: true }
      return {
        ...work,
        modified: plus(work.modified, back.modified),
        staged: plus(work.staged, back.staged),
        untracked: plus(work.untracked, back.untracked),
        // An applied stash is still there: what it brought back is saved.
        ...(op.drops ? { stashed: work.stashed.slice(0, -1) } : {}),
      }
    }
    case 'stash-drop':
      return { ...work, stashed: op.all ? [] : work.stashed.slice(0, -1) }
    case 'add': {
      const hit = covers(op.paths)
      const added = [...work.modified, ...work.untracked].filter(hit)
      return {
        ...work,
        staged: plus(work.staged, added),
        modified: minus(work.modified, hit),
        untracked: minus(work.untracked, hit),
      }
    }
    case 'commit': {
      const commits = work.commits + 1
      if (op.paths !== undefined) {
        const hit = covers(op.paths)
        return {
          ...work,
          commits,
          pushed: false,
          held: NONE,
          modified: minus(work.modified, hit),
          staged: minus(work.staged, hit),
        }
      }
      return {
        ...work,
        commits,
        pushed: false,
        held: NONE,
        staged: NONE,
        ...(op.all ? { modified: NONE } : {}),
      }
    }
    case 'discard': {
      const hit = covers(op.paths)
      return {
        ...work,
        modified: op.keeps ? work.modified : minus(work.modified, hit),
        staged: op.staged ? minus(work.staged, hit) : work.staged,
      }
    }
    case 'clean': {
      const hit = covers(op.paths)
      return op.untracked ? { ...work, untracked: minus(work.untracked, hit) } : work
    }
    case 'switch':
      return { ...work, branch: op.to, held: NONE, ...(op.create ? { made: plus(work.made, [op.to]) } : {}) }
    case 'move-head':
      // What the commits held is now only in the index or the work tree.
      return { ...work, murky: true }
    case 'push':
      return op.refspecs.every((spec) => !spec.delete) ? { ...work, commits: 0, pushed: true } : work
    case 'rewrite':
      return { ...work, commits: Math.max(1, work.commits), pushed: false, held: NONE }
    case 'delete-branch':
    case 'delete-tag':
    case 'delete-ref':
    case 'force-branch':
      return { ...work, held: NONE }
    case 'other':
      switch (op.verb) {
        case 'reset':
        case 'restore':
          // A file that leaves the index is modified, or untracked where it was new.
          return {
            ...work,
            modified: plus(work.modified, work.staged),
            untracked: plus(work.untracked, work.staged),
            staged: NONE,
          }
        case 'cherry-pick':
        case 'revert':
        case 'merge':
        case 'am':
        case 'pull':
          return { ...work, commits: work.commits + 1, pushed: false, held: NONE }
        case 'apply':
          return { ...work, murky: true }
        case 'remote add':
          return { ...work, newRemotes: true }
        case 'remote set-url':
          return { ...work, newRemotes: true, movedRemotes: true }
        default:
          return op.holds === undefined ? work : { ...work, held: plus(work.held, [op.holds]) }
      }
    default:
      return work
  }
}
