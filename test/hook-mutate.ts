/** Seeded damage to payloads: cut off, of wrong types, deep, not UTF-8, long. */
import { bytesOf } from './hook-support.ts'

export interface Seed {
  readonly event: string
  readonly bytes: Uint8Array
}

export interface Mutation extends Seed {
  readonly n: number
}

/** `count` mutations of `seeds`, the same for the same `seed`. */
export function* mutationsOf(seeds: readonly Seed[], count: number, seed: number): Generator<Mutation> {
  const random = randomOf(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  for (let n = 0; n < count; n++) {
    const from = seeds[below(seeds.length)]!
    const bytes = KINDS[below(KINDS.length)]!(from.bytes, below)
    const event = below(20) === 0 ? EVENTS[below(EVENTS.length)]! : from.event
    yield { n, event, bytes }
  }
}

type Below = (limit: number) => number

const EVENTS = ['', 'PreToolUse', 'PostToolUse', 'pre_tool_use', 'Stop', 'x'.repeat(5_000), 'constructor', '../..']

const WRONG: readonly unknown[] = [
  null,
  true,
  0,
  -1e308,
  '',
  ' ',
  '\0',
  '/etc/passwd',
  '~',
  '\ud800',
  [],
  [[]],
  ['a', 1, null],
  {},
  { a: 1 },
  { name: {} },
  { __proto__: null, constructor: 'x' },
]

const KINDS: readonly ((bytes: Uint8Array, below: Below) => Uint8Array)[] = [
  (bytes, below) => bytes.slice(0, below(bytes.length + 1)),
  (bytes, below) => bytes.slice(below(bytes.length + 1)),
  (bytes, below) => changed(bytes, below, () => WRONG[below(WRONG.length)]),
  (bytes, below) => changed(bytes, below, () => WRONG[below(WRONG.length)]),
  (bytes, below) => changed(bytes, below, (value) => (below(2) === 0 ? [value] : { value })),
  (bytes, below) => changed(bytes, below, (value) => JSON.stringify(value)),
  (bytes, below) => changed(bytes, below, () => 'long '.repeat(below(20_000))),
  (bytes, below) => changed(bytes, below, () => deep(1 + below(2_000), below(2) === 0)),
  (bytes, below) => renamed(bytes, below),
  (bytes, below) => withBytes(bytes, below, [0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
  (bytes, below) => withBytes(bytes, below, [0]),
  (bytes, below) => withBytes(bytes, below, [0x5b, 0x7b, 0x22, 0x5d, 0x7d][below(5)]!),
  (_, below) => bytesOf('['.repeat(1 + below(50_000)) + (below(2) === 0 ? ']' : '')),
  (_, below) => Uint8Array.from({ length: below(300) }, () => below(256)),
  (bytes) => bytesOf(`\ufeff${new TextDecoder().decode(bytes)}`),
  (bytes) => bytesOf(`${new TextDecoder().decode(bytes)}\n\n`),
]

/** The payload with one value inside it replaced. */
function changed(bytes: Uint8Array, below: Below, make: (value: unknown) => unknown): Uint8Array {
  return edited(bytes, below, (parent, key) => {
    parent[key] = make(parent[key])
  })
}

/** The payload with one key renamed. */
function renamed(bytes: Uint8Array, below: Below): Uint8Array {
  return edited(bytes, below, (parent, key) => {
    const value = parent[key]
    delete parent[key]
    Object.defineProperty(parent, ['__proto__', key.toUpperCase(), `${key} `][below(3)]!, {
      value,
      enumerable: true,
      configurable: true,
    })
  })
}

function edited(
  bytes: Uint8Array,
  below: Below,
  edit: (parent: Record<string, unknown>, key: string) => void,
): Uint8Array {
  let root: unknown
  try {
    root = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return bytes
  }
  let parent = root as Record<string, unknown>
  for (let depth = 0; depth < 6; depth++) {
    if (typeof parent !== 'object' || parent === null) return bytes
    const keys = Object.keys(parent)
    if (keys.length === 0) return bytes
    const key = keys[below(keys.length)]!
    const value = parent[key]
    if (typeof value !== 'object' || value === null || below(3) === 0) {
      edit(parent, key)
      break
    }
    parent = value as Record<string, unknown>
  }
  return bytesOf(JSON.stringify(root))
}

function deep(levels: number, list: boolean): unknown {
  let value: unknown = '/etc/passwd'
  for (let level = 0; level < levels; level++) value = list ? [value] : { value }
  return value
}

function withBytes(bytes: Uint8Array, below: Below, extra: number | readonly number[]): Uint8Array {
  const at = below(bytes.length + 1)
  return Uint8Array.of(...bytes.slice(0, at), ...(typeof extra === 'number' ? [extra] : extra), ...bytes.slice(at))
}

/** Mulberry32: small, fast, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
