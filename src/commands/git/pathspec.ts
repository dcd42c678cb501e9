/** Pathspecs: path names with git's own patterns and magic (`:/`, `:(top)`, `:!x`), turned into sets of paths. */
import type { GitPaths } from '../../core/git-op.ts'
import type { Asking } from '../../core/question.ts'
import { type Arg, exact, type GlobPart, textOf, type Value } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import { fixed, type GitCall, onPath, type PathDoing, repoHere, word } from './call.ts'

export const ALL: GitPaths = { is: 'all' }

interface Magic {
  readonly text: string
  readonly top: boolean
  readonly exclude: boolean
  readonly literal: boolean
  readonly glob: boolean
}

function magicOf(text: string): Magic {
  const plain = { text, top: false, exclude: false, literal: false, glob: false }
  if (!text.startsWith(':')) return plain
  const long = /^:\(([a-z,:=!^-]*)\)(.*)$/s.exec(text)
  if (long) {
    const words = long[1]!.split(',')
    const given = (name: string) => words.includes(name)
    return {
      text: long[2]!,
      top: given('top'),
      exclude: given('exclude'),
      literal: given('literal'),
      glob: given('glob'),
    }
  }
  const short = /^:([!^/]*):?(.*)$/s.exec(text)!
  return { ...plain, text: short[2]!, top: short[1]!.includes('/'), exclude: /[!^]/.test(short[1]!) }
}

/** A pattern as git matches it: `*` crosses slashes unless the `glob` magic is on. */
function patternOf(text: string, glob: boolean): Value {
  if (!/[*?[]/.test(text)) return exact(text)
  const parts: GlobPart[] = []
  for (const piece of text.split(/(\*\*\/|\*+|\?|\[[^\]]+\])/).filter(Boolean)) {
    if (piece === '**/' && glob) parts.push({ is: 'deep' }, { is: 'text', text: '/' })
    else if (/^\*/.test(piece)) parts.push(glob ? { is: 'star' } : { is: 'any' })
    else if (piece === '?') parts.push({ is: 'question' })
    else if (/^\[.+\]$/.test(piece)) parts.push({ is: 'class', text: piece })
    else parts.push({ is: 'text', text: piece })
  }
  return { is: 'glob', parts }
}

/** The paths that pathspecs name, as arguments relative to the directory that git runs in; `all` for the whole tree. */
export function* specArgs(git: GitCall, args: readonly Arg[]): Asking<'all' | readonly Arg[]> {
  const paths: Arg[] = []
  let excludes = 0
  for (const arg of args) {
    const text = git.literal ? undefined : textOf(arg.value)
    if (text === undefined) {
      paths.push(arg)
      continue
    }
    const magic = magicOf(text)
    if (magic.exclude) {
      excludes++
      continue
    }
    const value = magic.literal ? exact(magic.text) : patternOf(magic.text, magic.glob)
    if (!magic.top) {
      paths.push({ ...arg, value: textOf(value) === '' ? exact('.') : value })
      continue
    }
    if (magic.text === '' || magic.text === '.') return 'all'
    const repo = yield* repoHere(git)
    // Without the top of the tree the name is only known to lie somewhere in it.
    if (typeof repo === 'string') return 'all'
    paths.push({ ...arg, value: exact(`${repo.root}/${magic.text}`) })
  }
  return excludes > 0 && paths.length === 0 ? 'all' : paths
}

/** Pathspecs as the set of an operation; `none` where there is no pathspec at all. */
export function* pathsOf(git: GitCall, args: readonly Arg[], none: GitPaths = ALL): Asking<GitPaths> {
  if (args.length === 0) return none
  const found = yield* specArgs(git, args)
  return found === 'all' ? ALL : { is: 'paths', paths: found.map((arg) => fixed(git, arg)) }
}

/** The directory that git runs in, as a set of paths: where a verb without paths begins there and not at the top. */
export const hereOnly = (git: GitCall): GitPaths => ({ is: 'paths', paths: [fixed(git, word('.'))] })

/** Acts on the paths that pathspecs name, each with everything below; the whole tree is left to the operation. */
export function* onSpecs(
  git: GitCall,
  act: PathDoing['act'],
  args: readonly Arg[],
  more: Partial<PathDoing> = {},
): Asking<readonly Doing[]> {
  const found = yield* specArgs(git, args)
  return found === 'all' ? [] : found.map((arg) => onPath(git, act, arg, { tree: true, ...more }))
}
