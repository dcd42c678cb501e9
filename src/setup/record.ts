/** What setup did, as it wrote it down: one file a host below the state directory, and copies of what was changed. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { HostId } from '../core/call.ts'
import { hashOf } from './edit/disk.ts'
import { writeWhole } from './tree.ts'
import type { Scope } from './wire/row.ts'

export interface FileRecord {
  /** As the host knows it, and where it really lies. */
  readonly path: string
  readonly real: string
  /** All of it is ours. */
  readonly own?: boolean
  /** Null: there was none. The bytes lie among the copies by this name. */
  readonly before: { readonly sha256: string; readonly mode: number } | null
  /** What there was before the first setup, where others wrote to the file between two; `before` is then without ours alone. */
  readonly first?: FileRecord['before']
  /** The file as setup found it, where it held entries of ours that no record told of; among the copies, too. */
  readonly found?: { readonly sha256: string }
  readonly after: { readonly sha256: string }
  /** What was inserted, in order. */
  readonly chunks: readonly string[]
  /** Lists and objects that were made for it. */
  readonly made: readonly (readonly string[])[]
  /** Directories that were made for the file, the outermost first. */
  readonly dirs: readonly string[]
}

export interface Wired {
  readonly scope: Scope
  /** Root of the project, for settings of a project. */
  readonly root?: string
  /** When, as ISO 8601. */
  readonly at: string
  /** Our version. */
  readonly sallyport: string
  /** Directory of the runtime, and the Node that it is started with. */
  readonly runtime: string
  readonly node: string
  readonly commands: readonly { readonly event: string; readonly command: string }[]
  readonly files: readonly FileRecord[]
}

export interface HostRecord {
  readonly v: 1
  readonly host: HostId
  /** What the host's program said of itself; the hook reads this. */
  readonly version?: string
  /** The program that was asked. */
  readonly program?: string
  /** When it was asked, as ISO 8601. */
  readonly probed: string
  readonly wired: readonly Wired[]
}

const fileOf = (state: string, host: string): string => join(state, 'hosts', `${host}.json`)
const COPIES = 'backups'

/** The record of a host; undefined where there is none that can be read. */
export function readRecord(state: string, host: string): HostRecord | undefined {
  try {
    const read = JSON.parse(readFileSync(fileOf(state, host), 'utf8')) as Partial<HostRecord>
    if (read.v !== 1 || read.host !== host) return undefined
    return { v: 1, host: read.host, probed: '', ...read, wired: Array.isArray(read.wired) ? read.wired : [] }
  } catch {
    return undefined
  }
}

export function writeRecord(state: string, record: HostRecord): void {
  mkdirSync(join(state, 'hosts'), { recursive: true, mode: 0o700 })
  writeWhole(fileOf(state, record.host), `${JSON.stringify(record, undefined, 2)}\n`, 0o600)
}

export const dropRecord = (state: string, host: string): void => rmSync(fileOf(state, host), { force: true })

/** Records of all hosts. */
export function allRecords(state: string): readonly HostRecord[] {
  let names: string[] = []
  try {
    names = readdirSync(join(state, 'hosts'))
  } catch {
    // None yet.
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => readRecord(state, name.slice(0, -'.json'.length)) ?? [])
}

/** What there was before the first setup; null: no file. */
export const firstOf = ({ first, before }: FileRecord): FileRecord['before'] => (first === undefined ? before : first)

/** Keeps bytes for the way back, and gives the name that they are found by. */
export function keepCopy(state: string, bytes: Uint8Array): string {
  const name = hashOf(bytes)
  mkdirSync(join(state, COPIES), { recursive: true, mode: 0o700 })
  writeWhole(join(state, COPIES, name), bytes, 0o600)
  return name
}

/** A copy by its name; undefined where it is gone or is not what its name says. */
export function readCopy(state: string, name: string): Uint8Array | undefined {
  if (!/^[0-9a-f]{64}$/.test(name)) return undefined
  try {
    const bytes = readFileSync(join(state, COPIES, name))
    return hashOf(bytes) === name ? bytes : undefined
  } catch {
    return undefined
  }
}

export const copyPath = (state: string, name: string): string => join(state, COPIES, name)

/** Removes the copies of these files that no record names any more. */
export function dropCopies(state: string, files: readonly FileRecord[]): void {
  const held = new Set(
    allRecords(state).flatMap(({ wired }) =>
      wired.flatMap(({ files: own }) =>
        own.flatMap(({ before, first, found }) => [before?.sha256, first?.sha256, found?.sha256]),
      ),
    ),
  )
  for (const { before } of files)
    if (before !== null && !held.has(before.sha256)) rmSync(copyPath(state, before.sha256), { force: true })
}
