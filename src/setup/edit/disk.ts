/** A settings file on disk: what lies there, and a write that is there whole or not at all. */
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Refusal } from './insert.ts'

export interface OnDisk {
  /** Where the file really lies: behind a link its target. */
  readonly real: string
  /** Undefined: there is none. */
  readonly bytes: Uint8Array | undefined
  /** Permission bits; those of a new file where there is none. */
  readonly mode: number
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/** More than any settings file has; a parse of so much takes a second. */
const MOST_BYTES = 16 * 1024 * 1024
const NEW_MODE = 0o600

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Reads a settings file as far as it may be changed; else why it may not. Never throws. */
export function readForEdit(path: string): OnDisk | Refusal {
  try {
    return look(path)
  } catch (error) {
    return { refused: `it cannot be read (${codeOf(error)})` }
  }
}

function look(path: string): OnDisk | Refusal {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return { real: path, bytes: undefined, mode: NEW_MODE }
  let real = path
  if (entry.isSymbolicLink()) {
    try {
      real = realpathSync(path)
    } catch (error) {
      return { refused: `it is a link that leads nowhere (${codeOf(error)})` }
    }
  }
  const found = lstatSync(real)
  if (!found.isFile()) return { refused: 'it is no regular file' }
  if (found.size > MOST_BYTES) return { refused: `it is larger than ${MOST_BYTES / 1024 / 1024} MiB` }
  if (found.nlink > 1) return { refused: `it has ${found.nlink} names (hard links), and a change would part them` }
  const bytes = readFileSync(real)
  return { real, bytes, mode: found.mode & 0o7777, owner: { uid: found.uid, gid: found.gid } }
}

/** Why a file that could be read may not be written; undefined where it may. */
export function whyReadOnly(file: OnDisk): string | undefined {
  return file.bytes !== undefined && (file.mode & 0o200) === 0 ? 'it is read-only' : undefined
}

/** The text of a file; undefined where it is not UTF-8. A byte order mark stays in it. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Makes the directories that are missing, the outermost first, and tells which they were. Mode 0700. */
export function makeParents(path: string): readonly string[] {
  const missing: string[] = []
  for (let dir = dirname(path); lstatSync(dir, { throwIfNoEntry: false }) === undefined; dir = dirname(dir))
    missing.push(dir)
  missing.reverse()
  for (const dir of missing) mkdirSync(dir, { mode: 0o700 })
  return missing
}

/**
 * Writes `bytes` in place of what `file` was when it was read: by a file beside it that takes its name, with its mode and
 * its owner. Throws where something else wrote meanwhile, and where it cannot be written: then nothing has changed.
 */
export function replaceFile(file: OnDisk, bytes: Uint8Array, mode = file.mode): void {
  const part = `${file.real}.${randomBytes(4).toString('hex')}.sallyport`
  try {
    const handle = openSync(part, 'wx', NEW_MODE)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    chmodSync(part, mode)
    const mine = lstatSync(part)
    if (file.owner !== undefined && (mine.uid !== file.owner.uid || mine.gid !== file.owner.gid))
      chownSync(part, file.owner.uid, file.owner.gid)
    if (!same(file)) throw new Error('something else changed it at the same moment; try again')
    renameSync(part, file.real)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** Removes what `file` was when it was read. Throws where something else wrote meanwhile. */
export function removeFile(file: OnDisk): void {
  if (!same(file)) throw new Error('something else changed it at the same moment; try again')
  rmSync(file.real)
}

function same({ real, bytes }: OnDisk): boolean {
  const now = lstatSync(real, { throwIfNoEntry: false })
  if (now === undefined) return bytes === undefined
  return bytes !== undefined && now.isFile() && hashOf(readFileSync(real)) === hashOf(bytes)
}

/** Removes directories that we made, the innermost first, as far as they are empty. */
export function removeEmpty(made: readonly string[]): void {
  for (const dir of [...new Set(made)].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(dir)
    } catch {
      // Something else lies there by now.
    }
  }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error)
