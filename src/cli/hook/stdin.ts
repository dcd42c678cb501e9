/**
 * Reads stdin to its end, to a size, to a time, or until it holds one whole JSON object, whichever comes first.
 *
 * Without the stream modules, which cost more than the judging, and never blocking for good, since a host that keeps the
 * pipe open would otherwise wait until its own deadline and run the call. What a descriptor is decides how: files never
 * block; a pipe or terminal is opened anew without blocking; a socket (what Node-based hosts hand over) can be neither, and
 * is read by a thread of the pool, which `leave` abandons where it still waits.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, read, readSync } from 'node:fs'
import { strictText } from '../../world/bytes.ts'
import { clock } from '../../world/clock.ts'

export interface Incoming {
  readonly bytes: Uint8Array
  /** `whole`: the end was reached or the object is complete. `large`: more than `most` came. `late`: no end in time. */
  readonly end: 'whole' | 'large' | 'late' | 'failed'
  /** A thread still waits for more: an ordinary exit would wait for it. */
  readonly held?: boolean
}

export interface Limits {
  /** Bytes. */
  readonly most: number
  /** Reading of `clock()` at which waiting ends. */
  readonly until: number
}

const CHUNK = 64 * 1024
/** Milliseconds between two looks at a stream that has nothing yet. */
const PAUSE = 1
const SHELL = '/bin/sh'
/** Parsing costs as much as the text is long: a stream that trickles in braces is not parsed for each of them. */
const MOST_PARSES = 16

/** Reads descriptor `fd` and hands on what came, at once where it need not wait. Never throws. */
export function readAll(fd: number, limits: Limits, then: (incoming: Incoming) => void): void {
  const gathered = new Gathered(limits)
  let source: Source | 'thread'
  try {
    source = sourceOf(fd)
  } catch {
    then(gathered.as('failed'))
    return
  }
  if (source === 'thread') readByThread(fd, limits, gathered, then)
  else then(readHere(source, limits, gathered))
}

/** What has come so far. */
class Gathered {
  private readonly chunks: Uint8Array[] = []
  private size = 0
  private parses = 0
  private readonly limits: Limits

  constructor(limits: Limits) {
    this.limits = limits
  }

  as(end: Incoming['end'], held = false): Incoming {
    return { bytes: joined(this.chunks, this.size), end, held }
  }

  /** Takes the first `got` bytes of `buffer`. Returns how the reading ends with them, or undefined where more is wanted. */
  take(buffer: Uint8Array, got: number, whole: boolean): Incoming['end'] | undefined {
    if (got === 0) return 'whole'
    this.size += got
    this.chunks.push(buffer.slice(0, got))
    if (this.size > this.limits.most) return 'large'
    if (!whole && endsWithBrace(buffer, got)) {
      if (this.parses++ < MOST_PARSES && isWhole(joined(this.chunks, this.size))) return 'whole'
    } else if (clock() >= this.limits.until) return 'late'
    return undefined
  }
}

function readHere(source: Source, limits: Limits, gathered: Gathered): Incoming {
  try {
    const buffer = new Uint8Array(CHUNK)
    for (;;) {
      const got = readSome(source.fd, buffer)
      if (got === 'later') {
        if (clock() >= limits.until) return gathered.as('late')
        pause(PAUSE)
        continue
      }
      const end = gathered.take(buffer, got, source.ends)
      if (end !== undefined) return gathered.as(end)
    }
  } catch {
    return gathered.as('failed')
  } finally {
    source.close()
  }
}

function readByThread(fd: number, limits: Limits, gathered: Gathered, then: (incoming: Incoming) => void): void {
  // One thread does; the pool makes four.
  process.env['UV_THREADPOOL_SIZE'] ??= '1'
  const buffer = new Uint8Array(CHUNK)
  let over = false
  const finish = (end: Incoming['end'], held = false): void => {
    if (over) return
    over = true
    clearTimeout(timer)
    then(gathered.as(end, held))
  }
  const timer = setTimeout(finish, Math.max(0, limits.until - clock()), 'late', true)
  const more = (): void =>
    read(fd, buffer, 0, CHUNK, null, (error, got) => {
      if (over) return
      if (error !== null) {
        if (error.code === 'EAGAIN' || error.code === 'EINTR') setTimeout(more, PAUSE)
        else finish('failed')
        return
      }
      const end = gathered.take(buffer, got, false)
      if (end === undefined) more()
      else finish(end)
    })
  more()
}

/**
 * Ends the process with `code`. Where a thread still waits for input an ordinary exit would wait with it, so the process
 * becomes another program that ends at once.
 */
export function leave(code: number, incoming: Incoming | undefined): never {
  if (incoming?.held === true) {
    if (process.execve !== undefined && existsSync(SHELL)) process.execve(SHELL, ['sh', '-c', `exit ${code}`], {})
    process.kill(process.pid, 'SIGKILL')
  }
  process.exit(code)
}

interface Source {
  readonly fd: number
  /** The end is always reached without waiting. */
  readonly ends: boolean
  close(): void
}

function sourceOf(fd: number): Source | 'thread' {
  const own: Source = { fd, ends: false, close: () => {} }
  const stat = fstatSync(fd)
  if (stat.isFile()) return { ...own, ends: true }
  if (process.platform === 'win32') return own
  if (stat.isSocket()) return 'thread'
  const opened = reopened(fd, stat.isCharacterDevice())
  // What cannot be opened anew might block.
  return opened === undefined ? 'thread' : { fd: opened, ends: false, close: () => closeSync(opened) }
}

/** The same pipe or terminal opened without blocking; undefined where the platform cannot. */
function reopened(fd: number, device: boolean): number | undefined {
  // Only Linux opens a pipe anew by its descriptor; elsewhere that merely duplicates it, flags and all.
  const path = process.platform === 'linux' ? `/proc/self/fd/${fd}` : device ? '/dev/tty' : undefined
  if (path === undefined) return undefined
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return undefined
  }
}

function readSome(fd: number, buffer: Uint8Array): number | 'later' {
  try {
    return readSync(fd, buffer, 0, buffer.length, null)
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (code === 'EAGAIN' || code === 'EWOULDBLOCK' || code === 'EINTR') return 'later'
    if (code === 'EOF') return 0
    throw error
  }
}

let cell: Int32Array | undefined

/** Sleeps without an event loop. */
export function pause(ms: number): void {
  cell ??= new Int32Array(new SharedArrayBuffer(4))
  Atomics.wait(cell, 0, 0, ms)
}

function endsWithBrace(buffer: Uint8Array, length: number): boolean {
  for (let at = length - 1; at >= 0; at--) {
    const byte = buffer[at]!
    if (byte === 0x7d) return true
    if (byte !== 0x0a && byte !== 0x0d && byte !== 0x20 && byte !== 0x09) return false
  }
  return false
}

/** One JSON object and nothing behind it: more input could only make it invalid. */
function isWhole(bytes: Uint8Array): boolean {
  const text = strictText(bytes)
  try {
    if (text === undefined) return false
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
