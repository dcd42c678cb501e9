/** A pause that a person has set: one file in the state directory. Entry points only. */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs'

/** Below the state directory. */
export const PAUSE_FILE = 'pause.json'
export const MOST_PAUSE_MS = 3_600_000
const MOST_BYTES = 256

/** When the pause ends, in milliseconds since the epoch; undefined where there is none. Never throws. */
export function pausedUntil(state: string, now: number): number | undefined {
  let handle: number | undefined
  try {
    // Nearly always there is none, and a look costs less than an error.
    if (!existsSync(`${state}/${PAUSE_FILE}`)) return undefined
    handle = openSync(
      `${state}/${PAUSE_FILE}`,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    )
    const found = fstatSync(handle)
    if (!found.isFile() || found.size > MOST_BYTES) return undefined
    const bytes = Buffer.alloc(found.size)
    readSync(handle, bytes, 0, bytes.length, 0)
    const { until } = JSON.parse(bytes.toString()) as { until?: unknown }
    // A pause is an hour at most, whatever the file says.
    return typeof until === 'number' && until > now && until <= now + MOST_PAUSE_MS ? until : undefined
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
