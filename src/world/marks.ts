/** What the file system says of a file or a directory: as long as it stays the same, so does what it holds. */
import type { Stats } from 'node:fs'

/**
 * Milliseconds after a change in which another one may get the same time: two seconds, the coarsest step of a file system
 * in use. What was read so soon after a change is read again.
 */
const STEP = 2_000

export interface Mark {
  readonly ino: number
  readonly dev: number
  readonly mode: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly size: number
  /** It was read so long after its last change that a later one shows. */
  readonly firm: boolean
}

/** The mark of what was looked at; `now`: milliseconds since the epoch, at a time before it is read. */
export const markOf = (found: Stats, now: number): Mark => {
  const { ino, dev, mode, mtimeMs, ctimeMs, size } = found
  // The change time too: a modification time can be set back, this one cannot.
  return {
    ino,
    dev,
    mode,
    mtimeMs,
    ctimeMs,
    size,
    firm: Math.min(Math.abs(now - mtimeMs), Math.abs(now - ctimeMs)) > STEP,
  }
}

/** Whether what is found now is what was marked, and surely unchanged. */
export const isSame = (mark: Mark | undefined, found: Stats | undefined): boolean =>
  mark?.firm === true &&
  found !== undefined &&
  mark.ino === found.ino &&
  mark.mtimeMs === found.mtimeMs &&
  mark.ctimeMs === found.ctimeMs &&
  mark.size === found.size &&
  mark.mode === found.mode &&
  mark.dev === found.dev
