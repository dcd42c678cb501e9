/** Reads bytes of a capture line by line without asking for each line anew. */
import type { Bytes } from '../../bytes.ts'

const BLOCK = 1 << 18
/** Bytes of one line that a reader of documents looks at; a longer one is read up to here, or not at all. */
export const BOUND = 1 << 24

export class Blocks {
  readonly #bytes: Bytes
  #from = 0
  #block: Uint8Array = new Uint8Array(0)

  constructor(bytes: Bytes) {
    this.#bytes = bytes
  }

  /** The bytes `[from, to)` in parts of bounded size, each with the offset of its first byte. */
  *parts(from: number, to: number): Generator<{ readonly bytes: Uint8Array; readonly at: number }> {
    let at = from
    while (at < to) {
      if (at < this.#from || at >= this.#from + this.#block.length) {
        this.#from = at
        this.#block = this.#bytes.read(at, Math.min(at + BLOCK, this.#bytes.size))
        if (this.#block.length === 0) return
      }
      const end = Math.min(to, this.#from + this.#block.length)
      yield { bytes: this.#block.subarray(at - this.#from, end - this.#from), at }
      at = end
    }
  }
}
