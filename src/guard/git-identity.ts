/** Identities of git steps: the same loss by another spelling has the same name. */
import type { GitOp, GitPaths } from '../core/git-op.ts'
import { textOf } from '../core/value.ts'
import type { EffectIdentity } from '../core/verdict.ts'
import { normalise } from '../paths/lexical.ts'

const pathsOf = (paths: GitPaths, at: string): readonly { target: string; tree: boolean }[] =>
  paths.is === 'all'
    ? [{ target: at, tree: true }]
    : paths.paths.map((arg) => ({ target: normalise(absolute(textOf(arg.value) ?? '*', at)), tree: true }))

const absolute = (path: string, at: string): string => (path.startsWith('/') ? path : `${at}/${path}`)

/** Identities of one git step in a repository; `at` is the directory that it runs in. */
export function gitIdentities(op: GitOp, repo: string | undefined, at: string | undefined): readonly EffectIdentity[] {
  if (repo === undefined) return []
  const here = at ?? repo
  switch (op.is) {
    case 'discard':
      return [
        ...pathsOf(op.paths, op.paths.is === 'all' ? repo : here).map((path) => ({ act: 'discard', ...path })),
        // Where the branch already is, nothing moves.
        ...(op.moves && !/^(?:HEAD|@)$/.test(op.moves)
          ? [{ act: 'move-branch', target: `${repo} ${op.moves}`, tree: false }]
          : []),
      ]
    case 'clean':
      return pathsOf(op.paths, here).map((path) => ({ act: 'delete', ...path }))
    case 'push': {
      const remote = op.remote ?? 'origin'
      const force = op.force ? 'force' : op.lease ? 'lease' : op.mirror ? 'mirror' : 'plain'
      if (op.refspecs.length === 0) return [{ act: 'push', target: `${repo} ${remote} ${force} HEAD`, tree: false }]
      return op.refspecs.map((spec) => ({
        act: 'push',
        target: `${repo} ${remote} ${spec.delete ? 'delete' : spec.force ? 'force' : force} ${short(spec.to === '' ? spec.from : spec.to)}`,
        tree: false,
      }))
    }
    case 'delete-branch':
    case 'delete-tag':
      return op.names.map((name) => ({ act: op.is, target: `${repo} ${textOf(name.value) ?? '*'}`, tree: false }))
    case 'stash-drop':
      return [{ act: 'stash-drop', target: `${repo} ${op.all ? 'all' : 'one'}`, tree: false }]
    case 'worktree-remove':
      return [{ act: 'delete', target: absolute(textOf(op.path.value) ?? '*', here), tree: true }]
    default:
      return []
  }
}

const short = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')
