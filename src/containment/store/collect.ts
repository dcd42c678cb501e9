/** Removes what is too old or too much, safe against others that keep, pin and collect at the same time. */
import { randomBytes } from 'node:crypto'
import { lstatSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirs } from '../../session/store.ts'
import { appendLine, changedAt, GONE, namesIn, readText, removeDir, writeNew, writeWhole } from './files.ts'
import { sizeOf } from './keep.ts'
import { allIds, goneOf, type Kept, manifestOf, marksOf, placeOf } from './layout.ts'
import { type Gone, readManifest } from './manifest.ts'
import { lives, ownerText, readOwner, thisProcess } from './owner.ts'
import type { Collected } from './types.ts'

const DAY = 24 * 3600 * 1000
/** Of the quota, what is left in place when more than all of it was used. */
const REST = 0.9
/** Half-written files that are older were left by a process that died. */
const HALF_MS = DAY
/** What was moved away and has stayed so for this long was left by a process that died. */
const ABANDONED_MS = 60_000
/** Notes of what is gone are cut to their newer half above this. */
const MOST_GONE = 4 * 1024 * 1024
/** Digits of an id in such a note: enough to tell things apart. */
const GONE_DIGITS = 24

interface Thing {
  readonly is: Kept
  readonly id: string
  readonly changed: number
  readonly bytes: number
  /** For a run: the blob that it needs. */
  readonly blob?: string
}

/** Whole ids that are pinned, as `run-<id>` and `blob-<id>`. */
export const pinned = (root: string): ReadonlySet<string> => new Set(namesIn(join(root, 'pins')))

/** Removes by age, then by quota. Undefined where another process is at it. */
export function collect(root: string, limits: { days: number; maxBytes: number }): Collected | undefined {
  const lock = takeLock(root)
  if (lock === undefined) return undefined
  try {
    return sweep(root, limits, lock.at)
  } finally {
    rmSync(lock.path, { force: true })
  }
}

function sweep(root: string, limits: { days: number; maxBytes: number }, now: number): Collected {
  putBack(root, now)
  removeHalf(root, now)
  const pins = pinned(root)
  const runs = allIds(root, 'run').flatMap((id) => thingOf(root, 'run', id))
  const blobs = allIds(root, 'blob').flatMap((id) => thingOf(root, 'blob', id))
  const before = now - limits.days * DAY
  const old = new Set(runs.filter((run) => run.changed <= before && !pins.has(`run-${run.id}`)))
  const needed = (): Set<string> => new Set(runs.filter((run) => !old.has(run)).map((run) => run.blob!))
  let kept = needed()
  const lone = blobs.filter((blob) => !kept.has(blob.id) && !pins.has(`blob-${blob.id}`) && blob.changed <= before)
  const loneIds = new Set(lone.map(({ id }) => id))

  // By quota: the runs and lone blobs that were used longest ago go first.
  const much = new Set<Thing>()
  const size = new Map(blobs.map((blob) => [blob.id, blob.bytes]))
  let total = sum(runs.filter((run) => !old.has(run))) + sum(blobs.filter((blob) => !loneIds.has(blob.id)))
  if (total > limits.maxBytes) {
    const uses = new Map<string, number>()
    for (const run of runs) if (!old.has(run)) uses.set(run.blob!, (uses.get(run.blob!) ?? 0) + 1)
    const candidates = [
      ...runs.filter((run) => !old.has(run)),
      ...blobs.filter((blob) => !uses.has(blob.id) && !loneIds.has(blob.id)),
    ]
      .filter(({ is, id }) => !pins.has(`${is}-${id}`))
      .sort((a, b) => a.changed - b.changed || (a.id < b.id ? -1 : 1))
    for (const thing of candidates) {
      if (total <= limits.maxBytes * REST) break
      much.add(thing)
      total -= thing.bytes
      if (thing.blob === undefined) continue
      const left = uses.get(thing.blob)! - 1
      uses.set(thing.blob, left)
      if (left === 0 && !pins.has(`blob-${thing.blob}`)) total -= size.get(thing.blob) ?? 0
    }
    for (const thing of much) if (thing.is === 'run') old.add(thing)
    kept = needed()
  }
  const free = blobs.filter(
    (blob) =>
      !kept.has(blob.id) &&
      !pins.has(`blob-${blob.id}`) &&
      (blob.changed <= before || much.has(blob) || [...old].some((run) => run.blob === blob.id)),
  )
  const marked = runs.map(({ id }) => id)
  return removeThings(root, marked, [...old], free, (thing) => (much.has(thing) ? 'quota' : 'expired'), now)
}

const sum = (things: readonly Thing[]): number => things.reduce((all, { bytes }) => all + bytes, 0)

/** A run or blob with its size and age; none where it is absent. */
export function thingOf(root: string, is: Kept, id: string): readonly Thing[] {
  if (is === 'blob') {
    const found = lstatSync(placeOf(root, is, id), { throwIfNoEntry: false })
    if (found === undefined) return []
    return [{ is, id, changed: found.mtimeMs, bytes: found.size + (sizeOf(marksOf(root, id)) ?? 0) }]
  }
  const manifest = readManifest(root, id)
  const dir = placeOf(root, is, id)
  const bytes = namesIn(dir).reduce((all, name) => all + (sizeOf(join(dir, name)) ?? 0), 0)
  // A damaged run is as old as it can be.
  if (manifest === undefined) return [{ is, id, changed: 0, bytes, blob: '' }]
  return [{ is, id, changed: changedAt(manifestOf(root, id)), bytes, blob: manifest.streams.merged.sha256 }]
}

/**
 * Removes runs and then blobs. Each is moved away first and looked at again: one that somebody used in the meantime goes
 * back, and so does a blob that a run needs which stayed, or was not there when the decision was made (`marked`: the ids
 * of all runs at that time). Whoever keeps a run checks at the end that its blob is there.
 */
export function removeThings(
  root: string,
  marked: Iterable<string>,
  runs: readonly Thing[],
  blobs: readonly Thing[],
  why: (thing: Thing) => Gone['why'],
  now: number,
): Collected {
  const trash = join(root, 'trash', randomBytes(6).toString('hex'))
  makeDirs(trash)
  const gone = new Set(runs.filter((run) => moveAway(root, run, trash)))
  const stayed = new Set(runs.filter((run) => !gone.has(run)).map(({ blob }) => blob))
  const moved = blobs.filter((blob) => !stayed.has(blob.id) && moveAway(root, blob, trash))
  const known = new Set(marked)
  for (const { id } of gone) known.delete(id)
  const fresh = allIds(root, 'run').filter((id) => !known.has(id))
  const needed = new Set(fresh.flatMap((id) => readManifest(root, id)?.streams.merged.sha256 ?? []))
  const freed = moved.filter((blob) => !(needed.has(blob.id) && moveBack(root, blob, trash)))
  const all = [...gone, ...freed]
  note(root, all, why, now)
  removeDir(trash)
  for (const { id } of freed) rmSync(marksOf(root, id), { force: true })
  return { runs: gone.size, blobs: freed.length, bytes: sum(all) }
}

/** Puts back what a collection that died had moved away; it is judged anew. */
function putBack(root: string, now: number): void {
  for (const name of namesIn(join(root, 'trash'))) {
    const trash = join(root, 'trash', name)
    if (now - changedAt(trash) < ABANDONED_MS) continue
    for (const what of name.endsWith(GONE) ? [] : namesIn(trash)) {
      const [is = '', id = ''] = what.split('-')
      if ((is === 'run' || is === 'blob') && /^[0-9a-f]{64}$/.test(id)) moveBack(root, { is, id }, trash)
    }
    rmSync(trash, { recursive: true, force: true })
  }
}

type Name = Pick<Thing, 'is' | 'id'>

const inTrash = (trash: string, { is, id }: Name): string => join(trash, `${is}-${id}`)
const stampOf = (path: string, is: Kept): string => (is === 'run' ? join(path, 'manifest.json') : path)

function moveAway(root: string, thing: Thing, trash: string): boolean {
  // Mostly this shows already that it was used, and it is not out of sight for a moment.
  if (changedAt(stampOf(placeOf(root, thing.is, thing.id), thing.is)) !== thing.changed && thing.changed !== 0)
    return false
  try {
    renameSync(placeOf(root, thing.is, thing.id), inTrash(trash, thing))
  } catch {
    return false
  }
  const changed = changedAt(stampOf(inTrash(trash, thing), thing.is))
  return changed === thing.changed || changed === 0 || !moveBack(root, thing, trash)
}

/** Whether it is in its place again: put there, or there already since somebody kept an equal one. */
function moveBack(root: string, thing: Name, trash: string): boolean {
  const place = placeOf(root, thing.is, thing.id)
  if (sizeOf(place) !== undefined) return true
  try {
    makeDirs(dirname(place))
    renameSync(inTrash(trash, thing), place)
    return true
  } catch {
    return sizeOf(place) !== undefined
  }
}

function note(root: string, things: readonly Thing[], why: (thing: Thing) => Gone['why'], now: number): void {
  const on = new Date(now).toISOString().slice(0, 10)
  try {
    for (const thing of things) {
      const row: Gone = { is: thing.is, id: thing.id.slice(0, GONE_DIGITS), on, why: why(thing) }
      appendLine(goneOf(root), JSON.stringify(row))
    }
    if ((sizeOf(goneOf(root)) ?? 0) > MOST_GONE) {
      const text = readText(goneOf(root)) ?? ''
      writeWhole(goneOf(root), text.slice(text.indexOf('\n', text.length / 2) + 1), false)
    }
  } catch {
    // Without the note an address is answered as unknown.
  }
}

/** Removes what processes left half written, and pointers to runs that are gone. */
function removeHalf(root: string, now: number): void {
  const old = (path: string): boolean => now - changedAt(path) > HALF_MS
  const dirs = ['', 'last', 'jobs', ...namesIn(join(root, 'blobs')).map((first) => join('blobs', first))]
  for (const dir of dirs)
    for (const name of namesIn(join(root, dir))) {
      const path = join(root, dir, name)
      const lone = name.endsWith('.idx') && sizeOf(path.slice(0, -'.idx'.length)) === undefined
      if ((lone || /^\.[0-9a-f]{16}\.tmp$/.test(name)) && old(path)) rmSync(path, { force: true })
    }
  for (const name of namesIn(join(root, 'spool')))
    if (name.endsWith('.put') && old(join(root, 'spool', name))) rmSync(join(root, 'spool', name), { force: true })
  for (const dir of ['last', 'jobs'])
    for (const name of namesIn(join(root, dir))) {
      const path = join(root, dir, name)
      const id = readText(path) ?? ''
      if (old(path) && (!/^[0-9a-f]{64}$/.test(id) || sizeOf(placeOf(root, 'run', id)) === undefined))
        rmSync(path, { force: true })
    }
}

/** One process collects at a time; a lock whose owner is dead does not count. `at`: the file system's own time. */
function takeLock(root: string): { path: string; at: number } | undefined {
  const path = join(root, 'collect.lock')
  for (let tries = 0; tries < 2; tries++) {
    try {
      writeNew(path, ownerText(thisProcess()), false)
      return { path, at: statSync(path).mtimeMs }
    } catch {
      const owner = readOwner(readText(path) ?? '')
      const age = Date.now() - changedAt(path)
      if (owner === undefined ? age < 10_000 : lives(owner, age)) return undefined
      rmSync(path, { force: true })
    }
  }
  return undefined
}

/** Bytes of one step of growth. */
const STEP = 1024 * 1024
/** A collection comes due after this time, or when a sixteenth of the quota was written. */
const DUE_MS = 3600 * 1000
const DUE_PART = 16

/** Notes that `bytes` were kept: one byte in a file for each MiB begun. */
export function noteGrowth(root: string, bytes: number): void {
  try {
    const steps = Math.min(1024 * 1024, Math.ceil(bytes / STEP))
    appendLine(join(root, 'grown'), '.'.repeat(Math.max(0, steps - 1)))
  } catch {
    // Then the next collection comes with time.
  }
}

/** Whether it is time to collect, told from two files. If so the time begins anew. */
export function isDue(root: string, maxBytes: number): boolean {
  const path = join(root, 'grown')
  const found = lstatSync(path, { throwIfNoEntry: false })
  const since = join(root, 'collected')
  const last = changedAt(since)
  if (last !== 0 && Date.now() - last < DUE_MS && (found?.size ?? 0) * STEP < maxBytes / DUE_PART) return false
  writeWhole(since, '', false)
  rmSync(path, { force: true })
  return last !== 0
}
