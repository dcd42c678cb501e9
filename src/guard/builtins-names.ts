/** Builtins that take names of variables and commands: what they run on the way, and what of the environment they show. */
import type { Asking } from '../core/question.ts'
import { isSecretName } from '../core/secret-names.ts'
import { type Arg, exact, taintsOf, textOf, textsOf, unknown } from '../core/value.ts'
import { runNamesIn } from '../shell/expand.ts'
import { type By, EITHER, type Engine, emit, type Frame, NO_OUT, OK, type Outcome } from './engine.ts'
import { type Machine, setVariable } from './machine.ts'
import { SECRET, shellEnv } from './shell-env.ts'
import { textOfContent } from './streams.ts'

/** Runs what subscripts in the words run: `unset 'a[$(cmd)]'`. */
export function* runSubscriptsOf(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame): Asking<void> {
  for (const arg of args)
    for (const text of textsOf(arg.value) ?? [])
      if (text.includes('[')) yield* runNamesIn(text, shellEnv(engine, m, frame), frame.source)
}

/** What a listing of all variables says. */
const ENVIRONMENT: Outcome = { status: 'ok', out: { text: unknown('variable'), taints: ['environment'] } }

/** Whether the words ask for a listing: none at all, or options like `-p` without a name. */
export const listsVariables = (args: readonly Arg[]): boolean =>
  args.every((arg) => /^-[aAgirxpltunI]+$/.test(textOf(arg.value) ?? '')) &&
  !args.some((arg) => /f/i.test(textOf(arg.value) ?? ''))

export const listing = (): Outcome => ENVIRONMENT

/** `printenv` shows everything, `printenv NAME` one value. */
export function* printenv(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const names = args.map((arg) => textOf(arg.value) ?? '').filter((name) => !name.startsWith('-'))
  const own = names.flatMap((name) => m.vars.get(name) ?? []).filter((value) => value !== 'unset')
  if (names.some(isSecretName) || own.some((value) => taintsOf(value).includes('secret')))
    return { status: 'either', out: { text: SECRET, taints: ['secret'] } }
  return names.length > 0 ? EITHER : ENVIRONMENT
}

/** `whoami`, `logname`, `id -un`: the person. */
export function* whoami(engine: Engine, args: readonly Arg[]): Asking<Outcome> {
  return args.length > 0 ? EITHER : user(engine)
}

export function* id(engine: Engine, args: readonly Arg[]): Asking<Outcome> {
  return args.length > 0 && args.every((arg) => /^-[un]+$/.test(textOf(arg.value) ?? ''))
    ? args
        .map((arg) => textOf(arg.value))
        .join('')
        .includes('n')
      ? user(engine)
      : EITHER
    : EITHER
}

const user = (engine: Engine): Outcome => ({
  status: 'ok',
  out: { text: exact(`${engine.context.user}\n`), taints: [] },
})

/** `mapfile NAME`: one line is known as that line; `-C` runs a command. */
export function* mapfile(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  let name = 'MAPFILE'
  for (let i = 0; i < args.length; i++) {
    const text = textOf(args[i]!.value) ?? ''
    if (!text.startsWith('-')) {
      name = text
      continue
    }
    const letter = text.at(-1)!
    if (letter === 't') continue
    const value = args[++i]
    if (letter === 'C' && value)
      yield* engine.perform(
        [{ do: 'code', language: 'sh', text: value.value, here: true, when: 'branch', label: 'mapfile -C' }],
        m,
        frame,
        by,
      )
  }
  const text = textOf(yield* textOfContent(engine, frame.stdin, m))
  const lines = text?.split('\n').filter((line, i, all) => line !== '' || i < all.length - 1)
  setVariable(m, name, lines?.length === 1 ? exact(lines[0]!) : unknown('input', frame.stdin.taints))
  return EITHER
}

/** `compgen -C cmd`, `-F function`: run now; the rest only lists. */
export function* compgen(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  for (let i = 0; i < args.length - 1; i++) {
    const option = textOf(args[i]!.value)
    if (option !== '-C' && option !== '-F') continue
    yield* engine.perform(
      [{ do: 'code', language: 'sh', text: args[i + 1]!.value, here: true, label: `compgen ${option}` }],
      m,
      frame,
      by,
    )
  }
  return EITHER
}

/** `hash -p PATH NAME`: from now on the name is that program. */
export function* hash(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const at = args.findIndex((arg) => textOf(arg.value) === '-p')
  const path = at < 0 ? undefined : textOf(args[at + 1]?.value)
  if (path !== undefined)
    for (const arg of args.slice(at + 2)) m.aliases.set(textOf(arg.value) ?? '', [`'${path.replaceAll("'", "'\\''")}'`])
  return { status: 'ok', out: NO_OUT }
}

/** Exported variables may switch a guard off or load code, as those before a command do. */
export function noteExported(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Outcome {
  for (const arg of args) {
    const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(
      textsOf(arg.value)?.[0] ?? (arg.value.is === 'partly' ? arg.value.prefix : ''),
    )?.[1]
    const value = name === undefined ? undefined : m.vars.get(name)
    if (name !== undefined && value !== undefined && value !== 'unset')
      emit(engine, 'guard', { is: 'thing', name }, frame, { name, span: by.span }, { note: 'variable', seen: value })
  }
  return OK
}
