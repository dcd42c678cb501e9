/** Runs files and texts as programs: finds the text, picks the language, reads it, runs what it does. */
import { readCode } from '../code/registry.ts'
import type { Doing, Language } from '../commands/doing.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, exact, type Taint, taintsOf, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import {
  type By,
  EITHER,
  type Engine,
  emit,
  type Frame,
  MOST_DEPTH,
  MOST_SCRIPT_TEXT,
  NO_STDIN,
  type Outcome,
  trail,
} from './engine.ts'
import { fork, type Machine } from './machine.ts'
import { lookUp } from './overlay.ts'
import { absolutes, physical } from './physical.ts'
import { inherit, variableOf } from './shell-env.ts'
import { sourceOf } from './sources.ts'
import { readFile, taintsOfContent, textOfContent } from './streams.ts'
import { affect } from './targets.ts'

type CodeDoing = Extract<Doing, { do: 'code' }>
type ScriptDoing = Extract<Doing, { do: 'script' }>

/** Runs a text in a language. Text of unknown origin is an effect of its own: it runs and nobody can read it. */
export function* runCode(engine: Engine, doing: CodeDoing, m: Machine, outer: Frame, by: By): Asking<Outcome> {
  const frame = inside(outer, doing)
  const texts = textsOf(doing.language === 'sh' ? withNumber(doing.text) : doing.text)
  if (texts === undefined) {
    yield* runOpen(engine, doing, m, frame, by)
    const taints: Taint[] = [...new Set([...(doing.taints ?? []), ...taintsOf(doing.text)])]
    const remote = taints.includes('remote')
    const label = doing.label ?? `${doing.language} text`
    emit(
      engine,
      remote ? 'run-remote' : 'opaque',
      remote ? sourceOf(engine, label) : { is: 'thing', name: label },
      frame,
      by,
      {
        note: isMade(doing) ? 'made' : 'unknown-code',
        provenance: 'unknown',
        from: taints,
        ...(doing.when ? { when: doing.when } : {}),
      },
    )
    return EITHER
  }
  let outcome: Outcome = EITHER
  for (const text of texts)
    outcome = yield* runText(engine, doing.language, text, doing.args ?? [], m, frame, by, doing)
  return texts.length === 1 ? outcome : EITHER
}

/** Code that a program made of the project's own files. What a shell reads is a command line all the same, and is asked about. */
const isMade = ({ text, language }: CodeDoing): boolean =>
  text.is === 'unknown' && text.why === 'program' && (text.taints ?? []).length === 0 && OPEN[language] === undefined

/** How a language writes a variable, so that what is open in a text reads as a variable that nobody knows. */
const OPEN: Readonly<Partial<Record<Language, string>>> = { sh: '$_open_', cmd: '%_open_%', powershell: '$_open_' }

/** What stands around the open part of a text runs, too: `rm -rf` of something unknown is worse than an unknown text. */
function* runOpen(engine: Engine, doing: CodeDoing, m: Machine, frame: Frame, by: By): Asking<void> {
  const { text, language } = doing
  const open = OPEN[language]
  if (text.is !== 'partly' || open === undefined || text.prefix.trim() === '') return
  const child = fork(m)
  child.vars.set('_open_', unknown('variable'))
  yield* runText(engine, language, text.prefix + open + text.suffix, doing.args ?? [], child, frame, by, {
    ...doing,
    here: true,
  })
}

/**
 * A shell text in which only a number is open (`trap "kill $PID" EXIT`) reads as the same text with `$!` in its place,
 * which is as unknown a number to whoever reads it.
 */
function withNumber(text: Value): Value {
  if (text.is !== 'partly' || text.why !== 'number' || /[\\$]$/.test(text.prefix)) return text
  return exact(`${text.prefix}$!${text.suffix}`)
}

function inside(frame: Frame, doing: { readonly when?: 'branch' | 'later'; readonly where?: Frame['where'] }): Frame {
  return {
    ...frame,
    when: doing.when === 'later' || frame.when === 'later' ? 'later' : (doing.when ?? frame.when),
    where: doing.where ?? frame.where,
  }
}

function* runText(
  engine: Engine,
  language: Language,
  text: string,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  by: By,
  how: {
    readonly here?: boolean
    readonly label?: string
    readonly cwd?: Arg
    readonly stdin?: Frame['stdin']
    readonly file?: string
  },
  label = how.label ?? (by.name.endsWith(' text') ? by.name : `${by.name} text`),
): Asking<Outcome> {
  engine.scriptText += text.length
  const key = `${language}:${label}:${text}`
  if (frame.running.includes(key)) return EITHER
  if (frame.depth >= MOST_DEPTH || engine.scriptText > MOST_SCRIPT_TEXT) {
    engine.partial = true
    emit(engine, 'opaque', { is: 'thing', name: label }, frame, by, { note: 'budget' })
    return EITHER
  }
  const inner: Frame = {
    ...frame,
    source: text,
    label,
    via: trail(frame, by.span),
    depth: frame.depth + 1,
    running: [...frame.running, key],
    stdin: how.stdin ?? frame.stdin,
    loop: false,
  }
  const child = how.here ? m : fork(m)
  if (!how.here) {
    yield* inherit(child)
    child.traps = new Map()
    child.positional = args.map((arg) => arg.value)
    child.errexit = false
    child.functions = new Map()
    child.aliases = new Map()
  } else if (args.length > 0) child.positional = args.map((arg) => arg.value)
  if (how.cwd) child.cwd = placesOf(how.cwd.value, m, engine)
  const where = frame.where && !frame.where.same
  if (where) child.cwd = []
  const outcome =
    language === 'sh'
      ? yield* engine.text(text, child, inner)
      : yield* engine.perform(
          readCode(language, text, args, {
            home: yield* homeText(engine, m),
            ...(how.file === undefined ? {} : { file: how.file }),
          }),
          child,
          inner,
          {
            name: label,
            span: { from: 0, to: text.length },
          },
        )
  if (how.here) {
    if (m.gone && label !== 'eval text') m.gone = false
    return outcome
  }
  if (child.traps.size > 0) yield* engine.endShell(child, inner)
  m.overlay = child.overlay
  return { status: outcome.status === 'ok' ? 'ok' : 'either', out: outcome.out }
}

/** The home directory that a program sees: the line may have set another. */
function* homeText(engine: Engine, m: Machine): Asking<string> {
  const value = yield* variableOf(engine, m, 'HOME')
  return (value === 'unset' ? undefined : textOf(value)) ?? engine.context.home
}

export function placesOf(value: Value, m: Machine, engine: Engine): readonly string[] {
  return textsOf(value)?.flatMap((text) => absolutes(text, m, engine) ?? []) ?? []
}

/** The launchers of this program, as an installation names them. */
const LAUNCHER = /(?:^|[\\/])(?:ctx|sallyport)\.js$/

/** Runs a file. Absent: it fails by itself. Unreadable: an effect that says so. */
export function* runFile(engine: Engine, doing: ScriptDoing, m: Machine, outer: Frame, by: By): Asking<Outcome> {
  const frame = inside(outer, doing)
  const text = textOf(doing.path.value)
  const stream = text === undefined ? undefined : engine.streams.get(text)
  if (stream || text === '-' || text === '/dev/stdin') {
    const content = stream ?? frame.stdin
    const value = yield* textOfContent(engine, content, m)
    return yield* runCode(
      engine,
      {
        do: 'code',
        language: doing.language ?? 'sh',
        text: value,
        taints: taintsOfContent(engine, content),
        args: doing.args,
        ...(doing.here ? { here: true } : {}),
      },
      m,
      { ...frame, stdin: NO_STDIN },
      by,
    )
  }
  if (frame.where && !frame.where.same) return EITHER
  // Our own program by its path: what it is told to run is judged, whatever the file holds.
  const own = textsOf(doing.path.value)?.find((name) => LAUNCHER.test(name))
  if (own !== undefined) {
    const name: Arg = { ...doing.path, value: exact(/sallyport\.js$/.test(own) ? 'sallyport' : 'ctx') }
    yield* engine.perform([{ do: 'run', argv: [name, ...doing.args] }], m, frame, by)
  }
  const paths = textsOf(doing.path.value)?.flatMap(
    (name): readonly (string | undefined)[] => absolutes(name, m, engine) ?? [undefined],
  )
  if (paths === undefined || paths.includes(undefined)) {
    if (doing.path.value.is === 'glob') {
      yield* affect(engine, 'run', doing.path, m, frame, by)
      return EITHER
    }
    emit(engine, 'opaque', { is: 'thing', name: 'a script of unknown name' }, frame, by, {
      note: 'unknown-script',
      provenance: 'unknown',
      from: taintsOf(doing.path.value),
    })
    return EITHER
  }
  let outcome: Outcome = EITHER
  for (const path of paths as readonly string[]) outcome = yield* runPath(engine, path, doing, m, frame, by)
  return paths.length === 1 ? outcome : EITHER
}

function* runPath(engine: Engine, path: string, doing: ScriptDoing, m: Machine, frame: Frame, by: By): Asking<Outcome> {
  const file = yield* readFile(engine, path, m)
  if (file.is === 'absent') return { status: 'fail', out: NO_STDIN }
  yield* affect(engine, 'run', { ...doing.path, value: exact(path) }, m, frame, by, {
    ...(file.is === 'text' && !file.cut ? { note: 'read' } : { note: file.is === 'text' ? 'cut' : file.is }),
    ...(doing.when ? { when: doing.when } : {}),
    from: yield* origin(engine, path, m),
  })
  if (file.is !== 'text') return EITHER
  const language = doing.language ?? languageOf(path, file.text)
  if (language === undefined) return EITHER
  return yield* runText(
    engine,
    language,
    file.text,
    doing.args,
    m,
    frame,
    by,
    { file: file.path, ...(doing.here ? { here: true } : {}), ...(doing.cwd ? { cwd: doing.cwd } : {}) },
    file.path,
  )
}

/** What wrote a file earlier on this line. */
function* origin(engine: Engine, path: string, m: Machine): Asking<readonly Taint[]> {
  const found = yield* physical(engine, path, true, m.overlay)
  if (found.is !== 'path') return []
  const place = lookUp(m.overlay, found.target)
  return place.is === 'change' && place.change.is === 'made' ? (place.change.taints ?? []) : []
}

const BY_ENDING: Readonly<Record<string, Language>> = {
  sh: 'sh',
  bash: 'sh',
  zsh: 'sh',
  ksh: 'sh',
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'javascript',
  mts: 'javascript',
  cts: 'javascript',
  pl: 'perl',
  rb: 'ruby',
  php: 'php',
  lua: 'lua',
  awk: 'awk',
  ps1: 'powershell',
  cmd: 'cmd',
  bat: 'cmd',
}

const BY_PROGRAM: readonly (readonly [RegExp, Language])[] = [
  [/\b(?:ba|da|z|k|a)?sh\b/, 'sh'],
  [/\bpython[0-9.]*\b/, 'python'],
  [/\b(?:node|nodejs|deno|bun|tsx|ts-node)\b/, 'javascript'],
  [/\bperl\b/, 'perl'],
  [/\bruby\b/, 'ruby'],
  [/\bphp\b/, 'php'],
  [/\blua\b/, 'lua'],
  [/\b[gmn]?awk\b/, 'awk'],
  [/\bpwsh\b/, 'powershell'],
]

/** The language of a file that is run by itself: its first line, else its ending, else the shell's. */
export function languageOf(path: string, text: string): Language | undefined {
  const first = /^#!.*/.exec(text)?.[0]
  if (first) return BY_PROGRAM.find(([pattern]) => pattern.test(first))?.[1]
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase()
  if (ending !== undefined && ending in BY_ENDING) return BY_ENDING[ending]
  return ending === undefined ? 'sh' : undefined
}
