/** Runs the nodes of a shell tree abstractly: lists, branches, loops, pipelines. Simple commands are `run-simple.ts`. */
import type { Content } from '../commands/doing.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, type GlobPart, oneOf, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import { expandArithmetic, expandFields, expandPattern, expandText, matchPattern } from '../shell/expand.ts'
import type { AndOr, Case, For, If, Loop, Node, Pipeline, Script } from '../shell/tree.ts'
import { forgetAssigned } from './assigned.ts'
import { presence } from './builtins.ts'
import { runSubscriptsOf } from './builtins-names.ts'
import { EITHER, type Engine, type Frame, joinContent, NO_OUT, OK, type Outcome, unfollowed } from './engine.ts'
import { become, fork, join, type Machine, setVariable, variableFor } from './machine.ts'
import { paced } from './pace.ts'
import { withRedirects } from './redirect.ts'
import { runSimple } from './run-simple.ts'
import { shellEnv } from './shell-env.ts'

/** Rounds of a loop over known words that are followed one by one. */
const MOST_ROUNDS = 16

/** Runs a list of statements in order. */
export function* runScript(engine: Engine, script: Script, m: Machine, outer: Frame): Asking<Outcome> {
  const frame = script.source === undefined ? outer : { ...outer, source: script.source }
  let last: Outcome = OK
  let out: Content = NO_OUT
  for (const statement of script.statements) {
    if (m.gone || engine.pace.over) break
    if (statement.background) {
      const child = fork(m)
      child.traps = new Map()
      const outcome = yield* runNode(engine, statement.node, child, { ...frame, forked: true })
      yield* runTraps(engine, child, frame)
      m.overlay = child.overlay
      out = joinContent(out, outcome.out)
      last = OK
      continue
    }
    last = yield* runNode(engine, statement.node, m, frame)
    out = joinContent(out, last.out)
    if (last.status === 'fail' && m.errexit && statement.node.is !== 'and-or') m.gone = true
  }
  return { ...last, out }
}

/** Runs one node. */
export function* runNode(engine: Engine, node: Node, m: Machine, frame: Frame): Asking<Outcome> {
  if (m.gone) return OK
  if (engine.pace.over) return EITHER
  if (yield* paced(engine.pace)) {
    unfollowed(engine, frame, node.span)
    return EITHER
  }
  switch (node.is) {
    case 'simple':
      return yield* runSimple(engine, node, m, frame)
    case 'and-or':
      return yield* runAndOr(engine, node, m, frame)
    case 'pipeline':
      return yield* runPipeline(engine, node, m, frame)
    case 'group':
      return yield* withRedirects(engine, node.redirects, m, frame, (inner) => runScript(engine, node.body, m, inner))
    case 'subshell':
      return yield* withRedirects(engine, node.redirects, m, frame, (inner) => runApart(engine, node.body, m, inner))
    case 'if':
      return yield* withRedirects(engine, node.redirects, m, frame, (inner) => runIf(engine, node, m, inner))
    case 'while':
    case 'until':
      return yield* withRedirects(engine, node.redirects, m, frame, (inner) => runLoop(engine, node, m, inner))
    case 'for':
    case 'select':
      return yield* withRedirects(engine, node.redirects, m, frame, (inner) => runFor(engine, node, m, inner))
    case 'case':
      return yield* withRedirects(engine, node.redirects, m, frame, (inner) => runCase(engine, node, m, inner))
    case 'arithmetic-for':
      return yield* withRedirects(engine, node.redirects, m, frame, function* (inner) {
        forgetAssigned(node.body, m)
        yield* expandArithmetic(node.header, shellEnv(engine, m, inner), inner.source)
        return yield* runRounds(engine, node.body, m, inner)
      })
    case 'function':
      m.functions.set(node.name, [{ body: node.body, source: frame.source }])
      return OK
    case 'test':
      return yield* withRedirects(engine, node.redirects, m, frame, function* (inner) {
        const env = shellEnv(engine, m, inner)
        const texts: (string | undefined)[] = []
        for (const word of node.words) {
          const value = yield* expandText(word, env, inner.source)
          texts.push(textOf(value))
          yield* runSubscriptsOf(engine, [{ value, span: word.span }], m, inner)
        }
        return {
          status: node.constant === undefined ? 'either' : node.constant ? 'ok' : 'fail',
          out: NO_OUT,
          ...(node.constant === undefined ? yield* presence(engine, texts, m) : {}),
        } as Outcome
      })
    case 'arithmetic':
      return yield* withRedirects(engine, node.redirects, m, frame, function* (inner) {
        yield* expandArithmetic(node.body, shellEnv(engine, m, inner), inner.source)
        return { status: 'either', out: NO_OUT } as Outcome
      })
    case 'coproc': {
      const child = fork(m)
      child.traps = new Map()
      yield* runNode(engine, node.body, child, {
        ...frame,
        stdin: { text: unknown('input'), taints: [] },
        forked: true,
      })
      yield* runTraps(engine, child, frame)
      m.overlay = child.overlay
      return OK
    }
  }
}

/** Runs a script in a process of its own: only what it did to the disk stays. */
export function* runApart(engine: Engine, script: Script, m: Machine, frame: Frame): Asking<Outcome> {
  const child = fork(m)
  child.traps = new Map()
  const outcome = yield* runScript(engine, script, child, frame)
  yield* runTraps(engine, child, frame)
  m.overlay = child.overlay
  return { status: outcome.status, out: outcome.out }
}

/**
 * Runs the traps of a shell that ends: each may fire, with the variables as they are now. What a trap sets may fire, too,
 * but what that sets in turn is not followed.
 */
export function* runTraps(engine: Engine, m: Machine, frame: Frame, again = true): Asking<void> {
  const traps = [...m.traps].flatMap(([signal, list]) => list.map((trap) => ({ signal, trap })))
  for (const { signal, trap } of traps) {
    const state = fork(m)
    for (const [name, value] of m.vars) state.vars.set(name, variableFor(trap, name, value))
    state.traps = new Map()
    state.gone = false
    yield* engine.perform(
      [{ do: 'code', language: 'sh', text: trap.text, here: true, when: 'later', label: `trap ${signal}` }],
      state,
      { ...frame, source: trap.source },
      { name: 'trap', span: { from: 0, to: 0 } },
    )
    if (again) yield* runTraps(engine, state, frame, false)
    m.overlay = state.overlay
  }
  m.traps = new Map()
}

/**
 * Runs the body of a loop, which may not run: afterwards either state holds. Where it leads elsewhere, a later round begins
 * there, with the test in front.
 */
function* runRounds(engine: Engine, body: Script, m: Machine, frame: Frame, test?: Script): Asking<Outcome> {
  const inner = branch(frame)
  const child = fork(m)
  let { out } = yield* runScript(engine, body, child, inner)
  if (child.cwd.length > 0 && child.cwd.join('\0') !== m.cwd.join('\0')) {
    const later = fork(child)
    if (test !== undefined) yield* runScript(engine, test, later, { ...inner, loop: true })
    out = joinContent(out, (yield* runScript(engine, body, later, inner)).out)
  }
  become(m, join(child, fork(m))!)
  return { status: 'either', out }
}

/** The frame of what runs only where a test found nothing at a path. */
const where = (frame: Frame, absent: string | undefined): Frame =>
  absent === undefined ? frame : { ...frame, absent: new Set([...(frame.absent ?? []), absent]) }

const branch = (frame: Frame): Frame => (frame.when === 'always' ? { ...frame, when: 'branch' } : frame)

/** The states after success and after failure. */
function split(m: Machine, outcome: Outcome): { ok: Machine | undefined; fail: Machine | undefined } {
  const at = (cwd: Machine['cwd'] | undefined): Machine => {
    const state = fork(m)
    if (cwd !== undefined) state.cwd = cwd
    return state
  }
  return {
    ok: outcome.status === 'fail' ? undefined : at(outcome.okCwd),
    fail: outcome.status === 'ok' ? undefined : at(outcome.failCwd),
  }
}

function* runAndOr(engine: Engine, node: AndOr, m: Machine, frame: Frame): Asking<Outcome> {
  const first = yield* runNode(engine, node.first, m, frame)
  let out = first.out
  let { ok, fail } = split(m, first)
  for (const [i, { op, node: next }] of node.rest.entries()) {
    if (engine.pace.over) break
    const start = op === '&&' ? ok : fail
    if (start === undefined || start.gone) continue
    const sure = op === '&&' ? fail === undefined : ok === undefined
    const absent = i > 0 ? undefined : op === '&&' ? first.okAbsent : first.failAbsent
    const outcome = yield* runNode(engine, next, start, where(sure ? frame : branch(frame), absent))
    out = joinContent(out, outcome.out)
    const after = split(start, outcome)
    if (op === '&&') {
      ok = after.ok
      fail = join(fail, after.fail)
    } else {
      ok = join(ok, after.ok)
      fail = after.fail
    }
  }
  become(m, join(ok, fail) ?? m)
  const status = fail === undefined ? 'ok' : ok === undefined ? 'fail' : 'either'
  return { status, out, ...(ok ? { okCwd: ok.cwd } : {}), ...(fail ? { failCwd: fail.cwd } : {}) }
}

function* runPipeline(engine: Engine, node: Pipeline, m: Machine, frame: Frame): Asking<Outcome> {
  if (node.commands.length === 1) {
    const outcome = yield* runNode(engine, node.commands[0]!, m, frame)
    if (!node.negated) return outcome
    const status = outcome.status === 'ok' ? 'fail' : outcome.status === 'fail' ? 'ok' : 'either'
    return {
      status,
      out: outcome.out,
      ...(outcome.failCwd ? { okCwd: outcome.failCwd } : {}),
      ...(outcome.okCwd ? { failCwd: outcome.okCwd } : {}),
      ...(outcome.failAbsent ? { okAbsent: outcome.failAbsent } : {}),
      ...(outcome.okAbsent ? { failAbsent: outcome.okAbsent } : {}),
    }
  }
  let stdin = frame.stdin
  let last: Outcome = OK
  for (const command of node.commands) {
    if (engine.pace.over) break
    const child = fork(m)
    child.traps = new Map()
    last = yield* runNode(engine, command, child, { ...frame, stdin, forked: true })
    yield* runTraps(engine, child, frame)
    m.overlay = child.overlay
    stdin = last.out
  }
  const status = node.negated && last.status !== 'either' ? (last.status === 'ok' ? 'fail' : 'ok') : last.status
  return { status, out: last.out }
}

function* runIf(engine: Engine, node: If, m: Machine, frame: Frame): Asking<Outcome> {
  const ends: Machine[] = []
  let out: Content = NO_OUT
  let rest: Machine | undefined = m
  let sure = true
  let missing: string | undefined
  for (const clause of node.clauses) {
    const start: Machine = fork(rest!)
    start.errexit = false
    const test: Outcome = yield* runScript(engine, clause.test, start, sure ? frame : branch(frame))
    start.errexit = m.errexit
    const { ok, fail } = split(start, test)
    if (ok) {
      const inside = where(sure && fail === undefined ? frame : branch(frame), test.okAbsent)
      const outcome = yield* runScript(engine, clause.then, ok, inside)
      out = joinContent(out, outcome.out)
      ends.push(ok)
    }
    rest = fail
    missing = test.failAbsent
    if (rest === undefined) break
    if (ok) sure = false
  }
  if (rest !== undefined) {
    if (node.otherwise) {
      const outcome = yield* runScript(engine, node.otherwise, rest, where(sure ? frame : branch(frame), missing))
      out = joinContent(out, outcome.out)
    }
    ends.push(rest)
  }
  become(m, ends.reduce<Machine | undefined>((a, b) => join(a, b), undefined) ?? m)
  return { status: 'either', out }
}

function* runLoop(engine: Engine, node: Loop, m: Machine, frame: Frame): Asking<Outcome> {
  forgetAssigned(node.test, m)
  forgetAssigned(node.body, m)
  const test = yield* runScript(engine, node.test, m, { ...frame, loop: true })
  const enters = node.is === 'while' ? test.status !== 'fail' : test.status !== 'ok'
  if (!enters) return OK
  return yield* runRounds(engine, node.body, m, frame, node.test)
}

function* runFor(engine: Engine, node: For, m: Machine, frame: Frame): Asking<Outcome> {
  const env = shellEnv(engine, m, frame)
  const values: readonly Value[] | undefined = node.words
    ? (yield* expandFields(node.words, env, frame.source)).map((arg: Arg) => arg.value)
    : m.positional
  if (values !== undefined && values.length === 0) return OK
  let out: Content = NO_OUT
  if (values !== undefined && values.length <= MOST_ROUNDS) {
    for (const value of values) {
      if (engine.pace.over) break
      setVariable(m, node.variable, value)
      const outcome = yield* runScript(engine, node.body, m, value.is === 'exact' ? frame : branch(frame))
      out = joinContent(out, outcome.out)
    }
    return { status: 'either', out }
  }
  const texts = values?.flatMap((value) => textsOf(value) ?? [])
  setVariable(m, node.variable, values && texts && texts.length === values.length ? oneOf(texts) : unknown('budget'))
  forgetAssigned(node.body, m, node.variable)
  return yield* runRounds(engine, node.body, m, frame)
}

function* runCase(engine: Engine, node: Case, m: Machine, frame: Frame): Asking<Outcome> {
  const env = shellEnv(engine, m, frame)
  const word = yield* expandText(node.word, env, frame.source)
  const ends: Machine[] = []
  let out: Content = NO_OUT
  /** What reaches an item by its patterns, and what falls into it from the one before; whether each surely does. */
  let testing: Machine | undefined = fork(m)
  let falling: Machine | undefined
  let testsSurely = true
  let fallsSurely = false
  for (const item of node.items) {
    let match: 'yes' | 'no' | 'maybe' = 'no'
    for (const pattern of testing === undefined ? [] : item.patterns) {
      const one = matches(yield* expandPattern(pattern, env, frame.source), word)
      if (one === 'yes') match = 'yes'
      else if (one === 'maybe' && match === 'no') match = 'maybe'
    }
    const state: Machine | undefined = join(
      falling,
      match === 'no' || testing === undefined ? undefined : fork(testing),
    )
    if (state === undefined) continue
    const sure: boolean = (falling !== undefined && fallsSurely) || (match === 'yes' && testsSurely)
    const outcome = yield* runScript(engine, item.body, state, sure ? frame : branch(frame))
    out = joinContent(out, outcome.out)
    falling = undefined
    if (match === 'yes') testing = undefined
    if (item.end === ';;&') {
      testing = join(testing, state)
      continue
    }
    if (match === 'maybe') testsSurely = false
    if (item.end === ';&') {
      falling = state
      fallsSurely = sure
    } else ends.push(state)
  }
  const all = [...ends, falling, testing]
  become(m, all.reduce<Machine | undefined>((a, b) => join(a, b), undefined) ?? m)
  return { status: 'either', out }
}

function matches(pattern: Value, word: Value): 'yes' | 'no' | 'maybe' {
  const parts: readonly GlobPart[] | undefined =
    pattern.is === 'exact' ? [{ is: 'text', text: pattern.text }] : pattern.is === 'glob' ? pattern.parts : undefined
  if (parts?.length === 1 && parts[0]!.is === 'star') return 'yes'
  const texts = textsOf(word)
  if (parts === undefined || texts === undefined) return 'maybe'
  const hits = texts.filter((text) => matchPattern(parts, text)).length
  return hits === 0 ? 'no' : hits === texts.length ? 'yes' : 'maybe'
}
