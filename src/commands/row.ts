/**
 * A row says what a command does with its operands, in data. Commands that need more have a reader of their own.
 *
 * Roles of operands, in order: `read names create write append edit delete mode run into skip`. `…` behind a role: all that
 * follow. `/` behind a role: the whole tree. `last:` in front: the last operand (`read… last:write`).
 * Roles stand for path acts; `into` is a directory in which files are made whose names are not on the line, `skip` an
 * operand that is no path (a pattern, a number).
 */
import type { PathAct } from '../core/effect.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, suffixOf, unknown } from '../core/value.ts'
import type { Content, Doing, Invocation, Reader } from './doing.ts'
import { type Parsed, parseArgs, type Specification, specify } from './options.ts'

export interface Row {
  /** Names, separated by blanks. */
  readonly names: string
  /** Options in the notation of `options.ts`; roles of values are the roles of operands. */
  readonly options?: string
  /** Roles of operands. Absent: operands are no paths. */
  readonly operands?: string
  /** Flags that change what operands are. The first that is given holds. */
  readonly when?: readonly { readonly flags: string; readonly operands: string }[]
  /** Flags that turn each operand's role into its tree (`-r` of grep, rm, chmod). */
  readonly tree?: string
  /** Flags that make the call a question about the program itself, beside `--help` and `--version`. */
  readonly info?: string
  /**
   * What stdout says: the operands' content or stdin as it is (`input`), some of its lines in some order (`lines`: paths
   * stay paths), something made of it (`changed`: only where it came from stays known), nothing, or something unknown
   * (default).
   */
  readonly out?: 'input' | 'lines' | 'changed' | 'nothing'
  /** Everything that the input lists is listed in what it says, too: nothing is picked. */
  readonly all?: boolean
  /** Options end at the first operand. */
  readonly stop?: boolean
  /** Long options may begin with one dash. */
  readonly single?: boolean
  /** Where the knowledge comes from or why the row is as it is: one clause. */
  readonly why: string
}

const specs = new WeakMap<object, Specification>()

/** The compiled options of a row; compiled on first use. */
export function specOf(row: { readonly options?: string }): Specification {
  let spec = specs.get(row)
  if (spec === undefined) {
    spec = specify(row.options ?? '')
    specs.set(row, spec)
  }
  return spec
}

const INFO = ['--help', '--version']

/** Whether the call only asks the program about itself. */
export const asksHelp = (parsed: Parsed, row: Row): boolean =>
  [...INFO, ...(row.info ?? '').split(' ')].some((flag) => flag !== '' && parsed.flags.has(flag))

interface Role {
  readonly act: PathAct | 'into' | 'skip'
  readonly tree: boolean
}

const roleOf = (word: string): Role => {
  const tree = word.endsWith('/')
  return { act: (tree ? word.slice(0, -1) : word) as Role['act'], tree }
}

/** Gives each operand its role. */
export function roles(
  pattern: string,
  operands: readonly Arg[],
): readonly { readonly arg: Arg; readonly role: Role }[] {
  const words = pattern.split(/\s+/).filter(Boolean)
  const last = words.at(-1)?.startsWith('last:') ? words.pop()!.slice(5) : undefined
  const plain = last !== undefined && operands.length > 0 ? operands.slice(0, -1) : operands
  const out = plain.flatMap((arg, i) => {
    const word = words[i] ?? (words.at(-1)?.endsWith('…') ? words.at(-1) : undefined)
    return word === undefined ? [] : [{ arg, role: roleOf(word.replace('…', '')) }]
  })
  const end = operands.at(-1)
  return last !== undefined && end ? [...out, { arg: end, role: roleOf(last) }] : out
}

/** What a row's command does with these arguments. Pure. */
export function applyRow(row: Row, call: Invocation): readonly Doing[] {
  const parsed = parseArgs(specOf(row), call.args, {
    ...(row.stop ? { stop: true } : {}),
    ...(row.single ? { single: true } : {}),
  })
  if (asksHelp(parsed, row)) return []
  const has = (flags: string) => flags.split(' ').some((flag) => parsed.flags.has(flag))
  const pattern = row.when?.find((change) => has(change.flags))?.operands ?? row.operands ?? ''
  const tree = row.tree !== undefined && has(row.tree)
  const doings: Doing[] = [...byOptions(specOf(row), parsed)]
  const given = roles(pattern, parsed.operands)
  for (const { arg, role } of given) push(doings, arg, role, tree)
  if (row.out === 'nothing') {
    doings.push({ do: 'out', content: { text: { is: 'exact', text: '' }, taints: [] } })
  } else if (row.out !== undefined) {
    const reads = given.filter(({ role }) => role.act === 'read').map(({ arg }) => arg)
    const content = inputOf(call, reads)
    const made = row.out === 'input' ? content : changed(content, row.out === 'lines')
    doings.push({ do: 'out', content: row.all ? { ...made, taints: content.taints } : made })
  }
  return doings
}

/** What the values of options do by their roles. */
export function byOptions(spec: Specification, parsed: Parsed): readonly Doing[] {
  const doings: Doing[] = []
  for (const [name, args] of parsed.values) {
    const role = spec.byName.get(name)?.role
    if (role === undefined) continue
    for (const arg of args) push(doings, arg, roleOf(role), false)
  }
  return doings
}

const isDash = (arg: Arg): boolean => arg.value.is === 'exact' && arg.value.text === '-'

/** What a filter reads: its operands, `-` being stdin, or stdin where there are none. */
export function inputOf(call: Invocation, operands: readonly Arg[]): Content {
  const files = operands.filter((arg) => !isDash(arg))
  if (files.length === 0) return call.stdin
  const content = fromFiles(files)
  return files.length === operands.length ? content : { ...changed(content, false), taints: call.stdin.taints }
}

/** Where content came from, once some of it was picked: then it lists no longer all of something. */
export const picked = (taints: Content['taints']): Content['taints'] => taints.filter((taint) => taint !== 'containers')

/** Content made of other content: where it came from stays known, its text does not. `lines`: listed paths stay. */
export function changed(content: Content, lines: boolean): Content {
  const { paths, none, files, of, ...rest } = content
  const sources = [...(of ?? []), ...(files ?? [])]
  return {
    ...rest,
    taints: picked(rest.taints),
    text: unknown('input'),
    ...(sources.length > 0 ? { of: sources } : {}),
    ...(lines && paths ? { paths } : {}),
  }
}

/** Content that comes from files: the planner looks up what it says where one exact file is named. */
export const fromFiles = (files: readonly Arg[]): Content => ({
  text: unknown('input'),
  taints: [],
  files,
})

function push(doings: Doing[], at: Arg, role: Role, tree: boolean): void {
  if (role.act === 'skip' || isDash(at)) return
  doings.push(role.act === 'into' ? into(at) : onPath(role.act, at, role.tree || tree))
}

/** Note of a directory in which files are made whose names nobody knows. */
export const INTO = 'into'

/** Files are made in a directory, which is made, too, where it is absent. */
export const into = (dir: Arg): Doing => ({ do: 'path', act: 'create', at: dir, note: INTO })

/** An act on a path. A slash at the end of a path that is deleted or changes its mode reaches behind a link. */
export function onPath(act: PathAct, at: Arg, tree = false): Doing {
  const follow = (act === 'delete' || act === 'mode') && suffixOf(at.value).endsWith('/')
  return { do: 'path', act, at, ...(tree ? { tree: true } : {}), ...(follow ? { follow: true } : {}) }
}

/** A reader for a row. */
export const rowReader = (row: Row): Reader =>
  function* (call): Asking<readonly Doing[]> {
    return applyRow(row, call)
  }
