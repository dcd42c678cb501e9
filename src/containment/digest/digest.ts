/**
 * A digest: what a reader needs of an output, in few tokens. Pure: the same input gives the same text, whatever the
 * clock, the place or the locale.
 */
import { counted } from '../../core/count.ts'
import type { Selector } from '../address.ts'
import type { Bytes } from '../bytes.ts'
import { tokensOf } from '../tokens.ts'
import { type Analysis, analyse, type Windows } from './analysis.ts'
import { compose } from './compose.ts'
import { Document, type Mask, type MaskSlice } from './document.ts'
import { changeSince, type Earlier, type RunTold, sameBytes } from './earlier.ts'
import type { Fact, Family, Probe } from './family.ts'
import { focusOf } from './focus.ts'
import { ALL_PARTS, type Candidate, candidatesOf, type Parts } from './generic.ts'
import { wideOf } from './magic.ts'
import { type Heard, hear, withItems } from './reading.ts'
import { endWords } from './render.ts'
import { MOST_WIDE, narrow } from './wide.ts'

export interface DigestInput {
  readonly bytes: Bytes
  /** Of the bytes, as hexadecimal digits, where it is known. */
  readonly sha256?: string
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
  /** In place of `mask` for lines, where there is one: it sees a secret that goes over several of them. */
  readonly maskSlice?: MaskSlice
  /** Bytes that were kept where the capture stopped before the child did. */
  readonly stopped?: number
}

export interface Digest {
  readonly text: string
  readonly status: 'ok' | 'failed' | 'unknown'
  /** Estimates, of the text and of the capture. */
  readonly tokens: number
  readonly rawTokens: number
  /** Whether tokens mean anything for the whole: false for binary data, which nobody would have read as text. */
  readonly priced: boolean
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

/** Of an output that is the same as last time only the gist is said again. */
const SAME_BUDGET = 240

/** Whether the run failed. Only its end tells; never the text. */
export function statusOf(exit: number | undefined, signal: string | undefined): Digest['status'] {
  if (signal !== undefined) return 'failed'
  return exit === undefined ? 'unknown' : exit === 0 ? 'ok' : 'failed'
}

/** Selectors of a capture whose lines are counted alike in what was read of it, and of one where they are not. */
const LINES_ONLY: ReadonlySet<Selector['by']> = new Set(['lines'])
const WHOLE_ONLY: ReadonlySet<Selector['by']> = new Set()

/** One way to read a capture: what may be shown of it, and the frame's own sentences. */
interface Read {
  readonly document: Document
  readonly heard: Heard | undefined
  readonly candidates: readonly Candidate[]
}

/** Makes the digest of a capture. Its text ends with a line end. */
export function digestOf(given: DigestInput, { parts = ALL_PARTS, families }: Options = {}): Digest {
  const narrowed = narrow(given.bytes)
  const input = narrowed === undefined ? given : { ...given, bytes: narrowed.bytes }
  const { exit, signal, label, stopped, handle } = input
  const status = statusOf(exit, signal)
  const rawTokens = rawTokensOf(input.bytes)
  const now = read(input.bytes, input, parts, families)
  const { document, heard } = now
  // Nobody would read binary data as text: it has no price.
  const { binary, lines } = document.analysis
  const priced = binary === undefined || binary.lines * 2 < lines
  const asked = focused(input)
  const changed = since(input, now, parts, families)
  const composed = compose({
    document,
    candidates: [...asked.candidates, ...changed.candidates],
    facts: [
      ...asked.facts,
      ...changed.facts,
      ...(narrowed === undefined ? unreadWide(given.bytes) : ['UTF-16, shown as UTF-8']),
      ...ownFacts(document.analysis),
      ...(heard?.reading.facts ?? []),
      ...disagreement(heard, status),
    ],
    verdict: { size: given.bytes.size, exit, signal, label, rawTokens, stopped, priced },
    handle,
    mask: input.mask,
    by: narrowed === undefined ? undefined : narrowed.lines ? LINES_ONLY : WHOLE_ONLY,
    sizeOf: narrowed?.sizeOf,
    failed: status !== 'ok',
    parts,
    budget: Math.min(input.budget, changed.budget, heard?.budget ?? input.budget),
  })
  return {
    text: composed.text,
    status,
    tokens: composed.tokens,
    rawTokens,
    priced,
    masked: composed.rows.reduce((sum, row) => sum + row.masked, 0),
    addresses: composed.addresses,
    family: heard?.family ?? 'generic',
  }
}

/** What looks like UTF-16 and is too long to be read as text. */
const unreadWide = (bytes: Bytes): Fact[] =>
  bytes.size > MOST_WIDE && wideOf(bytes.read(0, 4096)) !== undefined
    ? ['UTF-16, not read as text: it is longer than 1 GiB']
    : []

/** What was asked about. */
function focused({ bytes, windows, focus }: DigestInput): { candidates: readonly Candidate[]; facts: Fact[] } {
  const found = focus === undefined ? undefined : focusOf(bytes, windows, focus)
  if (found === undefined) return { candidates: [], facts: [] }
  const fact = `focus: ${counted(found.any, 'line')} with a word of it, ${found.all} with all`
  return { candidates: found.candidates, facts: [fact] }
}

/** What is new since the earlier run, where there is one. */
function since(
  input: DigestInput,
  now: Read,
  parts: Parts,
  families: readonly Family[] | undefined,
): { candidates: readonly Candidate[]; facts: Fact[]; budget: number } {
  const { earlier, budget } = input
  const { candidates } = now
  if (earlier === undefined) return { candidates, facts: [], budget }
  const was = [earlier.handle, endWords(earlier.exit, earlier.signal)].filter(Boolean).join(', ')
  if (isSame(input, earlier))
    return { candidates, facts: [`the same output as ${was}`], budget: Math.min(budget, SAME_BUDGET) }
  const bytes = narrow(earlier.bytes)?.bytes ?? earlier.bytes
  const then = read(bytes, { ...input, exit: earlier.exit, signal: earlier.signal }, parts, families)
  const change = changeSince(was, toldOf(now, input), toldOf(then, earlier))
  return { candidates: change.candidates, facts: [...change.facts], budget }
}

const isSame = (input: DigestInput, earlier: Earlier): boolean =>
  input.sha256 !== undefined && earlier.sha256 !== undefined
    ? input.sha256 === earlier.sha256
    : sameBytes(input.bytes, earlier.bytes)

/** A run as it is compared. */
const toldOf = ({ document, heard, candidates }: Read, { exit, signal, stopped }: End): RunTold => ({
  document,
  candidates,
  family: heard?.family,
  reading: heard?.reading,
  exit,
  signal,
  stopped,
})

type End = Pick<DigestInput, 'exit' | 'signal' | 'stopped'>

/** What of an input is needed to read a capture. */
type Told = Pick<DigestInput, 'commands' | 'windows' | 'mask' | 'maskSlice'> & {
  readonly exit?: number | undefined
  readonly signal?: string | undefined
}

function read(bytes: Bytes, told: Told, parts: Parts, families: readonly Family[] | undefined): Read {
  const { commands, windows, mask, maskSlice, exit, signal } = told
  const analysis = analyse(bytes, windows)
  const document = new Document(bytes, analysis, mask, maskSlice)
  const generic = candidatesOf(document, statusOf(exit, signal) !== 'ok', parts)
  if (!parts.families || analysis.lines === 0) return { document, heard: undefined, candidates: generic }
  const head = analysis.head.map((place) => document.line(place))
  const tail = analysis.tail.map((place) => document.line(place))
  const heard = hear(bytes, document, { commands, exit, signal, head, tail, bytes }, windows, families)
  return { document, heard, candidates: heard === undefined ? generic : withItems(document, heard.reading, generic) }
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

function ownFacts({ binary, unread, middle, lines }: Analysis): Fact[] {
  const facts: Fact[] = []
  if (binary !== undefined)
    facts.push(
      `${binary.format ?? 'binary data'}: ${binary.lines} of ${counted(lines, 'line')} ${binary.lines === 1 ? 'holds' : 'hold'} no text`,
    )
  if (unread !== undefined)
    facts.push({
      text: `lines ${unread.lines.from} to ${unread.lines.to} were counted, not read`,
      at: { by: 'lines', from: unread.lines.from, to: unread.lines.to },
    })
  if (middle !== undefined)
    facts.push({
      text:
        `the middle of line ${middle.n} was not read` +
        (middle.lines > 1 ? `, nor that of ${counted(middle.lines - 1, 'other line')}` : ''),
      at: { by: 'bytes', from: middle.from, to: middle.to - 1 },
    })
  return facts
}
