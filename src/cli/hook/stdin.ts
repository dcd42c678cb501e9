/**
 * Reads stdin to its end, to a size, to a time, or until it holds one whole JSON object, whichever comes first.
 *
 * Synchronous, since the stream modules cost more than the judging, and never blocking, since a host that keeps the pipe
 * open would otherwise wait until its own deadline and run the call. What a descriptor is decides how:
 * files never block; a pipe or terminal is opened anew without blocking; a socket (what Node-based hosts hand over) is
 * switched to non-blocking by the platform's own socket object.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { strictText } from '../../world/bytes.ts'
import { clock } from '../../world/clock.ts'

export interface Incoming {
  readonly bytes: Uint8Array
  /** `whole`: the end was reached or the object is complete. `large`: more than `most` came. `late`: no end in time. */
  readonly end: 'whole' | 'large' | 'late' | 'failed'
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
/** Parsing costs as much as the text is long: a stream that trickles in braces is not parsed for each of them. */
const MOST_PARSES = 16

/** Reads descriptor `fd`. Never throws. */
export function readAll(fd: number, limits: Limits): Incoming {
  const chunks: Uint8Array[] = []
  let size = 0
  let parses = 0
  const done = (end: Incoming['end']): Incoming => ({ bytes: joined(chunks, size), end })
  let source: Source
  try {
    source = sourceOf(fd)
  } catch {
    return done('failed')
  }
  try {
    const buffer = new Uint8Array(CHUNK)
    for (;;) {
      const got = readSome(source.fd, buffer)
      if (got === 0) return done('whole')
      if (got === 'later') {
        if (clock() >= limits.until) return done('late')
        pause(PAUSE)
        continue
      }
      size += got
      chunks.push(buffer.slice(0, got))
      if (size > limits.most) return done('large')
      if (source.ends || !endsWithBrace(buffer, got)) {
        if (clock() >= limits.until) return done('late')
      } else if (parses++ < MOST_PARSES && isWhole(joined(chunks, size))) {
        return done('whole')
      }
    }
  } catch {
    return done('failed')
  } finally {
    source.close()
  }
}

interface Source {
  readonly fd: number
  /** The end is always reached without waiting. */
  readonly ends: boolean
  close(): void
}

function sourceOf(fd: number): Source {
  const own: Source = { fd, ends: false, close: () => {} }
  const stat = fstatSync(fd)
  if (stat.isFile()) return { ...own, ends: true }
  if (process.platform === 'win32') return own
  if (!stat.isSocket()) {
    const opened = reopened(fd, stat.isCharacterDevice())
    if (opened !== undefined) return { fd: opened, ends: false, close: () => closeSync(opened) }
  }
  try {
    // Nothing is read through it: making it sets the descriptor to non-blocking, and it stays so until exit.
    const { Socket } = process.getBuiltinModule('node:net')
    new Socket({ fd, readable: true, writable: false, manualStart: true } as ConstructorParameters<typeof Socket>[0])
  } catch {
    // A kind of descriptor that cannot be switched: reading may block, and the host's own deadline is what is left.
  }
  return own
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
