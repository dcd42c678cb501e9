/** Reads runs and blobs that are kept. */
import { join } from 'node:path'
import type { Stream } from '../address.ts'
import type { Bytes } from '../bytes.ts'
import { BLOCK, indexed, scanLines } from '../capture/lines.ts'
import { streamsOf } from '../capture/recorder.ts'
import { FileBytes } from '../capture/sink.ts'
import { openFile, readText } from './files.ts'
import { goneOf, manifestOf, marksOf, placeOf } from './layout.ts'
import type { Capture, Lines, Manifest, Occurrence, StreamFacts } from './types.ts'

/** Bytes of a manifest at most: a command line is bounded by the system, and little else is in it. */
const MOST_MANIFEST = 8 * 1024 * 1024

/** The manifest of a whole id; undefined where it is absent or damaged. */
export function readManifest(root: string, id: string): Manifest | undefined {
  try {
    const text = readText(manifestOf(root, id), MOST_MANIFEST)
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    return isManifest(value) && value.id === id ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isManifest(value: unknown): value is Manifest {
  if (!isObject(value) || value['v'] !== 1 || typeof value['id'] !== 'string' || !isObject(value['streams']))
    return false
  const { argv, streams } = value
  return (
    Array.isArray(argv) &&
    argv.every((word) => typeof word === 'string') &&
    isFacts(streams['merged']) &&
    isFacts(streams['stdout']) &&
    isFacts(streams['stderr'])
  )
}

const isFacts = (value: unknown): value is StreamFacts =>
  isObject(value) &&
  Number.isSafeInteger(value['bytes']) &&
  Number.isSafeInteger(value['lines']) &&
  typeof value['sha256'] === 'string'

/** The bytes of a blob with their lines; undefined where it is absent. */
export function openBlob(root: string, hash: string): Lines | undefined {
  const fd = openFile(placeOf(root, 'blob', hash))
  if (fd === undefined) return undefined
  const bytes = new FileBytes(fd)
  const marks = readMarks(marksOf(root, hash), bytes.size)
  return marks === undefined ? scanLines(bytes) : indexed(bytes, marks, countLines(bytes, marks))
}

/** Lines of bytes whose marks are known: those of the last block are counted. */
function countLines(bytes: Bytes, marks: Float64Array): number {
  const whole = indexed(bytes, marks, 0)
  const last = bytes.read(bytes.size - 1, bytes.size)[0]
  return whole.lineAt(bytes.size) - (last === undefined || last === 0x0a ? 1 : 0)
}

/** The marks of `size` bytes; undefined where there is no file of them or it is not whole. */
function readMarks(path: string, size: number): Float64Array | undefined {
  const count = Math.ceil(size / BLOCK)
  if (count <= 1) return new Float64Array(count)
  const fd = openFile(path)
  if (fd === undefined) return undefined
  const file = new FileBytes(fd)
  const marks = new Float64Array(count)
  const bytes = file.read(0, count * 8)
  if (bytes.length !== count * 8) return undefined
  new Uint8Array(marks.buffer).set(bytes)
  return marks
}

/** The capture of a run; undefined where its bytes are absent or shorter than they were. */
export function openRun(root: string, manifest: Manifest): Capture | undefined {
  const { streams, stopped } = manifest
  const blob = openFile(placeOf(root, 'blob', streams.merged.sha256))
  if (blob === undefined) return undefined
  const merged = new FileBytes(blob)
  const run = placeOf(root, 'run', manifest.id)
  const order = manifest.order === undefined ? undefined : openFile(join(run, 'order'))
  if (merged.size !== streams.merged.bytes || (manifest.order !== undefined && order === undefined)) return undefined
  const marksFile = (name: Stream): string =>
    name === 'merged' || streams[name].bytes === streams.merged.bytes
      ? marksOf(root, streams.merged.sha256)
      : join(run, `${name}.idx`)
  return {
    streams,
    ...(stopped === undefined ? {} : { stopped }),
    stream: streamsOf(merged, order === undefined ? undefined : new FileBytes(order), (name) => ({
      bytes: streams[name].bytes,
      lines: streams[name].lines,
      marks: readMarks(marksFile(name), streams[name].bytes),
    })),
  }
}

/** The times a run was made, oldest first. A line that a dying process left half is skipped. */
export function readOccurrences(root: string, id: string): readonly Occurrence[] {
  const text = readText(join(placeOf(root, 'run', id), 'seen.jsonl')) ?? ''
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line)
      return isObject(value) && typeof value['ts'] === 'string' && typeof value['cwd'] === 'string'
        ? [value as unknown as Occurrence]
        : []
    } catch {
      return []
    }
  })
}

/** What was kept once. */
export interface Gone {
  readonly is: 'run' | 'blob' | 'job'
  readonly id: string
  /** `2026-11-30`. */
  readonly on: string
  readonly why: 'expired' | 'purged' | 'quota'
}

/** The newest note about something that begins with `prefix` and is gone. */
export function readGone(root: string, is: Gone['is'], prefix: string): Gone | undefined {
  const text = readText(goneOf(root)) ?? ''
  return text
    .split('\n')
    .flatMap((line): readonly Gone[] => {
      try {
        const value: unknown = JSON.parse(line)
        return isObject(value) && value['is'] === is && typeof value['id'] === 'string'
          ? [value as unknown as Gone]
          : []
      } catch {
        return []
      }
    })
    .filter(({ id }) => id.startsWith(prefix.slice(0, id.length)))
    .at(-1)
}
