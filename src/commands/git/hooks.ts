/** Hooks that a verb would run, and the ways around them. */

import { type Asking, ask } from '../../core/question.ts'
import { showValue, textOf } from '../../core/value.ts'
import { isAbsolute, join } from '../../paths/lexical.ts'
import type { Doing } from '../doing.ts'
import { commonDir, type GitCall, repoHere, settingOf, word } from './call.ts'

/** What each verb runs, in the order of githooks(5). */
const HOOKS: Readonly<Record<string, readonly string[]>> = {
  commit: ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'],
  amend: ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-rewrite'],
  merge: ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge'],
  pull: ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge'],
  rebase: ['pre-rebase', 'post-checkout', 'post-rewrite'],
  'cherry-pick': ['prepare-commit-msg', 'post-commit'],
  revert: ['prepare-commit-msg', 'post-commit'],
  am: ['applypatch-msg', 'pre-applypatch', 'post-applypatch'],
  push: ['pre-push'],
  checkout: ['post-checkout'],
  switch: ['post-checkout'],
  worktree: ['post-checkout'],
  gc: ['pre-auto-gc'],
}

/** Variables of hook managers that turn their hooks off, and the values that do. */
const SWITCHES: Readonly<Record<string, RegExp>> = {
  HUSKY: /^0$/,
  HUSKY_SKIP_HOOKS: /./,
  LEFTHOOK: /^(?:0|false)$/,
  OVERCOMMIT_DISABLE: /^1$/,
  SKIP: /./,
  PRE_COMMIT: /^0$/,
  SKIP_SIMPLE_GIT_HOOKS: /^1$/,
}

export const bypass = (what: string): Doing => ({
  do: 'other',
  act: 'guard',
  service: 'git hooks',
  what,
  note: 'hooks-bypass',
})

/**
 * Hooks that `event` runs. `skipped`: the option that leaves them out (`--no-verify`), and only those hooks that it
 * does not touch still run.
 */
export function* hooks(git: GitCall, event: string, skipped?: string): Asking<readonly Doing[]> {
  const doings: Doing[] = []
  if (skipped !== undefined) doings.push(bypass(`${git.verb} ${skipped}`))
  for (const [name, off] of Object.entries(SWITCHES)) {
    const value = git.call.env.get(name)
    if (value !== undefined && (value.is !== 'exact' || off.test(value.text)))
      doings.push(bypass(`${name}=${showValue(value)} git ${git.verb}`))
  }
  const untouched = (name: string) => skipped === undefined || /^p(?:ost-|repare)/.test(name)
  return [...doings, ...(yield* runHooks(git, (HOOKS[event] ?? []).filter(untouched)))]
}

/** Hooks by name, those that are there. */
export function* runHooks(git: GitCall, names: readonly string[]): Asking<readonly Doing[]> {
  const repo = yield* repoHere(git)
  const root = typeof repo === 'string' ? undefined : repo.root
  const given = settingOf(git, 'core.hookspath')
  let base: string | undefined
  const around: Doing[] = []
  if (given !== undefined) {
    const text = textOf(given)
    if (text !== undefined && /^(?:|\/dev\/null|nul)$/i.test(text)) return [bypass(`core.hooksPath=${text}`)]
    if (text === undefined || (root === undefined && !isAbsolute(text, git.flavour))) {
      return [{ do: 'opaque', what: `hooks of ${showValue(given)}`, note: 'hooks-path' }]
    }
    // Which hooks the repository has set up no longer counts.
    around.push(bypass(`core.hooksPath=${text}`))
    base = join(root ?? '', text, git.flavour)
  } else if (typeof repo !== 'string') {
    const set = yield* ask('gitConfig', { repo: repo.root, key: 'core.hooksPath' })
    const path = set === 'unknown' ? undefined : set.at(-1)
    base =
      path === undefined || path === ''
        ? join(commonDir(repo), 'hooks', git.flavour)
        : join(repo.root, path.startsWith('~/') ? git.call.home + path.slice(1) : path, git.flavour)
  }
  if (base === undefined) {
    // The directory is known and what lies there is not: any of the hooks may be there.
    return repo === 'unknown' && git.dir !== undefined && names.length > 0
      ? [{ do: 'opaque', what: `git hooks below ${git.dir}`, note: 'hooks-path' }]
      : []
  }
  const inside = root === undefined ? {} : { cwd: word(root) }
  // Husky points git at a directory of stubs; what they run lies beside it.
  const dirs = /[\\/]\.husky[\\/]_$/.test(base) ? [base, base.slice(0, -2)] : [base]
  const doings: Doing[] = [...around]
  for (const name of names) {
    for (const dir of dirs) {
      const path = join(dir, name, git.flavour)
      // A hook that is not there is no step that could fail.
      if ((yield* ask('stat', { path })) === 'absent') continue
      doings.push({ do: 'script', path: word(path), args: [], when: 'branch', ...inside })
    }
  }
  return doings
}

/** What setting `core.hooksPath` for good means: the hooks of the repository are gone around from now on. */
export const hooksPathSet = (value: string): Doing => ({
  do: 'other',
  act: 'guard',
  service: 'git',
  what: `core.hooksPath=${value}`,
  note: 'hooks-path',
})
