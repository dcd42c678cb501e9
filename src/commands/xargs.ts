/** `xargs`: words read from stdin or a file become arguments of a command. */
import type { Asking } from '../core/question.ts'
import { type Arg, textOf } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { NOTHING, stdinText, textIn, unknownArg, word } from './parts.ts'
import { listedIn, splice } from './splice.ts'

const SPEC = specify(
  '-0|--null -a|--arg-file:read -d|--delimiter: -E: -e|--eof? -I: -i|--replace? -L: -l|--max-lines? -n|--max-args: ' +
    '-o|--open-tty -P|--max-procs: -p|--interactive --process-slot-var: -r|--no-run-if-empty -s|--max-chars: ' +
    '-t|--verbose -x|--exit --show-limits -J: -R: -S: --help --version',
)

/** How many words are handed on one by one; the rest counts as one unknown word. */
const MOST_WORDS = 256
/** How many runs are spelled out; further words all go to one more run. */
const MOST_RUNS = 32

interface Items {
  /** Words by line: `-I` and `-L` count lines. */
  readonly lines: readonly (readonly Arg[])[]
  /** True where the words are all there is. */
  readonly whole: boolean
}

/** Splits a text into words as xargs does: blanks separate, quotes and backslashes protect. */
export function xargsLines(text: string): readonly (readonly string[])[] {
  const lines: string[][] = []
  let words: string[] = []
  let current: string | undefined
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '\n' || char === ' ' || char === '\t') {
      if (current !== undefined) words.push(current)
      current = undefined
      if (char === '\n' && words.length > 0) {
        lines.push(words)
        words = []
      }
    } else if (char === '"' || char === "'") {
      const end = text.indexOf(char, i + 1)
      const stop = end < 0 ? text.length : end
      current = (current ?? '') + text.slice(i + 1, stop)
      i = stop
    } else if (char === '\\' && i + 1 < text.length) current = (current ?? '') + text[++i]
    else current = (current ?? '') + char
  }
  if (current !== undefined) words.push(current)
  if (words.length > 0) lines.push(words)
  return lines
}

/** Reader of `xargs`. */
export const xargs: Reader = function* (call) {
  const parsed = parseArgs(SPEC, call.args, { stop: true })
  if (parsed.flags.has('--help') || parsed.flags.has('--version') || parsed.flags.has('--show-limits')) return []
  const value = (name: string) => textOf(parsed.values.get(name)?.at(-1)?.value)
  const file = parsed.values.get('-a')?.at(-1)
  const doings: Doing[] = file ? [{ do: 'path', act: 'read', at: file }] : []
  if (parsed.hidden) doings.push({ do: 'opaque', what: 'xargs with unknown options' })
  const command = parsed.operands.length > 0 ? parsed.operands : [word(call, 'echo')]
  // `-p` asks at the terminal, where nobody answers an agent.
  if (parsed.flags.has('-p')) return doings
  const replace = value('-I') ?? value('-J') ?? (parsed.flags.has('-i') ? (value('-i') ?? '{}') : undefined)
  const separator = parsed.flags.has('-0') ? '\0' : separatorOf(value('-d'))
  const choices = yield* itemsOf(call, file, separator, replace !== undefined)
  for (const items of choices) {
    const runs =
      replace !== undefined
        ? byLine(call, command, replace, items)
        : batches(call, command, items, parsed.flags.has('-L') || parsed.flags.has('-l'), value('-n'))
    const empty = items.whole && items.lines.length === 0
    if (empty && (replace !== undefined || parsed.flags.has('-r') || call.platform === 'darwin')) continue
    for (const argv of runs)
      doings.push({
        do: 'run',
        argv,
        ...(file ? {} : { stdin: NOTHING }),
        ...(choices.length > 1 ? { when: 'branch' as const } : {}),
      })
  }
  return doings
}

const separatorOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const escapes: Readonly<Record<string, string>> = { '\\n': '\n', '\\0': '\0', '\\t': '\t', '\\r': '\r' }
  return escapes[text] ?? text[0]
}

function* itemsOf(
  call: Invocation,
  file: Arg | undefined,
  separator: string | undefined,
  lines: boolean,
): Asking<readonly Items[]> {
  const listed = file ? undefined : listedIn(call.stdin)
  if (listed) return [{ lines: listed.map((arg) => [arg]), whole: true }]
  let texts: readonly string[] | undefined
  if (file) {
    const text = yield* textIn(call, file)
    // A list that is not there makes xargs fail.
    if (text === 'absent') return []
    texts = text === undefined ? undefined : [text]
  } else texts = yield* stdinText(call)
  if (texts === undefined && file === undefined && call.stdin.none) return [{ lines: [], whole: true }]
  if (texts === undefined) return [{ lines: [[unknownArg(call, 'input', call.stdin.taints)]], whole: false }]
  return texts.map((text) => split(call, text, separator, lines))
}

function split(call: Invocation, text: string, separator: string | undefined, lines: boolean): Items {
  const rows =
    separator !== undefined
      ? text
          .replace(text.endsWith(separator) ? new RegExp(`${literally(separator)}$`) : /$^/, '')
          .split(separator)
          .filter((row, i) => row !== '' || i > 0)
          .map((row) => [row])
      : lines
        ? text.split('\n').flatMap((row) => {
            const words = xargsLines(row.trimStart()).flat()
            return words.length > 0 ? [[words.join(' ')]] : []
          })
        : xargsLines(text)
  let left = MOST_WORDS
  const kept: Arg[][] = []
  for (const row of rows) {
    if (left <= 0) break
    kept.push(row.slice(0, left).map((item) => word(call, item)))
    left -= row.length
  }
  const whole = left >= 0 && kept.length === rows.length
  return { lines: whole ? kept : [...kept, [unknownArg(call, 'budget')]], whole }
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

function byLine(call: Invocation, command: readonly Arg[], mark: string, items: Items): readonly (readonly Arg[])[] {
  const runs = items.lines.slice(0, MOST_RUNS).map((line) => splice(command, mark, line[0] ?? word(call, '')))
  return items.lines.length > MOST_RUNS ? [...runs, splice(command, mark, unknownArg(call, 'budget'))] : runs
}

function batches(
  call: Invocation,
  command: readonly Arg[],
  items: Items,
  byLines: boolean,
  most: string | undefined,
): readonly (readonly Arg[])[] {
  const words = items.lines.flat()
  const size = most !== undefined && /^\d+$/.test(most) ? Math.max(1, Number(most)) : Number.POSITIVE_INFINITY
  if (byLines) {
    const runs = items.lines.slice(0, MOST_RUNS).map((line) => [...command, ...line])
    return items.lines.length > MOST_RUNS ? [...runs, [...command, unknownArg(call, 'budget')]] : runs
  }
  if (size === Number.POSITIVE_INFINITY || words.length <= size || !items.whole) return [[...command, ...words]]
  const runs: (readonly Arg[])[] = []
  for (let i = 0; i < words.length && runs.length < MOST_RUNS; i += size)
    runs.push([...command, ...words.slice(i, i + size)])
  return words.length > size * MOST_RUNS ? [...runs, [...command, ...words.slice(size * MOST_RUNS)]] : runs
}
