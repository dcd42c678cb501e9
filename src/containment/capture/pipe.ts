/**
 * A pipe that a child writes and this process reads into one buffer that is used again and again. The pipes that Node
 * makes for a child are sockets, which `/dev/stdout` in the child cannot open, and give each piece a buffer of its own,
 * so that memory grows with the output.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'

/** Bytes that one read takes: what a pipe of Linux holds. */
const READ = 64 * 1024

export interface ReadPipe {
  /** The descriptor for the child's stdio. To be closed with `given` when the child has started. */
  readonly fd: number
  /** Closes our copy of the child's end, so that the end of the output can be seen. */
  given(): void
  /**
   * Reads until everybody who may write is gone. `take` gets bytes that are valid only during the call. Resolves at the
   * end; never rejects: a pipe that breaks has ended.
   */
  read(take: (chunk: Uint8Array) => void): Promise<void>
  /** Stops reading: for output that nobody waits for any more. */
  stop(): void
  /** Holds reading up, and goes on: the child waits meanwhile. */
  pause(): void
  resume(): void
}

/**
 * Makes such a pipe by way of a name in `dir`, which is gone when this returns. Undefined where the system has no named
 * pipes: use the pipes of Node then.
 */
export function openPipe(dir: string): ReadPipe | undefined {
  const name = join(dir, `pipe-${randomBytes(8).toString('hex')}`)
  if (process.platform === 'win32' || spawnSync('mkfifo', ['-m', '600', '--', name]).status !== 0) return undefined
  let reads: number | undefined
  try {
    reads = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
    return reader(reads, openSync(name, constants.O_WRONLY))
  } catch {
    if (reads !== undefined) closeSync(reads)
    return undefined
  } finally {
    rmSync(name, { force: true })
  }
}

function reader(reads: number, fd: number): ReadPipe {
  let take: (chunk: Uint8Array) => void = () => {}
  const socket = new Socket({
    fd: reads,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ),
      callback: (length, bytes) => {
        take(bytes.subarray(0, length))
        return true
      },
    },
  })
  let open = true
  return {
    fd,
    given() {
      if (open) closeSync(fd)
      open = false
    },
    read(given) {
      take = given
      return new Promise((resolve) => {
        socket.on('error', () => {})
        socket.on('close', () => resolve())
        socket.resume()
      })
    },
    stop: () => void socket.destroy(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  }
}
