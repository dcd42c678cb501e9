/** Captures of two bytes a character, read as UTF-8 piece by piece. */
import type { Bytes } from '../bytes.ts'
import { wideOf } from './magic.ts'

/** Longer ones stay as they are, and are then no text: all of a capture is read once before any of it can be shown. */
export const MOST_WIDE = 1 << 30

/** Bytes of a piece, and pieces that are kept in memory. */
const PIECE = 1 << 20
const KEPT = 16

export interface Narrow {
  readonly bytes: Bytes
  /** Whether lines have the same numbers in the capture itself. */
  readonly lines: boolean
  /** Bytes of the capture that a part of `bytes` stands for. */
  sizeOf(from: number, to: number): number
  /** Where a byte of `bytes` lies in the capture. */
  placeOf(place: number): number
}

/** The capture as UTF-8 where it is UTF-16, by its mark or by every second byte of its beginning being zero. */
export function narrow(bytes: Bytes): Narrow | undefined {
  const wide = wideOf(bytes.read(0, 4096))
  if (wide === undefined || bytes.size > MOST_WIDE) return undefined
  const text = new Pieces(bytes, wide.order, wide.mark)
  const { size } = text
  const { read, into } = text
  return {
    bytes: { size, read, into },
    lines: text.lines,
    sizeOf: (from, to) => text.placeOf(to) - text.placeOf(from),
    placeOf: (place) => text.placeOf(place),
  }
}

/** A text of two bytes a character in pieces, none of which ends within a character. */
class Pieces {
  /** Where each piece begins in the capture and in the text, and where the last one ends. */
  readonly #places: number[]
  readonly #starts = [0]
  readonly #bytes: Bytes
  readonly #order: 'le' | 'be'
  readonly #kept = new Map<number, Buffer>()
  readonly lines: boolean

  constructor(bytes: Bytes, order: 'le' | 'be', mark: number) {
    this.#bytes = bytes
    this.#order = order
    this.#places = [mark]
    let ends = 0
    for (let at = mark; at + 1 < bytes.size; ) {
      const raw = this.#raw(at, Math.min(bytes.size, at + PIECE))
      if (raw.length === 0) break
      this.#places.push(at + raw.length)
      const piece = this.#piece(this.#starts.length - 1, raw)
      this.#starts.push(this.size + piece.length)
      ends += lineEnds(piece) - lineEnds(raw)
      at += raw.length
    }
    this.lines = ends === 0
  }

  get size(): number {
    return this.#starts.at(-1)!
  }

  readonly read = (from: number, to: number): Uint8Array => {
    const last = Math.min(to, this.size)
    if (from >= last) return new Uint8Array()
    const first = this.#pieceAt(from)
    if (last <= this.#starts[first + 1]!)
      return this.#piece(first).subarray(from - this.#starts[first]!, last - this.#starts[first]!)
    const target = Buffer.allocUnsafe(last - from)
    this.into(target, from)
    return target
  }

  readonly into = (target: Uint8Array, from: number): number => {
    let done = 0
    for (let i = this.#pieceAt(from); done < target.length && from + done < this.size; i++) {
      const piece = this.#piece(i).subarray(from + done - this.#starts[i]!, from + target.length - this.#starts[i]!)
      target.set(piece, done)
      done += piece.length
    }
    return done
  }

  placeOf(place: number): number {
    if (place >= this.size) return this.#places.at(-1)!
    const i = this.#pieceAt(place)
    return this.#places[i]! + 2 * this.#piece(i).toString('utf8', 0, place - this.#starts[i]!).length
  }

  /** The piece that a byte of the text lies in. */
  #pieceAt(place: number): number {
    let [low, high] = [0, this.#starts.length - 2]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#starts[middle]! <= place) low = middle
      else high = middle - 1
    }
    return Math.max(0, low)
  }

  #piece(i: number, raw?: Uint8Array): Buffer {
    const kept = this.#kept.get(i)
    if (kept !== undefined) {
      // The one that was used last goes last.
      this.#kept.delete(i)
      this.#kept.set(i, kept)
      return kept
    }
    const bytes = Buffer.from(raw ?? this.#raw(this.#places[i]!, this.#places[i + 1]!))
    const piece = Buffer.from((this.#order === 'be' ? bytes.swap16() : bytes).toString('utf16le'))
    this.#kept.set(i, piece)
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!)
    return piece
  }

  /** Bytes of whole characters. */
  #raw(from: number, to: number): Uint8Array {
    const raw = this.#bytes.read(from, to)
    const even = raw.length - (raw.length % 2)
    const upper = raw[this.#order === 'le' ? even - 1 : even - 2] ?? 0
    // The first half of a character goes with its second half.
    const open = even > 2 && from + even < this.#bytes.size - 1 && upper >= 0xd8 && upper <= 0xdb
    return raw.subarray(0, open ? even - 2 : even)
  }
}

/** Bytes that are read as line ends. */
function lineEnds(bytes: Uint8Array): number {
  let found = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) found++
  return found
}
