/**
 * The gate before a run: whether a shell line is left as it is, run under our capture as a whole, or started in the
 * background since it would never end. It only looks at what the line prints and where that goes; whether it may run at all
 * is the guard's to say, of the line as it was written.
 *
 * What is left alone: a line whose output is bounded by its last stage, goes to a file or to another program; that asks a
 * person; that starts something in the background; that holds a here-document; whatever could not be read; programs that
 * are not known, whose output the gate behind the run sees. A line is wrapped whole, never one stage of a pipe.
 */
import type { Dialect } from '../core/call.ts'
import { parseShell } from '../shell/parse.ts'
import type { Node, Script, Simple, Statement } from '../shell/tree.ts'
import { lookAt } from './birth/flow.ts'
import { baseOf, constantOf } from './birth/words.ts'

export type Birth =
  | { readonly is: 'leave'; readonly why: string }
  | {
      /** `follow`: it never ends by itself, so it goes to the background. */
      readonly is: 'wrap' | 'follow'
      readonly why: string
      /** What stays before the wrapped part as it is: a change of directory, which the host's shell keeps. */
      readonly front: string
      /** The part that is wrapped, as written. */
      readonly line: string
      /** The part is one simple command, whose words the host's shell may go on expanding. */
      readonly argv: boolean
      /** What stands before the command's first word: blanks. */
      readonly before: string
      /** Bare names that no table knows: one that is no program is an alias or a function, which only the host's shell has. */
      readonly names: readonly string[]
      /** Files that are all that is printed, as written, where they are known: small ones are no flood. */
      readonly files: readonly string[] | undefined
      /** Everything that floods runs something: hosts that ask a person ask of such a line. */
      readonly runs: boolean
      /** The part changes files by their names, itself or by redirections. */
      readonly changes: boolean
    }

/** UTF-16 units of a line that is looked at. */
const MOST_LENGTH = 64 * 1024
/** Longer lists of files or names are not looked up. */
const MOST_LOOKS = 16

const leave = (why: string): Birth => ({ is: 'leave', why })

/** What is to become of a line. Pure; ends for any text. */
export function birthOf(text: string, dialect: Dialect): Birth {
  if (dialect !== 'posix') return leave('another shell')
  if (text.trim() === '') return leave('nothing is run')
  if (text.length > MOST_LENGTH) return leave('too long to be looked at')
  const { script, status } = parseShell(text)
  if (status !== 'complete') return leave('it cannot be read whole')
  const found = lookAt(script.statements)
  if (found.unread) return leave('it cannot be read whole')
  if (found.state) return leave('it hangs on the shell that reads it')
  if (found.own) return leave('it is captured already')
  if (found.interactive) return leave('it asks a person')
  if (found.background) return leave('it starts something in the background')
  if (found.heredoc) return leave('it holds a here-document')
  const follows = found.follow !== undefined
  if (!follows && found.flood === undefined) return leave(found.unknown ? 'it is not known' : 'it prints little')
  const from = found.moves ? restOf(script) : 0
  if (from === undefined) return leave('the directory of the shell changes in its midst')
  const rest = from === 0 ? script : behind(script, from)
  if (found.moves && (rest === undefined || lookAt(rest.statements).moves))
    return leave('the directory of the shell changes in its midst')
  const part = from === 0 || rest === undefined ? found : lookAt(rest.statements)
  const names = [...found.names]
  if (names.length > MOST_LOOKS) return leave('it is not known')
  const only = onlyCommand(rest ?? script)
  const files = found.files
  return {
    is: follows ? 'follow' : 'wrap',
    why: found.follow ?? found.flood ?? '',
    front: text.slice(0, from),
    line: text.slice(from),
    argv: only !== undefined,
    before: only === undefined ? '' : text.slice(from, only.words[0]!.span.from),
    names,
    runs: found.runs && !follows,
    changes: part.changes,
    files:
      follows || from > 0 || files === undefined || files.length === 0 || files.length > MOST_LOOKS ? undefined : files,
  }
}

/** A change of directory stays in front: the host's shell does it, and keeps it. */
const isFront = (node: Node): boolean => {
  if (node.is !== 'simple' || node.redirects.length > 0) return false
  const name = node.words[0] === undefined ? undefined : constantOf(node.words[0])
  return name === 'cd' && node.assigns.length === 0
}

/** Where the part behind the last change of directory begins; undefined where what comes before floods, or it hangs on it. */
function restOf({ statements }: Script): number | undefined {
  const at = statements.findLastIndex((statement) => lookAt([statement]).moves)
  const last = statements[at]
  if (last === undefined || floods(statements.slice(0, at))) return undefined
  if (isFront(last.node)) return statements[at + 1]?.span.from
  // `a && cd x && b` may become `a && cd x && wrapped(b)`, but nothing may hang on the whole of it.
  const { node } = last
  if (node.is !== 'and-or' || at < statements.length - 1 || node.rest.some(({ op }) => op !== '&&')) return undefined
  const nodes = [node.first, ...node.rest.map((one) => one.node)]
  const moved = nodes.findLastIndex(isFront)
  const front = nodes.slice(0, moved + 1).map((one) => ({ node: one, background: false, span: one.span }))
  return moved < 0 || floods(front) ? undefined : nodes[moved + 1]?.span.from
}

function floods(statements: readonly Statement[]): boolean {
  const { flood, follow, unread, state } = lookAt(statements)
  return flood !== undefined || follow !== undefined || unread || state
}

/** The statements from `from` on. */
function behind(script: Script, from: number): Script | undefined {
  const { statements } = script
  const inside = statements.find(({ span }) => span.from < from && from < span.to)
  const later = statements.filter(({ span }) => span.from >= from)
  if (inside === undefined) return { ...script, statements: later }
  if (inside.node.is !== 'and-or') return undefined
  const rest = inside.node.rest.filter(({ node }) => node.span.from >= from)
  const [first, ...others] = rest
  if (first === undefined) return undefined
  const span = { from, to: inside.span.to }
  const node: Node = others.length === 0 ? first.node : { is: 'and-or', first: first.node, rest: others, span }
  return { ...script, statements: [{ node, background: false, span }, ...later] }
}

/** Words before a command that only a shell understands, or that are commands of the shell itself. */
const SHELL_WORDS = new Set(
  'command builtin exec eval time coproc . source export set unset alias trap type hash test [ echo printf true false : let declare local readonly exit return'.split(
    ' ',
  ),
)

/** The one simple command of a part; undefined where a shell has to read it. Variables before it are not for our program. */
function onlyCommand({ statements }: Script): Simple | undefined {
  const node = statements.length === 1 ? statements[0]!.node : undefined
  if (node?.is !== 'simple' || node.redirects.length > 0 || node.assigns.length > 0) return undefined
  if (node.words[0] === undefined) return undefined
  const name = constantOf(node.words[0])
  return name === undefined || SHELL_WORDS.has(baseOf(name)) ? undefined : node
}

/** A text as one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/**
 * The line with the capture in front. `launcher`: shell text that starts our program, such as `/opt/bin/ctx.js`. The words
 * of a simple command stay as written, so that the host's shell expands them as it would have.
 */
export function wrapped(birth: Exclude<Birth, { is: 'leave' }>, launcher: string): string {
  const { front, line, before } = birth
  const run = `${launcher} run${birth.is === 'follow' ? ' --bg' : ''}`
  if (!birth.argv) return `${front}${run} --shell -- ${quoted(line)}`
  return `${front}${before}${run} -- ${line.slice(before.length)}`
}

/** Said where what is printed as `ctx …` is not what a shell finds by that name. `launcher`: shell text. */
export const startedAs = (launcher: string): string => `ctx is started here as: ${launcher}`

/** The sentence that names the way, as it was published. Where `launcher` is given, `ctx` of the PATH is not ours. */
export function named(birth: Exclude<Birth, { is: 'leave' }>, text: string, launcher?: string): string {
  const bg = birth.is === 'follow' ? ' --bg' : ''
  const whole = text.trim()
  const plain = birth.argv && birth.front === '' && birth.before.trim() === ''
  const command = plain ? whole : `bash -c ${quoted(whole)}`
  const sentence = `CTX_CONTEXT_GUARD: routed through ctx for bounded capture. Re-run it as: ctx run${bg} -- ${command}`
  return launcher === undefined ? sentence : `${sentence}\n${launcher} run${bg} -- ${command}`
}
