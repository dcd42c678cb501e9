/** The store of captures. Entry points open it; nothing on the way of a verdict does. */
import { accessSync, constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirs } from '../../session/store.ts'
import type { Address, Handle } from '../address.ts'
import { codeOf } from '../capture/sink.ts'
import { collect, isDue } from './collect.ts'
import { changedAt, notPrivate, privateDir, readText, writeWhole } from './files.ts'
import { touch } from './keep.ts'
import { allIds, containmentState, fallbackState, lastOf, manifestOf, pinOf, placeOf } from './layout.ts'
import { readManifest, readOccurrences } from './manifest.ts'
import { purge } from './purge.ts'
import { putBlob } from './put.ts'
import { QUICK, recoverSpools } from './recover.ts'
import { findOne, resolveHandle, unresolved } from './resolve.ts'
import { type Making, spoolIn, spoolNowhere } from './spool.ts'
import type {
  Collected,
  Lines,
  Manifest,
  Occurrence,
  PutFacts,
  Resolved,
  Sealed,
  Spool,
  SpoolMeta,
  Store,
  StoreOptions,
  Unresolved,
} from './types.ts'

const MAX_BYTES = 20 * 1024 ** 3
const DAYS = 30
/** The part of the quota that one capture may take: the rest is for what was there before. */
const ONE_CAPTURE = 0.75
/** The fallback often lies in memory. */
const FALLBACK_BYTES = 1024 ** 3

/** Opens the store. Nothing is made before something is kept; what cannot be written is found out then. */
export const openStore = (options: StoreOptions): Store => new DiskStore(options)

/** Stores that have kept something. */
const waiting = new Set<Store>()

function collectWaiting(): void {
  for (const store of waiting) store.collect()
  waiting.clear()
}

interface Target {
  readonly place: Store['place']
  readonly root?: string
  readonly notice?: string
}

class DiskStore implements Store {
  readonly #options: StoreOptions
  readonly #maxBytes: number
  readonly #main: string
  readonly #fallback: string
  #target: Target | undefined

  constructor(options: StoreOptions) {
    this.#options = options
    this.#maxBytes = options.maxBytes ?? MAX_BYTES
    this.#main = join(containmentState(options.env, options.home), 'store')
    this.#fallback = join(fallbackState(options.env), 'store')
  }

  get place(): Store['place'] {
    return this.#settled().place
  }

  get path(): string | undefined {
    return this.#settled().root
  }

  get notice(): string | undefined {
    return this.#settled().notice
  }

  /** Finds out once where captures go. */
  #settled(): Target {
    const { env, off = env['SALLYPORT_NO_STORE'] === '1' } = this.#options
    this.#target ??= off ? { place: 'none' } : this.#settle(unwritable(this.#main))
    return this.#target
  }

  #settle(why: string | undefined): Target {
    if (why === undefined) return { place: 'state', root: this.#main }
    const base = privateDir(dirname(this.#fallback)) ?? unwritable(this.#fallback)
    if (base === undefined)
      return { place: 'fallback', root: this.#fallback, notice: `captures go to ${this.#fallback}, since ${why}` }
    return { place: 'none', notice: `nothing is kept of this output, since ${why} and ${base}` }
  }

  /** Directories to look in, the one that is written to first. */
  #roots(): readonly string[] {
    return [this.#main, this.#fallback].filter((root) => {
      try {
        return notPrivate(root) === undefined && (root === this.#main || notPrivate(dirname(root)) === undefined)
      } catch {
        return false
      }
    })
  }

  #making(target: Target, left?: string): Making {
    const total = target.place === 'fallback' ? Math.min(FALLBACK_BYTES, this.#maxBytes) : this.#maxBytes
    return {
      limit: this.#options.limit ?? Math.floor(total * ONE_CAPTURE),
      sealing: this.#options.seal,
      notice: [target.notice, left].filter((words) => words !== undefined).join('; ') || undefined,
      kept: () => this.#collectAtEnd(),
    }
  }

  create(meta: SpoolMeta): Spool {
    const left = this.#settled().root === undefined ? undefined : leftWords(this.recover())
    for (;;) {
      const target = this.#settled()
      const making = this.#making(target, left)
      if (target.root === undefined) return spoolNowhere(making)
      try {
        return spoolIn(target.root, meta, making)
      } catch (error) {
        const why = `${target.root} cannot be written (${codeOf(error)})`
        this.#target =
          target.place === 'state'
            ? this.#settle(why)
            : { place: 'none', notice: `nothing is kept of this output, since ${why}` }
      }
    }
  }

  /** Collects when all else is done: whoever waits for an output does not wait for this. A hook that exits never does. */
  #collectAtEnd(): void {
    if (waiting.size === 0) process.once('beforeExit', collectWaiting)
    waiting.add(this)
  }

  putBytes(bytes: Uint8Array, facts: PutFacts): Sealed {
    const { argv, cwd = '', exit, signal } = facts
    if (argv === undefined) {
      const target = this.#settled()
      return putBlob(target.root, bytes, this.#making(target))
    }
    const spool = this.create({ argv, cwd })
    spool.append('stdout', bytes)
    return spool.seal({ ...(exit === undefined ? {} : { exit }), ...(signal === undefined ? {} : { signal }) })
  }

  resolve(handle: Handle): Resolved {
    return resolveHandle(this.#roots(), handle)
  }

  bytesOf(handle: Handle): Lines | Unresolved {
    const found = this.resolve(handle)
    if (found.is === 'unresolved') return found
    if (found.is === 'blob') return found.bytes
    return found.capture.stream(handle.is === 'repo' ? 'merged' : (handle.stream ?? 'merged'))
  }

  answers({ handle, selector }: Address): boolean {
    const bytes = this.bytesOf(handle)
    if ('is' in bytes) return false
    if (selector?.by === 'lines') return selector.to <= bytes.lines
    return selector?.by !== 'bytes' || selector.to < bytes.size
  }

  earlier(argv: readonly string[], cwd: string): Manifest | undefined {
    const mask = this.#options.seal?.mask
    const words = mask ? argv.map((word) => mask(word).text) : argv
    for (const root of this.#roots()) {
      const id = readText(lastOf(root, words, cwd))
      const manifest = id === undefined ? undefined : readManifest(root, id)
      if (manifest !== undefined) return manifest
    }
    return undefined
  }

  occurrences(id: string): readonly Occurrence[] {
    return this.#roots().flatMap((root) => readOccurrences(root, id))
  }

  recent(most: number): readonly Manifest[] {
    return this.#roots()
      .flatMap((root) => allIds(root, 'run').map((id) => ({ root, id, at: changedAt(manifestOf(root, id)) })))
      .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1))
      .slice(0, most)
      .flatMap(({ root, id }) => readManifest(root, id) ?? [])
  }

  recover(options: { readonly most?: number } = {}): readonly Sealed[] {
    return this.#roots().flatMap((root) => {
      try {
        return recoverSpools(root, options.most ?? QUICK)
      } catch {
        return []
      }
    })
  }

  collect(options: { readonly days?: number } = {}): Collected {
    const days = options.days ?? this.#options.days ?? DAYS
    return total(
      this.#roots().flatMap((root) => {
        try {
          if (options.days === undefined && !isDue(root, this.#maxBytes)) return []
          return collect(root, { days, maxBytes: this.#maxBytes }) ?? []
        } catch (error) {
          if (options.days !== undefined) throw error
          return []
        }
      }),
    )
  }

  pin(handle: Handle): { readonly id: string } | Unresolved {
    const found = this.resolve(handle)
    if (found.is === 'unresolved') return found
    const is = found.is === 'blob' ? 'blob' : 'run'
    const id = found.is === 'blob' ? found.id : found.manifest?.id
    if (id === undefined) return unresolved('unavailable', 'a job is pinned when it has ended')
    const where = findOne(this.#roots(), is, id)
    if ('is' in where) return where
    const pin = pinOf(where.root, is, id)
    makeDirs(dirname(pin))
    writeWhole(pin, '', true)
    // A collection that has already begun sees by this that the thing is wanted.
    touch(is === 'run' ? manifestOf(where.root, id) : placeOf(where.root, 'blob', id))
    return { id }
  }

  purge(what: Handle | 'all'): Collected | Unresolved {
    const roots = this.#roots()
    if (what === 'all') return total(roots.map((root) => purge(root, 'all')))
    if (what.is === 'repo') return unresolved('unknown', 'repo: names files of the workspace, not of the store')
    const found = what.is === 'job' ? this.resolve(what) : undefined
    if (found?.is === 'unresolved') return found
    const run = found !== undefined && found.is !== 'blob' ? found.manifest?.id : undefined
    if (found !== undefined && run === undefined)
      return unresolved('unavailable', 'a job that runs cannot be purged; end it first')
    const is = what.is === 'blob' ? 'blob' : 'run'
    const where = findOne(roots, is, run ?? what.id)
    return 'is' in where ? where : purge(where.root, { is, id: where.id })
  }
}

/** What is said of captures that were cut off and are kept now. */
function leftWords(sealed: readonly Sealed[]): string | undefined {
  const handles = sealed.flatMap(({ handle }) => handle ?? [])
  return handles.length === 0 ? undefined : `a capture that was cut off earlier is kept as ${handles.join(', ')}`
}

const total = (all: readonly Collected[]): Collected =>
  all.reduce((a, b) => ({ runs: a.runs + b.runs, blobs: a.blobs + b.blobs, bytes: a.bytes + b.bytes }), {
    runs: 0,
    blobs: 0,
    bytes: 0,
  })

/** Why nothing can be written to a directory, or undefined. It is made where it is absent. */
function unwritable(dir: string): string | undefined {
  const why = privateDir(dir)
  if (why !== undefined) return why
  try {
    accessSync(dir, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return `${dir} cannot be written (${codeOf(error)})`
  }
}
