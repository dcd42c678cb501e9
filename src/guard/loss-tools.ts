/** What the judges of loss share: what they may use, what counts as lost, how it is counted and said. */

import type { GitOp } from '../core/git-op.ts'
import { type Asking, ask, type GitState, type Stat } from '../core/question.ts'
import type { GlobPart } from '../core/value.ts'
import type { Decision, Family, Finding, Loss } from '../core/verdict.ts'
import { findBelow } from '../paths/below.ts'
import type { PathMatcher } from '../paths/glob.ts'
import { absolute, basename, isInside, type PathSense, parentsOf } from '../paths/lexical.ts'
import { repoOf } from '../paths/repo.ts'
import { below, factsOf, type Work, workOf } from './git-state.ts'
import type { Region } from './region.ts'
import { MOST_ASKED } from './subject.ts'

export interface LossTools {
  readonly sense: PathSense
  readonly home: string
  /** Physical roots that the host declared. */
  readonly workspaces: readonly string[]
  /** Zones of a physical path; what the session or this line made is `created`. */
  zones(path: string): ReadonlySet<string>
  /** Whether the policy says that the loss of a path does not matter. */
  readonly disposable: readonly PathMatcher[]
  /** Git steps earlier on this line in the repository at `root`, oldest first. */
  earlier(root: string): readonly GitOp[]
  /** Where what lies at a path lay before this line: a renamed file keeps its state. */
  origin(path: string): string
  /** Whether a path's content was copied elsewhere earlier on this line. */
  saved(path: string): boolean
  /** A path as people write it. */
  show(path: string): string
}

/** What happens to a path, physical and as the disk is at that step of the line. */
export interface PhysicalTarget {
  readonly path: string
  /** The whole tree below, not the entry alone. */
  readonly tree: boolean
  /** `path` is a directory and this is the pattern behind it. */
  readonly pattern?: readonly GlobPart[]
  /** Nothing but the beginning `path` is known. */
  readonly open?: boolean
  readonly only?: 'untracked' | 'ignored'
  /** `change`: what is there stays but for a part: appended to, edited in place. */
  readonly act: 'delete' | 'write' | 'move' | 'change'
  readonly exists: boolean
  readonly kind?: Stat['kind']
}

/** Paths that a finding lists. */
const MOST_LISTED = 8
/** Entries looked at to find repositories inside a directory. */
const MOST_LOOKED = 5_000

/** Where a finding would be made of nothing but its parts: the effect is put in by the caller. */
export const found = (
  family: Family,
  name: string,
  decision: Decision,
  reason: string,
  extra: { readonly safer?: string; readonly loss?: Loss } = {},
): Finding => ({ rule: `${family}.${name}`, family, decision, reason, ...extra })

/** `1 modified file (a.ts)`, `27 untracked files (a, b, …)`. */
export function counted(word: string, paths: readonly string[], tools: LossTools): string {
  const shown = paths.slice(0, 3).map((path) => tools.show(path))
  const more = paths.length > shown.length ? ', …' : ''
  const thing = word === 'ignored' ? 'path' : 'file'
  return `${paths.length} ${word} ${thing}${paths.length === 1 ? '' : 's'} (${shown.join(', ')}${more})`
}

/** What would be lost, with the sizes of the first few. `paths` are absolute. */
export function* lossOf(paths: readonly string[], root: string, commits: number, sense: PathSense): Asking<Loss> {
  let bytes = 0
  const listed = paths.slice(0, MOST_LISTED)
  for (const path of listed) {
    const stat = yield* ask('stat', { path })
    if (typeof stat === 'object' && stat.kind === 'file') bytes += stat.size
  }
  const cut = root.length + (/[/\\]$/.test(root) ? 0 : 1)
  return {
    paths: listed.map((path) => (path !== root && isInside(path, root, sense) ? path.slice(cut) : path)),
    files: paths.length,
    bytes,
    commits,
  }
}

/** Whether nobody minds the loss of a path: this session made it, the policy says so, or it was copied before. */
export const isNobodys = (path: string, tools: LossTools): boolean =>
  tools.zones(path).has('created') || tools.disposable.some((glob) => glob.matches(path)) || tools.saved(path)

/** Entries that git ignores, as absolute paths, without what known tools build again. `unknown`: cannot be told. */
export function* ignoredOf(root: string, tools: LossTools): Asking<readonly string[] | 'unknown'> {
  // The caller knows that there is a repository: what is missing from the answer is not known.
  const state = yield* ask('git', { repo: root, of: ['ignored'] })
  if (state === 'unknown' || state.ignored === undefined) return 'unknown'
  return state.ignored
    .map((path) => below(root, path, tools.sense))
    .filter((path) => !tools.zones(path).has('regenerable') && !isNobodys(path, tools))
}

/** Repositories inside a directory, other than the one at `root` itself. */
export function* nestedRepo(dir: string, root: string, tools: LossTools): Asking<string | 'none' | 'unknown'> {
  const { sense } = tools
  const own = absolute(root, '.git', sense.flavour)
  const hit = yield* findBelow(dir, {
    flavour: sense.flavour,
    found: (path) => basename(path, sense.flavour) === '.git' && path !== own,
    mayContain: (path) => path !== own && !tools.zones(path).has('regenerable') && !tools.zones(path).has('created'),
    budget: { entries: MOST_LOOKED },
  })
  return typeof hit === 'string' ? hit : parentsOf(hit.path, sense.flavour)[0]!
}

/** What a repository holds that no remote has: files, commits. `undefined`: nothing. */
export function* onlyHere(root: string, tools: LossTools): Asking<string | undefined | 'unknown'> {
  const work = yield* workOf(root, tools.earlier(root), tools.sense)
  if (work === 'none') return undefined
  const state = yield* factsOf(root, ['head', 'remotes', 'stashes'])
  if (work === 'unknown' || typeof state === 'string') return 'unknown'
  const parts: string[] = []
  const files = [
    ['modified', work.modified],
    ['staged', work.staged],
    ['untracked', work.untracked],
  ] as const
  for (const [word, paths] of files) if (paths.size > 0) parts.push(counted(word, [...paths], tools))
  const alone = unpushed(state, work)
  if (alone === undefined) parts.push('commits whose state is unknown')
  else if (alone > 0) parts.push(commitsSaid(alone))
  if ((state.stashes ?? 0) > 0) parts.push(`${state.stashes} stash${state.stashes === 1 ? '' : 'es'}`)
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** Commits of HEAD that no remote holds; `Infinity` where there is no remote; undefined where it cannot be told. */
export function unpushed(state: GitState, work: Work): number | undefined {
  if (work.pushed) return work.commits
  const { ahead, upstream, remotes } = state
  if (remotes !== undefined && Object.keys(remotes).length === 0) return Number.POSITIVE_INFINITY
  if (ahead === undefined) return undefined
  if (upstream === null && ahead === 0 && remotes === undefined) return undefined
  return ahead + work.commits
}

export const commitsSaid = (count: number): string =>
  count === Number.POSITIVE_INFINITY
    ? 'commits that are unpushed, since there is no remote'
    : `${count} unpushed commit${count === 1 ? '' : 's'}`

export const SAVE = 'git stash -u'

/** How a set of lost files is judged: as a whole, or by name and number. */
export function weigh(region: Pick<Region, 'whole' | 'unknown'>, files: number): Decision {
  if (files === 0) return region.unknown ? 'ask' : 'pass'
  return region.whole || files > MOST_ASKED ? 'deny' : 'ask'
}

/** Findings for files of one kind or several, said in one sentence. */
export function* filesLost(
  what: string,
  lists: readonly (readonly [word: string, paths: readonly string[]])[],
  region: Region,
  root: string,
  tools: LossTools,
  safer: string,
): Asking<readonly Finding[]> {
  const given = lists
    .map(([word, paths]) => [word, paths.filter((path) => !isNobodys(path, tools))] as const)
    .filter(([, paths]) => paths.length > 0)
  const all = [...new Set(given.flatMap(([, paths]) => paths))]
  const decision = weigh({ whole: region.whole, unknown: false }, all.length)
  if (decision === 'pass') return []
  const name = given[0]![0] === 'untracked' ? 'untracked' : given[0]![0] === 'ignored' ? 'ignored' : 'worktree'
  const said = given.map(([word, paths]) => counted(word, paths, tools)).join(' and ')
  return [
    found('loss', name, decision, `${what} ${said}, which ${all.length === 1 ? 'exists' : 'exist'} nowhere else`, {
      safer,
      loss: yield* lossOf(all, root, 0, tools.sense),
    }),
  ]
}

export const unknownState = (what: string, region: Region): Finding =>
  found(
    'loss',
    'unknown',
    region.whole ? 'deny' : 'ask',
    `${what} what git could not count in time, so modified or untracked files may go`,
    {
      safer: SAVE,
    },
  )

/** A linked work tree goes as a whole; its commits stay in the repository. */
export function* workTree(path: string, tools: LossTools): Asking<readonly Finding[]> {
  const { sense } = tools
  const repo = yield* repoOf(path, sense.flavour)
  if (repo === 'none' || (repo !== 'unknown' && repo.root !== path)) return []
  if (isNobodys(path, tools)) return []
  const region: Region = { whole: true, unknown: false, touches: () => true, names: () => false, paths: [path] }
  const work = repo === 'unknown' ? 'unknown' : yield* workOf(path, tools.earlier(path), sense)
  if (work === 'none') return []
  if (work === 'unknown') return [unknownState('removes a work tree with', region)]
  const lists = [
    ['modified', [...work.modified]],
    ['staged', [...work.staged].filter((one) => !work.modified.has(one))],
    ['untracked', [...work.untracked]],
  ] as const
  return yield* filesLost(
    `removes the work tree ${tools.show(path)} with`,
    lists,
    region,
    path,
    tools,
    'commit or stash there first; without --force git refuses by itself',
  )
}
