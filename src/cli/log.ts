/** `sallyport log`: what was judged, readable or as it was written. */
import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { counted } from '../core/count.ts'
import { CANARY_RULE } from '../guard/canary.ts'
import { PAUSED_REASON } from '../guard/paused.ts'
import { logFiles } from '../record/log-file.ts'
import { type LogLine, lineHash } from '../record/log-line.ts'
import { sessionName, statePath } from '../session/store.ts'
import { homeOf } from './hook/person.ts'
import { EXIT, type Io } from './io.ts'
import { shownTime } from './time.ts'

/** Lines shown where no number is given: a screen. */
const SHOWN = 20
/** Milliseconds between two looks at a log that is followed. */
const LOOK_EVERY = 300
/** Characters of a call on a line for people. */
const MOST_CALL = 120

const USAGE = 'use sallyport log [--follow] [--json] [--verify] [--session S] [--canaries] [-n N]'

interface Row {
  readonly text: string
  readonly line: LogLine
}

/**
 * `argv` is what follows `log`. Returns the exit code; with `--follow` it goes on until `stop` is aborted, and without
 * `stop` until the process ends.
 */
export function logVerb(argv: readonly string[], io: Io, stop?: AbortSignal): number | Promise<number> {
  const options = optionsOf(argv)
  if (typeof options === 'string') {
    io.err(`sallyport log: ${options}; ${USAGE}\n`)
    return EXIT.usage
  }
  const files = logFiles(statePath(io.env, homeOf(io.env)))
  if (options.verify) return verify(files, io)
  const { session } = options
  // Calls by which setup and doctor try a gate are nothing that a host brought.
  const wanted = ({ line }: Row) =>
    (options.canaries || line.rule !== CANARY_RULE) &&
    (session === undefined || line.session.startsWith(session) || sessionName(line.host, line.session) === session)
  const show = (row: Row) => io.out(options.json ? `${row.text}\n` : readable(row.line, io.colour))

  const rows: Row[] = []
  let broken = 0
  let read = 0
  let hidden = 0
  for (const file of files) {
    if (rows.length >= options.count) break
    const text = textOf(file)
    if (file === files[0]) read = Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1))
    const found = rowsOf(text)
    broken += found.broken
    if (!options.canaries) hidden += found.rows.filter(({ line }) => line.rule === CANARY_RULE).length
    rows.unshift(...found.rows.filter(wanted))
  }
  // `slice(-0)` would be all of them.
  for (const row of options.count === 0 ? [] : rows.slice(-options.count)) show(row)
  if (broken > 0) io.err(`sallyport log: ${counted(broken, 'line')} could not be read\n`)
  if (options.follow) return follow(files, read, (row) => wanted(row) && show(row), stop)
  if (rows.length === 0)
    io.err(
      hidden === 0
        ? 'sallyport log: nothing is logged yet\n'
        : `sallyport log: nothing is logged yet but ${counted(hidden, 'call')} of setup and doctor, which --canaries shows\n`,
    )
  return EXIT.ok
}

function optionsOf(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        follow: { type: 'boolean', short: 'f', default: false },
        json: { type: 'boolean', default: false },
        verify: { type: 'boolean', default: false },
        canaries: { type: 'boolean', default: false },
        session: { type: 'string' },
        count: { type: 'string', short: 'n', default: String(SHOWN) },
      },
    })
    if (!/^[0-9]{1,7}$/.test(values.count)) return `\`${values.count}\` is no number of lines`
    return { ...values, count: Number(values.count) }
  } catch (error) {
    return error instanceof Error ? error.message.split('\n')[0]!.replace(/\.$/, '') : String(error)
  }
}

/** Ids of sessions by the names of their files, as far as the log below that state directory knows them. */
export function sessionIds(state: string): ReadonlyMap<string, string> {
  const out = new Map<string, string>()
  for (const file of logFiles(state))
    for (const { line } of rowsOf(textOf(file)).rows) {
      const name = sessionName(line.host, line.session)
      if (!out.has(name)) out.set(name, line.session)
    }
  return out
}

/** A file's text; empty where it is absent or cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

export function rowsOf(text: string): { rows: Row[]; broken: number } {
  const rows: Row[] = []
  let broken = 0
  for (const row of text.split('\n')) {
    if (row === '') continue
    const line = lineOf(row)
    if (line) rows.push({ text: row, line })
    else broken++
  }
  return { rows, broken }
}

function lineOf(text: string): LogLine | undefined {
  try {
    const line = JSON.parse(text) as LogLine
    const texts = [line.ts, line.host, line.verdict, line.rule, line.call, line.session, line.prev]
    return texts.every((value) => typeof value === 'string') ? line : undefined
  } catch {
    return undefined
  }
}

const COLOURS: Readonly<Record<string, string>> = { deny: '\u001b[31m', ask: '\u001b[33m' }

function readable(line: LogLine, colour: boolean): string {
  const time = shownTime(line.ts)
  const verdict = plain(line.verdict).padEnd(4)
  const shade = colour ? COLOURS[line.verdict] : undefined
  const shown = shade === undefined ? verdict : `${shade}${verdict}\u001b[0m`
  const call = plain(line.call)
  const short = call.length > MOST_CALL ? `${call.slice(0, MOST_CALL - 1)}…` : call
  const rule = line.verdict === 'pass' && line.rule === 'none' ? '' : `  ${plain(line.rule)}  ${plain(line.id)}`
  // The rule is that of what would have been answered.
  const paused = line.verdict === 'pass' && line.reason?.startsWith(PAUSED_REASON) ? '  paused' : ''
  return `${plain(time)}  ${plain(line.host)}  ${shown}${paused}${rule}  ${short || plain(line.tool)}\n`
}

/** Calls are written by agents: control characters in them must not reach the terminal. */
export const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, '�')

/**
 * Shows new lines as they come, from byte `from` of the newest file on. A log that is put aside meanwhile is read to its
 * end before the new one.
 */
function follow(
  [file, older]: readonly string[],
  from: number,
  show: (row: Row) => void,
  stop: AbortSignal | undefined,
): Promise<number> {
  let { inode } = stateOf(file!)
  let done = from
  const rest = (path: string) => {
    const bytes = Buffer.from(textOf(path)).subarray(done)
    // A line whose newline is not there yet is shown the next time.
    const end = bytes.lastIndexOf(0x0a) + 1
    done += end
    for (const row of rowsOf(bytes.toString('utf8', 0, end)).rows) show(row)
  }
  return new Promise((resolve) => {
    const look = () => {
      const now = stateOf(file!)
      if (now.inode !== inode) {
        if (inode !== 0 && stateOf(older!).inode === inode) rest(older!)
        inode = now.inode
        done = 0
      }
      if (now.size > done) rest(file!)
    }
    const timer = setInterval(look, LOOK_EVERY)
    stop?.addEventListener('abort', () => {
      clearInterval(timer)
      look()
      resolve(EXIT.ok)
    })
  })
}

function stateOf(file: string): { inode: number; size: number } {
  const found = statSync(file, { throwIfNoEntry: false })
  return { inode: found?.ino ?? 0, size: found?.size ?? 0 }
}

/** Whether every line names a line before it: a line that was changed or taken out is missed by those after it. */
function verify(files: readonly string[], io: Io): number {
  const known = new Set<string>()
  let lines = 0
  let lost = 0
  for (const file of files.toReversed()) {
    for (const text of textOf(file).split('\n')) {
      if (text === '') continue
      const line = lineOf(text)
      // What came before the oldest line may have been dropped by now.
      if (line === undefined || (known.size > 0 && !known.has(line.prev))) {
        lost++
        io.err(
          `sallyport log: ${file}: line of ${plain(line?.ts ?? 'unknown time')} does not follow from any line before it\n`,
        )
      }
      known.add(lineHash(text))
      lines++
    }
  }
  io.out(`${counted(lines, 'line')}, ${lost === 0 ? 'each follows from one before it' : `${lost} out of line`}\n`)
  return lost === 0 ? EXIT.ok : EXIT.problem
}
