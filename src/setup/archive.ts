/**
 * Reads an archive as npm makes it (gzip over tar), whole and in memory, and refuses whatever could write elsewhere than
 * below one directory: links, devices, absolute or climbing paths, two entries of one name.
 */
import { gunzipSync } from 'node:zlib'

export interface ArchiveFile {
  /** Below the archive's one directory, with `/`. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable: boolean
}

/** A plugin is a few hundred kilobytes of text: more than this is none, or a bomb. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_ENTRIES = 10_000
const MOST_PATH = 1024
const BLOCK = 512

export class ArchiveError extends Error {}

const refuse = (why: string): never => {
  throw new ArchiveError(`the archive ${why}`)
}

/** The files of an archive, in its order. Throws `ArchiveError` with a sentence for anything that is not plain files. */
export function readArchive(packed: Uint8Array): readonly ArchiveFile[] {
  let tar: Uint8Array
  try {
    tar = gunzipSync(packed, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    const large = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    return refuse(large ? 'is larger than any plugin' : 'is no gzip file, or damaged')
  }
  const files = new Map<string, ArchiveFile>()
  const taken = new Set<string>()
  let entries = 0
  let longName: string | undefined
  for (let at = 0; ; ) {
    if (at + BLOCK > tar.length) return refuse('ends in the middle of an entry')
    const header = tar.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) break
    if (++entries > MOST_ENTRIES) refuse('has too many entries')
    if (!sumFits(header)) refuse('is damaged: an entry’s sum does not fit')
    const size = octal(header, 124, 12)
    const end = at + BLOCK + size
    if (end > tar.length) return refuse('ends in the middle of a file')
    const bytes = tar.subarray(at + BLOCK, end)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
    const kind = String.fromCharCode(header[156]!)
    if (kind === 'x' || kind === 'L') {
      longName = kind === 'x' ? paxPath(bytes) : text(bytes, 0, bytes.length)
      continue
    }
    const given = longName ?? nameOf(header)
    longName = undefined
    if (kind === 'g') continue
    if (kind !== '0' && kind !== '\0' && kind !== '5') refuse(`holds something that is no plain file: ${shown(given)}`)
    const path = safePath(given, kind === '5')
    if (kind === '5') continue
    const key = path.toLowerCase()
    if (taken.has(key)) refuse(`holds two files of one name: ${shown(path)}`)
    taken.add(key)
    files.set(path, { path, bytes: Uint8Array.from(bytes), executable: (octal(header, 100, 8) & 0o100) !== 0 })
  }
  for (const path of files.keys())
    for (let dir = parent(path); dir !== ''; dir = parent(dir))
      if (taken.has(dir.toLowerCase())) refuse(`holds a file in the place of a directory: ${shown(dir)}`)
  return [...files.values()]
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const shown = (path: string): string => JSON.stringify(path.slice(0, 120))

/** The path below the first directory, which every archive of npm has. */
function safePath(given: string, dir: boolean): string {
  const path = dir ? given.replace(/\/$/, '') : given
  const parts = path.split('/')
  const plain = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (!plain || path.length > MOST_PATH || /[\0-\x1f\x7f\\:]/.test(path))
    refuse(`holds an unsafe path: ${shown(given)}`)
  if (parts.length < 2 && !dir) refuse(`holds a file outside its directory: ${shown(given)}`)
  return parts.slice(1).join('/')
}

function sumFits(header: Uint8Array): boolean {
  let sum = 0
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : header[i]!
  return sum === octal(header, 148, 8)
}

/** A number in octal digits; what is written otherwise is larger than any file here. */
function octal(bytes: Uint8Array, from: number, length: number): number {
  const digits = text(bytes, from, length).trim()
  if (!/^[0-7]*$/.test(digits)) return refuse('is damaged: a number is none')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

function text(bytes: Uint8Array, from: number, length: number): string {
  const part = bytes.subarray(from, from + length)
  const end = part.indexOf(0)
  return new TextDecoder().decode(end < 0 ? part : part.subarray(0, end))
}

function nameOf(header: Uint8Array): string {
  const name = text(header, 0, 100)
  const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

/** The path of an extended header: records of `<length> <key>=<value>\n`. */
function paxPath(bytes: Uint8Array): string | undefined {
  const all = new TextDecoder().decode(bytes)
  let path: string | undefined
  for (const line of all.split('\n')) {
    const [, key, value] = /^\d+ ([^=]+)=(.*)$/s.exec(line) ?? []
    if (key === 'path') path = value
    if (key === 'linkpath' || key?.startsWith('GNU.sparse')) refuse('holds something that is no plain file')
  }
  return path
}
