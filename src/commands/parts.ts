/** Small pieces that readers of commands are made of. */
import type { PathAct, Taint } from '../core/effect.ts'
import { type Asking, ask } from '../core/question.ts'
import { type Arg, concat, exact, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import type { Content, Doing, Invocation, Reader } from './doing.ts'
import { onPath } from './row.ts'

/** A file whose lines become arguments or names; larger ones are data. */
export const MOST_LIST_TEXT = 256 * 1024

/** A text at the place of the command's own word. */
export const word = (call: Invocation, text: string): Arg => ({
  value: exact(text),
  span: call.command.span,
  provenance: 'constant',
})

/** A value at the place of another argument. */
export const like = (arg: Arg, value: Value): Arg => ({ ...arg, value, provenance: 'constant' })

/** One act on each of the paths. */
export const onEach = (act: PathAct, paths: readonly Arg[], tree = false): readonly Doing[] =>
  paths.map((at) => onPath(act, at, tree))

export const isText = (arg: Arg | undefined, text: string): boolean => arg !== undefined && textOf(arg.value) === text

export const isDash = (arg: Arg): boolean => isText(arg, '-')

/** Arguments that are paths: all but `-`. */
export const paths = (args: readonly Arg[]): readonly Arg[] => args.filter((arg) => !isDash(arg))

export const contentOf = (text: Value, taints: readonly Taint[] = []): Content => ({ text, taints })

export const out = (content: Content): Doing => ({ do: 'out', content })

/** Stdout is exactly this text. */
export const says = (text: string): Doing => out(contentOf(exact(text)))

/** Stdout is this value and a line end. */
export const line = (value: Value): Doing => out(contentOf(concat(value, exact('\n'))))

/** Content with nothing in it: `/dev/null`. */
export const NOTHING: Content = { text: exact(''), taints: [], none: true }

/** An argument with an ending put behind it: `f` → `f.gz`. */
export const ending = (arg: Arg, suffix: string): Arg => like(arg, concat(arg.value, exact(suffix)))

/** An unknown argument at the place of the command. */
export const unknownArg = (
  call: Invocation,
  why: 'input' | 'variable' | 'budget',
  taints: readonly Taint[] = [],
): Arg => ({
  value: taints.length > 0 ? { is: 'unknown', why, taints } : unknown(why),
  span: call.command.span,
  provenance: 'unknown',
})

/** A reader that asks nothing. */
export const pure = (read: (call: Invocation) => readonly Doing[]): Reader =>
  function* (call) {
    return read(call)
  }

/** A path as it is seen from the working directory, or undefined where that is not known. */
export function placeOf(call: Invocation, path: string): string | undefined {
  if (path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)) return path
  if (call.cwd === undefined || path === '') return undefined
  return `${call.cwd === '/' ? '' : call.cwd}/${path}`
}

/** The whole text of a small file, `absent`, or undefined where it is not known. */
export function* textIn(call: Invocation, file: Arg | undefined): Asking<string | 'absent' | undefined> {
  const name = file === undefined ? undefined : textOf(file.value)
  const path = name === undefined ? undefined : placeOf(call, name)
  // The kernel's own names are no files that could be looked up; what `<(…)` of this line says is answered all the same.
  const stream = path?.startsWith('/dev/fd/') ?? false
  if (path === undefined || (!stream && /^\/(?:dev|proc)\//.test(path))) return undefined
  const text = yield* ask('text', { path, limit: MOST_LIST_TEXT })
  if (text === 'absent') return stream ? undefined : 'absent'
  return typeof text === 'object' && !text.cut ? text.text : undefined
}

/** What stdin says, one exact file read where it comes from one. */
export function* stdinText(call: Invocation): Asking<readonly string[] | undefined> {
  const { text, files } = call.stdin
  const known = textsOf(text)
  if (known !== undefined) return known
  if (files?.length !== 1) return undefined
  const read = yield* textIn(call, files[0])
  return read === undefined ? undefined : [read === 'absent' ? '' : read]
}
