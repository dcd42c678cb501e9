/** A world for hooks whose files lie in memory and whose handlers answer what a table says. */
import type { HookPin, HookWorld, OutAnswer, OutRequest, ProgramEnd, ProgramRun } from '../contract.ts'

/** What a command (by its line) or an address gives. */
export interface Scripted {
  readonly stdout?: string
  readonly stderr?: string
  readonly exit?: number | null
  readonly killedBy?: string
  readonly timedOut?: boolean
  readonly cut?: boolean
  readonly started?: false
  readonly why?: string
  readonly throws?: string
  readonly ok?: false
  readonly refused?: boolean
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface FakeWorld extends HookWorld {
  /** Commands and addresses in the order in which they were called. */
  readonly called: string[]
  readonly runs: ProgramRun[]
  readonly requests: OutRequest[]
  readonly tree: Map<string, Uint8Array>
  /** Files that were read. */
  readonly reads: string[]
}

export interface FakeOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Path → what it leads to. */
  readonly links?: Readonly<Record<string, string>>
  readonly roots?: readonly string[]
  readonly results?: Readonly<Record<string, Scripted>>
  readonly networkDisabled?: boolean
  readonly pin?: HookPin
  readonly environment?: string
}

export function fakeWorld(options: FakeOptions = {}): FakeWorld {
  const { links = {}, results = {} } = options
  const tree = new Map(Object.entries(options.files ?? {}).map(([path, text]) => [path, bytesOf(text)]))
  const [called, reads]: [string[], string[]] = [[], []]
  const [runs, requests]: [ProgramRun[], OutRequest[]] = [[], []]
  const result = (key: string): Scripted => {
    called.push(key)
    const found = Object.hasOwn(results, key) ? results[key]! : undefined
    if (found === undefined) throw new Error(`nothing is known of ${key}`)
    if (found.throws !== undefined) throw new Error(found.throws)
    return found
  }
  return {
    ...{ called, runs, requests, tree, reads, networkDisabled: options.networkDisabled ?? false },
    environment: options.environment ?? 'env_1',
    roots: options.roots ?? ['/', '/workspace'],
    ...(options.pin === undefined ? {} : { pin: options.pin }),
    files: {
      real: async (path) => {
        const real = links[path] ?? path
        return tree.has(real) ? real : undefined
      },
      // The bytes themselves are the identity of what does not lie on a disk.
      stamp: async (path) => (tree.has(path) ? stampOf(tree.get(path)!) : undefined),
      read: async (path, limit) => {
        reads.push(path)
        return tree.get(path)?.subarray(0, limit)
      },
    },
    run: async (run) => {
      runs.push(run)
      return endOf(result(run.argv[2]!))
    },
    request: async (request) => {
      requests.push(request)
      return answerOf(result(request.url))
    },
  }
}

const bytesOf = (text: string | Uint8Array): Uint8Array => (typeof text === 'string' ? Buffer.from(text) : text)

const stamps = new WeakMap<Uint8Array, string>()
let stamped = 0
function stampOf(bytes: Uint8Array): string {
  const found = stamps.get(bytes) ?? `stamp ${++stamped}`
  stamps.set(bytes, found)
  return found
}

/** The end of a program that a table tells of. */
export function endOf(one: Scripted): ProgramEnd {
  return {
    started: one.started ?? true,
    ...(one.why === undefined ? {} : { why: one.why }),
    exit: one.exit === undefined ? (one.timedOut || one.killedBy ? null : 0) : one.exit,
    killedBy: one.killedBy ?? null,
    timedOut: one.timedOut ?? false,
    cancelled: false,
    cut: one.cut ?? false,
    stdout: Buffer.from(one.stdout ?? ''),
    stderr: Buffer.from(one.stderr ?? ''),
    ms: 1,
  }
}

function answerOf(one: Scripted): OutAnswer {
  if (one.ok === false)
    return { ok: false, why: one.why ?? '', refused: one.refused ?? false, timedOut: one.timedOut ?? false }
  const { status = 200, headers = {}, body = '', cut = false } = one
  return { ok: true, status, headers, cut, body: Buffer.from(body) }
}
