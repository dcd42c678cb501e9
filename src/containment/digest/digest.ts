/**
 * A digest: what a reader needs of an output, in few tokens. Pure: the same input gives the same text, whatever the
 * clock, the place or the locale.
 */
import type { Selector } from '../address.ts'
import type { Bytes } from '../bytes.ts'
import { tokensOf } from '../tokens.ts'
import { type Analysis, analyse, type Windows } from './analysis.ts'
import { Document, type Mask } from './document.ts'
import { changeSince, type Earlier, sameBytes } from './earlier.ts'
import { FailureNames } from './failures.ts'
import type { Fact, Family, Probe } from './family.ts'
import { focusOf } from './focus.ts'
import { ALL_PARTS, type Candidate, candidatesOf, type Parts } from './generic.ts'
import { type Heard, hear, withItems } from './reading.ts'
import { Addresses, bodyLines, endWords, factLine, plural, verdictLine } from './render.ts'
import { type Chosen, choose } from './select.ts'
import { narrow } from './wide.ts'

export interface DigestInput {
  readonly bytes: Bytes
  readonly commands: Probe['commands']
  /** The command line as the verdict line shows it, already redacted. */
  readonly label: string
  readonly exit?: number
  readonly signal?: string
  /** Tokens of the whole text. */
  readonly budget: number
  /** `run:<12 hex>` and the like. Without one no address is printed. */
  readonly handle?: string
  /** Words that the reader asks about. */
  readonly focus?: string
  /** An earlier run of the same command: what is fixed, new and the same is said. */
  readonly earlier?: Earlier
  /** Bytes at both ends that are read line by line; all bytes are counted. */
  readonly windows: Windows
  readonly mask: Mask
  /** Bytes that were kept where the capture stopped before the child did. */
  readonly stopped?: number
}

export interface Digest {
  readonly text: string
  readonly status: 'ok' | 'failed' | 'unknown'
  /** Estimates, of the text and of the capture. */
  readonly tokens: number
  readonly rawTokens: number
  /** Values that were masked in what is shown. */
  readonly masked: number
  readonly addresses: readonly string[]
  /** Whose reading it is; `generic` where no family's. */
  readonly family: string
}

/** What a bench or a test may change. */
export interface Options {
  readonly parts?: Parts
  readonly families?: readonly Family[]
}

/** Bytes that a digest reads line by line unless told otherwise. */
export const RUN_WINDOWS: Windows = { first: 256 << 20, last: 64 << 20 }
/** The same where a host waits for the answer. */
export const GATE_WINDOWS: Windows = { first: 8 << 20, last: 4 << 20 }

/** Tokens that the verdict line and the line of what is left out take, about. */
const FRAME_TOKENS = 70
/** Of an output that is the same as last time only the gist is said again. */
const SAME_BUDGET = 240

/** Whether the run failed. Only its end tells; never the text. */
export function statusOf(exit: number | undefined, signal: string | undefined): Digest['status'] {
  if (signal !== undefined) return 'failed'
  return exit === undefined ? 'unknown' : exit === 0 ? 'ok' : 'failed'
}

/** One way to read a capture: what may be shown of it, and the frame's own sentences. */
interface Read {
  readonly document: Document
  readonly heard: Heard | undefined
  readonly candidates: readonly Candidate[]
}

/** Selectors of a capture whose lines are counted alike in what was read of it, and of one where they are not. */
const LINES_ONLY: ReadonlySet<Selector['by']> = new Set(['lines'])
const WHOLE_ONLY: ReadonlySet<Selector['by']> = new Set()

/** Makes the digest of a capture. Its text ends with a line end. */
export function digestOf(given: DigestInput, { parts = ALL_PARTS, families }: Options = {}): Digest {
  const narrowed = narrow(given.bytes)
  const input = narrowed === undefined ? given : { ...given, bytes: narrowed.bytes }
  const by = narrowed === undefined ? undefined : narrowed.lines ? LINES_ONLY : WHOLE_ONLY
  const status = statusOf(input.exit, input.signal)
  const rawTokens = rawTokensOf(input.bytes)
  const now = read(input.bytes, input, status, parts, families)
  const { document, heard } = now
  const { analysis } = document
  const facts: Fact[] = [
    ...(narrowed === undefined ? [] : ['UTF-16, shown as UTF-8']),
    ...ownFacts(analysis),
    ...(heard?.reading.facts ?? []),
    ...disagreement(heard, status),
  ]
  let candidates = now.candidates
  let budget = input.budget

  const { earlier } = input
  if (earlier !== undefined) {
    const was = [earlier.handle, endWords(earlier.exit, earlier.signal)].filter(Boolean).join(', ')
    if (sameBytes(input.bytes, earlier.bytes)) {
      facts.unshift(`the same output as ${was}`)
      budget = Math.min(budget, SAME_BUDGET)
    } else {
      const before = { ...input, exit: earlier.exit, signal: earlier.signal }
      const then = read(earlier.bytes, before, statusOf(earlier.exit, earlier.signal), parts, families)
      const sample = (candidate: Candidate) => document.raw(candidate.place)
      const change = changeSince(was, candidates, then.candidates, then.document.analysis, sample)
      facts.unshift(...change.facts.map((fact) => input.mask(fact).text))
      candidates = change.candidates
    }
  }
  if (input.focus !== undefined) {
    const focus = focusOf(input.bytes, input.windows, input.focus)
    if (focus !== undefined) {
      facts.unshift(`focus: ${plural(focus.any, 'line')} with a word of it, ${focus.all} with all`)
      candidates = [...focus.candidates, ...candidates]
    }
  }

  const made = (rows: readonly Chosen[], facts: readonly Fact[]) => {
    const addresses = new Addresses(input.handle, by)
    const shown = new Set(rows.map((row) => row.n)).size
    const { exit, signal, label, stopped } = input
    const verdict = { size: given.bytes.size, exit, signal, label, rawTokens, stopped }
    const first = verdictLine(verdict, analysis, shown, addresses)
    const body = [...facts.map((fact) => factLine(fact, addresses)), ...bodyLines(rows, analysis, addresses)].join('\n')
    const text = body === '' ? `${first}\n` : `${first}\n${body}\n`
    return { text, addresses, rows, tokens: tokensOf(text), bodyTokens: tokensOf(body), bodyBytes: byteLength(body) }
  }

  let result: ReturnType<typeof made> | undefined
  if (analysis.binary === undefined && rawTokens + FRAME_TOKENS <= budget) {
    const all = made(wholeRows(document), facts)
    result = all.tokens <= input.budget ? all : undefined
  }
  result ??= fitted(budget, facts.length, (room, kept) => {
    const words = facts.slice(0, kept)
    const spent = words.reduce((sum, fact) => sum + tokensOf(typeof fact === 'string' ? fact : fact.text) + 6, 0)
    const rows = choose(document, candidates, Math.max(0, room - spent), status !== 'ok', parts)
    return made(rows, [...words, ...unshown(candidates, rows)])
  })
  if (analysis.binary === undefined && larger(result, rawTokens, input.bytes.size)) {
    const whole = made(wholeRows(document), [])
    if (whole.bodyTokens < result.bodyTokens) result = whole
  }
  return {
    text: result.text,
    status,
    tokens: result.tokens,
    rawTokens,
    masked: result.rows.reduce((sum, row) => sum + row.masked, 0),
    addresses: result.addresses.printed,
    family: heard?.family ?? 'generic',
  }
}

/** Tokens that need not be used up, and tries to use them. */
const SLACK = 12
const TRIES = 3
/** Facts that stay as long as there is room for a few lines beside them. */
const FACTS = 3

/**
 * The fullest text of at most `budget` tokens. `make` is told tokens for lines and how many facts to keep. What does not
 * fit goes in this order: facts but the first, lines, the other facts. The verdict line is always there.
 */
function fitted<T extends { readonly tokens: number }>(
  budget: number,
  facts: number,
  make: (room: number, kept: number) => T,
): T {
  let kept = facts
  let room = budget - FRAME_TOKENS
  let best: T | undefined
  for (let tries = 0; ; ) {
    const attempt = make(room, kept)
    const over = attempt.tokens - budget
    if (over <= 0) {
      if (best === undefined || attempt.tokens > best.tokens) best = attempt
      if (-over <= SLACK || ++tries >= TRIES) return best
      room -= over
    } else if (best !== undefined) {
      if (++tries >= TRIES) return best
      room -= Math.ceil(over / 2)
    } else if (room <= 0 && kept === 0) return attempt
    else if (kept > FACTS || (kept > 0 && room < 40)) kept--
    else room -= Math.max(8, over)
  }
}

const larger = (made: { bodyTokens: number; bodyBytes: number }, tokens: number, bytes: number): boolean =>
  made.bodyTokens > tokens || made.bodyBytes > bytes

const byteLength = (text: string): number => Buffer.byteLength(text)

function read(
  bytes: Bytes,
  input:
    | DigestInput
    | (Omit<DigestInput, 'exit' | 'signal'> & { exit: number | undefined; signal: string | undefined }),
  status: Digest['status'],
  parts: Parts,
  families: readonly Family[] | undefined,
): Read {
  const analysis = analyse(bytes, input.windows)
  const document = new Document(bytes, analysis, input.mask)
  const generic = candidatesOf(document, status !== 'ok', parts)
  if (!parts.families || analysis.lines === 0) return { document, heard: undefined, candidates: generic }
  const { commands, exit, signal } = input
  const head = analysis.head.map((place) => document.line(place))
  const tail = analysis.tail.map((place) => document.line(place))
  const heard = hear(bytes, document, { commands, exit, signal, head, tail, bytes }, input.windows, families)
  return { document, heard, candidates: heard === undefined ? generic : withItems(document, heard.reading, generic) }
}

const wholeRows = (document: Document): Chosen[] =>
  document.places(1, document.analysis.lines).map((place) => document.wholeRow(place))

/** Failures that no line was left for: how many, and where they are. */
function unshown(candidates: readonly Candidate[], rows: readonly Chosen[]): Fact[] {
  const shown = new Set(rows.map((row) => row.n))
  const names = new FailureNames()
  const failures = candidates.filter(({ kind, name }) => kind === 'failure' && name !== undefined)
  for (const { place, name } of failures) if (shown.has(place.n)) names.add(name!)
  const lines: number[] = []
  for (const { place, name } of failures) {
    if (names.has(name!)) continue
    names.add(name!)
    lines.push(place.n)
  }
  if (lines.length === 0) return []
  const at = { by: 'lines', from: Math.min(...lines), to: Math.max(...lines) } as const
  return [{ text: `${plural(lines.length, 'more failure')} not shown`, at }]
}

/** What the family read and how the run ended, where they do not agree. The end holds. */
function disagreement(heard: Heard | undefined, status: Digest['status']): Fact[] {
  const said = heard?.reading.failed
  if (said === true && status === 'ok') return ['the output speaks of failure, the exit code of success']
  if (said === false && status === 'failed') return ['the output speaks of success, the end of the run of failure']
  return []
}

/** Bytes that are counted as a whole; of more, three parts of this many bytes each stand for all. */
const COUNTED = 1 << 18
const SAMPLED = 1 << 16

/** Tokens of a capture. */
function rawTokensOf(bytes: Bytes): number {
  const { size } = bytes
  const text = (from: number, to: number) => Buffer.from(bytes.read(from, to)).toString('utf8')
  if (size <= COUNTED) return tokensOf(text(0, size))
  const middle = Math.floor(size / 2)
  let sum = 0
  for (const from of [0, middle, size - SAMPLED]) sum += tokensOf(text(from, from + SAMPLED))
  return Math.round((sum * size) / (3 * SAMPLED))
}

function ownFacts({ binary, unread, lines }: Analysis): Fact[] {
  const facts: Fact[] = []
  if (binary !== undefined)
    facts.push(`${binary.format ?? 'binary data'}: ${binary.lines} of ${plural(lines, 'line')} hold no text`)
  if (unread !== undefined)
    facts.push({
      text: `lines ${unread.lines.from} to ${unread.lines.to} were counted, not read`,
      at: { by: 'lines', from: unread.lines.from, to: unread.lines.to },
    })
  return facts
}
