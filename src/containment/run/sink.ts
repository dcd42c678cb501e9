/**
 * One of our own output streams. Written without touching what others share with us: Node's streams make a pipe
 * non-blocking for everybody who holds it, and would hold bytes in memory that nobody fetches.
 */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'

export interface Sink {
  /** Writes all of `chunk`. True: done, or nobody reads any more. Else the chunk must stay as it is until `then` is called. */
  write(chunk: Uint8Array, then: () => void): boolean
  /** Whether the reader is gone. */
  readonly closed: boolean
  /** Why bytes that somebody wanted could not be written, as the system's code: `ENOSPC`. */
  readonly lost: string | undefined
  /** Lets go of what waits to be written. */
  close(): void
}

/** The reader went, or there never was one. */
const NOBODY: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'EBADF', 'ERR_SOCKET_CLOSED'])

/** The stream behind a descriptor: 1 or 2. */
export function sinkOf(fd: number): Sink {
  let own: number | undefined
  let socket: Socket | undefined
  let closed = false
  let lost: string | undefined
  const end = ({ code = 'unknown' }: NodeJS.ErrnoException): void => {
    closed = true
    if (!NOBODY.has(code)) lost ??= code
  }
  const kind = kindOf(fd)
  if (kind === 'pipe') own = openAgain(fd)
  const to = own ?? fd
  const wait = (rest: Uint8Array, then: () => void): boolean => {
    if (socket === undefined) {
      socket = new Socket({ fd: to, readable: false, writable: true })
      socket.on('error', end)
    }
    socket.write(rest, (error) => {
      if (error) end(error)
      then()
    })
    return false
  }
  return {
    write(chunk, then) {
      let done = 0
      while (!closed && done < chunk.length) {
        try {
          done += writeSync(to, chunk, done)
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException
          if (code === 'EAGAIN') return wait(chunk.subarray(done), then)
          if (code !== 'EINTR') end(error as NodeJS.ErrnoException)
        }
      }
      return true
    },
    get closed() {
      return closed
    },
    get lost() {
      return lost
    },
    close() {
      if (socket !== undefined) {
        // Ours alone may be closed: descriptor 1 stays open for what is written at the end.
        if (own !== undefined) socket.destroy()
        else socket.unref()
      } else if (own !== undefined) closeSync(own)
      own = undefined
      closed = true
    },
  }
}

/** Writes bytes of our own to descriptor 1 or 2, and waits until they are written. Gives why they could not be, if so. */
export async function print(fd: 1 | 2, bytes: Uint8Array): Promise<string | undefined> {
  const sink = sinkOf(fd)
  await new Promise<void>((resolve) => {
    if (sink.write(bytes, resolve)) resolve()
  })
  sink.close()
  return sink.lost
}

/** Whether two descriptors lead to the same place, so that what comes first there must be written first. */
export function samePlace(a: number, b: number): boolean {
  try {
    const [x, y] = [fstatSync(a), fstatSync(b)]
    return x.dev === y.dev && x.ino === y.ino && x.rdev === y.rdev
  } catch {
    return false
  }
}

function kindOf(fd: number): 'pipe' | 'other' {
  try {
    return fstatSync(fd).isFIFO() ? 'pipe' : 'other'
  } catch {
    return 'other'
  }
}

/** The same pipe as a descriptor of our own that does not block. Undefined where the platform has no such way. */
function openAgain(fd: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}
