/** Files of the store: private, whole or absent. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirs } from '../../session/store.ts'
import { codeOf } from '../capture/sink.ts'

export const DIR_MODE = 0o700
export const FILE_MODE = 0o600

/** Makes `dir` where it is absent, and says in a clause why it cannot be trusted with captures, if it cannot. */
export function privateDir(dir: string): string | undefined {
  try {
    makeDirs(dir)
    return notPrivate(dir)
  } catch (error) {
    return `${dir} cannot be made (${codeOf(error)})`
  }
}

/** Why a directory that is there cannot be trusted: others could read or replace what lies in it. */
export function notPrivate(dir: string): string | undefined {
  const found = lstatSync(dir)
  if (found.isSymbolicLink()) return `${dir} is a link`
  if (!found.isDirectory()) return `${dir} is no directory`
  const me = process.getuid?.()
  if (me !== undefined && found.uid !== me) return `${dir} belongs to user ${found.uid}`
  if (me !== undefined && (found.mode & 0o077) !== 0) return `${dir} is open to others`
  return undefined
}

const NOFOLLOW = constants.O_NOFOLLOW ?? 0

/** Opens a new file for reading and writing. */
export const createFile = (path: string): number =>
  openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NOFOLLOW, FILE_MODE)

/** Opens a file of the store for reading; undefined where it is absent. */
export function openFile(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | NOFOLLOW)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** Writes a file whole: a temporary one beside it first, then renamed. `sync`: it outlives a power cut. */
export function writeWhole(path: string, bytes: Uint8Array | string, sync: boolean): void {
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`)
  try {
    writeNew(temporary, bytes, sync)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Writes a new file. Throws where it is there already, or not all could be written. */
export function writeNew(path: string, bytes: Uint8Array | string, sync: boolean): void {
  const fd = createFile(path)
  try {
    const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    for (let done = 0; done < all.length; ) done += writeSync(fd, all, done, all.length - done)
    if (sync) fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Makes renames in a directory outlive a power cut. Not every system can; then it is left. */
export function syncDir(dir: string): void {
  try {
    const fd = openSync(dir, constants.O_RDONLY)
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // A system that cannot do this keeps its directories in another way.
  }
}

/** Appends one line in one write: several processes may do so at once. */
export function appendLine(path: string, line: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NOFOLLOW, FILE_MODE)
  try {
    const bytes = Buffer.from(`${line}\n`)
    if (writeSync(fd, bytes) !== bytes.length) throw new Error('not all was written')
  } finally {
    closeSync(fd)
  }
}

/** The text of a file, at most `most` bytes of its end; undefined where it is absent. */
export function readText(path: string, most = 16 * 1024 * 1024): string | undefined {
  const fd = openFile(path)
  if (fd === undefined) return undefined
  try {
    const { size } = fstatSync(fd)
    if (size <= most) return readFileSync(fd, 'utf8')
    throw new Error(`${path} is larger than anything the store writes there`)
  } finally {
    closeSync(fd)
  }
}

/** The names in a directory, none where it is absent. */
export function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw error
  }
}

/** What a directory is called while it is removed: half of it must not be taken for the whole. */
export const GONE = '.gone'

/** Removes a directory with all in it. Who dies meanwhile leaves one whose name ends in `GONE`. Never throws. */
export function removeDir(dir: string): void {
  try {
    renameSync(dir, dir + GONE)
    rmSync(dir + GONE, { recursive: true, force: true })
  } catch {
    // It is gone already, or the next one who tidies up finds it.
  }
}

/** Milliseconds of the last change of a file, 0 where it is absent. */
export function changedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
