/** Hooks that a verb would run, and the ways around them. */

import { type Asking, ask } from '../../core/question.ts'
import { type Arg, showValue, textOf } from '../../core/value.ts'
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
  const given = settingOf(git, 'core.hookspath')
  const repo = yield* repoHere(git)
  const root = typeof repo === 'string' ? undefined : repo.root
  let dir: Arg | undefined
  if (given !== undefined) {
    const text = textOf(given)
    if (text !== undefined && /^(?:|\/dev\/null|nul|NUL)$/.test(text)) {
      return [...doings, bypass(`core.hooksPath=${text}`)]
    }
    if (text === undefined || (root === undefined && !isAbsolute(text, git.flavour))) {
      return [...doings, { do: 'opaque', what: `hooks of ${showValue(given)}`, note: 'hooks-path' }]
    }
    dir = word(join(root ?? '', text, git.flavour))
  } else if (typeof repo !== 'string') {
    const set = yield* ask('gitConfig', { repo: repo.root, key: 'core.hooksPath' })
    const path = set === 'unknown' ? undefined : set.at(-1)
    dir = word(
      path === undefined || path === ''
        ? join(commonDir(repo), 'hooks', git.flavour)
        : join(repo.root, path.startsWith('~/') ? git.call.home + path.slice(1) : path, git.flavour),
    )
  }
  const base = textOf(dir?.value)
  if (base === undefined) return doings
  const inside = root === undefined ? {} : { cwd: word(root) }
  const run = (path: string): void => {
    doings.push({ do: 'script', path: word(path), args: [], when: 'branch', ...inside })
  }
  const untouched = (name: string) => skipped === undefined || /^p(?:ost-|repare)/.test(name)
  for (const name of HOOKS[event] ?? []) {
    if (!untouched(name)) continue
    run(join(base, name, git.flavour))
    // Husky points git at a directory of stubs; what they run lies beside it.
    if (/[\\/]\.husky[\\/]_$/.test(base)) run(join(base.slice(0, -2), name, git.flavour))
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
