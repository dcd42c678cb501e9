/** What is lost of commits, branches, tags and stashes. */
import type { GitOp } from '../core/git-op.ts'
import type { Asking, GitState } from '../core/question.ts'
import type { Finding } from '../core/verdict.ts'
import { factsOf, historyOf, type Work, workOf } from './git-state.ts'
import { commitsSaid, found, type LossTools, lossOf, unpushed } from './loss-tools.ts'

/** How many commits a revision lies behind HEAD, where its text says so. */
function stepsBack(revision: string): number | undefined {
  const match = /^(?:HEAD|@)((?:~\d*|\^)*)$/.exec(revision)
  if (!match) return undefined
  let steps = 0
  for (const [, number] of match[1]!.matchAll(/[~^](\d*)/g)) steps += number === '' ? 1 : Number(number)
  return steps
}

/** Commits that only the branch here holds and that it leaves when it moves to `revision`. */
export function* commitsLost(revision: string, root: string, tools: LossTools): Asking<readonly Finding[]> {
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
  if (yield* heldByNew(work, root)) return []
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

/** Whether a branch or tag that this line made where HEAD stands holds it all; one that was there before did not move. */
function* heldByNew(work: Work, root: string): Asking<boolean> {
  if (work.held.size === 0) return false
  const state = yield* factsOf(root, ['branches', 'tags'])
  if (typeof state !== 'object') return false
  const { branches: all, tags = [] } = state
  return [...work.held].some((name) => all !== undefined && !Object.hasOwn(all, name) && !tags.includes(name))
}

export function* branches(
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
export function* moved(name: string, root: string, _tools: LossTools): Asking<readonly Finding[]> {
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

export function* reference(name: string, root: string, tools: LossTools): Asking<readonly Finding[]> {
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

export function* stash(all: boolean, root: string, tools: LossTools): Asking<readonly Finding[]> {
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

export function* rewrite(
  op: Extract<GitOp, { is: 'rewrite' }>,
  root: string,
  tools: LossTools,
): Asking<readonly Finding[]> {
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
