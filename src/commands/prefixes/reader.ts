/**
 * One reader for every transparent program: it takes the program's own words off and hands on the command behind them.
 * A row says where the command begins; programs whose words do not fit a row have a reader in `own.ts`.
 */
import type { Asking } from '../../core/question.ts'
import { type Arg, concat, exact, prefixOf, textOf, type Value } from '../../core/value.ts'
import type { Doing, Elsewhere, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs } from '../options.ts'
import { into, onPath, roles, specOf } from '../row.ts'

export interface Prefix {
  readonly names: string
  /** Options before the command in the notation of `options.ts`; roles of values are roles of operands. */
  readonly options?: string
  /** Operands between options and command, as roles (`skip`, `create`); they are counted, too. */
  readonly before?: string
  /** One of these words may stand before the command, and options again behind it. */
  readonly maybe?: string
  /** The first operand must be one of these words; any other makes the call none of ours. */
  readonly verbs?: string
  /** Everything before `--` belongs to the program; without `--` the command begins as usual. */
  readonly dashes?: boolean
  /** `NAME=value` words before the command set variables of it. */
  readonly assignments?: boolean
  /** Options whose value is a text for a shell. */
  readonly shell?: string
  /** The words of the command are joined to a text for a shell, unless one of `plain` is given. */
  readonly joins?: boolean
  readonly plain?: string
  /** Each operand is a text for a shell of its own. */
  readonly texts?: boolean
  /** The option whose value is the working directory. */
  readonly dir?: string
  /** The option whose values are variables to remove. */
  readonly unset?: string
  /** Without a command a shell starts that reads stdin. */
  readonly bare?: 'shell'
  /** Flags that start such a shell, with the command, where given, as its text. */
  readonly login?: string
  /** Flags with which no command runs. */
  readonly info?: string
  /** Flags with which the command runs later; `always` where that is so without any. */
  readonly later?: string
  readonly single?: boolean
  readonly where?: Elsewhere
  readonly why: string
}

const INFO = ['--help', '--version']

/** A word of our own at the place of the command. */
export const at = (call: Invocation, text: string): Arg => ({
  value: exact(text),
  span: call.command.span,
  provenance: 'constant',
})

export const flagged = (parsed: Parsed, flags: string | undefined): boolean =>
  (flags?.split(' ') ?? []).some((flag) => parsed.flags.has(flag))

export const last = (parsed: Parsed, option: string): Arg | undefined => parsed.values.get(option)?.at(-1)

/** Words joined by blanks, as `eval`, `watch` and `ssh` do. */
export const joined = (args: readonly Arg[]): Value =>
  args.reduce<Value>((all, arg, i) => (i === 0 ? arg.value : concat(concat(all, exact(' ')), arg.value)), exact(''))

/** A text for a shell. */
export const shellText = (text: Value, more: Partial<Extract<Doing, { do: 'code' }>> = {}): Doing => ({
  do: 'code',
  language: 'sh',
  text,
  ...more,
})

/** A shell that reads what stdin holds. */
export const shellFromStdin = (
  call: Invocation,
  args: readonly Arg[] = [],
  more: Partial<Extract<Doing, { do: 'run' }>> = {},
): Doing => ({ do: 'run', argv: [at(call, 'sh'), ...args], ...more })

/** Any name will do for `env`: functions come as `BASH_FUNC_x%%`. */
const ASSIGNMENT = /^([A-Za-z_][^=\s/]*)=/

/** Takes leading `NAME=value` words off. */
export function takeAssignments(args: readonly Arg[]): {
  readonly set: ReadonlyMap<string, Value>
  readonly rest: readonly Arg[]
} {
  const set = new Map<string, Value>()
  let i = 0
  for (; i < args.length; i++) {
    const value = args[i]!.value
    const name = ASSIGNMENT.exec(prefixOf(value))?.[1]
    if (name === undefined) break
    set.set(name, afterPrefix(value, name.length + 1))
  }
  return { set, rest: args.slice(i) }
}

/** A value without its first `count` characters, which are surely known. */
export function afterPrefix(value: Value, count: number): Value {
  switch (value.is) {
    case 'exact':
      return exact(value.text.slice(count))
    case 'oneOf':
      return { is: 'oneOf', texts: value.texts.map((text) => text.slice(count)) }
    case 'partly': {
      const prefix = value.prefix.slice(count)
      return prefix === '' && value.suffix === '' ? { is: 'unknown', why: value.why } : { ...value, prefix }
    }
    case 'glob': {
      const [first, ...rest] = value.parts
      if (first?.is !== 'text') return value
      const text = first.text.slice(count)
      return { is: 'glob', parts: text === '' ? rest : [{ is: 'text', text }, ...rest] }
    }
    case 'unknown':
      return value
  }
}

/** Splits at the first `--`. */
export function atDashes(args: readonly Arg[]): { readonly own: readonly Arg[]; readonly command?: readonly Arg[] } {
  const i = args.findIndex((arg) => textOf(arg.value) === '--')
  return i < 0 ? { own: args } : { own: args.slice(0, i), command: args.slice(i + 1) }
}

/** Doings for options and operands of a program itself that are paths. */
export function ownPaths(row: Prefix, parsed: Parsed): Doing[] {
  const doings: Doing[] = []
  for (const [name, args] of parsed.values) {
    const role = specOf(row).byName.get(name)?.role
    if (role !== undefined) for (const arg of args) doings.push(...pathOf(role, arg))
  }
  return doings
}

function pathOf(role: string, arg: Arg): readonly Doing[] {
  return roles(role, [arg]).flatMap(({ role: { act, tree } }): readonly Doing[] =>
    act === 'skip' || textOf(arg.value) === '-' ? [] : act === 'into' ? [into(arg)] : [onPath(act, arg, tree)],
  )
}

/** What a prefix does, or undefined where its first operand is none of the row's verbs. Pure. */
export function applyPrefix(row: Prefix, call: Invocation): readonly Doing[] | undefined {
  const spec = specOf(row)
  const how = { stop: true, ...(row.single ? { single: true } : {}) }
  let args = call.args
  let outer: Parsed | undefined
  if (row.verbs !== undefined) {
    outer = parseArgs(spec, args, how)
    const verb = textOf(outer.operands[0]?.value)
    if (verb === undefined || !row.verbs.split(' ').includes(verb)) return undefined
    args = outer.operands.slice(1)
  }
  const split = row.dashes ? atDashes(args) : { own: args }
  let parsed = parseArgs(spec, split.own, split.command ? { ...how, stop: false } : how)
  if (INFO.some((flag) => parsed.flags.has(flag)) || flagged(parsed, row.info)) return []
  const doings = ownPaths(row, parsed)
  let rest = split.command ?? parsed.operands
  if (row.maybe?.split(' ').includes(textOf(rest[0]?.value) ?? '')) {
    const again = parseArgs(spec, rest.slice(1), how)
    parsed = { ...again, flags: new Set([...parsed.flags, ...again.flags]) }
    rest = again.operands
  }
  if (row.before !== undefined && !split.command) {
    const count = row.before.split(' ').length
    // `flock 9` locks a descriptor, no file.
    for (const { arg, role } of roles(row.before, rest.slice(0, count)))
      if (role.act !== 'skip' && !/^\d+$/.test(textOf(arg.value) ?? ''))
        doings.push(role.act === 'into' ? into(arg) : onPath(role.act, arg, role.tree))
    rest = rest.slice(count)
  }
  // getopt lets `-c TEXT` stand behind the operands, too (`flock FILE -c TEXT`).
  if (row.before !== undefined && row.shell && prefixOf(rest[0]?.value ?? exact('')).startsWith('-')) {
    parsed = parseArgs(spec, rest, how)
    rest = parsed.operands
  }
  return [...doings, ...commandOf(row, call, parsed, rest)]
}

function commandOf(row: Prefix, call: Invocation, parsed: Parsed, words: readonly Arg[]): readonly Doing[] {
  const taken = row.assignments ? takeAssignments(words) : { set: new Map<string, Value>(), rest: words }
  const dir = row.dir === undefined ? undefined : last(parsed, row.dir)
  const unset = (row.unset ? (parsed.values.get(row.unset) ?? []) : []).flatMap((arg) => textOf(arg.value) ?? [])
  const more = {
    ...(dir ? { cwd: dir } : {}),
    ...(row.later === 'always' || flagged(parsed, row.later) ? { when: 'later' as const } : {}),
    ...(row.where ? { where: row.where } : {}),
  }
  const variables = {
    ...(taken.set.size > 0 ? { set: taken.set } : {}),
    ...(unset.length > 0 ? { unset } : {}),
  }
  const texts = (row.shell?.split(' ') ?? []).flatMap((option) => parsed.values.get(option) ?? [])
  const doings: Doing[] = texts.map((arg) =>
    shellText(arg.value, { ...more, ...(row.texts ? {} : { args: taken.rest }) }),
  )
  if (row.texts) return [...doings, ...taken.rest.map((arg) => shellText(arg.value, more))]
  if (texts.length > 0) return doings
  if (flagged(parsed, row.login)) {
    const shell = taken.rest.length === 0 ? [] : [at(call, '-c'), { ...at(call, ''), value: joined(taken.rest) }]
    return [shellFromStdin(call, shell, { ...more, ...variables })]
  }
  if (taken.rest.length === 0) return row.bare ? [shellFromStdin(call, [], { ...more, ...variables })] : doings
  if (row.joins && !flagged(parsed, row.plain)) return [shellText(joined(taken.rest), more)]
  return [{ do: 'run', argv: taken.rest, ...more, ...variables }]
}

/** A reader for a row. `other` reads the calls whose verb is none of ours. */
export const prefixReader = (row: Prefix, other?: Reader): Reader =>
  function* (call): Asking<readonly Doing[]> {
    const doings = applyPrefix(row, call)
    if (doings !== undefined) return doings
    return other ? yield* other(call) : []
  }
