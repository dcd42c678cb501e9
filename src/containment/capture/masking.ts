/**
 * Masks secrets in streams before they are kept: a secret may come in pieces, and a key block spans many lines. Both
 * streams are held together: a filter for each of them would hand lines on long after the other stream's.
 */
import type { Mask, Source } from '../store/types.ts'
import { buffer } from './lines.ts'

/** Bytes of one stream that are held back at most. A line longer than this is masked in pieces. */
const MOST_HELD = 1024 * 1024
/** Bytes that are gathered before they are masked: one call for each chunk would cost too much. */
const GATHER = 256 * 1024

const BEGIN = '-----BEGIN '
const END = '-----END '

/**
 * Passes masked bytes on to `keep`. Whole lines are masked; where the other stream begins to write, the lines so far go
 * on first, so that the order of lines stays.
 */
export class Masking {
  masked = 0
  readonly #mask: Mask
  readonly #keep: (source: Source, chunk: Uint8Array) => void
  readonly #held: Record<Source, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }

  constructor(mask: Mask, keep: (source: Source, chunk: Uint8Array) => void) {
    this.#mask = mask
    this.#keep = keep
  }

  append(source: Source, chunk: Uint8Array): void {
    const other = source === 'stdout' ? 'stderr' : 'stdout'
    if (this.#held[other].length > 0) this.#release(other, false)
    this.#held[source] = Buffer.concat([this.#held[source], buffer(chunk)])
    if (this.#held[source].length >= GATHER) this.#release(source, false)
  }

  /** Passes on the lines that are whole. */
  lines(): void {
    this.#release('stdout', false)
    this.#release('stderr', false)
  }

  /** Passes on what was held back. */
  end(): void {
    this.#release('stdout', true)
    this.#release('stderr', true)
  }

  #release(source: Source, all: boolean): void {
    const held = this.#held[source]
    let to = held.length
    if (!all) {
      to = held.lastIndexOf(0x0a) + 1
      to = outsideBlocks(held, to)
      if (to === 0 && held.length > MOST_HELD) to = held.length
    }
    if (to === 0) return
    // Latin 1 keeps every byte as it is; secrets are made of ASCII.
    const { text, masked } = this.#mask(held.toString('latin1', 0, to))
    this.#held[source] = Buffer.from(held.subarray(to))
    this.masked += masked
    this.#keep(source, Buffer.from(text, 'latin1'))
  }
}

/** The last beginning of a line up to `to` that lies in no block. A block whose last line has not come whole is open. */
function outsideBlocks(held: Buffer, to: number): number {
  let cut = to
  while (cut > 0) {
    const block = held.lastIndexOf(BEGIN, cut - 1)
    const end = block < 0 ? -1 : held.indexOf(END, block)
    if (block < 0 || (end >= 0 && end < cut)) break
    cut = held.lastIndexOf(0x0a, block) + 1
  }
  return cut
}
