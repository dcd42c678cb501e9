/** Every command that we know, by name. A group is one file of `tables/` with a corpus of its own in `cases/commands/`. */
import type { Reader } from './doing.ts'
import { lists } from './list.ts'
import { type Row, rowReader } from './row.ts'
import { hasSettings, withSettings } from './settings.ts'
import { archives } from './tables/archives.ts'
import { databases } from './tables/databases.ts'
import { editors } from './tables/editors.ts'
import { files } from './tables/files.ts'
import { git } from './tables/git.ts'
import { infra } from './tables/infra.ts'
import { interpreters } from './tables/interpreters.ts'
import { media } from './tables/media.ts'
import { network } from './tables/network.ts'
import { packages } from './tables/packages.ts'
import { prefixes } from './tables/prefixes.ts'
import { search } from './tables/search.ts'
import { system } from './tables/system.ts'
import { text } from './tables/text.ts'
import { windows } from './tables/windows.ts'

export interface Group {
  readonly id: string
  readonly rows: readonly Row[]
  /** Commands that need more than a row; names separated by blanks. */
  readonly readers: Readonly<Record<string, Reader>>
}

export const GROUPS: readonly Group[] = [
  archives,
  databases,
  editors,
  files,
  git,
  infra,
  interpreters,
  media,
  network,
  packages,
  prefixes,
  search,
  system,
  text,
  windows,
]

/** Readers that were asked for, by name. */
const known = new Map<string, Reader>()

/** The reader of a command by its base name, or undefined where nothing is known of it. */
export function readerOf(base: string): Reader | undefined {
  const before = known.get(base)
  if (before !== undefined) return before
  const reader = look(base)
  const full = hasSettings(base) ? withSettings(reader) : reader
  if (full !== undefined) known.set(base, full)
  return full
}

/** One call needs few names of many, so the tables are searched as they are: no index of all is made first. */
function look(base: string): Reader | undefined {
  if (base === '' || base.includes(' ')) return undefined
  for (const group of GROUPS) {
    const reader = readerIn(group, base)
    if (reader !== undefined) return reader
  }
  return undefined
}

/** The reader of a command in one group. */
export function readerIn(group: Group, base: string): Reader | undefined {
  for (const names in group.readers) if (lists(names, base)) return group.readers[names]
  const row = group.rows.find(({ names }) => lists(names, base))
  return row === undefined ? undefined : rowReader(row)
}
