/** `git config`: values that git will act on later. */

import { type Arg, showValue, textOf, unknown } from '../../core/value.ts'
import { join } from '../../paths/lexical.ts'
import type { Doing } from '../doing.ts'
import { change, type GitCall, has, lastOf, onPath, other, parse, pure, type VerbReader, word } from './call.ts'
import { codeOfSetting, foldKey, redirected } from './code.ts'
import { hooksPathSet } from './hooks.ts'
import { nameOf } from './worktree.ts'

const CONFIG =
  '--global --system --local --worktree -f|--file: --blob: --get --get-all --get-regexp --get-urlmatch --replace-all' +
  ' --add --unset --unset-all --rename-section --remove-section -l|--list -e|--edit --get-color --get-colorbool' +
  ' -t|--type: --bool --int --bool-or-int --path --expiry-date --no-type -z|--null --name-only --show-origin' +
  ' --show-scope --includes --no-includes --default: --value: --fixed-value --append --all --comment: --regexp --url:'

const READS = ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '-l', '--get-color', '--get-colorbool']

/** What a value written for good leads to. */
function meaning(git: GitCall, key: string, value: Arg | undefined): readonly Doing[] {
  const name = foldKey(key)
  if (name === 'core.hookspath') return [hooksPathSet(value === undefined ? '' : showValue(value.value))]
  if (value === undefined) return []
  if (/^include(?:if\..+)?\.path$/.test(name))
    return [onPath(git, 'read', value, { note: 'git-config' }), ...redirected({ key: name, value: value.value })]
  return [...redirected({ key: name, value: value.value }), ...codeOfSetting({ key, value: value.value }, 'later')]
}

export const config: VerbReader = pure((git) => {
  const parsed = parse(git, CONFIG)
  const file = lastOf(parsed, '-f')
  const target: readonly Doing[] = file
    ? [onPath(git, 'edit', file)]
    : has(parsed, '--global')
      ? [onPath(git, 'edit', word(join(git.call.home, '.gitconfig', git.flavour)), { note: 'git-config' })]
      : has(parsed, '--system')
        ? [onPath(git, 'edit', word('/etc/gitconfig'), { note: 'git-config' })]
        : [other(git)]
  const [first, second, third] = parsed.operands
  const verb = textOf(first?.value)
  if (has(parsed, ...READS)) return file ? [onPath(git, 'read', file)] : []
  if (has(parsed, '-e')) return target
  if (has(parsed, '--unset', '--unset-all', '--rename-section', '--remove-section')) {
    return [...target, ...unset(first)]
  }
  switch (verb) {
    case 'list':
    case 'get':
      return []
    case 'edit':
    case 'rename-section':
    case 'remove-section':
      return target
    case 'unset':
      return [...target, ...unset(second)]
    case 'set':
      return second === undefined ? [] : set(second, third)
  }
  if (first === undefined || (second === undefined && !has(parsed, '--add', '--replace-all'))) return []
  return set(first, second)

  function set(key: Arg, value: Arg | undefined): readonly Doing[] {
    const name = textOf(key.value)
    if (name !== undefined) {
      const setting = { key: foldKey(name), value: textOf(value?.value) }
      return [...target, change(git, { is: 'other', verb: 'config', setting }), ...meaning(git, name, value)]
    }
    return [...target, { do: 'opaque', what: `git config ${nameOf(key)}`, note: 'git-config' }]
  }
})

const unset = (key: Arg | undefined): readonly Doing[] =>
  foldKey(textOf(key?.value ?? unknown('variable')) ?? '') === 'core.hookspath' ? [hooksPathSet('')] : []
