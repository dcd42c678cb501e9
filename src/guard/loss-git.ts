/** What is lost by a git operation (`state.md` 1 to 5, 12). */
import type { Effect } from '../core/effect.ts'
import type { GitOp } from '../core/git-op.ts'
import type { Asking, GitState } from '../core/question.ts'
import { textsOf } from '../core/value.ts'
import type { Finding } from '../core/verdict.ts'
import { compileGlob } from '../paths/glob.ts'
import { absolute, isInside, parentsOf } from '../paths/lexical.ts'
import { factsOf, historyOf, type Work, workOf } from './git-state.ts'
import {
  commitsSaid,
  filesLost,
  found,
  ignoredOf,
  isNobodys,
  type LossTools,
  lossOf,
  onlyHere,
  SAVE,
  unknownState,
  unpushed,
  workTree,
} from './loss-tools.ts'
import { judgePush } from './push.ts'
import { gitRegion } from './region.ts'

/** The directory that a git effect starts in. The planner notes it; without it the root is the best guess. */
const startOf = (effect: Effect, root: string): string =>
  effect.note?.startsWith('/') || /^[A-Z]:/i.test(effect.note ?? '') ? effect.note! : root

/** Judges one git operation of a plan. Findings carry the effect; without any, nothing is lost. */
export function* judgeGit(effect: Effect, tools: LossTools): Asking<readonly Finding[]> {
  if (effect.target.is !== 'git') return []
  const { op, repo } = effect.target
  const findings = repo === undefined ? unseen(op) : yield* judge(op, repo, startOf(effect, repo), tools)
  return findings.map((finding) => ({ ...finding, effect, via: effect.via }))
}

/** A repository that nobody can look at: what is known to lose something as a whole is refused, the rest asks. */
function unseen(op: GitOp): readonly Finding[] {
  const where = 'a repository that is not known'
  switch (op.is) {
    case 'discard':
    case 'clean': {
      const named = op.paths.is === 'paths'
      const verb = op.is === 'clean' ? 'deletes untracked files' : 'discards changes'
      return [found('loss', 'worktree', named ? 'ask' : 'deny', `${verb} in ${where}`, { safer: 'git stash -u' })]
    }
    case 'remove':
      return op.force && !op.cached ? [found('loss', 'worktree', 'ask', `removes files by force in ${where}`)] : []
    case 'drop-recovery':
      return [found('loss', 'recovery', op.what === 'reflog' ? 'deny' : 'ask', `removes recovery data of ${where}`)]
    case 'rewrite':
      return [found('loss', 'history', op.what === 'history' ? 'deny' : 'ask', `rewrites commits of ${where}`)]
    case 'delete-branch':
      return op.force && !op.remote ? [found('loss', 'branch', 'ask', `deletes a branch by force in ${where}`)] : []
    case 'stash-drop':
      return [found('loss', 'stash', op.all ? 'deny' : 'ask', `drops stashes of ${where}`)]
    case 'worktree-remove':
      return op.force ? [found('loss', 'worktree', 'deny', `removes a work tree by force in ${where}`)] : []
    case 'delete-ref':
    case 'force-branch':
    case 'delete-tag':
      return [found('loss', 'branch', 'ask', `moves or deletes a reference of ${where}`)]
    case 'push':
      return judgePush(op, { state: {}, work: undefined })
    default:
      return []
  }
}

function* judge(op: GitOp, root: string, start: string, tools: LossTools): Asking<readonly Finding[]> {
  if (op.is === 'push') {
    const needed = op.refspecs.some((spec) => !spec.delete) || op.refspecs.length === 0
    const state = yield* factsOf(root, needed ? ['head', 'remotes', 'tags'] : ['head', 'remotes'])
    if (state === 'none') return []
    const work = historyOf(root, tools.earlier(root), tools.sense)
    return judgePush(op, { state: state === 'unknown' ? {} : state, work })
  }
  // A repository that this session made holds nothing of anybody else's.
  if (isNobodys(root, tools)) return []
  switch (op.is) {
    case 'discard':
      return yield* discard(op, root, start, tools)
    case 'clean':
      return yield* clean(op, root, start, tools)
    case 'remove':
      return op.force && !op.cached ? yield* removal(op, root, start, tools) : []
    case 'delete-branch':
      return op.force && !op.remote
        ? yield* branches(
            op.names.map((arg) => textsOf(arg.value)),
            root,
            tools,
          )
        : []
    case 'force-branch':
      return yield* moved(op.name, root, tools)
    case 'delete-tag': {
      const state = yield* factsOf(root, ['tags'])
      if (state === 'none') return []
      const tags = state === 'unknown' ? undefined : state.tags
      const names = op.names.flatMap((arg) => textsOf(arg.value) ?? ['?'])
      const there = names.filter((name) => name === '?' || tags === undefined || tags.includes(name))
      if (there.length === 0) return []
      return [
        found('loss', 'tag', 'ask', `the tag ${there.join(', ')} is deleted, which may be all that holds its commits`, {
          safer: 'git tag -l, and keep what is not yours',
        }),
      ]
    }
    case 'delete-ref':
      return yield* reference(op.name, root, tools)
    case 'stash-drop':
      return yield* stash(op.all, root, tools)
    case 'drop-recovery':
      return op.what === 'reflog'
        ? [
            found(
              'loss',
              'recovery',
              'deny',
              'removes recovery data: without the reflog, commits that were left cannot be found again',
              {
                safer: 'leave the reflog alone; git drops old entries by itself',
              },
            ),
          ]
        : [
            found(
              'loss',
              'recovery',
              'ask',
              'removes objects that no branch holds, dropped stashes and lost commits among them',
              {
                safer: 'git gc',
              },
            ),
          ]
    case 'rewrite':
      return yield* rewrite(op, root, tools)
    case 'worktree-remove': {
      if (!op.force) return []
      const texts = textsOf(op.path.value)
      if (texts === undefined)
        return [found('loss', 'worktree', 'ask', 'removes by force a work tree that is not known')]
      const out: Finding[] = []
      for (const text of texts) out.push(...(yield* workTree(absolute(start, text, tools.sense.flavour), tools)))
      return out
    }
    default:
      return []
  }
}

function* discard(
  op: Extract<GitOp, { is: 'discard' }>,
  root: string,
  start: string,
  tools: LossTools,
): Asking<readonly Finding[]> {
  const region = gitRegion(op.paths, root, start, tools.sense)
  const findings: Finding[] = []
  if (op.submodules) {
    findings.push(
      found('loss', 'submodule', 'ask', 'discards changes inside submodules, which cannot be counted from here', {
        safer: 'git submodule update',
      }),
    )
    return findings
  }
  const work =
    op.keeps && !op.staged
      ? historyOf(root, tools.earlier(root), tools.sense)
      : yield* workOf(root, tools.earlier(root), tools.sense)
  if (work === 'none') return []
  if (work === 'unknown') findings.push(unknownState('discards', region))
  else {
    const hit = (path: string) => region.whole || region.touches(path)
    const modified = op.keeps ? [] : [...work.modified].filter(hit)
    const staged = op.staged ? [...work.staged].filter((path) => hit(path) && !modified.includes(path)) : []
    // Content from elsewhere also replaces a file that git does not track, where it is named.
    const untracked = op.from === undefined ? [] : [...work.untracked].filter((path) => region.names(path))
    const lists = [
      ['modified', modified],
      ['staged', staged],
      ['untracked', untracked],
    ] as const
    findings.push(...(yield* filesLost('discards', lists, region, root, tools, SAVE)))
    if (work.murky && findings.length === 0) {
      findings.push(
        found(
          'loss',
          'worktree',
          region.whole ? 'deny' : 'ask',
          'discards what an earlier step of this line brought back',
          { safer: SAVE },
        ),
      )
    }
    if (region.unknown && findings.length === 0 && (work.modified.size > 0 || (op.staged && work.staged.size > 0))) {
      findings.push(
        found('loss', 'worktree', 'ask', 'may discard modified files: its target is not known', {
          safer: 'name the file or branch, or git stash -u first',
        }),
      )
    }
  }
  if (op.moves !== undefined) findings.push(...(yield* commitsLost(op.moves, root, tools)))
  return findings
}

/** How many commits a revision lies behind HEAD, where its text says so. */
function stepsBack(revision: string): number | undefined {
  const match = /^(?:HEAD|@)((?:~\d*|\^)*)$/.exec(revision)
  if (!match) return undefined
  let steps = 0
  for (const [, number] of match[1]!.matchAll(/[~^](\d*)/g)) steps += number === '' ? 1 : Number(number)
  return steps
}

/** Commits that only the branch here holds and that it leaves when it moves to `revision`. */
function* commitsLost(revision: string, root: string, tools: LossTools): Asking<readonly Finding[]> {
  const steps = stepsBack(revision)
  if (steps === 0) return []
  const state = yield* factsOf(root, ['head', 'remotes'])
  if (state === 'none') return []
  const work = historyOf(root, tools.earlier(root), tools.sense)
  const safer = 'git branch keep, or push them first'
  if (state === 'unknown') {
    return [
      found(
        'loss',
        'unpushed',
        'deny',
        `moves the branch to ${revision}; whether its commits are pushed could not be told`,
        { safer },
      ),
    ]
  }
  const branch = work.branch ?? state.branch
  if (revision === branch) return []
  const alone = yield* aloneOf(state, work, root)
  if (alone === 0) return []
  if (alone !== undefined && (yield* heldElsewhere(branch, work, root))) return []
  const lost = alone === undefined ? undefined : Math.min(alone, steps ?? alone)
  const said =
    lost === undefined
      ? 'commits, perhaps unpushed ones,'
      : lost === Number.POSITIVE_INFINITY
        ? 'unpushed commits'
        : commitsSaid(lost)
  return [
    found(
      'loss',
      'unpushed',
      alone === undefined && work.branch !== undefined ? 'ask' : 'deny',
      `moves the branch to ${revision} and leaves ${said} that no remote and no other branch holds`,
      {
        safer,
        loss: {
          paths: [],
          files: 0,
          bytes: 0,
          commits: lost === undefined || lost === Number.POSITIVE_INFINITY ? 1 : lost,
        },
      },
    ),
  ]
}

/** Commits of the branch here that no remote holds, where this line may have gone to another branch. */
function* aloneOf(state: GitState, work: Work, root: string): Asking<number | undefined> {
  const { branch } = work
  if (branch === undefined || branch === state.branch) return unpushed(state, work)
  // A branch made on this line stands where another one stands, which goes on holding its commits.
  if (work.made.has(branch)) return work.commits
  const facts = yield* factsOf(root, ['branches'])
  const own =
    typeof facts === 'object' && facts.branches && Object.hasOwn(facts.branches, branch)
      ? facts.branches[branch]
      : undefined
  return own?.pushed ? work.commits : undefined
}

/** Whether another branch holds all that a branch holds. Commits of this line are in no other branch. */
function* heldElsewhere(branch: string | null | undefined, work: Work, root: string): Asking<boolean> {
  if (!branch || work.commits > 0) return false
  const state = yield* factsOf(root, ['branches'])
  return typeof state === 'object' && state.branches?.[branch]?.merged === true
}

function* clean(
  op: Extract<GitOp, { is: 'clean' }>,
  root: string,
  start: string,
  tools: LossTools,
): Asking<readonly Finding[]> {
  const { sense } = tools
  const region = gitRegion(op.paths, root, start, sense)
  const work = yield* workOf(root, tools.earlier(root), sense)
  if (work === 'none') return []
  const ignored = op.ignored ? yield* ignoredOf(root, tools) : []
  if (work === 'unknown' || ignored === 'unknown') return [unknownState('deletes', region)]
  const keeps = (op.keeps ?? [])
    .flatMap((arg) => textsOf(arg.value) ?? [])
    .map((text) => {
      const name = text.replace(/^\/|\/$/g, '')
      return compileGlob(name.includes('/') ? name : `**/${name}`, root, { ...sense, closed: 'none' })
    })
  const kept = (path: string) =>
    keeps.some((glob) => [path, ...parentsOf(path, sense.flavour)].some((one) => glob.matches(one)))
  const hit = (path: string) =>
    (region.whole || region.touches(path) || region.paths.some((one) => isInside(one, path, sense))) && !kept(path)
  const lists = [
    ['untracked', op.untracked ? [...work.untracked].filter(hit) : []],
    ['ignored', ignored.filter(hit)],
  ] as const
  const findings = [
    ...(yield* filesLost(
      'deletes',
      lists,
      region,
      root,
      tools,
      op.ignored ? 'git clean -n first, or git stash -a' : 'git clean -n first, or git stash -u',
    )),
  ]
  if (work.murky && findings.length === 0 && op.untracked) {
    findings.push(
      found(
        'loss',
        'untracked',
        region.whole ? 'deny' : 'ask',
        'deletes untracked files that an earlier step of this line brought back',
        { safer: SAVE },
      ),
    )
  }
  if (op.nested) {
    for (const inner of work.repos.filter(hit)) {
      const only = yield* onlyHere(inner, tools)
      if (only === undefined || isNobodys(inner, tools)) continue
      const what = only === 'unknown' ? 'work that could not be counted' : only
      findings.push(
        found(
          'loss',
          'repository',
          only === 'unknown' ? 'ask' : 'deny',
          `deletes the repository ${tools.show(inner)} with ${what}`,
          {
            safer: 'leave out the second -f',
          },
        ),
      )
    }
  }
  return findings
}

function* removal(
  op: Extract<GitOp, { is: 'remove' }>,
  root: string,
  start: string,
  tools: LossTools,
): Asking<readonly Finding[]> {
  const region = gitRegion(op.paths, root, start, tools.sense)
  const work = yield* workOf(root, tools.earlier(root), tools.sense)
  if (work === 'none') return []
  if (work === 'unknown') return [unknownState('removes', region)]
  const hit = (path: string) => region.whole || region.touches(path)
  const modified = [...work.modified].filter(hit)
  const lists = [
    ['modified', modified],
    ['staged', [...work.staged].filter((path) => hit(path) && !modified.includes(path))],
  ] as const
  return yield* filesLost('removes by force', lists, region, root, tools, 'git rm without -f, or git stash first')
}

function* branches(
  given: readonly (readonly string[] | undefined)[],
  root: string,
  tools: LossTools,
): Asking<readonly Finding[]> {
  const state = yield* factsOf(root, ['branches'])
  if (state === 'none') return []
  const work = historyOf(root, tools.earlier(root), tools.sense)
  const all = state === 'unknown' ? undefined : state.branches
  const findings: Finding[] = []
  for (const name of given.flatMap((texts) => texts ?? ['?'])) {
    const facts = all && Object.hasOwn(all, name) ? all[name] : undefined
    if (work.made.has(name) && work.commits === 0) continue
    if (facts?.merged || facts?.pushed) continue
    const said = name === '?' ? 'a branch that is not known' : `the branch ${name}`
    findings.push(
      facts === undefined
        ? found(
            'loss',
            'branch',
            'ask',
            `deletes ${said} by force; whether its commits are merged or pushed is not known`,
            { safer: 'git branch -d, which refuses to lose commits' },
          )
        : found('loss', 'branch', 'deny', `deletes ${said} by force: its commits are unpushed and merged nowhere`, {
            safer: 'git branch -d, which refuses to lose commits, or push the branch first',
            loss: { paths: [], files: 0, bytes: 0, commits: 1 },
          }),
    )
  }
  return findings
}

/** A branch is made to point elsewhere: what it alone held is lost. */
function* moved(name: string, root: string, _tools: LossTools): Asking<readonly Finding[]> {
  const state = yield* factsOf(root, ['head', 'branches'])
  if (state === 'none') return []
  const safer = 'make a branch of another name'
  const facts = state === 'unknown' || state.branches === undefined ? undefined : state.branches
  if (facts !== undefined && !Object.hasOwn(facts, name) && name !== 'HEAD') return []
  const own = facts?.[name]
  const isDefault = state !== 'unknown' && name === state.defaultBranch
  if ((own?.merged || own?.pushed) && !isDefault) return []
  if (own !== undefined && !own.merged && !own.pushed) {
    return [
      found(
        'loss',
        'branch',
        'deny',
        `moves the branch ${name} away from commits that are unpushed and merged nowhere`,
        { safer, loss: { paths: [], files: 0, bytes: 0, commits: 1 } },
      ),
    ]
  }
  return [
    found(
      'loss',
      'branch',
      'ask',
      `moves the branch ${name}; ${isDefault ? 'it is the default branch' : 'whether its commits are held elsewhere is not known'}`,
      { safer },
    ),
  ]
}

function* reference(name: string, root: string, tools: LossTools): Asking<readonly Finding[]> {
  const branch = /^refs\/heads\/(.+)$/.exec(name)?.[1]
  if (branch !== undefined) return yield* branches([[branch]], root, tools)
  if (name.startsWith('refs/remotes/')) return []
  if (name === 'refs/stash') return yield* stash(true, root, tools)
  return [
    found('loss', 'branch', 'ask', `deletes the reference ${name}, which may be all that holds its commits`, {
      safer: 'keep the reference',
    }),
  ]
}

function* stash(all: boolean, root: string, tools: LossTools): Asking<readonly Finding[]> {
  const work = historyOf(root, tools.earlier(root), tools.sense)
  const safer = 'git stash list, and git stash branch to keep one'
  if (work.stashed.length > 0) {
    const whole = yield* workOf(root, tools.earlier(root), tools.sense)
    const last = whole === 'unknown' || whole === 'none' ? undefined : whole.stashed.at(-1)
    const files = last === undefined ? [] : [...last.modified, ...last.staged, ...last.untracked]
    if (last === undefined || files.length > 0) {
      return [
        found('loss', 'stash', 'deny', 'drops the stash that this line has just put its work into', {
          safer: 'git stash pop',
          loss: yield* lossOf(files, root, 0, tools.sense),
        }),
      ]
    }
  }
  const state = yield* factsOf(root, ['stashes'])
  if (state === 'none') return []
  const count = state === 'unknown' ? undefined : state.stashes
  if (count === 0) return []
  return all
    ? [
        found(
          'loss',
          'stash',
          'deny',
          `clears ${count === undefined ? 'all stashes' : `${count} stash${count === 1 ? '' : 'es'}`}, which exist nowhere else`,
          { safer },
        ),
      ]
    : [
        found(
          'loss',
          'stash',
          'ask',
          `drops a stash${count === undefined ? '' : ` (of ${count})`}, which exists nowhere else`,
          { safer },
        ),
      ]
}

function* rewrite(op: Extract<GitOp, { is: 'rewrite' }>, root: string, tools: LossTools): Asking<readonly Finding[]> {
  if (op.what === 'history') {
    return [
      found('loss', 'history', 'deny', 'rewrites the whole history of the repository', {
        safer: 'work on a fresh clone',
      }),
    ]
  }
  const state = yield* factsOf(root, ['head', 'remotes'])
  if (state === 'none') return []
  const safer = op.what === 'amend' ? 'make a new commit' : 'git merge, or rebase only commits that are not pushed'
  const verb = op.what === 'amend' ? 'amends' : 'rebases'
  if (state === 'unknown')
    return [found('loss', 'history', 'ask', `${verb} commits that may be pushed already`, { safer })]
  const work = historyOf(root, tools.earlier(root), tools.sense)
  if (
    op.what === 'rebase' &&
    op.onto !== undefined &&
    (op.onto === state.upstream || /^@\{u(?:pstream)?\}$/.test(op.onto))
  )
    return []
  const alone = yield* aloneOf(state, work, root)
  if (alone === undefined)
    return [found('loss', 'history', 'ask', `${verb} commits that may be pushed already`, { safer })]
  const steps = op.what === 'rebase' && op.onto !== undefined ? stepsBack(op.onto) : op.what === 'amend' ? 1 : undefined
  if (alone > 0 && (steps === undefined || steps <= alone)) return []
  return [found('loss', 'history', 'ask', `${verb} commits that are pushed already`, { safer })]
}
