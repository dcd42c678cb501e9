/** Where captured bytes go: a file, or memory where no file can be had. */
import { closeSync, fstatSync, readSync, writeSync } from 'node:fs'
import type { Bytes } from '../bytes.ts'

export interface Sink extends Bytes {
  /**
   * Adds bytes at the end. `written` is less than there were where something stopped it, and `code` says what: `ENOSPC`
   * and the like.
   */
  append(bytes: Uint8Array): { readonly written: number; readonly code?: string }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error)

/** Closes what nobody reads any more; readers are handed around too freely to be closed by hand. */
const unused = new FinalizationRegistry<number>((fd) => {
  try {
    closeSync(fd)
  } catch {
    // Closed already.
  }
})

/** An open file as bytes. It is closed when nobody refers to it any more, or the process ends. */
export class FileBytes implements Bytes {
  size: number
  readonly fd: number

  constructor(fd: number) {
    this.fd = fd
    this.size = fstatSync(fd).size
    unused.register(this, fd)
  }

  read(from: number, to: number): Uint8Array {
    const start = Math.max(0, from)
    const length = Math.min(to, this.size) - start
    if (length <= 0) return new Uint8Array(0)
    const out = Buffer.allocUnsafe(length)
    return out.subarray(0, this.into(out, start))
  }

  readonly into = (target: Uint8Array, from: number): number => {
    const length = Math.min(target.length, this.size - from)
    let got = 0
    while (got < length) {
      const n = readSync(this.fd, target, got, length - got, from + got)
      if (n === 0) break
      got += n
    }
    return got
  }
}

export class FileSink extends FileBytes implements Sink {
  append(bytes: Uint8Array): { readonly written: number; readonly code?: string } {
    let written = 0
    try {
      while (written < bytes.length)
        written += writeSync(this.fd, bytes, written, bytes.length - written, this.size + written)
      this.size += written
      return { written }
    } catch (error) {
      this.size += written
      return { written, code: codeOf(error) }
    }
  }
}

/** Bytes of one piece of memory. */
const PIECE = 1024 * 1024

/** Keeps bytes in memory, up to `most`. */
export class MemorySink implements Sink {
  size = 0
  readonly #most: number
  readonly #pieces: Uint8Array[] = []

  constructor(most: number) {
    this.#most = most
  }

  append(bytes: Uint8Array): { readonly written: number; readonly code?: string } {
    const fits = Math.min(bytes.length, this.#most - this.size)
    let done = 0
    while (done < fits) {
      const place = this.size % PIECE
      if (place === 0) this.#pieces.push(new Uint8Array(PIECE))
      const part = bytes.subarray(done, done + Math.min(fits - done, PIECE - place))
      this.#pieces.at(-1)!.set(part, place)
      this.size += part.length
      done += part.length
    }
    return fits < bytes.length ? { written: fits, code: 'ENOMEM' } : { written: fits }
  }

  read(from: number, to: number): Uint8Array {
    const start = Math.max(0, from)
    const length = Math.min(to, this.size) - start
    if (length <= 0) return new Uint8Array(0)
    const out = new Uint8Array(length)
    for (let done = 0; done < length; ) {
      const at = start + done
      const place = at % PIECE
      const part = this.#pieces[Math.floor(at / PIECE)]!.subarray(place, place + Math.min(length - done, PIECE - place))
      out.set(part, done)
      done += part.length
    }
    return out
  }
}
