/** How far a migration is, as it is written down in the booster's data. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileName } from './baseline.ts'
import type { Places } from './plugin-root.ts'
import { writeWhole } from './tree.ts'

export type State =
  | 'SNAPSHOT_CREATED'
  | 'SYMLINKS_RECORDED'
  | 'PLUGINS_STAGED'
  | 'MIGRATED'
  | 'ROLLBACK_IN_PROGRESS'
  | 'ROLLED_BACK_PENDING_UNINSTALL'
  | 'ROLLED_BACK'

export interface Saved {
  readonly v: 1
  readonly state: State
  readonly stamp: string
  readonly at: string
  /** After the migration: the plugin's digest and the hashes of the files that were written. */
  readonly staged?: string
  readonly written?: Readonly<Partial<Record<FileName, string>>>
}

/** A file's bytes; undefined where it is absent. Throws where it cannot be read. */
export function bytesAt(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}

export const stateFile = ({ data }: Places): string => join(data, 'migration-state.json')
export const snapshotDir = ({ data }: Places, stamp: string): string => join(data, 'snapshots', stamp)

const STATES: ReadonlySet<string> = new Set<State>([
  'SNAPSHOT_CREATED',
  'SYMLINKS_RECORDED',
  'PLUGINS_STAGED',
  'MIGRATED',
  'ROLLBACK_IN_PROGRESS',
  'ROLLED_BACK_PENDING_UNINSTALL',
  'ROLLED_BACK',
])

/** What is written down; `unknown` where it cannot be understood, undefined where nothing is. */
export function readState(places: Places): Saved | 'unknown' | undefined {
  const bytes = bytesAt(stateFile(places))
  if (bytes === undefined) return undefined
  try {
    const read = JSON.parse(new TextDecoder().decode(bytes)) as Saved
    const known = STATES.has(read.state) && /^[\w-]+$/.test(read.stamp) && readdirSync(snapshotDir(places, read.stamp))
    return known ? read : 'unknown'
  } catch {
    return 'unknown'
  }
}

export function save(places: Places, saved: Saved): Saved {
  writeWhole(stateFile(places), `${JSON.stringify(saved, undefined, 2)}\n`, 0o600)
  return saved
}
