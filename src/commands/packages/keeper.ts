/**
 * Package managers of other languages and of machines, as tables of verbs. A verb says what comes of it in short words,
 * so that a row reads like the manual: lock files, manifests, installs, publishing, build folders.
 */
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, exact, type GlobPart, showValue, textOf } from '../../core/value.ts'
import { dirname, flavourOf, join } from '../../paths/lexical.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { cutArg, type Parsed, parseArgs, type Specification, specify } from '../options.ts'
import { matchesWords } from '../verbs.ts'
import { dirOf, last, word } from './js.ts'

/** Directories looked at upward for a lock file or manifest. */
const MOST_LEVELS = 16

export interface KeeperVerb {
  /** Words of the verb as in `verbs.ts`. */
  readonly words: string
  /**
   * What comes of it: `lock` and `lock-maybe` edit the lock files, `manifest` the manifests; `install` adds each operand,
   * `local` on this machine only; `package` changes the packages of the machine; `publish`, `unpublish`, `change`,
   * `destroy` (a database of development), `setting`, `service`; `run` runs the operands; `delete:PATH`, `write:PATH`,
   * `edit:PATTERN` act on paths; `tree:PATH` writes below one; `git` installs the repository of `--git`.
   */
  readonly does: string
  readonly flags?: string
  readonly unless?: string
  readonly why: string
}

export interface Keeper {
  readonly names: string
  readonly options: string
  readonly single?: true
  /** Files that change with the dependencies; the first that is found upward says where the project is. */
  readonly locks?: string
  readonly manifests?: string
  /** Flags with which lock files are only read. */
  readonly frozen?: string
  /** Flags with which nothing changes. */
  readonly dry?: string
  /** The option whose value is the directory to work in. */
  readonly dir?: string
  /** Options whose values are installed as well (`-e`, `--git`). */
  readonly also?: string
  readonly verbs: readonly KeeperVerb[]
}

const specs = new WeakMap<Keeper, Specification>()

const specOf = (keeper: Keeper): Specification => {
  let spec = specs.get(keeper)
  if (spec === undefined) {
    spec = specify(keeper.options)
    specs.set(keeper, spec)
  }
  return spec
}

const HELP = ['--help', '--version', '-help', '-version']

export const keeperReader = (keeper: Keeper): Reader =>
  function* (call) {
    return yield* applyKeeper(keeper, call)
  }

const hasFlag = (parsed: Parsed, flags: string | undefined): boolean =>
  flags?.split(' ').some((flag) => parsed.flags.has(flag)) ?? false

/** What a call of a package manager does. */
export function* applyKeeper(keeper: Keeper, call: Invocation): Asking<readonly Doing[]> {
  const parsed = parseArgs(specOf(keeper), call.args, keeper.single ? { single: true } : {})
  const operands = parsed.operands.filter((arg) => !/^\+/.test(textOf(arg.value) ?? ''))
  const words = operands.map((arg) => textOf(arg.value))
  if (HELP.some((flag) => parsed.flags.has(flag)) || words[0] === 'help' || hasFlag(parsed, keeper.dry)) return []
  const roles = [...parsed.values].flatMap(([name, args]): Doing[] => {
    const role = specOf(keeper).byName.get(name)?.role
    return role === 'read' || role === 'write' || role === 'edit'
      ? args.map((at): Doing => ({ do: 'path', act: role, at }))
      : []
  })
  const verb = keeper.verbs.find(
    (row) =>
      (row.words === '' || matchesWords(row.words, words)) &&
      (row.flags === undefined || hasFlag(parsed, row.flags)) &&
      !hasFlag(parsed, row.unless),
  )
  if (verb === undefined) return roles
  const count = verb.words === '*' || verb.words === '' ? 0 : verb.words.split(' ').length
  const out: Doing[] = [...roles]
  const dir = dirOf(call, keeper.dir === undefined ? undefined : last(parsed, keeper.dir))
  for (const deed of verb.does.split(' '))
    out.push(...(yield* perform(keeper, call, parsed, dir, deed, operands.slice(count), operands)))
  return out
}

function* perform(
  keeper: Keeper,
  call: Invocation,
  parsed: Parsed,
  dir: string | undefined,
  deed: string,
  rest: readonly Arg[],
  all: readonly Arg[],
): Asking<readonly Doing[]> {
  const what = all.map((arg) => showValue(arg.value)).join(' ') || 'packages'
  const service = call.base
  const [name, path] = deed.split(/:(.*)/s) as [string, string | undefined]
  switch (name) {
    case 'lock':
    case 'lock-maybe':
    case 'manifest': {
      if (name !== 'manifest' && hasFlag(parsed, keeper.frozen)) return []
      const files = (name === 'manifest' ? keeper.manifests : keeper.locks)?.split(' ') ?? []
      const out: Doing[] = []
      for (const file of files)
        out.push({
          do: 'path',
          act: 'edit',
          at: yield* nearest(call, dir, file),
          note: name === 'manifest' ? 'lock' : name,
        })
      return out
    }
    case 'install':
    case 'local': {
      const also = (keeper.also?.split(' ') ?? []).flatMap((option) => parsed.values.get(option) ?? [])
      const doings = [...rest, ...also].flatMap((arg) => installed(service, arg, name === 'local'))
      const lists = LISTS.flatMap((option) => parsed.values.get(option) ?? []).filter(({ value }) =>
        LISTED.test(textOf(value) ?? ''),
      )
      for (const { value } of lists)
        doings.push({ do: 'other', act: 'install', service, what: `what ${showValue(value)} lists`, note: 'remote' })
      return fromElsewhere(parsed) ? doings.map(asRemote) : doings
    }
    case 'git':
      return (parsed.values.get('--git') ?? []).map(
        (arg): Doing => ({ do: 'other', act: 'install', service, what: showValue(arg.value), note: 'remote' }),
      )
    case 'package':
    case 'setting':
    case 'service':
      return [{ do: 'other', act: 'system', service, what, note: name }]
    case 'publish':
      return [{ do: 'other', act: 'publish', service, what, note: 'release' }]
    case 'unpublish':
      return [{ do: 'other', act: 'publish', service, what, note: 'unpublish' }]
    case 'change':
      return [{ do: 'other', act: 'change', service, what }]
    case 'uninstall':
      return [
        { do: 'other', act: 'change', service, what, local: true },
        { do: 'other', act: 'kill', service, what },
      ]
    case 'destroy':
      return [{ do: 'other', act: 'destroy', service, what, local: true }]
    case 'fetch':
      return rest
        .slice(0, 1)
        .map((arg): Doing => ({ do: 'other', act: 'run-remote', service, what: showValue(arg.value), note: 'package' }))
    case 'run':
      return rest.length === 0 ? [] : [{ do: 'run', argv: rest }]
    case 'delete':
      return [{ do: 'path', act: 'delete', at: below(call, dir, path!), tree: true }]
    case 'tree':
      return [{ do: 'path', act: 'write', at: below(call, dir, path!), tree: true }]
    case 'write':
    case 'create':
      return [{ do: 'path', act: name, at: below(call, dir, path!) }]
    case 'edit':
      return [{ do: 'path', act: 'edit', at: pattern(call, path!) }]
    default:
      return []
  }
}

const below = (call: Invocation, dir: string | undefined, path: string): Arg =>
  word(call, dir === undefined || dir === call.cwd ? path : join(dir, path, flavourOf(call.platform)))

/** `*.rs` stands for all files of that name below the working directory. */
function pattern(call: Invocation, path: string): Arg {
  const parts: GlobPart[] = path.startsWith('*')
    ? [{ is: 'deep' }, { is: 'text', text: '/' }, { is: 'star' }, { is: 'text', text: path.slice(1) }]
    : [{ is: 'text', text: path }]
  return { ...word(call, path), value: path.startsWith('*') ? { is: 'glob', parts } : exact(path) }
}

/** The nearest file of a name from the directory upward; the directory's own where there is none. */
export function* nearest(call: Invocation, dir: string | undefined, name: string): Asking<Arg> {
  if (name.startsWith('*'))
    return { ...word(call, name), value: { is: 'glob', parts: [{ is: 'star' }, { is: 'text', text: name.slice(1) }] } }
  if (dir === undefined) return word(call, name)
  const flavour = flavourOf(call.platform)
  let at = dir
  for (let level = 0; level < MOST_LEVELS; level++) {
    const path = join(at, name, flavour)
    const found = yield* ask('stat', { path })
    if (found === 'unknown') break
    if (found !== 'absent') return word(call, at === call.cwd ? name : path)
    const parent = dirname(at, flavour)
    if (parent === at) break
    at = parent
  }
  return below(call, dir, name)
}

/** Options that name where packages come from in place of the usual registry. */
const SOURCES = ['-i', '--index-url', '--extra-index-url', '-f', '--find-links', '-s', '--source', '--index'] as const

/** Options that name a list of packages: it may name any address, and nobody can read it before. */
const LISTS = ['-r', '--requirement', '--requirements'] as const

const LISTED = /^(?:https?|ftp):\/\//i

const fromElsewhere = (parsed: Parsed): boolean =>
  SOURCES.some((option) =>
    (parsed.values.get(option) ?? []).some(
      (arg) => arg.value.is !== 'exact' || /^(?:https?|ftp|git):/i.test(arg.value.text),
    ),
  )

const asRemote = (doing: Doing): Doing =>
  doing.do === 'other' && doing.act === 'install' ? { ...doing, note: 'remote' } : doing

const ADDRESS = /^(?:\w+\s*@\s*)?(?:(?:git|hg|svn|bzr)\+|git@|git:\/\/|ssh:\/\/|https?:\/\/)/i

/** A package by name, by address, or one that lies here. */
function installed(service: string, arg: Arg, local: boolean): readonly Doing[] {
  const text = textOf(arg.value) ?? ''
  if (/^(?:\.|\/|~|file:)|\.(?:whl|gem|deb|rpm|crate|nupkg|tar\.gz|tgz|zip)$/.test(text) && !ADDRESS.test(text))
    return text.startsWith('.') && /^\.(?:\[.*\])?$/.test(text)
      ? []
      : [{ do: 'path', act: 'read', at: cutArg(arg, text.startsWith('file:') ? 5 : 0) }]
  return [
    {
      do: 'other',
      act: 'install',
      service,
      what: showValue(arg.value),
      ...(local ? { local: true } : {}),
      ...(ADDRESS.test(text) ? { note: 'remote' } : {}),
    },
  ]
}
