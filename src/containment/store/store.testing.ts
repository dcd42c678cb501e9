/** Stores in scratch directories, for tests. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeSync } from 'node:fs'
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

/** Pseudo-random numbers from a seed, each from 0 up to but without `below`. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) % below
  }
}

/** Chunks of both streams that follow from the seed: the first of them are the same however many are asked for. */
export function* chunksOf(seed: number): Generator<Chunk> {
  const random = randomOf(seed)
  for (let i = 0; ; i++) {
    const source: Source = random(3) === 0 ? 'stderr' : 'stdout'
    yield [source, `${seed}:${i} ${'x'.repeat(random(5000))}\n`]
  }
}

/**
 * The life of a process that is killed: it captures and seals one run after the other and says on stdout what is sealed.
 * Each run has up to 40 chunks of its own seed.
 */
export function captureForever(dir: string, seed: number): void {
  const store = storeAt(dir)
  for (let run = 0; ; run++) {
    const own = seed * 1000 + run
    const length = 1 + randomOf(own)(40)
    const spool = store.create({ argv: ['run', String(own)], cwd: '/work' })
    let count = 0
    for (const [source, bytes] of chunksOf(own)) {
      spool.append(source, asBytes(bytes))
      if (++count === length) break
    }
    const sealed = spool.seal({ exit: 0 })
    writeSync(1, `${own} ${sealed.id}\n`)
  }
}

/** Runs a statement of this module's exports in a process of its own, behind the words of `prefix`. */
export function processOf(statement: string, options: SpawnOptions = {}, prefix: readonly string[] = []): ChildProcess {
  const code = `import * as m from ${JSON.stringify(import.meta.url)}; ${statement}`
  const [program = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', code]
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
}

/** What a process printed, and how it ended. */
export async function ended(
  child: ChildProcess,
): Promise<{ readonly out: string; readonly err: string; readonly code: number | null }> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (part) => {
    out += part
  })
  child.stderr?.on('data', (part) => {
    err += part
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { out, err, code }
}
