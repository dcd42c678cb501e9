/** What a push does to branches and tags that others see. Pure. */
import type { GitOp } from '../core/git-op.ts'
import type { GitState } from '../core/question.ts'
import type { Decision, Family, Finding } from '../core/verdict.ts'
import type { Work } from './git-state.ts'

type Push = Extract<GitOp, { readonly is: 'push' }>

/** Branches that several people share by their usual names. */
const SHARED =
  /^(?:main|master|trunk|develop|dev|staging|production|prod|stable|next|release(?:[/-].*)?|hotfix(?:es)?|gh-pages)$/
/** Names of default branches, where git does not know which one it is. */
const DEFAULTS = /^(?:main|master|trunk)$/
const VERSION = /^v?\d+(?:\.\d+)+(?:[-+.][\w.+-]*)?$/

interface Known {
  readonly state: GitState
  readonly work: Work | undefined
}

const found = (family: Family, name: string, decision: Decision, reason: string, safer: string): Finding => ({
  rule: `${family}.${name}`,
  family,
  decision,
  reason,
  safer,
})

const short = (ref: string): string => ref.replace(/^refs\/heads\//, '')

/** Findings of one push. An empty list: an ordinary push of one's own branch. */
export function judgePush(op: Push, { state, work }: Known): readonly Finding[] {
  const remote = op.remote ?? 'the remote'
  if (op.mirror || op.prune) {
    const option = op.mirror ? '--mirror' : '--prune'
    return [
      found(
        'loss',
        'remote-history',
        'deny',
        `push ${option} deletes at ${remote} what is not here`,
        `git push ${op.remote ?? ''} <branch>`.replace('  ', ' '),
      ),
    ]
  }
  const findings: Finding[] = []
  const here = work?.branch ?? state.branch ?? undefined
  // A branch that this line went to has an upstream of its own, most often of its own name.
  const moved = work?.branch !== undefined && work.branch !== state.branch
  const upstream = moved ? undefined : state.upstream?.replace(/^[^/]+\//, '')
  const isDefault = (name: string) =>
    (state.defaultBranch ? name === state.defaultBranch : false) || DEFAULTS.test(name)
  const target = (spec: { readonly to: string; readonly from: string }): string | undefined => {
    const to = short(spec.to)
    return to === 'HEAD' || to === '@' ? here : to
  }
  const isTag = (spec: Push['refspecs'][number]): boolean => {
    if (/^refs\/tags\//.test(spec.to) || /^refs\/tags\//.test(spec.from)) return true
    if (state.branches && Object.hasOwn(state.branches, spec.to)) return false
    return state.tags?.includes(spec.to) || (VERSION.test(spec.to) && spec.to !== here)
  }

  const specs =
    op.refspecs.length > 0
      ? op.refspecs
      : op.all || op.tags
        ? []
        : [
            {
              from: 'HEAD',
              to: op.remote === undefined && upstream ? upstream : (here ?? 'HEAD'),
              force: false,
              delete: false,
            },
          ]
  for (const spec of specs) {
    const name = target(spec)
    const said = name ?? 'the branch here'
    if (spec.delete) {
      findings.push(
        found(
          'loss',
          'remote-history',
          'deny',
          `deletes ${said} at ${remote}`,
          'let the person delete it after a look at it',
        ),
      )
      continue
    }
    const force = op.force || spec.force
    const wide = spec.to.includes('*') || (spec.from === '' && spec.to === '')
    if (force && !op.lease) {
      const tag = isTag(spec) ? 'the tag ' : ''
      findings.push(
        found(
          'loss',
          'remote-history',
          'deny',
          `a push by force replaces ${tag}${said} at ${remote}, with commits of others`,
          'git pull --rebase, then a plain git push',
        ),
      )
      continue
    }
    if (op.lease) {
      const shared = name === undefined || wide || spec.unknown || isDefault(name) || SHARED.test(name)
      findings.push(
        shared
          ? found(
              'loss',
              'remote-history',
              'deny',
              `rewrites ${said} at ${remote}, which others share`,
              'git revert, then a plain git push',
            )
          : found('loss', 'lease', 'ask', `rewrites the branch ${said} at ${remote}`, 'a plain git push'),
      )
      continue
    }
    if (spec.unknown || wide) {
      findings.push(
        found('publish', 'unknown-branch', 'ask', `pushes to ${remote} what is not known by name`, 'name the branch'),
      )
      continue
    }
    if (isTag(spec))
      findings.push(
        found(
          'publish',
          'tag',
          'ask',
          `publishes the tag ${short(spec.to).replace(/^refs\/tags\//, '')} at ${remote}`,
          'let the person publish the tag',
        ),
      )
    else if (name === undefined)
      findings.push(
        found('publish', 'unknown-branch', 'ask', `pushes to ${remote} a branch that is not known`, 'name the branch'),
      )
    else if (isDefault(name))
      findings.push(
        found(
          'publish',
          'default-branch',
          'ask',
          `pushes directly to the default branch ${name} at ${remote}`,
          'push a branch of your own and open a pull request',
        ),
      )
  }
  if (op.all) {
    findings.push(
      op.force || op.lease
        ? found(
            'loss',
            'remote-history',
            'deny',
            `a push by force replaces all branches at ${remote}`,
            'push one branch by name',
          )
        : found(
            'publish',
            'default-branch',
            'ask',
            `pushes all branches to ${remote}, the default branch among them`,
            'push one branch by name',
          ),
    )
  }
  if (op.tags && op.force && specs.length === 0) {
    findings.push(
      found('loss', 'remote-history', 'deny', `a push by force replaces tags at ${remote}`, 'push one tag by name'),
    )
  } else if (op.tags)
    findings.push(found('publish', 'tag', 'ask', `publishes tags at ${remote}`, 'push one branch by name'))
  if (op.unsure && findings.length === 0) {
    findings.push(
      found(
        'publish',
        'unknown-branch',
        'ask',
        'pushes with a word that is not known; it may be an option',
        'write the branch and the options out',
      ),
    )
  }
  if (isStrange(op.remote, state, work)) {
    findings.push(
      found(
        'publish',
        'remote',
        'ask',
        `pushes to ${remote}, which is no remote of this repository so far`,
        'push to a remote that the person set up',
      ),
    )
  }
  return findings
}

/** An address, or a remote of this line: nobody has looked at where it leads. */
function isStrange(remote: string | undefined, state: GitState, work: Work | undefined): boolean {
  if (remote === undefined) return work?.movedRemotes ?? false
  if (state.remotes === undefined) return false
  if (Object.hasOwn(state.remotes, remote)) return work?.newRemotes ?? false
  if (Object.values(state.remotes).includes(remote)) return false
  return /[:/\\]/.test(remote) || (work?.newRemotes ?? false)
}
