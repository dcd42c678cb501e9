/** What a ledger comes to: sums, the middle, the best and the worst. Pure; the words are `gain-text.ts`. */
import { emittedBytes, type LedgerRow, netOf, shownBytes } from './row.ts'

/** An event with what was fetched of it later. */
export interface Entry {
  readonly id: string | null
  readonly ts: string
  readonly host: string
  readonly family: string
  readonly method: LedgerRow['method']
  /** Tokens: the host's share, and what came in its place. */
  readonly shown: number
  readonly spent: number
}

export interface Part {
  readonly name: string
  readonly events: number
  readonly shown: number
  readonly net: number
}

export interface Gain {
  readonly events: number
  readonly retrievals: number
  readonly sessions: number
  readonly since: string
  readonly until: string
  /** Bytes that were captured, whatever a host would have shown of them. */
  readonly captured: number
  /** Bytes that hosts would have shown, and that were shown. */
  readonly contained: { readonly raw: number; readonly emitted: number }
  readonly tokens: {
    readonly shown: number
    readonly delivered: number
    readonly retrieved: number
    readonly overhead: number
    readonly net: number
  }
  /** Of what hosts would have shown; undefined where that is nothing. */
  readonly share: number | undefined
  /** Net tokens of the event in the middle. */
  readonly median: number
  readonly caps: readonly {
    readonly host: string
    readonly bytes: number
    readonly kind: string
    readonly events: number
  }[]
  readonly families: readonly Part[]
  readonly hosts: readonly Part[]
  /** By day, oldest first. */
  readonly days: readonly Part[]
  readonly best: readonly Entry[]
  readonly worst: readonly Entry[]
}

const MOST_LISTED = 10

export const entryNet = ({ shown, spent }: Entry): number => shown - spent

/** Takes rows in their order and sums them up. */
export class Tally {
  readonly #entries: { -readonly [K in keyof Entry]: Entry[K] }[] = []
  readonly #byId = new Map<string, number>()
  readonly #sessions = new Set<string>()
  readonly #caps = new Map<string, { host: string; bytes: number; kind: string; events: number }>()
  readonly #tokens = { shown: 0, delivered: 0, retrieved: 0, overhead: 0, net: 0 }
  #retrievals = 0
  #captured = 0
  #raw = 0
  #emitted = 0
  #since = ''
  #until = ''

  add(row: LedgerRow): void {
    const { tokens } = row
    this.#sessions.add(`${row.host} ${row.session}`)
    if (this.#since === '' || row.ts < this.#since) this.#since = row.ts
    if (row.ts > this.#until) this.#until = row.ts
    this.#captured += row.raw
    this.#raw += shownBytes(row)
    this.#emitted += emittedBytes(row)
    for (const key of ['shown', 'delivered', 'retrieved', 'overhead'] as const) this.#tokens[key] += tokens[key]
    this.#tokens.net += netOf(row)
    if (row.method === 'retrieval') this.#retrievals++
    const spent = tokens.delivered + tokens.retrieved + tokens.overhead
    const earlier = row.method === 'retrieval' && row.id !== null ? this.#entryOf(row.id) : undefined
    if (earlier !== undefined) {
      this.#entries[earlier]!.shown += tokens.shown
      this.#entries[earlier]!.spent += spent
      return
    }
    const { id, ts, host, family, method } = row
    if (id !== null) this.#byId.set(id, this.#entries.length)
    this.#entries.push({ id, ts, host, family, method, shown: tokens.shown, spent })
    if (row.raw > 0) this.#cap(row)
  }

  /** The latest event of a capture; a handle may have been asked for by fewer digits than are shown. */
  #entryOf(id: string): number | undefined {
    const known = this.#byId.get(id)
    if (known !== undefined || id.length >= 'run:'.length + 12) return known
    return [...this.#byId].findLast(([whole]) => whole.startsWith(id))?.[1]
  }

  #cap({ host, host_cap: { bytes, kind } }: LedgerRow): void {
    const name = `${host} ${bytes} ${kind}`
    const known = this.#caps.get(name)
    if (known === undefined) this.#caps.set(name, { host, bytes, kind, events: 1 })
    else known.events++
  }

  /** Undefined where no row came. */
  gain(): Gain | undefined {
    const entries = this.#entries
    if (entries.length === 0) return undefined
    const sorted = [...entries].sort((a, b) => entryNet(b) - entryNet(a) || order(a.ts, b.ts))
    const nets = sorted.map(entryNet)
    const middle = nets.length >> 1
    const { shown, net } = this.#tokens
    return {
      events: entries.length,
      retrievals: this.#retrievals,
      sessions: this.#sessions.size,
      since: this.#since,
      until: this.#until,
      captured: this.#captured,
      contained: { raw: this.#raw, emitted: this.#emitted },
      tokens: { ...this.#tokens },
      share: shown === 0 ? undefined : net / shown,
      median: nets.length % 2 === 1 ? nets[middle]! : Math.round((nets[middle - 1]! + nets[middle]!) / 2),
      caps: [...this.#caps.values()].sort((a, b) => b.events - a.events || order(a.host, b.host) || a.bytes - b.bytes),
      families: parts(entries, ({ family }) => family).sort(byWeight),
      hosts: parts(entries, ({ host }) => host).sort(byWeight),
      days: parts(entries, ({ ts }) => ts.slice(0, 10)).sort((a, b) => order(a.name, b.name)),
      best: sorted.slice(0, MOST_LISTED),
      worst: sorted.slice(-MOST_LISTED).reverse(),
    }
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byWeight = (a: Part, b: Part): number => b.net - a.net || order(a.name, b.name)

function parts(entries: readonly Entry[], nameOf: (entry: Entry) => string): Part[] {
  const out = new Map<string, { name: string; events: number; shown: number; net: number }>()
  for (const entry of entries) {
    const name = nameOf(entry)
    const part = out.get(name) ?? { name, events: 0, shown: 0, net: 0 }
    part.events++
    part.shown += entry.shown
    part.net += entryNet(entry)
    out.set(name, part)
  }
  return [...out.values()]
}
