/**
 * The state directory and the files of sessions in it. Only entry points use this; the verdict path gets lines.
 * Nothing here grows with the length of a session: a file that is full is put aside, and what still counts is carried
 * into a new one.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { sha256Hex } from '../core/hash.ts'
import { isRooted, parentOf, under } from '../core/native-path.ts'
import { fitting, newestLines, parseLine, splitLine } from './fold.ts'
import type { SessionLine } from './session.ts'
import { unwritable } from './unwritable.ts'

/** Bytes after which a session's file is put aside: some hundred calls, read in a few milliseconds at each call. */
const FULL = 128 * 1024
/** Bytes carried into the new file at most, so that it is not full at once. */
const MOST_CARRIED = FULL / 2
/** Bytes read of one file at most, where putting it aside failed. */
const MOST_READ = 2 * FULL
/** A lock that is older was left by a process that died. */
const LOCK_MS = 10_000
/** Sessions that nobody has touched for so long are over. */
const SESSION_DAYS = 30
/** Entries of a directory looked at in one clean-up, so that it stays short. */
const MOST_CLEANED = 256
/** The first line of a file into which the older one was carried whole. */
const CARRIED = '{"carried":'

export interface StateDir {
  readonly path: string
}

/** The state directory cannot be used; `refused` is one sentence without a full stop that says why and what helps. */
export interface Refused {
  readonly refused: string
}

const NOFOLLOW = constants.O_NOFOLLOW ?? 0

/** Where state lies: `$XDG_STATE_HOME/sallyport`, else below the home directory. A relative variable is ignored. */
export function statePath(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const given = env['XDG_STATE_HOME']
  return under(given !== undefined && isRooted(given) ? given : under(home, '.local/state'), 'sallyport')
}

/** Levels of a state directory: more is no place that anybody means. */
const MOST_LEVELS = 64

/** Makes a directory and its parents one by one: a recursive call never ends below some virtual file systems. Mode 0700. */
export function makeDirs(path: string): void {
  const missing: string[] = []
  let at = path
  for (let level = 0; level < MOST_LEVELS && at !== parentOf(at); level++) {
    try {
      lstatSync(at)
      break
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      missing.push(at)
      at = parentOf(at)
    }
  }
  for (const dir of missing.reverse()) {
    try {
      mkdirSync(dir, { mode: 0o700 })
    } catch (error) {
      // Another process was quicker.
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/**
 * Opens the state directory, and makes it where it is absent (mode 0700). A directory that is a link, belongs to
 * somebody else or is open to others is refused: what it holds could be anybody's.
 */
export function openState(env: Readonly<Record<string, string | undefined>>, home: string): StateDir | Refused {
  const path = statePath(env, home)
  try {
    makeDirs(path)
    const found = lstatSync(path)
    if (found.isSymbolicLink()) return { refused: `the state directory ${path} is a link; remove it` }
    if (!found.isDirectory()) return { refused: `the state directory ${path} is no directory` }
    const me = process.getuid?.()
    if (me !== undefined && found.uid !== me)
      return { refused: `the state directory ${path} belongs to user ${found.uid}, not to you` }
    if (me !== undefined && (found.mode & 0o077) !== 0)
      return { refused: `the state directory ${path} is open to others; run chmod 700 on it` }
    return { path }
  } catch (error) {
    return { refused: unwritable(`the state directory ${path}`, error) }
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error)

/** The name of a host with nothing but small letters, digits and hyphens in it. */
const plainHost = (host: string): string =>
  Array.from(host, (char) =>
    (char >= 'a' && char <= 'z') || (char >= '0' && char <= '9') || char === '-' ? char : '_',
  ).join('')

/** The name of one session's file, without its ending: what `sallyport pending` shows of a session. */
export const sessionName = (host: string, session: string): string =>
  `${plainHost(host)}-${sha256Hex(session).slice(0, 16)}`

/** The file of one session. */
export const sessionFile = (state: StateDir, host: string, session: string): string =>
  under(state.path, `sessions/${sessionName(host, session)}.jsonl`)

export interface ReadSession {
  readonly lines: readonly SessionLine[]
  /** Lines that could not be read as such. */
  readonly skipped: number
}

/** The lines of a session that count, oldest first; none where there is no such session. */
export function readSession(state: StateDir, host: string, session: string): ReadSession | Refused {
  const file = sessionFile(state, host, session)
  try {
    const text = readTail(file)
    const aside = text.includes(CARRIED) ? '' : readTail(asideOf(file))
    const { lines, skipped } = parse(`${aside}\n${text}`)
    return { lines: newestLines(lines), skipped }
  } catch (error) {
    return { refused: `the session file ${file} cannot be read (${codeOf(error)})` }
  }
}

/** Sessions that one look at all of them reads. */
const MOST_SESSIONS = 64

/**
 * The lines of the sessions that were touched last, below the state directory `path`, the newest session first. For
 * people who ask; what cannot be read is left out, and nothing is made.
 */
export function recentSessions(
  path: string,
): readonly { readonly name: string; readonly lines: readonly SessionLine[] }[] {
  const dir = under(path, 'sessions')
  try {
    const files = readdirSync(dir)
      .filter((name) => name.endsWith('.jsonl') && !name.endsWith('.old.jsonl'))
      .map((name) => ({ name, at: lstatSync(under(dir, name)).mtimeMs }))
      .sort((a, b) => b.at - a.at)
      .slice(0, MOST_SESSIONS)
    return files.map(({ name }) => {
      const file = under(dir, name)
      return { name: name.replace(/\.jsonl$/, ''), lines: parse(`${readTail(asideOf(file))}\n${readTail(file)}`).lines }
    })
  } catch {
    return []
  }
}

const asideOf = (file: string): string => (file.endsWith('.jsonl') ? `${file.slice(0, -6)}.old.jsonl` : file)

function parse(text: string): { lines: SessionLine[]; skipped: number } {
  const lines: SessionLine[] = []
  let skipped = 0
  for (const row of text.split('\n')) {
    if (row === '' || row.startsWith(CARRIED)) continue
    const line = parseLine(row)
    if (line) lines.push(line)
    else skipped++
  }
  return { lines, skipped }
}

/** The last whole lines of a file, as far as the bound goes; empty where it is absent. Links and devices are refused. */
function readTail(file: string): string {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | NOFOLLOW | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
  try {
    const found = fstatSync(handle)
    if (!found.isFile()) throw new Error('no regular file')
    const from = Math.max(0, found.size - MOST_READ)
    const bytes = Buffer.alloc(found.size - from)
    let got = 0
    while (got < bytes.length) {
      const n = readSync(handle, bytes, got, bytes.length - got, from + got)
      if (n === 0) break
      got += n
    }
    const text = bytes.toString('utf8', 0, got)
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    closeSync(handle)
  }
}

/** Adds lines to a session's file (mode 0600) in one write. Returns a refusal where that is not possible. */
export function appendSession(
  state: StateDir,
  host: string,
  session: string,
  lines: readonly SessionLine[],
): Refused | undefined {
  return appendNamed(state, sessionFile(state, host, session), lines)
}

/** The same for a session by the name that `recentSessions` gives it. */
export const appendToSession = (state: StateDir, name: string, lines: readonly SessionLine[]): Refused | undefined =>
  appendNamed(state, under(state.path, `sessions/${name}.jsonl`), lines)

function appendNamed(state: StateDir, file: string, lines: readonly SessionLine[]): Refused | undefined {
  if (lines.length === 0) return undefined
  const text = lines
    .flatMap(splitLine)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
  try {
    const { before, after } = append(file, text)
    if (before === 0) removeOld(under(state.path, 'sessions'), SESSION_DAYS * 24 * 3600 * 1000)
    if (after > FULL) putAside(file)
    return undefined
  } catch (error) {
    return { refused: `the session file ${file} cannot be written (${codeOf(error)})` }
  }
}

function append(file: string, text: string): { before: number; after: number } {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NOFOLLOW
  let handle: number
  try {
    handle = openSync(file, flags, 0o600)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    makeDirs(parentOf(file))
    handle = openSync(file, flags, 0o600)
  }
  try {
    const found = fstatSync(handle)
    if (!found.isFile()) throw new Error('no regular file')
    // A line that a dying process left half must not swallow the next one.
    const last = Buffer.alloc(1)
    const torn = found.size > 0 && readSync(handle, last, 0, 1, found.size - 1) === 1 && last[0] !== 0x0a
    const bytes = Buffer.from(torn ? `\n${text}` : text)
    if (writeSync(handle, bytes) !== bytes.length) throw new Error('not all was written')
    return { before: found.size, after: found.size + bytes.length }
  } finally {
    closeSync(handle)
  }
}

/**
 * Puts a full file aside and carries what counts into a new one. One process does it; the others go on appending.
 * Until the carried lines stand in the new file, readers read the old one, too.
 */
function putAside(file: string): void {
  const lock = `${file}.lock`
  if (!takeLock(lock)) return
  try {
    if (statSync(file).size <= FULL) return
    const aside = asideOf(file)
    renameSync(file, aside)
    const kept = fitting(newestLines(parse(readTail(aside)).lines), MOST_CARRIED)
    append(file, `${CARRIED}${kept.length}}\n${kept.map((line) => `${JSON.stringify(line)}\n`).join('')}`)
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

/** Removes files below `dir` that were not touched for `ms`; a clean-up that fails is tried again another time. */
export function removeOld(dir: string, ms: number): void {
  try {
    for (const name of readdirSync(dir).slice(0, MOST_CLEANED)) {
      const file = under(dir, name)
      if (Date.now() - lstatSync(file).mtimeMs > ms) unlinkSync(file)
    }
  } catch {
    // Another process may be cleaning up as well.
  }
}

/**
 * Uses one approval up, for the one caller that gets `true`: two calls at the same moment share an approval otherwise.
 * The name is the fingerprint and the time at which it was approved.
 */
export function claimApproval(state: StateDir, print: string, approvedAt: number): boolean {
  const dir = under(state.path, 'approvals')
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    removeOld(dir, 24 * 3600 * 1000)
    closeSync(openSync(under(dir, `${print.replace(/[^0-9a-f]/g, '_')}-${approvedAt}.used`), 'wx', 0o600))
    return true
  } catch {
    return false
  }
}
