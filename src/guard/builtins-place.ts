/** Builtins about directories: where the shell is, and fresh places of its own. */
import type { Asking } from '../core/question.ts'
import { type Arg, exact, textOf, textsOf, type Value } from '../core/value.ts'
import { normalise } from '../paths/lexical.ts'
import { operandsOf } from './builtins.ts'
import { EITHER, type Engine, NO_OUT, OK, type Outcome } from './engine.ts'
import { expandGlob } from './globs.ts'
import type { Machine, Places } from './machine.ts'
import { withChange } from './overlay.ts'
import { variableOf } from './shell-env.ts'
import { absolutes, physical } from './targets.ts'

export function* cd(engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const operands = operandsOf(args)
  const from = m.cwd
  let value: Value
  if (operands.length === 0) {
    const home = yield* variableOf(engine, m, 'HOME')
    value = home === 'unset' ? exact(engine.context.home) : home
  } else value = operands[0]!.value
  const go = (to: Places, status: Outcome['status']): Outcome => {
    m.cwd = status === 'fail' ? from : status === 'ok' ? to : to.length === 0 ? [] : [...new Set([...to, ...from])]
    if (status !== 'fail') m.oldCwd = from
    return { status, out: NO_OUT, okCwd: to, failCwd: from }
  }
  if (textOf(value) === '-') {
    const old = m.oldCwd ?? placesOfValue(yield* variableOf(engine, m, 'OLDPWD'), m, engine)
    return go(old, 'either')
  }
  if (textOf(value) === '') return go(from, 'ok')
  const texts = value.is === 'glob' ? yield* expandGlob(engine, value, m) : textsOf(value)
  if (texts === undefined || (from.length === 0 && texts.some((text) => absolutes(text, m, engine) === undefined)))
    return go([], 'either')
  const cdpath = yield* variableOf(engine, m, 'CDPATH')
  if (textOf(cdpath === 'unset' ? undefined : cdpath) && texts.some((text) => !/^[./~]/.test(text)))
    return go([], 'either')
  const paths = texts.flatMap((text) => absolutes(text, m, engine) ?? [])
  const present: string[] = []
  let absent = 0
  let unsure = 0
  // With `-P` a link is followed before `..` counts.
  const whole = args.some((arg) => /^-[LPe@]*P[e@]*$/.test(textOf(arg.value) ?? ''))
  for (const path of paths) {
    const found = yield* physical(engine, path, true, m.overlay)
    if (found.is !== 'path') {
      unsure++
      present.push(path)
    } else if (found.exists && found.kind === 'dir') present.push(whole ? found.target : path)
    else absent++
  }
  const to = present.map((path) => normalise(path, engine.paths.flavour))
  if (to.length === 0) return go([], 'fail')
  return go(to, absent + unsure === 0 ? 'ok' : 'either')
}

function placesOfValue(value: Value | 'unset', m: Machine, engine: Engine): Places {
  return value === 'unset' ? [] : (textsOf(value)?.flatMap((text) => absolutes(text, m, engine) ?? []) ?? [])
}

export function* pushd(engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const before = m.cwd
  if (operandsOf(args).length === 0 || /^[-+]\d+$/.test(textOf(operandsOf(args)[0]!.value) ?? '')) {
    m.cwd = []
    m.stack = []
    return EITHER
  }
  const outcome = yield* cd(engine, args, m)
  if (outcome.status !== 'fail') m.stack.push(before)
  return outcome
}

export function* popd(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const back = args.length === 0 ? m.stack.pop() : undefined
  m.oldCwd = m.cwd
  m.cwd = back ?? []
  return back ? OK : EITHER
}

/** A fresh file or directory that nobody else knows: its loss is nobody's. */
export function* mktemp(engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const texts = args.map((arg) => textOf(arg.value) ?? '')
  if (texts.some((text) => text === '--help' || text === '--version')) return OK
  const dir = texts.some((text) => /^-[a-zA-Z]*d/.test(text) || text === '--directory')
  const template = texts.find((text) => /XXX/.test(text))
  const tmp = textOf(yield* known(variableOf(engine, m, 'TMPDIR'))) ?? '/tmp'
  const base = (tmp === '' ? '/tmp' : tmp).replace(/\/+$/, '')
  const name = `tmp.new${engine.steps}`
  const relative = template?.replace(/X{3,}/, `new${engine.steps}`)
  const path =
    relative === undefined
      ? `${base}/${name}`
      : (absolutes(
          texts.some((t) => /^-[a-z]*[tp]|^--tmpdir/.test(t)) ? `${base}/${relative}` : relative,
          m,
          engine,
        )?.[0] ?? `${base}/${name}`)
  const found = yield* physical(engine, path, false, m.overlay)
  m.overlay = withChange(m.overlay, {
    is: 'made',
    path: found.is === 'path' ? found.entry : path,
    kind: dir ? 'dir' : 'file',
    text: dir ? undefined : '',
    fresh: true,
  })
  return { status: 'ok', out: { text: exact(`${path}\n`), taints: [] } }
}

function* known(asking: Asking<Value | 'unset'>): Asking<Value | undefined> {
  const value = yield* asking
  return value === 'unset' ? undefined : value
}
