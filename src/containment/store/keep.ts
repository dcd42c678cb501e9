/** Keeps captures: bytes by their hash, and the run that made them. Equal runs are one. */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirs } from '../../session/store.ts'
import type { Recording } from '../capture/recorder.ts'
import { codeOf } from '../capture/sink.ts'
import { appendLine, changedAt, DIR_MODE, openFile, syncDir, writeNew, writeWhole } from './files.ts'
import { lastOf, manifestOf, marksOf, placeOf, sha256 } from './layout.ts'
import { readManifest } from './manifest.ts'
import type { Manifest, Occurrence, RunFacts } from './types.ts'

/** Larger captures are not forced to the disk: that would take seconds. One that a power cut shortened is seen by its size. */
export const MOST_SYNCED = 16 * 1024 * 1024

/** The id of a run: the hash of what it was and gave. */
export function runId(run: Omit<Manifest, 'v' | 'id'>): string {
  const { argv, exit, signal, streams, order, stopped } = run
  return sha256(
    JSON.stringify({
      argv,
      exit,
      order: order ?? null,
      signal,
      stderr: streams.stderr.sha256,
      stdout: streams.stdout.sha256,
      ...(stopped === undefined ? {} : { stopped: stopped.seen }),
    }),
  )
}

export interface ToKeep {
  readonly argv: readonly string[]
  readonly cwd: string
  /** ISO 8601. */
  readonly ts: string
  readonly facts: RunFacts
  readonly partial?: boolean
  readonly sealed?: boolean
  readonly recording: Recording
  /** The file that holds the capture. It may be linked to, and is not changed. */
  readonly data: string
  /** The file that holds the interleave index. It may be linked to, and is not changed. */
  readonly order?: string
  /** A private directory on the store's file system for what is half done. */
  readonly work: string
}

/** Keeps a run. Throws where the disk refuses; then nothing half lies about but in `work`. */
export function keepRun(root: string, given: ToKeep): Manifest {
  const { recording, facts } = given
  const run = {
    argv: given.argv,
    exit: facts.exit ?? null,
    signal: facts.signal ?? null,
    streams: recording.streams,
    ...(recording.order === undefined ? {} : { order: recording.order }),
    ...(recording.stopped === undefined ? {} : { stopped: recording.stopped }),
    ...(given.partial ? { partial: true as const } : {}),
    ...(given.sealed ? { sealed: true as const } : {}),
  }
  const manifest: Manifest = { v: 1, id: runId(run), ...run }
  const blob = recording.streams.merged.sha256
  const seen: Occurrence = {
    ts: given.ts,
    cwd: given.cwd,
    ...(facts.ms === undefined ? {} : { ms: facts.ms }),
    ...(facts.timedOut ? { timedOut: true } : {}),
    ...(facts.git === undefined ? {} : { git: facts.git }),
  }
  const small = recording.streams.merged.bytes <= MOST_SYNCED
  if (small) syncFile(given.data)
  const half = layOut(given, manifest, seen)
  // A collection that runs at the same time may take away what was there already: then once more.
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      if (sizeOf(half) === undefined) layOut(given, manifest, seen)
      keepBlob(root, blob, given.data, recording.marks.merged)
      placeRun(root, manifest, half, seen)
      if (sizeOf(placeOf(root, 'blob', blob)) === recording.streams.merged.bytes && readManifest(root, manifest.id)) {
        remember(root, given, manifest.id)
        return manifest
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || tries === TRIES) throw error
    }
  }
  throw new Error(`the run ${manifest.id} vanished while it was kept`)
}

const TRIES = 5

function layOut(given: ToKeep, manifest: Manifest, seen: Occurrence): string {
  const half = join(given.work, 'run')
  mkdirSync(half, { mode: DIR_MODE })
  if (given.order !== undefined && manifest.order !== undefined) linkOrCopy(given.order, join(half, 'order'))
  for (const name of ['stdout', 'stderr'] as const) {
    const marks = given.recording.marks[name]
    if (marks !== undefined && marks.length > 1) writeNew(join(half, `${name}.idx`), bytesOf(marks), false)
  }
  writeNew(join(half, 'seen.jsonl'), `${JSON.stringify(seen)}\n`, false)
  writeNew(join(half, 'manifest.json'), `${JSON.stringify(manifest)}\n`, true)
  return half
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

/** Puts the run in place, or notes that an equal one was made again. */
function placeRun(root: string, manifest: Manifest, half: string, seen: Occurrence): void {
  const place = placeOf(root, 'run', manifest.id)
  makeDirs(dirname(place))
  try {
    renameSync(half, place)
    syncDir(dirname(place))
    return
  } catch (error) {
    if (sizeOf(half) === undefined && sizeOf(place) !== undefined) return
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
  }
  if (readManifest(root, manifest.id) === undefined) {
    // What lies there is damaged or on its way out.
    rmSync(place, { recursive: true, force: true })
    placeRun(root, manifest, half, seen)
    return
  }
  try {
    appendLine(join(place, 'seen.jsonl'), JSON.stringify(seen))
    touch(manifestOf(root, manifest.id))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Keeps a file as the blob of its hash, and the marks of its lines where they are worth a file. */
export function keepBlob(root: string, hash: string, data: string, marks: Float64Array | undefined): void {
  const place = placeOf(root, 'blob', hash)
  makeDirs(dirname(place))
  try {
    linkSync(data, place)
    syncDir(dirname(place))
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      const kept = sizeOf(place)
      // One that a power cut shortened is put right.
      if (kept !== undefined && kept === sizeOf(data)) touch(place)
      else moveOver(data, place)
    } else if (sizeOf(data) !== undefined) moveOver(data, place)
    else throw error
  }
  if (marks === undefined || marks.length <= 1 || sizeOf(marksOf(root, hash)) !== undefined) return
  try {
    writeWhole(marksOf(root, hash), bytesOf(marks), false)
  } catch {
    // Without its marks a blob is read through once when lines are looked for.
  }
}

/** For file systems without hard links, and blobs that are damaged. */
function moveOver(data: string, place: string): void {
  try {
    renameSync(data, place)
  } catch (error) {
    if (sizeOf(place) === undefined) throw error
  }
}

export const bytesOf = (marks: Float64Array): Uint8Array =>
  new Uint8Array(marks.buffer, marks.byteOffset, marks.byteLength)

export const sizeOf = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.size

/** Makes a thing new, so that it is collected later. It always changes, also twice in one millisecond. */
export function touch(path: string): void {
  const at = Math.max(Date.now(), Math.ceil(changedAt(path)) + 1) / 1000
  utimesSync(path, at, at)
}

function syncFile(path: string): void {
  const fd = openFile(path)
  if (fd === undefined) return
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function remember(root: string, { argv, cwd }: ToKeep, id: string): void {
  const place = lastOf(root, argv, cwd)
  makeDirs(dirname(place))
  writeWhole(place, id, false)
}
