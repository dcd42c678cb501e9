/** One line of the log: the record of a verdict and what it was about, in at most 4,096 bytes, so that one write is whole. */
import { sha256Hex } from '../core/hash.ts'
import { byteLength, cutBytes } from '../core/utf8.ts'
import type { VerdictRecord } from './record.ts'
import { MOST_TEXT, redact } from './redact.ts'

/** Bytes of a line with its newline: what one append writes in one piece everywhere. */
export const MOST_LINE = 4096
/** Bytes of the recorded call. */
export const MOST_CALL = 2048
const PREVIOUS = 32

export interface LogContext {
  /** ISO time in UTC. */
  readonly ts: string
  readonly host: string
  readonly hostVersion?: string
  readonly event: string
  readonly session: string
  readonly cwd: string
  readonly tool: string
  /** The call as it came; it is masked and shortened here. */
  readonly call: string
  /** What was sent to the host. */
  readonly answered: string
  readonly via: 'hook' | 'resident' | 'runner' | 'library'
}

export interface LogLine extends VerdictRecord, LogContext {
  /** Hash of the last line that the writer saw; empty for the first of all. Parallel writers may share one. */
  readonly prev: string
  /** Something was left out so that the line fits. */
  readonly cut?: true
}

/** The name that the next line gives to this one. `line` is without its newline. */
export const lineHash = (line: string): string => sha256Hex(line).slice(0, PREVIOUS)

/** The line with its newline. Valid JSON of at most 4,096 bytes for any input; shortened in the order effects, loss, call. */
export function logLine(record: VerdictRecord, context: LogContext, prev: string): string {
  const line = whole(record, context, prev)
  if (fits(line)) return textOf(line)
  for (const shorter of shortened(line)) if (fits(shorter)) return textOf(shorter)
  return textOf(least(line))
}

const textOf = (line: LogLine): string => `${JSON.stringify(line)}\n`

function fits(line: LogLine): boolean {
  const text = textOf(line)
  // Most lines are far from the limit, and counting bytes costs more than counting units.
  return text.length * 3 <= MOST_LINE || byteLength(text) <= MOST_LINE
}

function whole(record: VerdictRecord, context: LogContext, prev: string): LogLine {
  const masked = redact(context.call)
  const call = cutBytes(masked, MOST_CALL)
  const short = call.length < masked.length || context.call.length > MOST_TEXT
  return {
    ...record,
    ts: context.ts,
    host: context.host,
    ...(context.hostVersion === undefined ? {} : { hostVersion: redact(context.hostVersion) }),
    event: redact(context.event),
    session: redact(context.session),
    cwd: redact(context.cwd),
    tool: redact(context.tool),
    call,
    answered: redact(context.answered),
    via: context.via,
    prev,
    ...(short ? { cut: true } : {}),
  }
}

/** Ever shorter forms: fewer effects, the loss without its paths, none, and less of the call. */
function* shortened(line: LogLine): Generator<LogLine> {
  let now: LogLine = { ...line, cut: true }
  for (let count = line.effects.length >> 1; line.effects.length > 0; count >>= 1) {
    now = { ...now, effects: line.effects.slice(0, count) }
    yield now
    if (count === 0) break
  }
  if (now.loss) {
    now = { ...now, loss: { ...now.loss, paths: [] } }
    yield now
    const { loss: _, ...rest } = now
    now = rest
    yield now
  }
  for (const bytes of [1024, 512, 256, 0]) {
    now = { ...now, call: cutBytes(now.call, bytes) }
    yield now
  }
}

/** Bytes, as JSON writes them, of each text of a line whose other texts are long, too. Together with the keys they fit. */
const LEAST: readonly (readonly [keyof LogLine, number])[] = [
  ['id', 40],
  ['rule', 120],
  ['reason', 900],
  ['safer', 450],
  ['answered', 450],
  ['cwd', 300],
  ['tool', 150],
  ['session', 150],
  ['event', 80],
  ['host', 40],
  ['hostVersion', 60],
  ['ts', 40],
  ['status', 20],
  ['profile', 20],
  ['facts', 80],
  ['policy', 80],
  ['prev', 80],
]

function least(line: LogLine): LogLine {
  const { loss: _, ...rest } = line
  const out: Record<string, unknown> = { ...rest, effects: [], call: '', cut: true }
  for (const [key, most] of LEAST) {
    const value = out[key]
    if (typeof value === 'string') out[key] = cutJson(value, most)
  }
  if (!Number.isFinite(out['ms'])) out['ms'] = 0
  return out as unknown as LogLine
}

/** The longest start of `text` whose JSON form takes at most `most` bytes, by halving. */
function cutJson(text: string, most: number): string {
  let low = 0
  let high = Math.min(text.length, most)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (byteLength(JSON.stringify(text.slice(0, middle))) <= most) low = middle
    else high = middle - 1
  }
  return /[\ud800-\udbff]$/.test(text.slice(0, low)) ? text.slice(0, low - 1) : text.slice(0, low)
}
