/** Runs one simple command: expands it, opens its redirections, finds what its name stands for, performs it. */
import type { Invocation } from '../commands/doing.ts'
import { printedBy } from '../commands/finders.ts'
import { codeOfCall } from '../commands/option-code.ts'
import { readerOf } from '../commands/registry.ts'
import { readUnlisted } from '../commands/unlisted.ts'
import type { Asking } from '../core/question.ts'
import {
  type Arg,
  concat,
  exact,
  MOST_TEXTS,
  type Span,
  showValue,
  textOf,
  textsOf,
  unknown,
  type Value,
} from '../core/value.ts'
import { expandFields, expandText, type Field } from '../shell/expand.ts'
import { looksLikeAscii } from '../shell/hidden.ts'
import type { Assign, Part, Simple } from '../shell/tree.ts'
import { movesAgent } from './agent-homes.ts'
import { builtinOf } from './builtins.ts'
import { runSubscriptsOf } from './builtins-names.ts'
import {
  type ArgvOptions,
  type By,
  EITHER,
  type Engine,
  emit,
  type Frame,
  MOST_DEPTH,
  MOST_STEPS,
  NO_OUT,
  OK,
  type Outcome,
  trail,
  unfollowed,
} from './engine.ts'
import { expandGlob, isBare } from './globs.ts'
import { become, fork, join, type Machine, MOST_CHOICES, setVariable } from './machine.ts'
import { outputOf } from './made.ts'
import { asItWillBe } from './physical.ts'
import { withRedirects } from './redirect.ts'
import { baseOf, ownProgram, PROGRAM_DIRS, plantedProgram, runAlias, runFunction } from './run-names.ts'
import { shellEnv, variableOf } from './shell-env.ts'
import { withStreams } from './streams.ts'

/** Builtins whose words name variables: a subscript among them is expanded, which runs the commands in it. */
const TAKES_NAMES: ReadonlySet<string> = new Set(
  'test [ printf read unset declare local typeset export readonly let mapfile readarray wait getopts'.split(' '),
)

/** Runs a simple command of the tree. */
export function* runSimple(engine: Engine, node: Simple, m: Machine, frame: Frame): Asking<Outcome> {
  const env = shellEnv(engine, m, frame)
  const args = yield* settled(engine, yield* expandFields(node.words, env, frame.source), m, frame)
  if (args.length === 0) {
    for (const assign of node.assigns) {
      yield* assignTo(engine, assign, m, frame)
      const value = m.vars.get(assign.name)
      if (value !== undefined && value !== 'unset' && m.exported.get(assign.name) === true)
        noteSwitches(engine, new Map([[assign.name, value]]), frame, { name: assign.name, span: node.span })
    }
    if (node.redirects.length === 0)
      return node.assigns.some((assign) => assign.value?.parts.some((part) => part.is === 'command'))
        ? { status: 'either', out: NO_OUT }
        : OK
    return yield* withRedirects(engine, node.redirects, m, frame, onlyRedirects)
  }
  const set = new Map<string, Value>()
  for (const assign of node.assigns)
    set.set(assign.name, assign.value ? yield* expandText(assign.value, env, frame.source) : unknown('variable'))
  return yield* withRedirects(engine, node.redirects, m, frame, (inner) =>
    runVariants(engine, args, m, inner, { env: set, span: node.span }),
  )
}

/** A pattern that one name matches is that name, wherever a word of that text has a meaning: `npm tes[t]`. */
function* settled(engine: Engine, args: readonly Field[], m: Machine, frame: Frame): Asking<readonly Field[]> {
  if (frame.where?.same === false || !args.some(({ value }) => value.is === 'glob')) return args
  const out: Field[] = []
  for (const arg of args) {
    // All that a directory holds stays that, even where it is one name.
    const [name, more] = (!isBare(arg.value) && (yield* expandGlob(engine, arg.value, m, 1))) || []
    out.push(name === undefined || more !== undefined ? arg : { ...arg, value: exact(name) })
  }
  return out
}

/** An unquoted variable in front that may be empty makes the next word the command: both ways are run. */
function* runVariants(
  engine: Engine,
  args: readonly Field[],
  m: Machine,
  frame: Frame,
  how: ArgvOptions,
): Asking<Outcome> {
  const at = args.findIndex((arg) => arg.maybe === true)
  if (at < 0) return yield* runArgv(engine, args, m, frame, how)
  const without = fork(m)
  yield* runVariants(engine, [...args.slice(0, at), ...args.slice(at + 1)].slice(0, MOST_VARIED), without, frame, how)
  yield* runArgv(engine, args, m, frame, how)
  become(m, join(m, without) ?? m)
  return EITHER
}

/** Words of a command that is run in variants; more than one variable in front of a command is rare. */
const MOST_VARIED = 64

/** `< file` alone prints nothing, but `$(< file)` is what the file says. */
function* onlyRedirects(inner: Frame): Asking<Outcome> {
  return { status: 'either', out: inner.stdin.none ? NO_OUT : inner.stdin }
}

export function* assignTo(engine: Engine, assign: Assign, m: Machine, frame: Frame): Asking<void> {
  const env = shellEnv(engine, m, frame)
  if (assign.index || assign.array) {
    if (assign.index) yield* expandText(assign.index, env, frame.source)
    const fields = assign.array && (yield* expandFields(assign.array, env, frame.source))
    setVariable(m, assign.name, fields && !assign.index ? arrayOf(assign, fields, m) : unknown('variable'))
    return
  }
  const value = assign.value ? yield* expandText(assign.value, env, frame.source) : exact('')
  if (!assign.append) {
    setVariable(m, assign.name, value)
    return
  }
  const before = yield* variableOf(engine, m, assign.name)
  setVariable(m, assign.name, before === 'unset' ? value : concat(before, value))
}

/** The elements of an array where their order is plain: no keys, and nothing that may be several words or none. */
function arrayOf(assign: Assign, fields: readonly Arg[], m: Machine): Value {
  const before = assign.append ? m.vars.get(assign.name) : undefined
  const kept = before !== undefined && before !== 'unset' && before.is === 'unknown' ? before.elements : undefined
  if (assign.append && kept === undefined) return unknown('variable')
  const keyed = assign.array!.some(({ parts: [first] }) => first !== undefined && /^\[/.test(literalOf(first)))
  const elements = [...(kept ?? []), ...fields.map(({ value }) => value)]
  const known = elements.every(({ is }) => is === 'exact' || is === 'glob')
  return keyed || !known ? unknown('variable') : { is: 'unknown', why: 'variable', elements }
}

const literalOf = (part: Part): string => (part.is === 'literal' || part.is === 'glob' ? part.text : '')

/** Runs a command given as words: name and arguments. */
export function* runArgv(
  engine: Engine,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  how: ArgvOptions = {},
): Asking<Outcome> {
  const command = args[0]
  if (command === undefined) return OK
  const span = how.span ?? spanOf(args)
  if (engine.pace.over) return EITHER
  if (++engine.steps > MOST_STEPS || frame.depth > MOST_DEPTH) {
    engine.pace.over = engine.steps > MOST_STEPS
    unfollowed(engine, frame, span)
    return EITHER
  }
  engine.ran.push({ words: args.map((arg) => textOf(arg.value)), via: trail(frame, span) })
  const names = textsOf(command.value)
  if (names === undefined) {
    const note = command.value.is === 'glob' ? 'glob-command' : 'unknown-command'
    emit(
      engine,
      'opaque',
      { is: 'thing', name: showValue(command.value) },
      frame,
      { name: 'sh', span },
      { note, provenance: 'unknown', ...taints(command.value) },
    )
    return EITHER
  }
  if (names.length === 1) return yield* runNamed(engine, names[0]!, args, m, frame, span, how)
  const ends: Machine[] = []
  for (const name of names.slice(0, MOST_TEXTS)) {
    const child = fork(m)
    yield* runNamed(engine, name, [{ ...command, value: exact(name) }, ...args.slice(1)], child, frame, span, how)
    ends.push(child)
  }
  become(m, ends.reduce<Machine | undefined>((a, b) => join(a, b), undefined)!)
  return EITHER
}

const taints = (value: Value) =>
  (value.is === 'unknown' || value.is === 'partly') && value.taints ? { from: value.taints } : {}

const spanOf = (args: readonly Arg[]): Span => {
  const spans = args.map((arg) => arg.span).filter((span) => span.to > span.from)
  return { from: Math.min(...spans.map((span) => span.from)), to: Math.max(...spans.map((span) => span.to)) }
}

function* runNamed(
  engine: Engine,
  name: string,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  span: Span,
  how: ArgvOptions,
): Asking<Outcome> {
  const by = { name, span }
  if (name === '') return { status: 'fail', out: NO_OUT }
  const choices = how.plain ? 1 : Math.max(m.functions.get(name)?.length ?? 1, m.aliases.get(name)?.length ?? 1)
  if (choices > MOST_CHOICES) {
    emit(engine, 'opaque', { is: 'thing', name }, frame, by, { note: 'unknown-command', provenance: 'unknown' })
    return EITHER
  }
  if (choices > 1) return yield* runChoices(engine, name, args, m, frame, span, how)
  if (how.env !== undefined && how.env.size > 0 && !how.given) {
    noteSwitches(engine, how.env, frame, { name: baseOf(name, false), span })
    return yield* withEnv(m, how.env, runNamed(engine, name, args, m, frame, span, { ...how, given: true }))
  }
  const imitates = looksLikeAscii(name)
  if (imitates !== undefined) {
    emit(engine, 'opaque', { is: 'thing', name: `${name}, which looks like ${imitates}` }, frame, by, {
      note: 'look-alike',
      provenance: 'unknown',
    })
    return EITHER
  }
  if (!how.plain) {
    const body = m.functions.get(name)?.[0]
    if (body !== undefined && body !== 'none')
      return yield* runFunction(engine, name, body, args.slice(1), m, frame, span)
    const alias = m.aliases.get(name)?.[0]
    if (alias !== undefined && alias !== 'none' && !frame.running.includes(`alias ${name}`)) {
      const inner = { ...frame, depth: frame.depth + 1, running: [...frame.running, `alias ${name}`] }
      return yield* runAlias(engine, alias, args.slice(1), m, inner)
    }
  }
  if (TAKES_NAMES.has(name)) yield* runSubscriptsOf(engine, args.slice(1), m, frame)
  const builtin = builtinOf(name)
  if (builtin) return yield* builtin(engine, args.slice(1), m, frame, { ...by, env: how.env ?? new Map() })
  const base = baseOf(name, engine.context.platform === 'win32')
  const { context } = engine
  const call: Invocation = {
    name,
    base,
    command: args[0]!,
    args: args.slice(1),
    stdin: frame.stdin,
    env: environmentOf(m, how.env),
    platform: context.platform,
    cwd: m.cwd.length === 1 ? m.cwd[0] : undefined,
    home: context.home,
  }
  if (context.policy.transparent.includes(base)) {
    return yield* engine.perform([{ do: 'run', argv: args.slice(1) }], m, frame, by)
  }
  const placed = name.includes('/') || (context.platform === 'win32' && name.includes('\\'))
  const planted = placed ? undefined : yield* plantedProgram(engine, name, m, how.env)
  if (planted !== undefined) {
    const path: Arg = { value: exact(planted), span: args[0]!.span, provenance: 'constant' }
    return yield* engine.perform([{ do: 'script', path, args: args.slice(1) }], m, frame, by)
  }
  const code = codeOfCall(call, new Set(how.env?.keys()))
  if (code.length > 0) yield* engine.perform(code, m, frame, by)
  const local = name.includes('/') ? yield* ownProgram(engine, name, m) : false
  const reader = local ? undefined : readerOf(base)
  if (reader !== undefined) {
    if (
      base === 'sallyport' ||
      base === 'agb' ||
      (base === 'ctx' && PERSONS_VERB.test(textOf(args[1]?.value ?? exact('')) ?? 'purge'))
    )
      emit(engine, 'run', { is: 'thing', name: base }, frame, by, { note: 'unlisted', seen: args.slice(1) })
    const doings = yield* withStreams(asItWillBe(reader(call), engine, m), engine, m)
    return printed(call, yield* engine.perform(doings, m, frame, by))
  }
  noteSwitches(engine, movedBefore(m, how.env), frame, { name: base, span })
  emit(engine, 'run', { is: 'thing', name: base }, frame, by, { note: 'unlisted', seen: args.slice(1) })
  if (placed) {
    if (PROGRAM_DIRS.test(name) || name.includes('/node_modules/.bin/') || /\/(?:git-core|lib(?:32|64)?)\//.test(name))
      yield* engine.perform(readUnlisted(call), m, frame, by)
    return yield* engine.perform([{ do: 'script', path: args[0]!, args: args.slice(1) }], m, frame, by)
  }
  yield* engine.perform(readUnlisted(call), m, frame, by)
  return printed(call, { status: 'either', out: yield* outputOf(engine, call.args, m, frame) })
}

/** What a program says that tells where another one lies. */
function printed(call: Invocation, outcome: Outcome): Outcome {
  const text = printedBy(call)
  return text === undefined ? outcome : { ...outcome, out: { text, taints: [] } }
}

/** Variables that this line set, as far as programs look at them, and those before the command. */
function environmentOf(m: Machine, own: ReadonlyMap<string, Value> | undefined): ReadonlyMap<string, Value> {
  const all = new Map<string, Value>()
  for (const [name, value] of m.vars) if (value !== 'unset' && /^[A-Z][A-Z0-9_]*$/.test(name)) all.set(name, value)
  for (const [name, value] of own ?? []) all.set(name, value)
  return all
}

/** Our own program: whatever else it does for its caller, its verbs are judged. */
/** Verbs of `ctx` that take captures away, trust something or change how agents are guarded, with some options or always. */
const PERSONS_VERB = /^(?:purge|gc|profile|setup|wrap|unwrap)$/

/** Runs something with variables of its own, as `A=b command` does. */
function* withEnv(m: Machine, env: ReadonlyMap<string, Value>, running: Asking<Outcome>): Asking<Outcome> {
  const before = [...env.keys()].map((name) => [name, m.vars.get(name), m.exported.get(name)] as const)
  for (const [name, value] of env) {
    m.vars.set(name, value)
    m.exported.set(name, true)
  }
  const outcome = yield* running
  for (const [name, value, exported] of before) {
    if (value === undefined) m.vars.delete(name)
    else m.vars.set(name, value)
    if (exported === undefined) m.exported.delete(name)
    else m.exported.set(name, exported)
  }
  return outcome
}

/** A name that branches defined differently is run each way. */
function* runChoices(
  engine: Engine,
  name: string,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  span: Span,
  how: ArgvOptions,
): Asking<Outcome> {
  const bodies = m.functions.get(name) ?? ['none']
  const aliases = m.aliases.get(name) ?? ['none']
  let end: Machine | undefined
  for (const body of bodies) {
    for (const alias of aliases) {
      const child = fork(m)
      child.functions.set(name, [body])
      child.aliases.set(name, [alias])
      yield* runNamed(engine, name, args, child, frame, span, how)
      end = join(end, child)
    }
  }
  become(m, end!)
  return EITHER
}

/** Variables that were exported before on this line, and by which an agent program would find other settings. */
function movedBefore(m: Machine, own: ReadonlyMap<string, Value> | undefined): ReadonlyMap<string, Value> {
  const all = new Map<string, Value>()
  for (const [name, value] of m.vars)
    if (value !== 'unset' && (m.exported.get(name) || name === 'HOME') && movesAgent(name) && !own?.has(name))
      all.set(name, value)
  return all
}

/** Variables that go along to programs and change what runs, or switch a guard off. */
function noteSwitches(engine: Engine, env: ReadonlyMap<string, Value> | undefined, frame: Frame, by: By): void {
  if (env === undefined) return
  for (const [name, value] of env) {
    emit(engine, 'guard', { is: 'thing', name }, frame, by, { note: 'variable', seen: value })
  }
}
