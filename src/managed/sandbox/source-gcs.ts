/** Sources of type `gcs`: the files of a bucket, by the JSON interface of the object store, through the egress policy. */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { z } from 'zod'
import type { OutAnswer } from '../contract.ts'
import { MIB } from './limits.ts'
import type { SourceWorld } from './sources.ts'
import { bucketOf, sourceError } from './targets.ts'

const STORE = 'https://storage.googleapis.com'
const PAGE = 1000
const MOST_OBJECTS = 100_000
/** Bytes of one request: an object is never held in memory as a whole. */
const PIECE = 8 * MIB
const AT_ONCE = 6
const ANSWERS_WITHIN = 120_000
const MOST_LISTING = 16 * MIB

const listing = z.object({
  items: z
    .array(
      z.object({
        name: z.string(),
        size: z.string().regex(/^\d+$/),
        generation: z.string().optional(),
        md5Hash: z.string().optional(),
      }),
    )
    .optional(),
  nextPageToken: z.string().optional(),
})
type StoredObject = NonNullable<z.infer<typeof listing>['items']>[number]

interface Item {
  readonly object: StoredObject
  /** Below the target; empty where the target is the file itself. */
  readonly path: string
}

/** Copies the object or everything below the prefix to `target`. Throws ManagedError 400 naming the reason. */
export async function fetchObjects(address: string, target: string, index: number, world: SourceWorld): Promise<void> {
  const { bucket, path } = bucketOf(address, index)
  const store = new Store(bucket, index, world)
  const items = itemsOf(await store.list(path), path, index)
  const size = items.reduce((sum, { object }) => sum + Number(object.size), 0)
  if (size > world.limits.objects)
    throw sourceError(index, `${address} holds ${size} bytes; a source may have ${world.limits.objects}`)
  if (items.length === 0) throw sourceError(index, `${address} holds nothing`)
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift())
      await world.files.write(posix.join(target, item.path), store.read(item.object), true)
  }
  const stopping = () =>
    worker().catch((error: unknown) => {
      waiting.length = 0
      throw error
    })
  // All have stopped when the first failure is told: nothing is written after it.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, stopping))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** An object of exactly this name is a file; else the name is a directory. */
function itemsOf(objects: readonly StoredObject[], path: string, index: number): Item[] {
  const exact = objects.find((object) => object.name === path)
  if (exact !== undefined && !path.endsWith('/')) return [{ object: exact, path: '' }]
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`
  return objects
    .filter(({ name }) => name.startsWith(prefix) && !name.endsWith('/'))
    .map((object) => {
      const below = object.name.slice(prefix.length)
      if (below.includes('\0') || below.split('/').some((part) => part === '' || part === '.' || part === '..'))
        throw sourceError(index, `the object ${JSON.stringify(object.name)} can be no file`)
      return { object, path: below }
    })
}

class Store {
  readonly #base: string
  readonly #index: number
  readonly #world: SourceWorld
  readonly #bucket: string

  constructor(bucket: string, index: number, world: SourceWorld) {
    this.#bucket = bucket
    this.#index = index
    this.#world = world
    this.#base = `${world.objects ?? STORE}/storage/v1/b/${encodeURIComponent(bucket)}/o`
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const out: StoredObject[] = []
    let token: string | undefined
    do {
      const query = new URLSearchParams({
        prefix,
        maxResults: String(PAGE),
        ...(token === undefined ? {} : { pageToken: token }),
      })
      const answer = await this.#get(`${this.#base}?${query}`, MOST_LISTING, {})
      const page = listing.safeParse(parsed(answer.body))
      if (answer.status !== 200 || !page.success) throw this.#refusal(answer.status)
      out.push(...(page.data.items ?? []))
      if (out.length > MOST_OBJECTS)
        throw sourceError(this.#index, `gs://${this.#bucket} holds more than ${MOST_OBJECTS} objects there`)
      token = page.data.nextPageToken
    } while (token !== undefined && token !== '')
    return out
  }

  /** The bytes of one generation of an object, piece by piece, checked against its hash. */
  async *read(object: StoredObject): AsyncGenerator<Uint8Array> {
    const size = Number(object.size)
    const hash = createHash('md5')
    const query = new URLSearchParams({
      alt: 'media',
      ...(object.generation === undefined ? {} : { generation: object.generation }),
    })
    const url = `${this.#base}/${encodeURIComponent(object.name)}?${query}`
    for (let at = 0; at < size; ) {
      const end = Math.min(at + PIECE, size)
      const whole = at === 0 && end === size
      const answer = await this.#get(url, PIECE, whole ? {} : { range: `bytes=${at}-${end - 1}` })
      if (answer.status !== (whole ? 200 : 206)) throw this.#refusal(answer.status)
      if (answer.cut || answer.body.length !== end - at)
        throw sourceError(this.#index, `the object ${JSON.stringify(object.name)} did not arrive whole`)
      hash.update(answer.body)
      yield answer.body
      at = end
    }
    if (object.md5Hash !== undefined && hash.digest('base64') !== object.md5Hash)
      throw sourceError(this.#index, `the object ${JSON.stringify(object.name)} arrived with another content`)
  }

  async #get(
    url: string,
    limit: number,
    headers: Readonly<Record<string, string>>,
  ): Promise<Extract<OutAnswer, { ok: true }>> {
    const { egress, network, id } = this.#world
    const answer = await egress.request(network, id, { method: 'GET', url, headers, timeout: ANSWERS_WITHIN, limit })
    if (answer.ok) return answer
    throw sourceError(this.#index, `gs://${this.#bucket} cannot be reached: ${answer.why}`)
  }

  #refusal(status: number): Error {
    const why =
      status === 404
        ? 'does not exist'
        : status === 401 || status === 403
          ? `may not be read (${status}); an allowlist entry for storage.googleapis.com with a bearer credential is the way to a private one`
          : `cannot be read: the store answered ${status}`
    return sourceError(this.#index, `gs://${this.#bucket} ${why}`)
  }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}
