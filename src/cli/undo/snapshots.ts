/** Snapshots: copies of files that a call may lose, in the state directory, each with a manifest. */
import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

export const SNAPSHOTS = 'snapshots'
const MANIFEST = 'manifest.json'
const DAY_MS = 24 * 3600 * 1000

export interface SnapshotEntry {
  readonly path: string
  readonly kind: 'file' | 'link'
  readonly mode: number
  readonly size: number
  /** Name of the copy in the snapshot, or where a link leads. */
  readonly at: string
}

export interface Snapshot {
  readonly v: 1
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly host: string
  readonly session: string
  /** The call, masked. */
  readonly call: string
  readonly entries: readonly SnapshotEntry[]
  readonly heads: Readonly<Record<string, string>>
  readonly bytes: number
  /** Some files were left out. */
  readonly cut: boolean
}

export interface Limits {
  /** Bytes of all snapshots together. */
  readonly maxBytes: number
  readonly days: number
}

export const LIMITS: Limits = { maxBytes: 2 * 1024 ** 3, days: 7 }

/**
 * Copies files (as reflinks where the file system can) into a snapshot of that id. Returns it, or undefined where nothing
 * could be kept. Older snapshots make room first. `left`: milliseconds that it may take.
 */
export function keep(
  state: string,
  about: Omit<Snapshot, 'v' | 'entries' | 'bytes'>,
  files: readonly string[],
  limits: Limits,
  left: () => number,
): Snapshot | undefined {
  const root = join(state, SNAPSHOTS)
  const made = join(root, `.${about.id}`)
  mkdirSync(made, { recursive: true, mode: 0o700 })
  const entries: SnapshotEntry[] = []
  let bytes = 0
  let { cut } = about
  for (const path of files) {
    if (left() <= 0) {
      cut = true
      break
    }
    try {
      const found = lstatSync(path)
      if (found.isSymbolicLink()) {
        entries.push({ path, kind: 'link', mode: 0, size: 0, at: readlinkSync(path) })
        continue
      }
      if (!found.isFile()) continue
      if (bytes + found.size > limits.maxBytes) {
        cut = true
        continue
      }
      const at = String(entries.length)
      copyFileSync(path, join(made, at), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      bytes += found.size
      entries.push({ path, kind: 'file', mode: found.mode & 0o7777, size: found.size, at })
    } catch {
      cut = true
    }
  }
  if (entries.length === 0 && Object.keys(about.heads).length === 0) {
    rmSync(made, { recursive: true, force: true })
    return undefined
  }
  const snapshot: Snapshot = { v: 1, ...about, entries, bytes, cut }
  writeFileSync(join(made, MANIFEST), `${JSON.stringify(snapshot)}\n`, { mode: 0o600 })
  renameSync(made, join(root, about.id))
  makeRoom(state, limits, about.at, about.id)
  return snapshot
}

/** Removes what is too old, and the oldest until the rest fits; `spared` stays. */
function makeRoom(state: string, limits: Limits, now: number, spared: string): void {
  let total = 0
  for (const one of snapshotsOf(state)) {
    total += one.bytes
    if (one.id !== spared && (now - one.at > limits.days * DAY_MS || total > limits.maxBytes))
      rmSync(join(state, SNAPSHOTS, one.id), { recursive: true, force: true })
  }
}

/** All snapshots, the newest first. What cannot be read is left out. */
export function snapshotsOf(state: string): readonly Snapshot[] {
  let names: readonly string[]
  try {
    names = readdirSync(join(state, SNAPSHOTS))
  } catch {
    return []
  }
  return names
    .flatMap((name) => {
      if (name.startsWith('.')) return []
      try {
        const one = JSON.parse(readFileSync(join(state, SNAPSHOTS, name, MANIFEST), 'utf8')) as Snapshot
        return one.v === 1 && one.id === name && Array.isArray(one.entries) ? [one] : []
      } catch {
        return []
      }
    })
    .sort((a, b) => b.at - a.at)
}

/** Where the copy of an entry lies. */
export const copyOf = (state: string, { id }: Snapshot, entry: SnapshotEntry): string =>
  join(state, SNAPSHOTS, id, entry.at)
