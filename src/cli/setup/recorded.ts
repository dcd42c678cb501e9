/** Hosts' own records of sessions on disk. */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { HostId } from '../../core/call.ts'
import type { Known } from '../../setup/hosts.ts'
import { pathOf, type Surroundings } from '../../setup/wire/row.ts'
import { recordedCalls } from '../replay/records.ts'
import type { PastCall } from '../replay/transcript.ts'

/** Bytes of a record's end that are looked at, and of its first line, which names the session. */
const MOST_BYTES = 8 * 1024 * 1024
const MOST_HEAD = 256 * 1024
/** Calls of a database that are looked at, the newest. */
const MOST_ROWS = 4_000

/** The calls of a host's record of a session; none where it cannot be read. */
export function callsIn(host: HostId, path: string): readonly PastCall[] {
  if (/\.db(?:-wal)?$/.test(path)) return recordedCalls(host, rowsOf(path.replace(/-wal$/, '')))
  let handle: number | undefined
  try {
    handle = openSync(path, 'r')
    const { size } = fstatSync(handle)
    if (size <= MOST_BYTES) return recordedCalls(host, textAt(handle, 0, size))
    const head = textAt(handle, 0, MOST_HEAD)
    const tail = textAt(handle, size - MOST_BYTES, MOST_BYTES)
    return recordedCalls(host, `${head.slice(0, head.indexOf('\n') + 1)}${tail.slice(tail.indexOf('\n') + 1)}`)
  } catch {
    return []
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function textAt(handle: number, at: number, length: number): string {
  const bytes = Buffer.alloc(length)
  return bytes.toString('utf8', 0, readSync(handle, bytes, 0, length, at))
}

/** The calls in the database of OpenCode, as lines of JSON. */
function rowsOf(path: string): string {
  try {
    const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite') as typeof import('node:sqlite')
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      const rows = db
        .prepare(
          `select p.id as id, p.session_id as session, p.time_created as at, p.data as data, s.directory as directory
             from part p join session s on s.id = p.session_id
            where json_extract(p.data, '$.type') = 'tool' order by p.time_created desc limit ${MOST_ROWS}`,
        )
        .all()
      return rows
        .reverse()
        .map((row) => JSON.stringify(row))
        .join('\n')
    } finally {
      db.close()
    }
  } catch {
    return ''
  }
}

/** The records that a host has here, as absolute paths; `session`: those that are named after it. */
export function recordsOf({ row }: Known, at: Surroundings, session?: string): readonly string[] {
  if (row.transcripts === undefined) return []
  const { place, file, holds } = row.transcripts
  const dir = pathOf(place, at)
  try {
    const levels = holds === 'all' ? undefined : { recursive: true as const }
    return readdirSync(dir, { encoding: 'utf8', ...levels })
      .map((name) => join(dir, name))
      .filter((path) => file.test(path) && (session === undefined || holds === 'all' || path.includes(session)))
  } catch {
    return []
  }
}
