/** Putting found paths and read words into a command: `find -exec`, `xargs`, `fd -x`, `parallel`. */
import { type Arg, concat, exact, textOf, type Value } from '../core/value.ts'
import type { Content, Listed } from './doing.ts'
import { ALL_BELOW, below, eachOf } from './pattern.ts'

const SHELLS = /^(?:.*\/)?(?:ba|da|z|k|mk|a|)sh$/

/**
 * The arguments that stand for listed paths: everything below where the tree is meant, then the start; where only some
 * of it is listed, what may be anything below.
 */
export const listedArgs = (listed: readonly Listed[]): readonly Arg[] =>
  listed.flatMap(({ at, tree, some }) =>
    eachOf(at).flatMap((start) =>
      tree ? (some ? [below(start, SOME_BELOW)] : [below(start, ALL_BELOW), start]) : [start],
    ),
  )

const SOME_BELOW = [{ is: 'any' }] as const

/** What stdin lists, where it lists anything. */
export const listedIn = (stdin: Content): readonly Arg[] | undefined => stdin.paths && listedArgs(stdin.paths)

const holds = (arg: Arg, mark: string): boolean => textOf(arg.value)?.includes(mark) ?? false

/** Whether some word holds the placeholder. */
export const hasMark = (argv: readonly Arg[], mark: string): boolean => argv.some((arg) => holds(arg, mark))

function replaceIn(arg: Arg, mark: string, item: Value): Arg {
  const text = textOf(arg.value)
  if (text === undefined || !text.includes(mark)) return arg
  const value = text
    .split(mark)
    .reduce<Value | undefined>(
      (done, piece) => (done === undefined ? exact(piece) : concat(concat(done, item), exact(piece))),
      undefined,
    )!
  return { ...arg, value, provenance: item.is === 'exact' ? 'constant' : 'unknown' }
}

/**
 * Replaces a placeholder in every word. In the code of a shell (`sh -c 'rm {}'`) a value that is not one text becomes a
 * parameter of that code, so that the code can still be read.
 */
export function splice(argv: readonly Arg[], mark: string, item: Arg): readonly Arg[] {
  const name = argv[0] && textOf(argv[0].value)
  const at = argv.findIndex((arg) => /^-[a-z]*c$/.test(textOf(arg.value) ?? ''))
  const code = argv[at + 1]
  if (item.value.is !== 'exact' && name && SHELLS.test(name) && at > 0 && code && holds(code, mark)) {
    const rest = argv.slice(at + 2).map((arg) => replaceIn(arg, mark, item.value))
    const zero = rest.length === 0 ? [{ ...code, value: exact('sh') }] : []
    const text = textOf(code.value)!
    const parameter = `"\${${rest.length + zero.length}}"`
    const quoted = text.replaceAll(`'${mark}'`, () => parameter).replaceAll(mark, () => parameter)
    return [...argv.slice(0, at + 1), { ...code, value: exact(quoted) }, ...rest, ...zero, item]
  }
  return argv.map((arg) => (textOf(arg.value) === mark ? item : replaceIn(arg, mark, item.value)))
}

/** Replaces a word that is the placeholder by all items, as `{} +` does. */
export const spliceAll = (argv: readonly Arg[], mark: string, items: readonly Arg[]): readonly Arg[] =>
  argv.flatMap((arg) => (textOf(arg.value) === mark ? items : [arg]))
