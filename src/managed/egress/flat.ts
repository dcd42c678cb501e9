/**
 * Keeps memory flat while bytes stream through. Each piece is a buffer outside the heap, so the collector sees little to
 * do and lets tens of megabytes of dead pieces pile up; a collection of young objects alone takes about a millisecond.
 */
import type { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Streamed bytes between two collections. */
const EVERY = 4 << 20

let collect: (() => void) | undefined
let bytes = 0

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  return typeof gc === 'function' ? () => void gc({ type: 'minor' }) : () => {}
}

/** Counts what flows out of `stream`, which somebody else consumes. */
export function keepFlat(stream: Readable): void {
  stream.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes < EVERY) return
    bytes = 0
    collect ??= collector()
    collect()
  })
}
