/** Uploads on their way: each is a file below the state directory until it is whole. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ManagedError } from '../contract.ts'
import { bad } from './shape.ts'

export interface Upload {
  readonly id: string
  readonly environment: string
  readonly path: string
  readonly overwrite: boolean
  readonly extract: boolean
  /** Host path of what has come so far. */
  readonly file: string
  size: number
}

const MOST_BYTES = 2 * 1024 * 1024 * 1024
/** Milliseconds that an upload may rest. */
const LIFE_MS = 60 * 60_000
const MOST_UPLOADS = 64

export class Uploads {
  readonly #directory: string
  readonly #open = new Map<string, { readonly upload: Upload; timer: NodeJS.Timeout }>()

  /** What an earlier server left unfinished is removed. */
  constructor(state: string) {
    this.#directory = join(state, 'uploads')
    rmSync(this.#directory, { recursive: true, force: true })
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
  }

  begin(what: Pick<Upload, 'environment' | 'path' | 'overwrite' | 'extract'>): Upload {
    if (this.#open.size >= MOST_UPLOADS) throw bad(`There are ${MOST_UPLOADS} unfinished uploads already.`)
    const id = randomBytes(16).toString('hex')
    const upload = { ...what, id, file: join(this.#directory, id), size: 0 }
    this.#open.set(id, { upload, timer: this.#timer(id) })
    return upload
  }

  #timer(id: string): NodeJS.Timeout {
    return setTimeout(() => void this.end(id), LIFE_MS).unref()
  }

  get(id: string): Upload {
    const found = this.#open.get(id)
    if (found === undefined) throw new ManagedError(404, 'not_found', 'There is no such upload, or it has ended.')
    clearTimeout(found.timer)
    found.timer = this.#timer(id)
    return found.upload
  }

  /** Adds bytes at `offset`, which is where the last ones ended. */
  async add(upload: Upload, offset: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    if (offset !== upload.size) throw bad(`The upload holds ${upload.size} bytes, and these begin at ${offset}.`)
    const handle = await open(upload.file, 'a', 0o600)
    try {
      for await (const piece of body) {
        if (upload.size + piece.length > MOST_BYTES)
          throw new ManagedError(413, 'invalid_request', `A file is longer than ${MOST_BYTES} bytes.`)
        await handle.write(piece)
        upload.size += piece.length
      }
    } finally {
      await handle.close()
    }
  }

  async end(id: string): Promise<void> {
    const found = this.#open.get(id)
    if (found === undefined) return
    this.#open.delete(id)
    clearTimeout(found.timer)
    await rm(found.upload.file, { force: true })
  }
}
