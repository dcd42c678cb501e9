/** One call of git after its global options are off, and the paths that it speaks of. */

import type { Brought, GitOp } from '../../core/git-op.ts'
import type { Asking } from '../../core/question.ts'
import { type Arg, concat, exact, oneOf, prefixOf, textOf, textsOf, type Value } from '../../core/value.ts'
import { absolute, type Flavour, isAbsolute, join } from '../../paths/lexical.ts'
import { type Repo, repoOf } from '../../paths/repo.ts'
import type { Content, Doing, Invocation } from '../doing.ts'
import { type Parsed, parseArgs, type Specification, specify } from '../options.ts'

/** A configuration value given for this call alone (`-c`, `--config-env`, `GIT_CONFIG_KEY_0`). */
export interface Setting {
  /** Section and name in lower case; a subsection as written. */
  readonly key: string
  readonly value: Value
}

export interface GitCall {
  readonly verb: string
  readonly args: readonly Arg[]
  /** The directory that git changes to before anything else (`-C`); undefined: here. */
  readonly base: Arg | undefined
  /** The work tree, where it is not found from `base` (`--work-tree`, `--git-dir`). */
  readonly tree: Arg | undefined
  /** Where git was told of its data or its work tree: files of the work tree lie in `tree`, by default where git stands. */
  readonly told: { readonly gitDir: Value | undefined; readonly tree: Value | undefined } | undefined
  /** `base` as an absolute path, where it is known. */
  readonly dir: string | undefined
  readonly settings: readonly Setting[]
  /** `--literal-pathspecs`: no pattern and no magic in path names. */
  readonly literal: boolean
  readonly call: Invocation
  readonly flavour: Flavour
  /** Aliases that led here. */
  readonly depth: number
}

export type VerbReader = (git: GitCall) => Asking<readonly Doing[]>

/** A reader of a verb that asks nothing. */
export const pure = (read: (git: GitCall) => readonly Doing[]): VerbReader =>
  function* (git) {
    return read(git)
  }

const specs = new Map<string, Specification>()

/** Options of a verb, compiled on first use. */
export function parse(git: GitCall, options: string, how: { readonly stop?: boolean } = {}): Parsed {
  let spec = specs.get(options)
  if (spec === undefined) {
    spec = specify(options)
    specs.set(options, spec)
  }
  return parseArgs(spec, git.args, how)
}

/** Whether any of the options is given. */
export const has = (parsed: Parsed, ...options: readonly string[]): boolean =>
  options.some((option) => parsed.flags.has(option))

/** The last value of an option. */
export const lastOf = (parsed: Parsed, option: string): Arg | undefined => parsed.values.get(option)?.at(-1)

/** The words before and behind a `--`; `after` is undefined where there is none. */
export function splitDashes(args: readonly Arg[]): { before: readonly Arg[]; after: readonly Arg[] | undefined } {
  const at = args.findIndex((arg) => textOf(arg.value) === '--')
  return at < 0 ? { before: args, after: undefined } : { before: args.slice(0, at), after: args.slice(at + 1) }
}

export const word = (text: string, like?: Arg): Arg => ({ value: exact(text), span: like?.span ?? { from: 0, to: 0 } })

/** A change to the repository of this call. */
export function change(git: GitCall, op: GitOp, when?: 'later'): Doing {
  return { do: 'git', op, at: git.tree ?? git.base, ...(when ? { when } : {}) }
}

export const other = (git: GitCall, verb = git.verb, brings?: Brought): Doing =>
  change(git, { is: 'other', verb, ...(brings && { brings }) })

/** What the revisions among these words bring; undefined where there are none. */
export function brought(how: Brought['how'], words: readonly (Arg | undefined)[]): Brought | undefined {
  const named = words.filter((word) => word !== undefined)
  if (named.length === 0) return undefined
  const revs = named.flatMap((word) => textsOf(word.value) ?? [])
  const unknown = named.some((word) => textsOf(word.value) === undefined)
  return { how, revs, ...(unknown && { unknown }) }
}

/** A path below a directory: an absolute one stands alone. */
export function below(dir: Value | undefined, arg: Arg, flavour: Flavour): Arg {
  if (dir === undefined) return arg
  const texts = textsOf(arg.value)
  const base = textOf(dir)
  if (texts && base !== undefined)
    return {
      ...arg,
      value: oneOf(texts.map((text) => (text === '.' || text === '' ? base : join(base, text, flavour)))),
    }
  if (arg.value.is === 'unknown' || isAbsolute(prefixOf(arg.value), flavour)) return arg
  return { ...arg, value: concat(concat(dir, exact(base?.endsWith('/') ? '' : '/')), arg.value) }
}

/** A path argument as seen from the line's own directory, for doings. */
export const here = (git: GitCall, arg: Arg): Arg => below(git.base?.value, arg, git.flavour)

/** A path argument as an absolute path where the directory is known: git operations outlive a `cd`. */
export const fixed = (git: GitCall, arg: Arg): Arg =>
  below(git.dir === undefined ? git.base?.value : exact(git.dir), arg, git.flavour)

export type PathDoing = Extract<Doing, { readonly do: 'path' }>

/**
 * An act on a path. The note `git` says that the loss is judged by the git operation beside it: such a path matters
 * for frozen paths, scope and secrets only.
 */
export function onPath(git: GitCall, act: PathDoing['act'], at: Arg, more: Partial<PathDoing> = {}): Doing {
  return { do: 'path', act, at: here(git, at), ...more }
}

export const out = (content: Partial<Content> & Pick<Content, 'text'>): Doing => ({
  do: 'out',
  content: { taints: [], ...content },
})

/** True where the command asks a person at a terminal, who is not there to say yes. */
export const asksPerson = (git: GitCall): boolean => git.call.stdin.none === true

/** The repository around the directory of this call. */
export function* repoHere(git: GitCall): Asking<Repo | 'none' | 'unknown'> {
  const tree = textOf(git.tree?.value)
  const dir = tree === undefined ? git.dir : git.dir === undefined ? undefined : absolute(git.dir, tree, git.flavour)
  if (dir === undefined) return 'unknown'
  return yield* repoOf(dir, git.flavour)
}

/** The directory that all work trees of a repository share. */
export const commonDir = (repo: Repo): string =>
  repo.linked ? repo.gitDir.replace(/[\\/]worktrees[\\/][^\\/]+$/, '') : repo.gitDir

/** The value of a setting of this call, the last one given. */
export const settingOf = (git: GitCall, key: string): Value | undefined =>
  git.settings.findLast((setting) => setting.key === key)?.value

/** Whether a text is a yes in git's configuration. */
export const isYes = (text: string): boolean => /^(?:true|yes|on|[1-9]\d*)$/i.test(text)
export const isNo = (text: string): boolean => /^(?:false|no|off|0|)$/i.test(text)
