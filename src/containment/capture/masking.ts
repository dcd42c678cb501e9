/** Two streams that are masked before they are kept, in their order as far as that is possible. */
import type { Source, StreamMasking } from '../store/types.ts'

/**
 * Passes masked bytes on to `keep`. Where the other stream begins to write, the whole lines so far go on first, so that
 * the order of lines stays.
 */
export class Masking {
  readonly #keep: (source: Source, chunk: Uint8Array) => void
  readonly #masks: Readonly<Record<Source, StreamMasking>>
  #last: Source | undefined

  constructor(stream: () => StreamMasking, keep: (source: Source, chunk: Uint8Array) => void) {
    this.#keep = keep
    this.#masks = { stdout: stream(), stderr: stream() }
  }

  append(source: Source, chunk: Uint8Array): void {
    if (this.#last !== undefined && this.#last !== source) this.#pass(this.#last, this.#masks[this.#last].lines())
    this.#last = source
    this.#pass(source, this.#masks[source].push(chunk))
  }

  /** Passes on the lines that are whole. */
  lines(): void {
    for (const source of ['stdout', 'stderr'] as const) this.#pass(source, this.#masks[source].lines())
  }

  /** Passes on what was held back. */
  end(): void {
    for (const source of ['stdout', 'stderr'] as const) this.#pass(source, this.#masks[source].end())
  }

  #pass(source: Source, chunk: Uint8Array): void {
    if (chunk.length > 0) this.#keep(source, chunk)
  }
}
