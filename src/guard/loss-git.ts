/** What is lost by a git operation. */
import type { Effect } from '../core/effect.ts'
import type { GitOp } from '../core/git-op.ts'
import type { Asking } from '../core/question.ts'
import { textsOf } from '../core/value.ts'
import type { Finding } from '../core/verdict.ts'
import { compileGlob } from '../paths/glob.ts'
import { absolute, isInside, parentsOf } from '../paths/lexical.ts'
import { factsOf, historyOf, workOf } from './git-state.ts'
import { branches, commitsLost, moved, reference, rewrite, stash } from './loss-history.ts'
import {
  filesLost,
  found,
  ignoredOf,
  isNobodys,
  type LossTools,
  onlyHere,
  SAVE,
  unknownState,
  workTree,
} from './loss-tools.ts'
import { judgePush } from './push.ts'
import { gitRegion } from './region.ts'

/** The directory that a git effect starts in. The planner notes it; without it the root is the best guess. */
export const startOf = (effect: Effect, root: string): string =>
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
