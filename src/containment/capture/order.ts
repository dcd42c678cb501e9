/**
 * The interleave index: which bytes of a capture came from which stream. One record for each change of stream, never two
 * of one stream in a row, so that equal captures have equal indexes however their bytes were cut into chunks.
 *
 * A record is two little-endian doubles: twice the place in the capture where the piece begins (one more for stderr), and
 * the place in its own stream.
 */
import type { Bytes } from '../bytes.ts'
import type { Source } from '../store/types.ts'

export const RECORD = 16

export function recordOf(source: Source, merged: number, own: number): Uint8Array {
  const bytes = new Uint8Array(RECORD)
  const view = new DataView(bytes.buffer)
  view.setFloat64(0, merged * 2 + (source === 'stderr' ? 1 : 0), true)
  view.setFloat64(8, own, true)
  return bytes
}

interface Piece {
  readonly source: Source
  readonly merged: number
  readonly own: number
}

/** The records of an index that fit a capture of `size` bytes; a record that was written for bytes that never came is left out. */
export class Order {
  readonly count: number
  readonly #bytes: Bytes
  readonly #size: number
  #page: { readonly from: number; readonly view: DataView } | undefined

  constructor(bytes: Bytes, size: number) {
    this.#bytes = bytes
    this.#size = size
    let count = Math.floor(bytes.size / RECORD)
    while (count > 0 && this.piece(count - 1).merged >= size) count--
    this.count = count
  }

  piece(k: number): Piece {
    const at = k * RECORD
    if (
      this.#page === undefined ||
      at < this.#page.from ||
      at + RECORD > this.#page.from + this.#page.view.byteLength
    ) {
      const from = Math.max(0, at - (at % PAGE))
      const page = this.#bytes.read(from, from + PAGE)
      this.#page = { from, view: new DataView(page.buffer, page.byteOffset, page.byteLength) }
    }
    const place = at - this.#page.from
    const first = this.#page.view.getFloat64(place, true)
    const own = this.#page.view.getFloat64(place + 8, true)
    return { source: first % 2 === 1 ? 'stderr' : 'stdout', merged: Math.floor(first / 2), own }
  }

  /** Where the piece `k` ends in the capture. */
  endOf(k: number): number {
    return k + 1 < this.count ? this.piece(k + 1).merged : this.#size
  }

  /** Bytes of one stream in the capture. */
  sizeOf(source: Source): number {
    for (let k = this.count - 1; k >= Math.max(0, this.count - 2); k--) {
      const piece = this.piece(k)
      if (piece.source === source) return piece.own + this.endOf(k) - piece.merged
    }
    return 0
  }
}

const PAGE = 4096 * RECORD

/** One stream of a capture. Since pieces alternate, every second record is its own: found by halving. */
export function streamOf(source: Source, merged: Bytes, order: Order): Bytes {
  const size = order.sizeOf(source)
  const first = order.count > 0 && order.piece(0).source === source ? 0 : 1
  return {
    size,
    read(from, to) {
      const start = Math.max(0, from)
      const end = Math.min(to, size)
      if (start >= end) return new Uint8Array(0)
      let low = 0
      let high = Math.floor((order.count - 1 - first) / 2)
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if (order.piece(first + middle * 2).own <= start) low = middle
        else high = middle - 1
      }
      const out = new Uint8Array(end - start)
      let done = 0
      for (let k = first + low * 2; done < out.length && k < order.count; k += 2) {
        const piece = order.piece(k)
        const skip = start + done - piece.own
        const length = Math.min(order.endOf(k) - piece.merged - skip, out.length - done)
        const part = merged.read(piece.merged + skip, piece.merged + skip + length)
        out.set(part, done)
        done += part.length
        if (part.length < length) break
      }
      return out.subarray(0, done)
    },
  }
}
