/** Builtins about directories: where the shell is, and fresh places of its own. */

import { MKTEMP } from '../commands/names.ts'
import { parseArgs } from '../commands/options.ts'
import { type Asking, ask } from '../core/question.ts'
import { type Arg, concat, exact, textOf, textsOf, type Value } from '../core/value.ts'
import { normalise } from '../paths/lexical.ts'
import { operandsOf } from './builtins.ts'
import { type By, EITHER, type Engine, type Frame, NO_OUT, OK, type Outcome } from './engine.ts'
import { expandGlob } from './globs.ts'
import type { Machine, Places } from './machine.ts'
import { isBrought, isUnsure, withChange } from './overlay.ts'
import { absolutes, physical } from './physical.ts'
import { variableOf } from './shell-env.ts'
import { affect } from './targets.ts'

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
    return go(old, old.length > 0 && (yield* areThere(engine, old, m)) ? 'ok' : 'either')
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
    } else if (found.exists && (found.kind === 'dir' || isUnsure(m.overlay, found.target))) {
      if (isUnsure(m.overlay, found.target)) unsure++
      present.push(whole ? found.target : path)
    } else if (!found.exists && (engine.ranUnseen || isBrought(m.overlay, found.target))) {
      // Whatever ran earlier may have made it.
      unsure++
      present.push(path)
    } else absent++
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

/** Whether a directory for temporary files is one that this line chose. */
function* isElsewhere(tmp: string): Asking<boolean> {
  if (tmp === '/tmp' || tmp === '') return false
  const set = yield* ask('env', { name: 'TMPDIR' })
  return typeof set !== 'object' || set.value !== tmp
}

/** A fresh file or directory that nobody else knows: its loss is nobody's. Where it was told to lie it is a new file there. */
export function* mktemp(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  const { flags, values, operands } = parseArgs(MKTEMP, args)
  if (flags.has('--help') || flags.has('--version')) return OK
  const dir = flags.has('-d')
  const into = [...(values.get('-p') ?? []), ...(values.get('--tmpdir') ?? [])].at(-1)
  const tmp = textOf(yield* known(variableOf(engine, m, 'TMPDIR'))) ?? '/tmp'
  const base = into?.value ?? exact((tmp === '' ? '/tmp' : tmp).replace(/\/+$/, ''))
  const given = operands[0]
  const named = given !== undefined && !['-p', '--tmpdir', '-t'].some((flag) => flags.has(flag))
  const template = concat(given?.value ?? exact('tmp.XXXXXX'), values.get('--suffix')?.at(-1)?.value ?? exact(''))
  const whole = named ? template : concat(concat(base, exact('/')), template)
  const text = textOf(whole)
  // The X's of the last name stand for letters that nothing has had before.
  const path = text === undefined ? undefined : text.replace(/X{3,}(?=[^/X]*$)/, `new${engine.steps}`)
  const value = path === undefined ? whole : exact(absolutes(path, m, engine)?.[0] ?? path)
  const out: Outcome = { status: 'ok', out: { text: concat(value, exact('\n')), taints: [] } }
  if (flags.has('-u')) return out
  if (named || into !== undefined || path === undefined || (yield* isElsewhere(tmp))) {
    const at: Arg = { value, span: by.span, provenance: path === undefined ? 'unknown' : 'constant' }
    yield* affect(engine, 'create', at, m, frame, by, { folder: dir })
    return out
  }
  const found = yield* physical(engine, textOf(value)!, false, m.overlay)
  m.overlay = withChange(m.overlay, {
    is: 'made',
    path: found.is === 'path' ? found.entry : textOf(value)!,
    kind: dir ? 'dir' : 'file',
    text: dir ? undefined : '',
    fresh: true,
  })
  return out
}

function* known(asking: Asking<Value | 'unset'>): Asking<Value | undefined> {
  const value = yield* asking
  return value === 'unset' ? undefined : value
}

/** Whether each of the places is a directory now. */
function* areThere(engine: Engine, places: Places, m: Machine): Asking<boolean> {
  for (const place of places) {
    const found = yield* physical(engine, place, true, m.overlay)
    if (found.is !== 'path' || found.kind !== 'dir') return false
  }
  return true
}
