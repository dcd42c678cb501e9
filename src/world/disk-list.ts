/** The names of a directory. What was listed is kept in this process as long as the directory stays the same. */
import { opendirSync, statSync } from 'node:fs'
import type { Asks, Entry } from '../core/question.ts'
import { isSame, type Mark, markOf } from './marks.ts'

/** Directories whose names are kept, and names of one: larger ones are listed anew. */
const MOST_DIRS = 64
const MOST_NAMES = 512

interface Kept {
  readonly mark: Mark
  readonly limit: number
  readonly answer: Asks['list'][1]
}

/** By directory, the newest last. */
const kept = new Map<string, Kept>()

/** Names in order of their code units, so that two readings of one directory are the same answer. Throws as the file system does. */
export function list(dir: string, limit: number): Asks['list'][1] {
  const before = kept.get(dir)
  const now = Date.now()
  const self = statSync(dir)
  if (before?.limit === limit && isSame(before.mark, self)) return before.answer
  const entries: Entry[] = []
  let cut = false
  const handle = opendirSync(dir)
  try {
    for (let next = handle.readSync(); next !== null; next = handle.readSync()) {
      if (entries.length >= limit) {
        cut = true
        break
      }
      entries.push({ name: next.name, kind: kindOf(next) })
    }
  } finally {
    handle.closeSync()
  }
  const answer = { entries: entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)), cut }
  kept.delete(dir)
  if (entries.length > MOST_NAMES) return answer
  kept.set(dir, { mark: markOf(self, now), limit, answer })
  for (const [oldest] of kept) {
    if (kept.size <= MOST_DIRS) break
    kept.delete(oldest)
  }
  return answer
}

interface Kinds {
  isDirectory(): boolean
  isFile(): boolean
  isSymbolicLink(): boolean
}

/** What kind of thing an entry is, of itself: no link is followed. */
export function kindOf(of: Kinds): Entry['kind'] {
  if (of.isSymbolicLink()) return 'link'
  if (of.isDirectory()) return 'dir'
  return of.isFile() ? 'file' : 'device'
}
