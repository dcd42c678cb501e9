/** Every command that we know, by name. A group is one file of `tables/` with a corpus of its own in `cases/commands/`. */
import type { Reader } from './doing.ts'
import { type Row, rowReader } from './row.ts'
import { settingsNames, withSettings } from './settings.ts'
import { archives } from './tables/archives.ts'
import { databases } from './tables/databases.ts'
import { editors } from './tables/editors.ts'
import { files } from './tables/files.ts'
import { git } from './tables/git.ts'
import { infra } from './tables/infra.ts'
import { interpreters } from './tables/interpreters.ts'
import { network } from './tables/network.ts'
import { packages } from './tables/packages.ts'
import { prefixes } from './tables/prefixes.ts'
import { search } from './tables/search.ts'
import { system } from './tables/system.ts'
import { text } from './tables/text.ts'

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
  network,
  packages,
  prefixes,
  search,
  system,
  text,
]

let index: Map<string, Reader> | undefined

/** The reader of a command by its base name, or undefined where nothing is known of it. */
export function readerOf(base: string): Reader | undefined {
  index ??= buildIndex()
  return index.get(base)
}

function buildIndex(): Map<string, Reader> {
  const map = new Map<string, Reader>()
  for (const group of GROUPS) {
    for (const row of group.rows) {
      const reader = rowReader(row)
      for (const name of row.names.split(' ')) map.set(name, reader)
    }
    for (const [names, reader] of Object.entries(group.readers))
      for (const name of names.split(' ')) map.set(name, reader)
  }
  for (const name of settingsNames()) map.set(name, withSettings(map.get(name)))
  return map
}
