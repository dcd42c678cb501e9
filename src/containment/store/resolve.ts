/** Answers addresses: what they name, or a clause that says why they name nothing. */
import { join } from 'node:path'
import type { Handle } from '../address.ts'
import { shown } from '../address.ts'
import { Order } from '../capture/order.ts'
import { streamsOf } from '../capture/recorder.ts'
import { codeOf, FileBytes } from '../capture/sink.ts'
import { namesIn, openFile, readText } from './files.ts'
import { idsOf, jobOf, type Kept } from './layout.ts'
import { openBlob, openRun, readGone, readManifest } from './manifest.ts'
import { type Found, isLive, recoverSpool, spoolsIn } from './recover.ts'
import type { Capture, Resolved, StreamFacts, Unresolved } from './types.ts'

/** Candidates that are named where an id is ambiguous. */
const MOST_NAMED = 8

export const unresolved = (why: Unresolved['why'], refused: string): Unresolved => ({ is: 'unresolved', why, refused })

/** Something that is kept, and in which store. */
export interface Place {
  readonly root: string
  readonly id: string
}

/** The one thing that begins with these digits. */
export function findOne(roots: readonly string[], is: Kept, prefix: string): Place | Unresolved {
  const found = new Map<string, string>()
  try {
    for (const root of roots) for (const id of idsOf(root, is, prefix)) if (!found.has(id)) found.set(id, root)
  } catch (error) {
    return unresolved('unavailable', `the store cannot be read (${codeOf(error)})`)
  }
  if (found.size > 1) return ambiguous(is, prefix, [...found.keys()])
  for (const [id, root] of found) return { root, id }
  return absent(roots, is, prefix)
}

function ambiguous(is: 'run' | 'blob' | 'job', prefix: string, ids: readonly string[]): Unresolved {
  const named = [...ids].sort().slice(0, MOST_NAMED)
  const digits = Math.max(12, commonLength(named) + 1)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const names = named.map((id) => `${is}:${id.slice(0, digits)}`).join(', ')
  return unresolved('ambiguous', `${is}:${prefix} names several: ${names}${more}; give more digits`)
}

/** How many digits two neighbours of a sorted list have in common at most. */
const commonLength = (ids: readonly string[]): number =>
  Math.max(
    0,
    ...ids.slice(1).map((id, i) => {
      let n = 0
      while (n < id.length && id[n] === ids[i]![n]) n++
      return n
    }),
  )

const GONE = { expired: 'expired on', purged: 'was purged on', quota: 'was removed for want of room on' } as const

function absent(roots: readonly string[], is: 'run' | 'blob' | 'job', prefix: string): Unresolved {
  for (const root of roots) {
    const gone = readGone(root, is, prefix)
    if (gone === undefined) continue
    const again = gone.why === 'purged' ? '' : '; run the command again, and ctx pin keeps a run for good'
    return unresolved('gone', `${shown(is, prefix)} ${GONE[gone.why]} ${gone.on}${again}`)
  }
  return unresolved('unknown', `there is no ${is}:${prefix} in the store`)
}

export function resolveHandle(roots: readonly string[], handle: Handle): Resolved {
  if (handle.is === 'repo') return unresolved('unknown', 'repo: names files of the workspace, not of the store')
  if (handle.is === 'blob' && handle.stream !== undefined)
    return unresolved('unknown', `a blob has no streams; leave #${handle.stream} away`)
  try {
    if (handle.is === 'job') return resolveJob(roots, handle.id)
    const found = findOne(roots, handle.is, handle.id)
    if ('is' in found) return found
    return handle.is === 'run' ? runAt(found, 'run', found.id) : blobAt(found)
  } catch (error) {
    return unresolved('unavailable', `the store cannot be read (${codeOf(error)})`)
  }
}

function runAt({ root, id }: Place, is: 'run' | 'job', name: string): Resolved {
  const manifest = readManifest(root, id)
  const capture = manifest === undefined ? undefined : openRun(root, manifest)
  if (manifest === undefined || capture === undefined)
    return unresolved('damaged', `${shown('run', id)} is damaged: its bytes were lost; run the command again`)
  return { is, id: name, manifest, capture }
}

function blobAt({ root, id }: Place): Resolved {
  const bytes = openBlob(root, id)
  return bytes === undefined ? absent([root], 'blob', id) : { is: 'blob', id, bytes }
}

/** A job is a capture that grows, or the run that it became. */
function resolveJob(roots: readonly string[], prefix: string): Resolved {
  const done = new Map<string, Place>()
  const open = new Map<string, { readonly root: string; readonly found: Found }>()
  for (const root of roots) {
    for (const id of namesIn(join(root, 'jobs')))
      if (id.startsWith(prefix) && /^[0-9a-f]{12}$/.test(id))
        done.set(id, { root, id: readText(jobOf(root, id)) ?? '' })
    for (const found of spoolsIn(root)) if (found.id.startsWith(prefix)) open.set(found.id, { root, found })
  }
  const ids = [...new Set([...done.keys(), ...open.keys()])]
  if (ids.length > 1) return ambiguous('job', prefix, ids)
  const [id] = ids
  const run = done.get(id ?? '')
  if (id !== undefined && run !== undefined) {
    const whole = findOne([run.root], 'run', run.id)
    return 'is' in whole ? whole : runAt(whole, 'job', id)
  }
  const spool = open.get(id ?? '')
  if (id === undefined || spool === undefined) return absent(roots, 'job', prefix)
  if (isLive(spool.root, spool.found)) return growing(spool.root, spool.found)
  const sealed = recoverSpool(spool.root, spool.found)
  if (sealed?.id !== undefined) return runAt({ root: spool.root, id: sealed.id }, 'job', id)
  return unresolved('unavailable', `job:${id} is being recovered by another process, or wrote nothing; ask again`)
}

/** A capture of another process as far as it has come. Hashes are not known before it ends. */
function growing(root: string, { name, id }: Found): Resolved {
  const dir = join(root, 'spool', name)
  const data = openFile(join(dir, 'data'))
  const index = openFile(join(dir, 'order'))
  if (data === undefined || index === undefined)
    return unresolved('unavailable', `job:${id} has just begun or ended; ask again`)
  const merged = new FileBytes(data)
  const bytes = new FileBytes(index)
  const order = new Order(bytes, merged.size)
  const sizes = {
    merged: merged.size,
    stdout: order.sizeOf('stdout'),
    stderr: order.sizeOf('stderr'),
  }
  const stream = streamsOf(merged, bytes, (which) => ({ bytes: sizes[which], lines: 0 }))
  const facts = (which: keyof typeof sizes): StreamFacts => ({
    bytes: sizes[which],
    get lines() {
      return stream(which).lines
    },
    sha256: '',
  })
  const capture: Capture = {
    streams: { merged: facts('merged'), stdout: facts('stdout'), stderr: facts('stderr') },
    stream,
  }
  return { is: 'job', id, capture }
}
