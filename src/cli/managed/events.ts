/** The server's log: one JSON line an event, below the state directory. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimeEvent } from '../../managed/contract.ts'
import type { Io } from '../io.ts'

/** Bytes of one file; the one before is kept beside. */
const MOST_BYTES = 8 * 1024 * 1024
/** Events between looks at the size. */
const LOOK_EVERY = 500

/** A function that appends to `events.jsonl` of `state`. A log that cannot be written is told of once and holds nothing up. */
export function eventLog(state: string, io: Pick<Io, 'err'>): (event: RuntimeEvent) => void {
  const file = join(state, 'events.jsonl')
  let count = 0
  let told = false
  return (event) => {
    try {
      if (count === 0) mkdirSync(state, { recursive: true, mode: 0o700 })
      if (count++ % LOOK_EVERY === 0 && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES)
        renameSync(file, `${file}.1`)
      appendFileSync(file, `${JSON.stringify(event)}\n`, { mode: 0o600 })
    } catch (error) {
      if (!told)
        io.err(
          `sallyport serve: ${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})\n`,
        )
      told = true
    }
  }
}
