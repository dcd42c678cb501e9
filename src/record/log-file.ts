/** The log's files. Entry points only; a log that cannot be written never changes a verdict. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { under } from '../core/native-path.ts'
import { lineHash, MOST_LINE } from './log-line.ts'

/** Bytes of one file, and how many files there are: 40 MiB hold some ten thousand verdicts. */
export const MOST_LOG = 8 * 1024 * 1024
export const LOG_FILES = 5
/** A lock that is older was left by a process that died. */
const LOCK_MS = 10_000

/** The log's files below a state directory, newest first: `log.jsonl`, `log.1.jsonl` … `log.4.jsonl`. */
export const logFiles = (state: string): readonly string[] =>
  Array.from({ length: LOG_FILES }, (_, i) => under(state, i === 0 ? 'log.jsonl' : `log.${i}.jsonl`))

/**
 * Appends the line that `make` builds from the hash of the last line, in one write of a file with mode 0600. Returns
 * undefined, or one clause that says what went wrong. Never throws.
 */
export function appendLog(state: string, make: (prev: string) => string): string | undefined {
  const [file, older] = logFiles(state) as [string, string]
  let handle: number | undefined
  try {
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    handle = openSync(file, flags, 0o600)
    const found = fstatSync(handle)
    if (!found.isFile()) return `the log ${file} is no regular file`
    const tail = found.size > 0 ? tailOf(handle, found.size) : { hash: hashOfFile(older), torn: false }
    const bytes = Buffer.from((tail.torn ? '\n' : '') + make(tail.hash))
    if (writeSync(handle, bytes) !== bytes.length) return `the log ${file} could not be written whole`
    if (found.size + bytes.length > MOST_LOG) rotate(state)
    return undefined
  } catch (error) {
    return `the log ${file} cannot be written (${codeOf(error)})`
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error)

/** The hash of the last line of an open file, from its last bytes. `torn`: its writer died before the newline. */
function tailOf(handle: number, size: number): { hash: string; torn: boolean } {
  const length = Math.min(size, 2 * MOST_LINE)
  const bytes = Buffer.alloc(length)
  const got = readSync(handle, bytes, 0, length, size - length)
  const text = bytes.toString('utf8', 0, got)
  const torn = !text.endsWith('\n')
  const lines = text.split('\n')
  // After a whole line stands the empty rest; a torn line is none.
  const last = lines.at(-2)
  return { hash: last === undefined ? '' : lineHash(last), torn }
}

function hashOfFile(file: string): string {
  let handle: number | undefined
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    const { size } = fstatSync(handle)
    return size === 0 ? '' : tailOf(handle, size).hash
  } catch {
    return ''
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Moves each file one place on and drops the last. One process does it; who comes second finds a small file. */
function rotate(state: string): void {
  const lock = under(state, 'log.lock')
  if (!takeLock(lock)) return
  try {
    const files = logFiles(state)
    if (statSync(files[0]!).size <= MOST_LOG) return
    rmSync(files.at(-1)!, { force: true })
    for (let i = files.length - 2; i >= 0; i--) {
      try {
        renameSync(files[i]!, files[i + 1]!)
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error
      }
    }
  } finally {
    unlinkSync(lock)
  }
}

function takeLock(lock: string): boolean {
  for (let tries = 0; tries < 2; tries++) {
    try {
      closeSync(openSync(lock, 'wx', 0o600))
      return true
    } catch {
      try {
        if (Date.now() - statSync(lock).mtimeMs <= LOCK_MS) return false
        unlinkSync(lock)
      } catch {
        return false
      }
    }
  }
  return false
}
