/** Stores in scratch directories, for tests. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Bytes } from '../bytes.ts'
import { openStore } from './store.ts'
import type { Sealed, Source, Store, StoreOptions } from './types.ts'

/** A directory that is gone after the test. */
export function scratch(t: Pick<TestContext, 'after'>): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-store-')))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export const storeAt = (dir: string, more: Partial<StoreOptions> = {}): Store =>
  openStore({ env: { CTX_STATE_HOME: join(dir, 'state'), XDG_RUNTIME_DIR: join(dir, 'run') }, home: dir, ...more })

export type Chunk = readonly [Source, Uint8Array | string]

const asBytes = (chunk: Uint8Array | string): Uint8Array => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)

/** Captures chunks as the output of `argv`. */
export function capture(store: Store, chunks: readonly Chunk[], argv: readonly string[] = ['tool'], exit = 0): Sealed {
  const spool = store.create({ argv, cwd: '/work' })
  for (const [source, bytes] of chunks) spool.append(source, asBytes(bytes))
  return spool.seal({ exit })
}

export const allOf = (bytes: Bytes): Buffer => Buffer.from(bytes.read(0, bytes.size))

/** The bytes of one stream, or of both in order. */
export const joined = (chunks: readonly Chunk[], source?: Source): Buffer =>
  Buffer.concat(chunks.filter(([from]) => source === undefined || from === source).map(([, bytes]) => asBytes(bytes)))
