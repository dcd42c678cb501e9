/** What is lost where a path is deleted, replaced or moved. */

import { commonDir } from '../commands/git/call.ts'
import { type Asking, ask } from '../core/question.ts'
import type { GlobPart } from '../core/value.ts'
import type { Finding } from '../core/verdict.ts'
import { absolute, components, dirname, isInside, parentsOf } from '../paths/lexical.ts'
import { type Repo, repoOf } from '../paths/repo.ts'
import { type Work, workOf } from './git-state.ts'
import { gitDir, inTemp, openEnd, outside, said, VERBS } from './loss-places.ts'
import {
  counted,
  found,
  ignoredOf,
  isNobodys,
  type LossTools,
  lossOf,
  nestedRepo,
  onlyHere,
  type PhysicalTarget,
  SAVE,
  weigh,
  workTree,
} from './loss-tools.ts'
import { placeRegion, type Region, takesAll } from './region.ts'
import { MOST_ASKED } from './subject.ts'

/** Entries counted where there is no git to ask. */
const MOST_COUNTED = 2_000

/**
 * Judges the loss of what lies at a path. Findings have no effect yet; the caller puts it in. Nothing is lost where
 * nothing is there, where the session made it, where the policy says so, or where git or a tool brings it back.
 */
export function* judgeLossOfPath(target: PhysicalTarget, tools: LossTools): Asking<readonly Finding[]> {
  const findings = yield* judge(target, tools)
  const identity = {
    act: target.act,
    target: target.pattern || target.open ? `${target.path}/*` : target.path,
    tree: target.tree && target.kind === 'dir',
  }
  return findings.map((finding) => ({ ...finding, identity }))
}

function* judge(target: PhysicalTarget, tools: LossTools): Asking<readonly Finding[]> {
  const { path } = target
  if (!target.exists && !target.pattern && !target.open) return []
  if (target.act === 'write' && target.kind === 'dir' && !target.tree && !target.pattern) return []
  const zones = tools.zones(path)
  if (zones.has('stream') || zones.has('device')) return []
  if (target.act === 'change') return yield* changeOutside(target, tools)
  // A beginning that nothing follows is the directory before it.
  if (target.open) return openEnd(target, tools)
  if (isNobodys(path, tools)) return []
  const root = rootAt(target, tools)
  if (root !== undefined) return [root]
  if (zones.has('git-dir')) return gitDir(target, tools)
  const start = tools.origin(path)
  const repo = yield* repoOf(start, tools.sense.flavour)
  if (repo !== 'none' && repo !== 'unknown' && repo.linked && isOurs(repo, tools)) {
    if (repo.root === path && target.tree) return target.act === 'move' ? [] : yield* workTree(path, tools)
    return yield* inRepo(target, start, repo, tools)
  }
  if (zones.has('temp')) return yield* inTemp(target, tools)
  if (!zones.has('project')) return outside(target, tools)
  if (target.act === 'move') return []
  if (repo === 'unknown') return [uncounted(target, target.tree, tools)]
  if (repo === 'none') return yield* withoutGit(target, tools)
  return yield* inRepo(target, start, repo, tools)
}

/** Inside the project, in temp and in what is built again a change in place loses nothing; elsewhere it is asked about. */
function* changeOutside(target: PhysicalTarget, tools: LossTools): Asking<readonly Finding[]> {
  const zones = tools.zones(target.path)
  if (target.open || target.kind === 'dir' || isNobodys(target.path, tools)) return []
  if (zones.has('project') || zones.has('temp') || zones.has('regenerable') || zones.has('git-dir')) return []
  const repo = yield* repoOf(target.path, tools.sense.flavour)
  if (repo !== 'none' && repo !== 'unknown' && repo.linked && isOurs(repo, tools)) return []
  return outside(target, tools)
}

/** A linked work tree of a repository of ours. */
const isOurs = (repo: Repo, tools: LossTools): boolean => {
  const main = dirname(commonDir(repo), tools.sense.flavour)
  return tools.workspaces.some(
    (root) =>
      isInside(root, main, tools.sense) || isInside(main, root, tools.sense) || isInside(repo.root, root, tools.sense),
  )
}

/** A workspace, home, a file system or the whole of temp: never as a whole. */
function rootAt(target: PhysicalTarget, tools: LossTools): Finding | undefined {
  const { path, pattern } = target
  const all = pattern === undefined ? target.tree || target.act === 'move' : takesAll(pattern)
  if (!all || target.act === 'write' || target.act === 'change') return undefined
  const verb = VERBS[target.act]
  const { sense } = tools
  const is = (name: string, why: string): Finding =>
    found(
      'loss',
      name,
      'deny',
      `${verb} ${path}${pattern ? (path.endsWith('/') ? '*' : '/*') : ''} (recursive): ${why}`,
      {
        safer: 'name the files that are meant',
      },
    )
  const parts = components(path, sense.flavour).length
  if (parts === 0) return is('root', 'the whole file system')
  if (isInside(tools.home, path, sense)) return is('home', 'the home directory lies in it')
  const zones = tools.zones(path)
  if (zones.has('temp') && !tools.zones(dirname(path, sense.flavour)).has('temp'))
    return is('temp', 'other programs keep their files there')
  if (zones.has('system') && parts <= 2) return is('system', 'it belongs to the system')
  if (target.only !== undefined) return undefined
  const above = tools.workspaces.find((root) => isInside(root, path, sense) && (pattern === undefined || root !== path))
  return above === undefined ? undefined : is('project', 'the whole project with its history would be lost')
}

const uncounted = (target: PhysicalTarget, bulk: boolean, tools: LossTools): Finding =>
  found(
    'loss',
    'unknown',
    bulk ? 'deny' : 'ask',
    `${VERBS[target.act]} ${said(target, tools)}; how many modified or untracked files that is could not be counted`,
    {
      safer: 'git stash -u, or name fewer files',
    },
  )

/** A project without git: every file is the only copy of itself. */
function* withoutGit(target: PhysicalTarget, tools: LossTools): Asking<readonly Finding[]> {
  if (tools.zones(target.path).has('regenerable')) return []
  const dir = target.kind === 'dir' || target.pattern !== undefined
  const files = dir ? yield* count(target, tools) : [target.path]
  if (files === 'unknown') return [uncounted(target, true, tools)]
  if (files.length === 0) return []
  const whole = target.pattern !== undefined && takesAll(target.pattern) && tools.workspaces.includes(target.path)
  return [
    found(
      'loss',
      'untracked',
      weigh({ whole, unknown: false }, files.length),
      `${VERBS[target.act]} ${counted('untracked', files, tools)} of a project without git`,
      {
        safer: 'git init and commit first, or copy them',
        loss: yield* lossOf(files, target.path, 0, tools.sense),
      },
    ),
  ]
}

const textOfPart = (part: GlobPart): string => (part.is === 'text' ? part.text : '')

/** Files below a directory that are somebody's, as many as decide. */
function* count(target: PhysicalTarget, tools: LossTools): Asking<readonly string[] | 'unknown'> {
  const region = placeRegion(target, target.path, tools.sense)
  // A pattern may mean names at any depth, or at a depth of its own.
  const deep = target.pattern?.some((part) => part.is === 'deep' || part.is === 'any' || /[/\\]/.test(textOfPart(part)))
  const files: string[] = []
  const todo = [target.path]
  let seen = 0
  for (let dir = todo.pop(); dir !== undefined && files.length <= MOST_ASKED; dir = todo.pop()) {
    const listed = yield* ask('list', { dir, limit: MOST_COUNTED })
    if (listed === 'unknown') return 'unknown'
    if (listed === 'absent') continue
    seen += listed.entries.length
    if (listed.cut || seen > MOST_COUNTED) return 'unknown'
    for (const { name, kind } of listed.entries) {
      const path = absolute(dir, name, tools.sense.flavour)
      const zones = tools.zones(path)
      if (zones.has('regenerable') || isNobodys(path, tools)) continue
      if (kind === 'dir') {
        if (target.tree || deep) todo.push(path)
      } else if (region.touches(path)) files.push(path)
    }
  }
  return files
}

function* inRepo(target: PhysicalTarget, start: string, repo: Repo, tools: LossTools): Asking<readonly Finding[]> {
  const { sense } = tools
  const { root } = repo
  const work: Work | 'none' | 'unknown' = yield* workOf(root, tools.earlier(root), sense)
  if (work === 'none') return yield* withoutGit(target, tools)
  // The place as git knows it: a renamed file keeps the state of its old name.
  const region = placeRegion({ ...target, path: start }, root, sense)
  const bulk = region.whole || (target.only !== undefined && isInside(root, start, sense))
  if (work === 'unknown') return [uncounted(target, bulk || target.tree || target.pattern !== undefined, tools)]
  const wanted = (path: string): boolean =>
    region.touches(path) && !isNobodys(path, tools) && !isRenamedAway(path, start, tools)
  const inEntry = (entry: string): boolean =>
    wanted(entry) || (isInside(start, entry, sense) && !isNobodys(start, tools))
  const modified = target.only === undefined ? [...work.modified].filter(wanted) : []
  const untracked = target.only === 'ignored' ? [] : [...work.untracked].filter(inEntry)
  const lists: (readonly [string, readonly string[]])[] = [
    ['modified', modified],
    ['untracked', untracked],
  ]
  const counts = modified.length + untracked.length
  // What is unpacked here has names of its own: an archive of a project leaves out what the project ignores.
  const unpacked = target.act === 'write' && target.tree
  if (
    target.only !== 'untracked' &&
    !unpacked &&
    !tools.zones(target.path).has('regenerable') &&
    (counts <= MOST_ASKED || region.whole)
  ) {
    const ignored = yield* ignoredOf(root, tools)
    if (ignored === 'unknown') return [uncounted(target, bulk, tools)]
    lists.push(['ignored', ignored.filter(inEntry)])
  }
  const findings: Finding[] = []
  const given = lists.filter(([, paths]) => paths.length > 0)
  const all = [...new Set(given.flatMap(([, paths]) => paths))]
  const decision = weigh({ whole: bulk, unknown: region.unknown }, all.length)
  if (decision !== 'pass') {
    const name = given.length === 0 ? 'unknown' : given[0]![0] === 'modified' ? 'worktree' : given[0]![0]
    const what = given.map(([word, paths]) => counted(word, paths, tools)).join(' and ') || said(target, tools)
    // The stash takes ignored files along only where it is told to.
    const keep = given.some(([word]) => word === 'ignored') ? 'git stash -a' : SAVE
    findings.push(
      found(
        'loss',
        name,
        decision,
        `${VERBS[target.act]} ${what}, which ${all.length === 1 ? 'exists' : 'exist'} nowhere else`,
        {
          safer: target.act === 'write' ? `edit the file, or ${keep} first` : `${keep}, or name only what may go`,
          loss: yield* lossOf(all, root, 0, sense),
        },
      ),
    )
  }
  if (
    target.act === 'delete' &&
    target.only === undefined &&
    (target.tree || target.pattern !== undefined) &&
    target.kind !== 'file'
  ) {
    findings.push(...(yield* nested(target, region, root, tools)))
  }
  return findings
}

/** A path that was moved away earlier on this line is not there any more. */
const isRenamedAway = (path: string, start: string, tools: LossTools): boolean =>
  path !== start && tools.origin(path) !== path && !isInside(path, start, tools.sense)

/** A repository inside the tree holds what the outer one knows nothing of. */
function* nested(target: PhysicalTarget, region: Region, root: string, tools: LossTools): Asking<readonly Finding[]> {
  if (tools.zones(target.path).has('regenerable')) return []
  const inner = yield* nestedRepo(target.path, root, tools)
  if (inner === 'none') return []
  if (inner === 'unknown') {
    return [
      found(
        'loss',
        'repository',
        'ask',
        `deletes ${said(target, tools)}, too large to be looked through for repositories inside`,
        {
          safer: 'delete smaller parts by name',
        },
      ),
    ]
  }
  if (target.pattern && ![inner, ...parentsOf(inner, tools.sense.flavour)].some((path) => region.touches(path)))
    return []
  const only = yield* onlyHere(inner, tools)
  if (only === undefined) return []
  return [
    found(
      'loss',
      'repository',
      only === 'unknown' ? 'ask' : 'deny',
      `deletes the repository ${tools.show(inner)} with ${only === 'unknown' ? 'work that could not be counted' : only}`,
      {
        safer: 'commit and push there first',
      },
    ),
  ]
}
