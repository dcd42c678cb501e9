/** Git: global options, aliases, verbs. */

import { type Asking, ask } from '../../core/question.ts'
import {
  type Arg,
  concat,
  exact,
  MOST_TEXTS,
  showValue,
  textOf,
  textsOf,
  unknown,
  type Value,
} from '../../core/value.ts'
import { absolute, flavourOf, join } from '../../paths/lexical.ts'
import type { Doing, Invocation } from '../doing.ts'
import { below, type GitCall, repoHere, type Setting, word } from './call.ts'
import {
  codeOfSetting,
  codeOfVariables,
  foldKey,
  redirected,
  settingsOfVariables,
  shellAlias,
  splitAlias,
} from './code.ts'
import { filesOf } from './files.ts'
import { VERBS } from './verbs.ts'

/** Aliases may name aliases; git itself refuses circles, and nobody nests them deeper. */
const MOST_ALIASES = 8

/** Global options that take the next word. */
const TAKES = [
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
  '--list-cmds',
]
/** Global options that make git speak about itself. */
const ABOUT = [
  '--version',
  '-v',
  '--help',
  '-h',
  '--html-path',
  '--man-path',
  '--info-path',
  '--exec-path',
  '--list-cmds',
]

interface Start {
  readonly base: Value | undefined
  readonly gitDir: Value | undefined
  readonly tree: Value | undefined
  readonly settings: readonly Setting[]
  readonly literal: boolean
  readonly about: boolean
  /** Options whose text is not known stand before the verb. */
  readonly doubt: boolean
  readonly rest: readonly Arg[]
}

function settingOfText(pair: Value): Setting | undefined {
  const text = textOf(pair)
  if (text === undefined) {
    const prefix = pair.is === 'partly' ? pair.prefix : ''
    const at = prefix.indexOf('=')
    return at > 0 ? { key: foldKey(prefix.slice(0, at)), value: unknown('variable') } : undefined
  }
  const at = text.indexOf('=')
  return { key: foldKey(at < 0 ? text : text.slice(0, at)), value: exact(at < 0 ? 'true' : text.slice(at + 1)) }
}

function start(call: Invocation, args: readonly Arg[]): Start {
  const flavour = flavourOf(call.platform)
  let base: Value | undefined
  let gitDir = call.env.get('GIT_DIR')
  let tree = call.env.get('GIT_WORK_TREE')
  const settings: Setting[] = [...settingsOfVariables(call.env)]
  let literal = false
  let about = false
  let doubt = false
  let i = 0
  for (; i < args.length; i++) {
    const arg = args[i]!
    const text = textOf(arg.value)
    if (text === undefined) {
      const prefix = arg.value.is === 'partly' ? arg.value.prefix : ''
      if (!prefix.startsWith('-')) break
      doubt = true
      if (prefix.startsWith('--git-dir=')) gitDir = cut(arg.value, 10)
      else if (prefix.startsWith('--work-tree=')) tree = cut(arg.value, 12)
      continue
    }
    if (!text.startsWith('-')) break
    const equals = text.startsWith('--') ? text.indexOf('=') : -1
    const name = equals < 0 ? text : text.slice(0, equals)
    if (ABOUT.includes(name) && equals < 0) {
      about = true
      continue
    }
    const value = equals >= 0 ? exact(text.slice(equals + 1)) : TAKES.includes(name) ? args[++i]?.value : undefined
    if (name === '--literal-pathspecs') literal = true
    if (value === undefined) continue
    if (name === '-C') base = textOf(value) === '' ? base : below(base, { value, span: arg.span }, flavour).value
    else if (name === '--git-dir') gitDir = value
    else if (name === '--work-tree') tree = value
    else if (name === '-c') {
      const setting = settingOfText(value)
      if (setting) settings.push(setting)
      else doubt = true
    } else if (name === '--config-env') {
      const [key, variable] = (textOf(value) ?? '').split('=')
      settings.push({ key: foldKey(key ?? ''), value: call.env.get(variable ?? '') ?? unknown('variable') })
    } else if (name === '--exec-path') doubt = true
  }
  return { base, gitDir, tree, settings, literal, about, doubt, rest: args.slice(i) }
}

const cut = (value: Value, from: number): Value =>
  value.is === 'partly' ? concat(exact(value.prefix.slice(from)), { ...value, prefix: '' }) : value

/** The work tree that `--work-tree` or `--git-dir` point at, where it is not the one around the directory. */
function treeOf(begin: Start): Value | undefined {
  if (begin.tree !== undefined) return begin.tree
  const dir = textOf(begin.gitDir)
  if (dir === undefined) return begin.gitDir
  if (/^\.?[/\\]?\.git[/\\]?$/.test(dir)) return undefined
  return exact(dir.replace(/[/\\]\.git[/\\]?$/, ''))
}

/** What a call of git does. Ends for any answers. */
export function* readGit(call: Invocation): Asking<readonly Doing[]> {
  return yield* readWords(call, call.args, 0, [])
}

function* readWords(
  call: Invocation,
  args: readonly Arg[],
  depth: number,
  inherited: readonly Setting[],
): Asking<readonly Doing[]> {
  const spread = alternatives(args)
  if (spread) {
    const doings: Doing[] = []
    for (const alternative of spread) doings.push(...(yield* readWords(call, alternative, depth, inherited)))
    return doings
  }
  const begin = start(call, args)
  const settings = [...inherited, ...begin.settings]
  const code = depth > 0 ? [] : codeOfVariables({ call } as GitCall)
  const [verb, ...rest] = begin.rest
  if (verb === undefined || begin.about) return code
  const doings: Doing[] = [
    ...code,
    ...begin.settings
      .filter((setting) => !setting.key.startsWith('alias.'))
      .flatMap((setting) => [...redirected(setting), ...codeOfSetting(setting, 'branch')]),
  ]
  if (begin.doubt) doings.push({ do: 'opaque', what: 'options of git', note: 'git-config' })
  const name = textOf(verb.value)
  if (name === undefined) return [...doings, { do: 'opaque', what: `git ${showValue(verb.value)}`, note: 'git-verb' }]
  const flavour = flavourOf(call.platform)
  const baseText = begin.base === undefined ? '' : textOf(begin.base)
  const dir = call.cwd === undefined || baseText === undefined ? undefined : join(call.cwd, baseText, flavour)
  const treeValue = treeOf(begin)
  const base = begin.base === undefined ? undefined : { value: begin.base, span: verb.span }
  const git: GitCall = {
    verb: name,
    args: rest,
    base,
    tree: treeValue === undefined ? undefined : below(begin.base, { value: treeValue, span: verb.span }, flavour),
    told:
      begin.gitDir === undefined && begin.tree === undefined ? undefined : { gitDir: begin.gitDir, tree: begin.tree },
    dir: dir === undefined ? undefined : absolute(dir, '.', flavour),
    settings,
    literal: begin.literal || textOf(call.env.get('GIT_LITERAL_PATHSPECS')) === '1',
    call,
    flavour,
    depth,
  }
  const help = textOf(rest[0]?.value)
  const known = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (known) {
    if (help === '--help' || (help === '-h' && rest.length === 1)) return doings
    return [...doings, ...(yield* filesOf(git)), ...(yield* known(git))]
  }
  if (help === '--help') return doings
  return [...doings, ...(yield* alias(git))]
}

/** What a word that is no verb of git's stands for. */
function* alias(git: GitCall): Asking<readonly Doing[]> {
  const own = git.settings.findLast((setting) => setting.key === `alias.${git.verb.toLowerCase()}`)?.value
  if (git.depth >= MOST_ALIASES) return [{ do: 'opaque', what: `git ${git.verb}`, note: 'alias' }]
  const repo = yield* repoHere(git)
  const root = typeof repo === 'string' ? undefined : repo.root
  const set: readonly string[] | 'unknown' =
    own !== undefined ? [] : yield* ask('gitConfig', { repo: root ?? git.dir ?? '.', key: `alias.${git.verb}` })
  const text = own !== undefined ? textOf(own) : set === 'unknown' ? undefined : set.at(-1)
  if (text === undefined) {
    // No alias: git looks for `git-<verb>` on PATH.
    if (own === undefined && set !== 'unknown') {
      const found = yield* ask('which', { program: `git-${git.verb}` })
      if (found === 'absent') return []
      return [{ do: 'run', argv: [word(`git-${git.verb}`), ...git.args] }]
    }
    return [{ do: 'opaque', what: `git ${git.verb}`, note: 'alias' }]
  }
  const trimmed = text.trim()
  if (trimmed.startsWith('!')) return [shellAlias(git.verb, trimmed.slice(1), git.args, root)]
  const words = splitAlias(trimmed)
  if (words === undefined || words.length === 0) return []
  // The expansion may bring global options of its own; the ones given before stay.
  const before: Arg[] = []
  if (git.base) before.push(word('-C'), git.base)
  if (git.tree) before.push(word('--work-tree'), git.tree)
  const span = git.call.command.span
  const next = words.map((part): Arg => ({ value: exact(part), span, provenance: 'constant' }))
  return yield* readWords(git.call, [...before, ...next, ...git.args], git.depth + 1, git.settings)
}

/** A word that may be an option or not is read each way: `git reset $mode` with two modes is two calls. */
function alternatives(args: readonly Arg[]): readonly (readonly Arg[])[] | undefined {
  const at = args.findIndex((arg, i) => {
    if (arg.value.is !== 'oneOf') return false
    return i === 0 || arg.value.texts.some((text) => text.startsWith('-'))
  })
  if (at < 0) return undefined
  const arg = args[at]!
  const texts = textsOf(arg.value)!.slice(0, MOST_TEXTS)
  // A second such word would square the calls: it counts as unknown.
  const others = args.map((other, i) =>
    i > at && other.value.is === 'oneOf' && other.value.texts.some((text) => text.startsWith('-'))
      ? { ...other, value: unknown('budget') }
      : other,
  )
  return texts.map((text) => others.map((other, i) => (i === at ? { ...arg, value: exact(text) } : other)))
}
