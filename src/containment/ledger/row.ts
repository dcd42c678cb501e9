/**
 * One event of the ledger: what a command line gave, what the host would have shown of it, and what was shown instead.
 * Pure arithmetic. The ledger claims nothing that the host did not really leave out: a host cuts long outputs by itself,
 * what was fetched later counts against us, and so does every word of our own. The balance may be negative.
 */
import { sha256Hex } from '../../core/hash.ts'

/** A quantity of text, in bytes and in estimated tokens. */
export interface Measure {
  readonly bytes: number
  readonly tokens: number
}

/** What a host shows of one result at most. */
export interface HostCap {
  readonly bytes: number
  /** Seen in a receipt of that host, or taken from what is written about it. */
  readonly kind: 'measured' | 'assumed'
}

/** How what was shown came about. */
export type Method =
  /** `ctx run` showed a digest. */
  | 'run'
  /** The host let its result be replaced. */
  | 'replace'
  /** An MCP server's result went through our proxy. */
  | 'proxy'
  /** Shown as it came: small, asked for raw, or nothing could be replaced. */
  | 'raw'
  /** `get`, `search`, `stats`, `diff`: an answer from what was captured before. */
  | 'retrieval'
  /** Words of ours that stand for nothing: reasons of a hook, schemas, advice. */
  | 'overhead'

export interface Event {
  /** `run:`, `blob:` or `job:` with its digits, of what the event is about; absent where nothing is kept. */
  readonly of?: string
  /** ISO 8601, UTC. */
  readonly ts: string
  /** The host's id; `none` where a person ran it. */
  readonly host: string
  /** The host's name of its session; only a hash of it is kept. */
  readonly session: string
  /** What kind of command it was (`pytest`, `git log`); never the command line. */
  readonly family: string
  /** All that the same command line would have delivered, its own limits (`| tail -20`) included. 0 for a retrieval. */
  readonly raw: Measure
  readonly cap: HostCap
  /** What of `raw` the host would have shown, where somebody counted it. Else it is taken in proportion. */
  readonly share?: Measure
  /** What was shown in its place; absent where the host showed its share: nothing was replaced. */
  readonly delivered?: Measure
  /** Shown of earlier captures. */
  readonly retrieved?: Measure
  /** Our own words in addition. */
  readonly overhead?: Measure
  readonly method: Method
  /** Undefined where there is none. */
  readonly exit?: number
  /** Bytes that are no text cost no tokens in a host that shows them as such: never a saving. */
  readonly binary?: boolean
}

/** A line of `ledger.jsonl`. Numbers are bytes, and under `tokens` the same quantities in estimated tokens. */
export interface LedgerRow {
  readonly v: 1
  readonly id: string | null
  readonly ts: string
  readonly host: string
  /** 16 hexadecimal digits: the name of the session's file. */
  readonly session: string
  readonly family: string
  readonly raw: number
  readonly host_cap: HostCap
  readonly delivered: number
  readonly retrieved: number
  readonly overhead: number
  readonly method: Method
  readonly exit: number | null
  readonly tokens: {
    /** Name and version of the estimator. */
    readonly by: string
    /** The host's share of raw. */
    readonly shown: number
    readonly delivered: number
    readonly retrieved: number
    readonly overhead: number
  }
}

const NONE: Measure = { bytes: 0, tokens: 0 }

/** The estimator of `tokens.ts` that rows name. A change of its numbers changes the name. */
export const ESTIMATOR = 'parts-1'

/** The row of an event. The same event gives the same row. */
export function rowOf(event: Event): LedgerRow {
  const share = shareOf(event)
  const shown = event.binary && event.delivered ? least(share, event.delivered) : share
  const delivered = event.delivered ?? shown
  const { retrieved = NONE, overhead = NONE } = event
  return {
    v: 1,
    id: handleOf(event.of),
    ts: event.ts,
    host: nameOf(event.host, 'none'),
    session: sha256Hex(event.session).slice(0, 16),
    family: nameOf(event.family, 'other'),
    raw: count(event.raw.bytes),
    host_cap: { bytes: count(event.cap.bytes), kind: event.cap.kind },
    delivered: count(delivered.bytes),
    retrieved: count(retrieved.bytes),
    overhead: count(overhead.bytes),
    method: event.method,
    exit: Number.isInteger(event.exit) ? event.exit! : null,
    tokens: {
      by: ESTIMATOR,
      shown: count(shown.tokens),
      delivered: count(delivered.tokens),
      retrieved: count(retrieved.tokens),
      overhead: count(overhead.tokens),
    },
  }
}

/** Tokens that did not reach the model because of us; below zero where we cost more than we spared. */
export const netOf = ({ tokens }: LedgerRow): number =>
  tokens.shown - tokens.delivered - tokens.retrieved - tokens.overhead

/** Bytes of the host's share of raw. */
export const shownBytes = ({ raw, host_cap }: LedgerRow): number => Math.min(raw, host_cap.bytes)

/** Bytes that reached the model in its place, whatever they were for. */
export const emittedBytes = (row: LedgerRow): number => row.delivered + row.retrieved + row.overhead

function shareOf({ raw, cap, share }: Event): Measure {
  if (share !== undefined) return least(share, raw)
  if (raw.bytes <= cap.bytes) return raw
  return { bytes: cap.bytes, tokens: Math.round((raw.tokens * cap.bytes) / raw.bytes) }
}

/** The handle as it is shown, whatever stream or selector it was asked for with: events of one capture have one id. */
function handleOf(of: string | undefined): string | null {
  const [, is, id] = /^(run|blob|job):([0-9a-f]{6,64})(?![0-9a-f])/.exec(of ?? '') ?? []
  return id === undefined ? null : `${is}:${id.slice(0, 12)}`
}

const least = (a: Measure, b: Measure): Measure => ({
  bytes: Math.min(a.bytes, b.bytes),
  tokens: Math.min(a.tokens, b.tokens),
})

const count = (value: number): number => (Number.isFinite(value) && value > 0 ? Math.round(value) : 0)

/** A name that cannot hold a command line or a secret: a word or two of small letters and digits. */
function nameOf(name: string, other: string): string {
  const plain = name.toLowerCase()
  return /^[a-z][a-z0-9_.+-]{0,23}(?: [a-z][a-z-]{0,15})?$/.test(plain) ? plain : other
}

const METHODS: ReadonlySet<unknown> = new Set<Method>(['run', 'replace', 'proxy', 'raw', 'retrieval', 'overhead'])

/** One line of the file, or undefined where it is none of ours. Never throws. */
export function parseRow(line: string): LedgerRow | undefined {
  let row: LedgerRow
  try {
    row = JSON.parse(line) as LedgerRow
  } catch {
    return undefined
  }
  const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0
  const isText = (value: unknown): boolean => typeof value === 'string'
  const whole =
    typeof row === 'object' &&
    row !== null &&
    row.v === 1 &&
    (row.id === null || isText(row.id)) &&
    [row.ts, row.host, row.session, row.family].every(isText) &&
    [row.raw, row.delivered, row.retrieved, row.overhead, row.host_cap?.bytes].every(isCount) &&
    (row.host_cap.kind === 'measured' || row.host_cap.kind === 'assumed') &&
    METHODS.has(row.method) &&
    (row.exit === null || Number.isInteger(row.exit)) &&
    [row.tokens?.shown, row.tokens?.delivered, row.tokens?.retrieved, row.tokens?.overhead].every(isCount) &&
    isText(row.tokens.by)
  return whole ? row : undefined
}
