/**
 * A digest: what a reader needs of an output, in few tokens. Pure: the same input gives the same text, whatever the
 * clock, the place or the locale.
 */
import type { Bytes } from '../bytes.ts'
import { tokensOf } from '../tokens.ts'
import { analyse, type Windows } from './analysis.ts'
import { Document, type Mask } from './document.ts'
import type { Probe } from './family.ts'
import { ALL_PARTS, candidatesOf, type Parts } from './generic.ts'
import { Addresses, bodyLines, factLine, verdictLine } from './render.ts'
import { choose, type Selection } from './select.ts'

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

/** Bytes that a digest reads line by line unless told otherwise. */
export const RUN_WINDOWS: Windows = { first: 256 << 20, last: 64 << 20 }
/** The same where a host waits for the answer. */
export const GATE_WINDOWS: Windows = { first: 8 << 20, last: 4 << 20 }

/** Whether the run failed. Only its end tells; never the text. */
export function statusOf(exit: number | undefined, signal: string | undefined): Digest['status'] {
  if (signal !== undefined) return 'failed'
  return exit === undefined ? 'unknown' : exit === 0 ? 'ok' : 'failed'
}

/** Makes the digest of a capture. Its text ends with a line end. */
export function digestOf(input: DigestInput, parts: Parts = ALL_PARTS): Digest {
  const analysis = analyse(input.bytes, input.windows)
  const document = new Document(input.bytes, analysis, input.mask)
  const status = statusOf(input.exit, input.signal)
  const rawTokens = rawTokensOf(input.bytes)
  const candidates = candidatesOf(document, status !== 'ok', parts)
  const facts = ownFacts(analysis)

  const made = (selection: Selection) => {
    const addresses = new Addresses(input.handle)
    const rows = selection.list()
    const shown = new Set(rows.map((row) => row.n)).size
    const verdict = { exit: input.exit, signal: input.signal, label: input.label, rawTokens, stopped: input.stopped }
    const first = verdictLine(verdict, analysis, shown, addresses)
    const body = [...facts.map((fact) => factLine(fact, addresses)), ...bodyLines(rows, analysis, addresses)]
    const text = `${[first, ...body].join('\n')}\n`
    return { text, addresses, rows, tokens: tokensOf(text) }
  }

  let budget = input.budget - 60
  let result = made(choose(document, candidates, budget, status !== 'ok', parts))
  while (result.tokens > input.budget && budget > 20) {
    budget -= Math.max(8, result.tokens - input.budget)
    result = made(choose(document, candidates, budget, status !== 'ok', parts))
  }
  return {
    text: result.text,
    status,
    tokens: result.tokens,
    rawTokens,
    masked: result.rows.reduce((sum, row) => sum + row.masked, 0),
    addresses: result.addresses.printed,
    family: 'generic',
  }
}

/** Tokens of a capture: of a long one those of both ends, and the middle at their price. */
function rawTokensOf(bytes: Bytes): number {
  const SAMPLE = 1 << 20
  const text = (from: number, to: number) => Buffer.from(bytes.read(from, to)).toString('latin1')
  if (bytes.size <= 2 * SAMPLE) return tokensOf(text(0, bytes.size))
  const both = tokensOf(text(0, SAMPLE)) + tokensOf(text(bytes.size - SAMPLE, bytes.size))
  return Math.round((both * bytes.size) / (2 * SAMPLE))
}

function ownFacts(analysis: ReturnType<typeof analyse>): string[] {
  const facts: string[] = []
  const { binary, unread } = analysis
  if (binary !== undefined) {
    const what = binary.format === undefined ? 'binary data' : binary.format
    facts.push(`${what}: ${binary.lines} of ${analysis.lines} lines hold no text`)
  }
  if (unread !== undefined)
    facts.push(`lines ${unread.lines.from} to ${unread.lines.to} were counted, not read; both ends were`)
  return facts
}
