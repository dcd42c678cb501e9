/** Takes the two streams of a child as they come: bytes into one place, and beside them order, hashes and line marks. */
import { createHash, type Hash } from 'node:crypto'
import type { Stream } from '../address.ts'
import type { Bytes } from '../bytes.ts'
import type { Capture, Lines, Source, Stopped, StreamFacts } from '../store/types.ts'
import { countLineEnds, indexed, LineCounter, scanLines } from './lines.ts'
import { Order, RECORD, recordOf, streamOf } from './order.ts'
import type { Sink } from './sink.ts'

/** Bytes between two looks at how much room the disk has. */
const LOOK = 64 * 1024 * 1024

export interface RecorderOptions {
  readonly data: Sink
  readonly order: Sink
  /** Bytes to keep at most. */
  readonly limit: number
  /** Whether there is room for more; asked now and then. */
  readonly room?: () => boolean
}

interface Track {
  readonly hash: Hash
  readonly lines: LineCounter
}

const newTrack = (): Track => ({ hash: createHash('sha256'), lines: new LineCounter() })
const copyOf = ({ hash, lines }: Track): Track => ({ hash: hash.copy(), lines: lines.copy() })

/** A capture as it is when its bytes do not grow any more. */
export interface Recording extends Capture {
  /** Hash of the interleave index, where both streams wrote. */
  readonly order?: string
  /** The line marks of each stream that has any of its own. */
  readonly marks: Readonly<Partial<Record<Stream, Float64Array>>>
}

export class Recorder {
  readonly #options: RecorderOptions
  #merged = newTrack()
  /** Empty as long as one stream alone has written: what is true of the whole is true of it. */
  #own: Partial<Record<Source, Track>> = {}
  #only: Source | undefined
  #last: Source | undefined
  #looked = 0
  #stopped: Stopped['why'] | undefined
  #missed = { bytes: 0, ends: 0, endsWithLine: true }

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** Takes bytes; never throws. Once the capture has stopped they are only counted. */
  append(source: Source, chunk: Uint8Array): void {
    if (chunk.length === 0) return
    const { data, limit } = this.#options
    const fits = this.#stopped === undefined ? Math.min(chunk.length, limit - data.size) : 0
    const kept = fits > 0 ? this.#keep(source, chunk.subarray(0, fits)) : 0
    if (kept === chunk.length) return
    this.#stopped ??= 'limit'
    const rest = chunk.subarray(kept)
    this.#missed.bytes += rest.length
    this.#missed.ends += countLineEnds(rest)
    this.#missed.endsWithLine = rest[rest.length - 1] === 0x0a
  }

  #keep(source: Source, chunk: Uint8Array): number {
    const { data, order, room } = this.#options
    if (data.size - this.#looked > LOOK) {
      this.#looked = data.size
      if (room?.() === false) {
        this.#stopped = 'disk'
        return 0
      }
    }
    if (source !== this.#last) {
      // Before the bytes: a record too many does no harm, bytes without one would be the other stream's.
      const record = order.append(recordOf(source, data.size, this.#own[source]?.lines.bytes ?? this.#bytesOf(source)))
      if (record.written < RECORD) {
        this.#stopped = reasonOf(record.code)
        return 0
      }
      this.#turn(source)
    }
    const { written, code } = data.append(chunk)
    if (code !== undefined) this.#stopped = reasonOf(code)
    const kept = written < chunk.length ? chunk.subarray(0, written) : chunk
    for (const track of [this.#merged, this.#own[source]]) {
      track?.hash.update(kept)
      track?.lines.add(kept)
    }
    return written
  }

  #bytesOf(source: Source): number {
    return this.#only === source ? this.#merged.lines.bytes : 0
  }

  /** From now on `source` writes. The second stream to do so ends the time in which one hash was enough. */
  #turn(source: Source): void {
    this.#last = source
    if (this.#only === undefined && this.#own[source] === undefined) {
      this.#only = source
    } else if (this.#only !== undefined && this.#only !== source) {
      this.#own = { [this.#only]: copyOf(this.#merged), [source]: newTrack() }
      this.#only = undefined
    }
  }

  /** Bytes that came, kept or not. */
  get seen(): number {
    return this.#merged.lines.bytes + this.#missed.bytes
  }

  get stopped(): Stopped | undefined {
    if (this.#stopped === undefined) return undefined
    const { bytes, ends, endsWithLine } = this.#missed
    const last = bytes > 0 ? (endsWithLine ? 0 : 1) : this.#merged.lines.lines - this.#merged.lines.ends
    return {
      at: this.#merged.lines.bytes,
      seen: this.seen,
      seenLines: this.#merged.lines.ends + ends + last,
      why: this.#stopped,
    }
  }

  /** What is kept up to now. It stays as it is however the capture goes on. */
  recording(): Recording {
    const { data, order } = this.#options
    const merged = cut(data, this.#merged.lines.bytes)
    const both = this.#only === undefined && this.#last !== undefined
    const index = cut(order, order.size)
    const tracks: Record<Stream, Track> = {
      merged: this.#merged,
      stdout: this.#own.stdout ?? (this.#only === 'stdout' ? this.#merged : newTrack()),
      stderr: this.#own.stderr ?? (this.#only === 'stderr' ? this.#merged : newTrack()),
    }
    const facts = (name: Stream): StreamFacts => {
      const { hash, lines } = tracks[name]
      return { bytes: lines.bytes, lines: lines.lines, sha256: hash.copy().digest('hex') }
    }
    const marks = both ? tracks : { merged: tracks.merged }
    const stopped = this.stopped
    return {
      streams: { merged: facts('merged'), stdout: facts('stdout'), stderr: facts('stderr') },
      ...(both ? { order: hashOf(index) } : {}),
      ...(stopped === undefined ? {} : { stopped }),
      marks: Object.fromEntries(Object.entries(marks).map(([name, track]) => [name, track.lines.marks])),
      stream: streamsOf(merged, both ? index : undefined, (name) => ({
        marks: tracks[name].lines.marks,
        lines: tracks[name].lines.lines,
        bytes: tracks[name].lines.bytes,
      })),
    }
  }
}

const reasonOf = (code: string | undefined): Stopped['why'] =>
  code === 'ENOSPC' || code === 'EDQUOT' || code === 'ENOMEM' || code === 'EFBIG' ? 'disk' : 'error'

function cut(bytes: Bytes, size: number): Bytes {
  const { into } = bytes
  return {
    size,
    read: (from, to) => bytes.read(from, Math.min(to, size)),
    ...(into === undefined
      ? {}
      : { into: (target: Uint8Array, from: number) => into(target.subarray(0, Math.max(0, size - from)), from) }),
  }
}

/** SHA-256 of all bytes, as 64 hexadecimal digits. */
export function hashOf(bytes: Bytes): string {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.size; at += 1024 * 1024) hash.update(bytes.read(at, at + 1024 * 1024))
  return hash.digest('hex')
}

interface StreamIndex {
  readonly bytes: number
  readonly lines: number
  /** Absent: lines are found by reading the stream once. */
  readonly marks?: Float64Array | undefined
}

/** The streams of a capture, each made when it is first asked for. `order` is absent where one stream alone wrote. */
export function streamsOf(
  merged: Bytes,
  order: Bytes | undefined,
  indexOf: (name: Stream) => StreamIndex,
): (which: Stream) => Lines {
  const made: Partial<Record<Stream, Lines>> = {}
  const make = (which: Stream): Lines => {
    const { bytes, lines, marks } = indexOf(which)
    const own =
      bytes === merged.size || which === 'merged'
        ? merged
        : bytes === 0 || order === undefined
          ? cut(merged, 0)
          : streamOf(which, merged, new Order(order, merged.size))
    return marks === undefined ? scanLines(own) : indexed(own, marks, lines)
  }
  return (which) => {
    made[which] ??= make(which)
    return made[which]
  }
}
