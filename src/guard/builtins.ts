/** Builtins that change the shell itself: directory, variables, functions, traps, the way on. */
import { promptCode } from '../commands/prompt-code.ts'
import { type Asking, ask } from '../core/question.ts'
import { type Arg, concat, exact, oneOf, prefixOf, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import { shifted } from '../shell/positional.ts'
import {
  compgen,
  hash,
  id,
  listing,
  listsVariables,
  mapfile,
  noteExported,
  printenv,
  whoami,
} from './builtins-names.ts'
import { cd, mktemp, popd, pushd } from './builtins-place.ts'
import { type By, EITHER, type Engine, type Frame, NO_OUT, OK, type Outcome, UNKNOWN_OUT } from './engine.ts'
import { listedValue } from './globs.ts'
import { type Machine, setVariable } from './machine.ts'
import { through } from './overlay.ts'
import { absolutes, physical } from './physical.ts'
import { runArgv } from './run-simple.ts'
import { textOfContent } from './streams.ts'

export type Builtin = (
  engine: Engine,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  by: By & { readonly env: ReadonlyMap<string, Value> },
) => Asking<Outcome>

const FAIL: Outcome = { status: 'fail', out: NO_OUT }
const said = (text: string): Outcome => ({ status: 'ok', out: { text: exact(text), taints: [] } })

/** Words behind the options. Options of these builtins are single letters. */
export const operandsOf = (args: readonly Arg[], valued = ''): readonly Arg[] => {
  let i = 0
  for (; i < args.length; i++) {
    const text = textOf(args[i]!.value)
    if (text === '--') return args.slice(i + 1)
    if (text === undefined || !/^[-+][A-Za-z]/.test(text)) break
    if (valued.includes(text.at(-1)!)) i++
  }
  return args.slice(i)
}

/** `export A=b`, `local`, `declare`, `readonly`, `typeset`. */
function* declare(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  if (by.name !== 'local' && listsVariables(args)) return listing()
  const reference = args.some((arg) => /^-[A-Za-z]*n/.test(textOf(arg.value) ?? '')) && by.name !== 'export'
  for (const arg of args) {
    const texts = textsOf(arg.value)
    const text =
      texts?.length === 1
        ? texts[0]!
        : arg.value.is === 'partly'
          ? arg.value.prefix
          : arg.value.is === 'glob' && arg.value.parts[0]?.is === 'text'
            ? arg.value.parts[0].text
            : ''
    const match = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/.exec(text)
    if (!match) {
      const alternatives = texts?.map((one) => /^([A-Za-z_]\w*)=(.*)$/s.exec(one))
      if (alternatives?.every((one) => one?.[1] === alternatives[0]?.[1]) && alternatives[0])
        setVariable(m, alternatives[0][1]!, oneOf(alternatives.map((one) => one![2]!)))
      continue
    }
    const name = match[1]!
    const skip = match[0].length
    const value: Value =
      arg.value.is === 'exact'
        ? exact(text.slice(skip))
        : arg.value.is === 'partly'
          ? concat(exact(text.slice(skip)), concat(unknown(arg.value.why, arg.value.taints), exact(arg.value.suffix)))
          : arg.value.is === 'glob'
            ? exact('').is === 'exact' && arg.value.parts.length > 0
              ? { is: 'glob', parts: [{ is: 'text', text: text.slice(skip) }, ...arg.value.parts.slice(1)] }
              : unknown('variable')
            : unknown('variable')
    setVariable(m, name, match[2] === '+' || reference ? unknown('variable') : cased(value, args, by.name))
  }
  const exports = by.name === 'export' || args.some((arg) => /^-[A-Za-z]*x/.test(textOf(arg.value) ?? ''))
  if (!exports) return m.exported.get('*') === true ? noteExported(engine, args, m, frame, by) : OK
  const back = args.some((arg) => /^-[A-Za-z]*n/.test(textOf(arg.value) ?? '')) && by.name === 'export'
  for (const arg of operandsOf(args)) {
    for (const text of textsOf(arg.value) ?? []) {
      const name = /^[A-Za-z_]\w*/.exec(text)?.[0]
      if (name !== undefined && back) m.exported.delete(name)
      else if (name !== undefined) m.exported.set(name, true)
    }
  }
  return noteExported(engine, args, m, frame, by)
}

/** `declare -l` and `-u` make letters small or large, `-c` the first one. */
function cased(value: Value, args: readonly Arg[], name: string): Value {
  const flags = args.map((arg) => /^-([A-Za-z]+)$/.exec(textOf(arg.value) ?? '')?.[1] ?? '').join('')
  if (name === 'export' || name === 'readonly' || !/[luc]/.test(flags)) return value
  const text = textOf(value)
  if (text === undefined || flags.includes('c')) return unknown('variable')
  return exact(flags.includes('l') ? text.toLowerCase() : text.toUpperCase())
}

function* unset(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  for (const arg of operandsOf(args)) {
    for (const name of textsOf(arg.value) ?? []) {
      m.vars.set(name, 'unset')
      m.functions.delete(name)
    }
  }
  return OK
}

/** Lines kept apart when a loop reads them. */
const MOST_LINES = 8

function* read(
  engine: Engine,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  by: { readonly env: ReadonlyMap<string, Value> },
): Asking<Outcome> {
  const names = operandsOf(args, 'pdnNtuai').map((arg) => textOf(arg.value) ?? '')
  const variables = names.length === 0 ? ['REPLY'] : names
  if (args.some((arg) => /^-[A-Za-z]*a$/.test(textOf(arg.value) ?? ''))) {
    for (const arg of args) setVariable(m, textOf(arg.value) ?? '', unknown('input'))
    return EITHER
  }
  const listed = frame.stdin.paths
  const text = textOf(yield* textOfContent(engine, frame.stdin, m))
  const forget = (value: Value): Outcome => {
    for (const name of variables) if (name !== '') setVariable(m, name, value)
    return EITHER
  }
  if (text === undefined)
    return forget(
      listed?.length === 1 && variables.length === 1 ? listedValue(listed[0]!) : unknown('input', frame.stdin.taints),
    )
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.length === 0) return frame.loop ? FAIL : forget(exact(''))
  const used = frame.loop ? [...new Set(lines)] : lines.slice(0, 1)
  if (used.length > MOST_LINES) return forget(unknown('input'))
  const ifs = textOf(by.env.get('IFS') ?? (m.vars.get('IFS') as Value | undefined)) ?? ' \t\n'
  const rows = used.map((line) => splitFields(line, ifs, variables.length))
  variables.forEach((name, i) => name !== '' && setVariable(m, name, oneOf(rows.map((row) => row[i] ?? ''))))
  return EITHER
}

function splitFields(line: string, ifs: string, count: number): string[] {
  if (ifs === '') return [line]
  const fields: string[] = []
  const isSpace = (c: string) => ' \t\n'.includes(c) && ifs.includes(c)
  let at = 0
  const skip = () => {
    while (at < line.length && isSpace(line[at]!)) at++
  }
  skip()
  while (fields.length < count - 1 && at < line.length) {
    let end = at
    while (end < line.length && !ifs.includes(line[end]!)) end++
    fields.push(line.slice(at, end))
    at = end
    skip()
    if (at < line.length && ifs.includes(line[at]!) && !isSpace(line[at]!)) at++
    skip()
  }
  let rest = line.slice(at)
  while (rest !== '' && isSpace(rest.at(-1)!)) rest = rest.slice(0, -1)
  fields.push(rest)
  return fields
}

function* set(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  if (args.length === 0) return listing()
  if (args.some((arg) => /^(?:-[a-zA-Z]*x|xtrace)/.test(prefixOf(arg.value))))
    yield* engine.perform(promptCode('PS4', textOf(m.vars.get('PS4') as Value | undefined)), m, frame, by)
  for (let i = 0; i < args.length; i++) {
    const text = textOf(args[i]!.value)
    if (text === '--') {
      m.positional = args.slice(i + 1).map((arg) => arg.value)
      return OK
    }
    if (text === undefined || !/^[-+]/.test(text)) {
      m.positional = args.slice(i).map((arg) => arg.value)
      return OK
    }
    const long = /o$/.test(text) ? textOf(args[i + 1]?.value) : undefined
    if (/o$/.test(text)) i++
    if (/^-[a-zA-Z]*a/.test(text) || (text.startsWith('-') && long === 'allexport')) m.exported.set('*', true)
    if (/^\+[a-zA-Z]*a/.test(text) || (text.startsWith('+') && long === 'allexport')) m.exported.delete('*')
    if (/^-[a-zA-Z]*e/.test(text) || (text.startsWith('-') && long === 'errexit')) m.errexit = true
    if (/^\+[a-zA-Z]*e/.test(text) || (text.startsWith('+') && long === 'errexit')) m.errexit = false
  }
  return OK
}

function* shift(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const by = args.length === 0 ? 1 : Number(textOf(args[0]!.value) ?? Number.NaN)
  m.positional = m.positional === undefined || !Number.isInteger(by) ? undefined : shifted(m.positional, by)
  return EITHER
}

function* evaluate(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  const words = textOf(args[0]?.value) === '--' ? args.slice(1) : args
  const text = words
    .map((arg) => arg.value)
    .reduce((a, b, i) => (i === 0 ? b : concat(concat(a, exact(' ')), b)), exact(''))
  return yield* engine.perform([{ do: 'code', language: 'sh', text, here: true, label: 'eval text' }], m, frame, by)
}

function* source(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame, by: By): Asking<Outcome> {
  const [path, ...rest] = operandsOf(args)
  if (path === undefined) return FAIL
  return yield* engine.perform(
    [{ do: 'script', path, language: 'sh', args: rest, here: true, onPath: true }],
    m,
    frame,
    by,
  )
}

function* exec(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame): Asking<Outcome> {
  const operands = operandsOf(args, 'a')
  if (operands.length === 0) return OK
  yield* runArgv(engine, operands, m, frame)
  m.gone = true
  return OK
}

function* exit(_engine: Engine, _args: readonly Arg[], m: Machine): Asking<Outcome> {
  m.gone = true
  return EITHER
}

function* trap(_engine: Engine, args: readonly Arg[], m: Machine, frame: Frame): Asking<Outcome> {
  const operands = operandsOf(args)
  const [action, ...signals] = operands
  if (action === undefined || signals.length === 0) return OK
  for (const signal of signals) {
    const name = textOf(signal.value) ?? '?'
    if (textOf(action.value) === '-' || textOf(action.value) === '') m.traps.delete(name)
    else m.traps.set(name, [{ text: action.value, source: frame.source }])
  }
  return OK
}

function* alias(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  for (const arg of args) {
    const match = /^([^=\s]+)=(.*)$/s.exec(textOf(arg.value) ?? '')
    if (match) m.aliases.set(match[1]!, [match[2]!])
  }
  return OK
}

function* unalias(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  for (const arg of args) {
    if (textOf(arg.value) === '-a') m.aliases.clear()
    else m.aliases.delete(textOf(arg.value) ?? '')
  }
  return OK
}

/** `command x`, `builtin x`: functions are passed over. `-v` and `-V` only look. */
function* command(
  engine: Engine,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  by: By & { readonly env: ReadonlyMap<string, Value> },
): Asking<Outcome> {
  if (args.some((arg, i) => i === 0 && /^-[pvV]*[vV]/.test(textOf(arg.value) ?? '')))
    return yield* lookUpProgram(engine, args.slice(1), m)
  return yield* runArgv(engine, operandsOf(args), m, frame, { plain: true, env: by.env, span: by.span })
}

/** Where a program lies: `command -v x`, `which x`, `type -P x`. */
function* lookUpProgram(_engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const operands = operandsOf(args)
  if (operands.length !== 1) return { status: 'either', out: UNKNOWN_OUT }
  const program = textOf(operands[0]!.value)
  if (program === undefined) return EITHER
  const reply = yield* through(
    (function* () {
      return yield* ask('which', { program })
    })(),
    m.overlay,
  )
  if (reply === 'unknown') {
    const path: Value = { is: 'partly', prefix: '/', suffix: `/${program}`, why: 'budget' }
    return { status: 'either', out: { text: path, taints: [] } }
  }
  return reply === 'absent' ? FAIL : said(`${reply.path}\n`)
}

/** `test` and `[`: constants decide, everything else may go either way. */
function* test(engine: Engine, args: readonly Arg[], m: Machine): Asking<Outcome> {
  const words = args.map((arg) => textOf(arg.value))
  if (words.at(-1) === ']') words.pop()
  const status = constantTest(words)
  if (status !== undefined) return { status: status ? 'ok' : 'fail', out: NO_OUT }
  return { status: 'either', out: NO_OUT, ...(yield* presence(engine, words, m)) }
}

/** What `-e x`, `-f x` and `-s x`, perhaps behind `!`, tell about a path: where the test fails, no file is there. */
export function* presence(
  engine: Engine,
  words: readonly (string | undefined)[],
  m: Machine,
): Asking<Pick<Outcome, 'okAbsent' | 'failAbsent'>> {
  const negated = words[0] === '!'
  const [operator, path, ...more] = negated ? words.slice(1) : words
  if (more.length > 0 || path === undefined || !/^-[aefs]$/.test(operator ?? '')) return {}
  const at = absolutes(path, m, engine)
  if (at?.length !== 1) return {}
  const found = yield* physical(engine, at[0]!, true, m.overlay)
  if (found.is !== 'path') return {}
  return negated ? { okAbsent: found.target } : { failAbsent: found.target }
}

function constantTest(words: readonly (string | undefined)[]): boolean | undefined {
  const [a, b, c] = words
  if (words[0] === '!') {
    const inner = constantTest(words.slice(1))
    return inner === undefined ? undefined : !inner
  }
  if (words.length === 0) return false
  if (words.length === 1) return a === undefined ? undefined : a !== ''
  if (words.length === 2 && b !== undefined) return a === '-n' ? b !== '' : a === '-z' ? b === '' : undefined
  if (words.length === 3 && a !== undefined && c !== undefined) {
    if (b === '=' || b === '==') return a === c
    if (b === '!=') return a !== c
    const [x, y] = [Number(a), Number(c)]
    if (!Number.isInteger(x) || !Number.isInteger(y)) return undefined
    if (b === '-eq') return x === y
    if (b === '-ne') return x !== y
    if (b === '-lt') return x < y
    if (b === '-gt') return x > y
    if (b === '-le') return x <= y
    if (b === '-ge') return x >= y
  }
  return undefined
}

const fixed = (outcome: Outcome): Builtin =>
  function* () {
    return outcome
  }

/** Builtins by name. A map, since a word of the line may be `constructor`. */
const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['cd', cd],
  ['chdir', cd],
  ['pushd', pushd],
  ['popd', popd],
  ['export', declare],
  ['local', declare],
  ['declare', declare],
  ['typeset', declare],
  ['readonly', declare],
  ['unset', unset],
  ['read', read],
  ['set', set],
  ['shift', shift],
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['exec', exec],
  ['exit', exit],
  ['return', exit],
  ['logout', exit],
  ['trap', trap],
  ['alias', alias],
  ['mapfile', mapfile],
  ['readarray', mapfile],
  ['compgen', compgen],
  ['hash', hash],
  ['printenv', printenv],
  ['whoami', whoami],
  ['logname', whoami],
  ['id', id],
  ['unalias', unalias],
  ['command', command],
  ['builtin', command],
  ['which', lookUpProgram],
  ['mktemp', mktemp],
  ['test', test],
  ['[', test],
  ['true', fixed(OK)],
  [':', fixed(OK)],
  ['false', fixed(FAIL)],
  ['break', fixed(OK)],
  ['continue', fixed(OK)],
])

export const builtinOf = (name: string): Builtin | undefined => BUILTINS.get(name)
