/** `code_execution`: runs code of a model in its environment. */
import type { ProgramEnd, ProgramRun, ToolOutcome } from '../contract.ts'
import { NODE_INSIDE, WORKSPACE } from './layout.ts'
import { MIB } from './limits.ts'
import { ArgumentError, optionalText, text } from './tool-args.ts'

type Args = Readonly<Record<string, unknown>>

/** Bytes of stdout and of stderr each that a model can be shown. */
const MOST_OUTPUT = MIB
/** The kernel takes one argument of a program up to 128 KiB. */
const MOST_ARGUMENT = 100 * 1024

interface Interpreter {
  readonly argv: readonly string[]
  /** Takes the code from stdin where it is too long for an argument. */
  readonly long: readonly string[]
}

const BASH: Interpreter = { argv: ['/bin/bash', '-c'], long: ['/bin/bash', '-s'] }
const PYTHON: Interpreter = { argv: ['python3', '-c'], long: ['python3', '-'] }
const NODE: Interpreter = { argv: [NODE_INSIDE, '-e'], long: [NODE_INSIDE, '-'] }

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  bash: BASH,
  sh: BASH,
  shell: BASH,
  python: PYTHON,
  python3: PYTHON,
  py: PYTHON,
  node: NODE,
  nodejs: NODE,
  javascript: NODE,
  js: NODE,
}

/** Runs the code. `run` starts a program that may leave others running; `timeout` is in milliseconds. */
export async function codeTool(
  args: Args,
  timeout: number,
  signal: AbortSignal,
  run: (run: ProgramRun) => Promise<ProgramEnd>,
): Promise<ToolOutcome> {
  let code: string
  let interpreter: Interpreter
  try {
    code = text(args, 'code')
    if (code.includes('\0')) throw new ArgumentError('code cannot hold a NUL')
    interpreter = interpreterOf(optionalText(args, 'language') ?? 'bash')
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error
    return { output: `code_execution: ${error.message}`, isError: true, error: error.message }
  }
  const long = Buffer.byteLength(code) > MOST_ARGUMENT
  const end = await run({
    argv: long ? interpreter.long : [...interpreter.argv, code],
    ...(long ? { stdin: code } : {}),
    cwd: WORKSPACE,
    timeout,
    outputLimit: MOST_OUTPUT,
    signal,
  })
  return outcomeOf(end, timeout)
}

function interpreterOf(language: string): Interpreter {
  const name = language.trim().toLowerCase()
  if (Object.hasOwn(INTERPRETERS, name)) return INTERPRETERS[name]!
  throw new ArgumentError(`language ${JSON.stringify(language)} is not known; bash, python and node are`)
}

/** What the model is shown, and the `error` of the post event: stderr, else how it ended where that was no success. */
export function outcomeOf(end: ProgramEnd, timeout: number): ToolOutcome {
  if (!end.started) {
    const why = `the program could not be started: ${end.why ?? 'no reason is known'}`
    return { output: why, isError: true, error: why }
  }
  const stdout = decoded(end.stdout)
  const stderr = decoded(end.stderr)
  const ending = endingOf(end, timeout)
  const parts = [stdout]
  if (stderr !== '') parts.push(`[stderr]\n${stderr}`)
  if (end.cut) parts.push(`[output above ${MOST_OUTPUT} bytes was cut]`)
  if (ending !== undefined) parts.push(`[${ending}]`)
  const error = stderr.trim() !== '' ? stderr.replace(/\n+$/, '') : ending
  return {
    output: parts.filter((part) => part !== '').reduce(joined, ''),
    isError: ending !== undefined,
    ...(error === undefined ? {} : { error }),
  }
}

function endingOf(end: ProgramEnd, timeout: number): string | undefined {
  if (end.cancelled) return 'cancelled'
  if (end.timedOut) return `timed out after ${timeout / 1000} s; it and everything it started was killed`
  if (end.exit === 0) return undefined
  return end.exit === null ? `killed by ${end.killedBy}` : `exit status ${end.exit}`
}

const joined = (before: string, part: string): string =>
  before === '' || before.endsWith('\n') ? before + part : `${before}\n${part}`

const decoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
