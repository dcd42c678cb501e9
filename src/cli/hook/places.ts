/** The disk, as far as notes of a session need it. */
import { lstatSync, realpathSync } from 'node:fs'
import { normalize } from 'node:path'
import { isSettled, parentOf, under } from '../../core/native-path.ts'
import type { Places } from './notes.ts'

/** Deeper trees than this are no one's work. */
const MOST_LEVELS = 64

const exists = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

export const diskPlaces: Places = {
  exists,
  locate(path) {
    // `link/..` is not the parent of `link`: such a path is left alone rather than guessed.
    if (path.includes('\0') || path.split('/').includes('..')) return undefined
    const clean = isSettled(path) ? path : normalize(path).replace(/(?<=.)\/$/, '')
    let at = clean
    let made: string | undefined
    for (let level = 0; level < MOST_LEVELS; level++) {
      try {
        const real = realpathSync.native(at)
        const below = (whole: string) => {
          const rest = whole.slice(at.length).replace(/^\//, '')
          return rest === '' ? real : under(real, rest)
        }
        return { path: below(clean), made: made === undefined ? undefined : below(made) }
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ENOENT') return undefined
        // A link to nowhere is there, though what it leads to is not.
        if (exists(at)) return undefined
        made = at
        const above = parentOf(at)
        if (above === at) return undefined
        at = above
      }
    }
    return undefined
  },
}
