/** What interpreters share: program text given on the line, in a file, or on stdin. */
import { type Arg, concat, exact, prefixOf, textOf, type Value } from '../../core/value.ts'
import { backedUp } from '../backup.ts'
import type { Doing, Invocation, Language } from '../doing.ts'
import { type Parsed, parseArgs } from '../options.ts'
import { picked, specOf } from '../row.ts'

/** One interpreter as a row: which options hold program text, preload files, check only. */
export interface Interpreter {
  readonly names: string
  readonly language: Language
  readonly options: string
  /** Options whose values are program text; several are lines of one program. */
  readonly code?: string
  /** Options with whose value the options end. */
  readonly ends?: readonly string[]
  /** Options whose values are files, or modules by name, that run first. */
  readonly loads?: string
  /** Options whose values are program files. */
  readonly files?: string
  /** Flags with which the program is only parsed. */
  readonly check?: string
  /** Flags with which nothing runs. */
  readonly info?: string
  /** Flags with which operands are read as input; with `inPlace`, they are edited. */
  readonly filters?: string
  readonly inPlace?: string
  readonly why: string
}

export const valuesOf = (parsed: Parsed, options: string | undefined): readonly Arg[] =>
  (options?.split(' ') ?? []).flatMap((option) => parsed.values.get(option) ?? [])

export const hasAny = (parsed: Parsed, flags: string | undefined): boolean =>
  (flags?.split(' ') ?? []).some((flag) => parsed.flags.has(flag))

/** Several program texts as one, a line each. */
export const lines = (args: readonly Arg[]): Value =>
  args.reduce<Value>((all, arg, i) => (i === 0 ? arg.value : concat(concat(all, exact('\n')), arg.value)), exact(''))

/** The program on stdin: its text, the files that it comes from, or bytes that nobody knows. */
export function fromStdin(call: Invocation, language: Language, args: readonly Arg[] = []): readonly Doing[] {
  const { stdin } = call
  if (stdin.none) return []
  if (stdin.text.is === 'unknown' && stdin.files && stdin.files.length > 0 && stdin.taints.length === 0)
    return stdin.files.map((path): Doing => ({ do: 'script', path, language, args }))
  return [{ do: 'code', language, text: stdin.text, args, taints: stdin.taints, stdin: NOTHING }]
}

/** What is left of stdin once the program was read from it. */
const NOTHING = { text: exact(''), taints: [] } as const

/** A module named by an option: a file where it looks like a path; a package by name runs from what is installed. */
export const preload = (language: Language, arg: Arg): readonly Doing[] =>
  /^[./~]|^[A-Za-z]:[\\/]|^file:/.test(prefixOf(arg.value)) || arg.value.is === 'unknown'
    ? [{ do: 'script', path: withoutScheme(arg), language, args: [] }]
    : []

const withoutScheme = (arg: Arg): Arg => {
  const text = textOf(arg.value)
  return text?.startsWith('file://') ? { ...arg, value: exact(text.slice(7)) } : arg
}

/** An address that code comes from. */
export const isAddress = (arg: Arg | undefined): boolean =>
  arg !== undefined && /^(https?|data|npm|jsr):/i.test(prefixOf(arg.value))

export const runsRemote = (arg: Arg): Doing => ({
  do: 'other',
  act: 'run-remote',
  service: 'url',
  what: textOf(arg.value) ?? prefixOf(arg.value),
})

/** What an interpreter of a row does with its arguments. Pure. */
export function interpret(row: Interpreter, call: Invocation, args: readonly Arg[] = call.args): readonly Doing[] {
  const parsed = parseArgs(specOf(row), args, { stop: true, ...(row.ends ? { ends: row.ends } : {}) })
  if (hasAny(parsed, `--help --version ${row.info ?? ''}`)) return []
  const doings: Doing[] = valuesOf(parsed, row.loads).flatMap((arg) => preload(row.language, arg))
  const texts = valuesOf(parsed, row.code)
  const files = valuesOf(parsed, row.files)
  let operands = parsed.operands
  if (texts.length === 0 && files.length === 0) {
    const [script, ...rest] = operands
    if (script === undefined || textOf(script.value) === '-') {
      if (hasAny(parsed, row.check)) return doings
      return [...doings, ...fromStdin(call, row.language, rest)]
    }
    if (hasAny(parsed, row.check)) return [...doings, ...operands.map((at): Doing => ({ do: 'path', act: 'read', at }))]
    doings.push(
      isAddress(script) ? runsRemote(script) : { do: 'script', path: script, language: row.language, args: rest },
      ...resets(call, script, rest),
    )
    operands = rest
  } else {
    if (hasAny(parsed, row.check)) return doings
    for (const path of files) doings.push({ do: 'script', path, language: row.language, args: operands })
    if (texts.length > 0)
      doings.push({ do: 'code', language: row.language, text: shown(row, call, lines(texts)), args: operands })
  }
  const edits = hasAny(parsed, row.inPlace)
  const suffix = textOf(valuesOf(parsed, row.inPlace).at(-1)?.value) ?? ''
  if (edits && suffix !== '') for (const at of operands) doings.push(backedUp(at, suffix))
  if (edits || hasAny(parsed, row.filters))
    for (const at of operands) doings.push({ do: 'path', act: edits ? 'edit' : 'read', at })
  if (hasAny(parsed, row.filters) && operands.length === 0) doings.push(...passesOn(call))
  return doings
}

/** Scripts of frameworks by their name, and the verbs with which they empty the database of the project. */
const RESETS: Readonly<Record<string, RegExp>> = {
  'manage.py': /^(?:flush|reset_db|sqlflush)$/,
  artisan: /^(?:migrate:(?:fresh|refresh|reset)|db:wipe)$/,
}

function resets(call: Invocation, script: Arg, rest: readonly Arg[]): readonly Doing[] {
  const name = textOf(script.value)?.split('/').at(-1) ?? ''
  const verb = textOf(rest.find((arg) => !prefixOf(arg.value).startsWith('-'))?.value ?? script.value) ?? ''
  return Object.hasOwn(RESETS, name) && RESETS[name]!.test(verb)
    ? [{ do: 'other', act: 'destroy', service: call.base, what: `${name} ${verb}`, local: true }]
    : []
}

/** `node -p EXPRESSION` prints what the expression comes to. */
function shown(row: Interpreter, call: Invocation, text: Value): Value {
  const prints =
    row.language === 'javascript' && call.args.some((arg) => /^(?:-pe?|--print)$/.test(textOf(arg.value) ?? ''))
  const plain =
    text.is === 'exact' && !/[;\n]|^\s*(?:const|let|var|import|if|for|while|function|class)\b/.test(text.text)
  return prints && plain ? exact(`console.log(${text.text})`) : text
}

/** A filter shows what it reads: where that is tainted, its output is. `all`: every line of it. */
export function passesOn({ stdin }: Invocation, all = false): readonly Doing[] {
  const taints = all ? stdin.taints : picked(stdin.taints)
  return taints.length === 0 ? [] : [{ do: 'out', content: { text: { is: 'unknown', why: 'input' }, taints } }]
}
