/** Where the child's bytes go while they come: to the spool always, and to our own streams where they are passed on. */
import type { Spool } from '../store/types.ts'
import type { Source, Taker } from './capture.ts'
import { type Part, SMALL_BYTES } from './output.ts'
import { type Sink, sinkOf } from './sink.ts'

/** What of a spool a taker needs. */
export type Recorder = Pick<Spool, 'append' | 'stopped' | 'view'>

/** Changes bytes of a stream on their way, and gives the rest at the end. */
export interface Filter {
  push(chunk: Uint8Array): Uint8Array
  end(): Uint8Array
}

export interface Passing extends Taker {
  /**
   * Gives what a filter held back, waits until it is written, and lets go of the streams. Gives why bytes that somebody
   * wanted could not be written, as the system's code.
   */
  finish(): Promise<string | undefined>
}

const UNCHANGED: Filter = { push: (chunk) => chunk, end: () => new Uint8Array() }
const PIECE_BYTES = 65_536
const DESCRIPTORS = { stdout: 1, stderr: 2 } as const

/** Passes every byte on as it comes, each stream to its own, and records it. */
export function passOn(spool: Pick<Recorder, 'append'>): Passing {
  const sinks: Partial<Record<Source, Sink>> = {}
  const sink = (source: Source): Sink => {
    sinks[source] ??= sinkOf(DESCRIPTORS[source])
    return sinks[source]
  }
  return {
    take(source, chunk, again) {
      spool.append(source, chunk)
      return sink(source).write(chunk, again)
    },
    unwanted: (source) => sinks[source]?.closed === true,
    afterwards: (source) => DESCRIPTORS[source],
    async finish() {
      for (const one of Object.values(sinks)) one.close()
      return lostOf(Object.values(sinks))
    },
  }
}

const lostOf = (sinks: readonly Sink[]): string | undefined => sinks.find(({ lost }) => lost !== undefined)?.lost

/** A recording, and what of it is small enough to be shown as it came. */
export interface Recording extends Passing {
  /** Bytes that came. */
  readonly total: number
  /** All that came, in order, while it is at most `SMALL_BYTES`; else empty. */
  readonly pieces: readonly Part[]
  /** The output went to our own streams after all. */
  readonly passing: boolean
}

/**
 * Records. Where an output that is not small cannot be kept, what there is of it is passed on and then everything that
 * comes, each stream through its filter: without a capture nothing could be fetched later. `keeps`: the store has a place.
 */
export function record(spool: Recorder, keeps: boolean, filters: () => Promise<() => Filter>): Recording {
  const lanes: Partial<Record<Source, { readonly sink: Sink; readonly filter: Filter }>> = {}
  let pieces: Part[] = []
  let total = 0
  let passing = false
  let filterOf: () => Filter = () => UNCHANGED
  const send = (source: Source, chunk: Uint8Array, again: () => void): boolean => {
    lanes[source] ??= { sink: sinkOf(DESCRIPTORS[source]), filter: filterOf() }
    const { sink, filter } = lanes[source]
    const bytes = filter.push(chunk)
    return bytes.length === 0 || sink.write(bytes, again)
  }
  return {
    take(source, chunk, again) {
      const before = total
      total += chunk.length
      spool.append(source, chunk)
      if (passing) return send(source, chunk, again)
      if (total <= SMALL_BYTES) {
        pieces.push({ to: source, bytes: Uint8Array.from(chunk) })
        return true
      }
      const broken = !keeps || (spool.stopped !== undefined && spool.stopped.why !== 'limit')
      const held = pieces
      pieces = []
      if (!broken) return true
      passing = true
      const last = { to: source, bytes: Uint8Array.from(chunk) }
      void filters().then((loaded) => {
        filterOf = loaded
        sendAll(before <= SMALL_BYTES ? [...held, last] : kept(spool, last), send, again)
      })
      return false
    },
    unwanted: (source) => lanes[source]?.sink.closed === true,
    afterwards: (source) => (passing ? DESCRIPTORS[source] : 'nowhere'),
    async finish() {
      for (const { sink, filter } of Object.values(lanes)) {
        const rest = filter.end()
        await new Promise<void>((resolve) => {
          if (rest.length === 0 || sink.write(rest, resolve)) resolve()
        })
        sink.close()
      }
      return lostOf(Object.values(lanes).map(({ sink }) => sink))
    },
    get total() {
      return total
    },
    get pieces() {
      return pieces
    },
    get passing() {
      return passing
    },
  }
}

/** What the spool holds of each stream, then what it no longer took of the last chunk. */
function* kept(spool: Recorder, last: Part): Generator<Part> {
  const view = spool.view()
  const { at, seen } = spool.stopped ?? { at: 0, seen: 0 }
  for (const to of ['stdout', 'stderr'] as const) {
    const bytes = view.stream(to)
    for (let from = 0; from < bytes.size; from += PIECE_BYTES) yield { to, bytes: bytes.read(from, from + PIECE_BYTES) }
  }
  yield { to: last.to, bytes: last.bytes.subarray(Math.max(0, at - (seen - last.bytes.length))) }
}

/** Sends one after the other, waiting where the reader does; then calls `again`. */
function sendAll(
  parts: Iterable<Part>,
  send: (source: Source, chunk: Uint8Array, again: () => void) => boolean,
  again: () => void,
): void {
  const all = parts[Symbol.iterator]()
  const next = (): void => {
    for (let one = all.next(); !one.done; one = all.next()) if (!send(one.value.to, one.value.bytes, next)) return
    again()
  }
  setImmediate(next)
}
