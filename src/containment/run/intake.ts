/** Reading what the child writes: one buffer a pipe, and no reading while whoever takes the bytes is busy. */
import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'

/** As much as a pipe holds. */
const BUFFER_BYTES = 65_536

/** Takes a chunk. False: busy; `again` is called when the next may come, and the chunk stays as it is until then. */
export type Take = (chunk: Uint8Array, again: () => void) => boolean

export interface Intake {
  /** Nobody can write any more, and everything was taken. */
  readonly ended: boolean
  /** Whoever takes the bytes is busy. */
  readonly busy: boolean
  /** When bytes came last, in milliseconds of `performance.now()`. */
  readonly last: number
  /** Stops reading. Who writes afterwards gets SIGPIPE. */
  close(): void
  /**
   * Takes what lies in the pipe now, then leaves the reading end to a process of its own that outlives us and passes on
   * (to descriptor `to`) or swallows what comes later. For what holds the pipe after the child's end.
   */
  leave(to: number | 'nowhere'): void
}

/** Reads the pipe `fd` to its end. `done`: at the end, or closed. */
export function intakeOf(fd: number, take: Take, done: () => void): Intake {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let last = performance.now()
  let busy = false
  let over = false
  const finish = () => {
    if (over) return
    over = true
    done()
  }
  const again = () => {
    busy = false
    if (!over) socket.resume()
  }
  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (bytes) => {
        last = performance.now()
        busy = true
        if (!take(buffer.subarray(0, bytes), again)) return false
        busy = false
        return true
      },
    },
  } as ConstructorParameters<typeof Socket>[0])
  socket.on('end', finish)
  socket.on('error', finish)
  socket.on('close', finish)
  socket.resume()
  return {
    get ended() {
      return over
    },
    get busy() {
      return busy
    },
    get last() {
      return last
    },
    close() {
      socket.destroy()
      finish()
    },
    leave(to) {
      socket.pause()
      if (!busy && !over) drain(fd, take)
      if (!over) handOver(fd, to)
      socket.destroy()
      finish()
    },
  }
}

/** Takes what is in the pipe, as far as that is taken at once; at most what a large pipe holds. */
function drain(fd: number, take: Take): void {
  for (let left = 16; left > 0; left--) {
    const chunk = Buffer.allocUnsafe(BUFFER_BYTES)
    let bytes: number
    try {
      bytes = readSync(fd, chunk, 0, BUFFER_BYTES, null)
    } catch {
      return
    }
    if (bytes === 0 || !take(chunk.subarray(0, bytes), () => {})) return
  }
}

/** Gives the reading end to a `cat`, so that whoever still writes is neither stopped nor killed by it. */
function handOver(fd: number, to: number | 'nowhere'): void {
  let again: number
  try {
    // Opened anew, since ours does not block and `cat` takes that for an error.
    again = openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY)
  } catch {
    return
  }
  try {
    const cat = spawn('cat', [], {
      stdio: [again, to === 'nowhere' ? 'ignore' : to, 'ignore'],
      detached: true,
      cwd: '/',
    })
    cat.on('error', () => {})
    cat.unref()
  } finally {
    closeSync(again)
  }
}
