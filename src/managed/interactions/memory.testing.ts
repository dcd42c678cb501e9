/** Small parts in memory that the interactions are tested with: no program runs, and nothing is reached. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OutputGate } from '../agent/gates.ts'
import { scriptedModel } from '../agent/models/scripted.ts'
import type {
  Credentials,
  CredentialView,
  Egress,
  EnvironmentFiles,
  EnvironmentRecord,
  Environments,
  FileEntry,
  HookCall,
  Hooks,
  HookVerdict,
  RuntimeEvent,
  ToolOutcome,
} from '../contract.ts'
import { ManagedError } from '../contract.ts'
import type { Runtime } from './runtime.ts'
import { type Serving, serve } from './server.ts'
import type { InteractionView, Numbered } from './wire.ts'

type Tree = Map<string, Uint8Array>

const key = (path: string): string => path.replace(/^\/+|\/+$/g, '')

class MemoryFiles implements EnvironmentFiles {
  readonly tree: Tree

  constructor(tree: Tree) {
    this.tree = tree
  }

  #entry(path: string): FileEntry | undefined {
    const at = key(path)
    const name = at.split('/').at(-1)!
    const about = { name, path: at, created: 0, modified: 0 }
    const body = this.tree.get(at)
    if (body !== undefined) return { ...about, type: 'FILE', size: body.length }
    const isDirectory = [...this.tree.keys()].some((one) => one.startsWith(`${at}/`))
    return isDirectory ? { ...about, type: 'DIRECTORY', size: 0 } : undefined
  }

  async stat(path: string) {
    return this.#entry(path)
  }

  async real(path: string) {
    return this.#entry(path) === undefined ? undefined : `/${key(path)}`
  }

  async stamp(path: string) {
    return this.#entry(path) === undefined ? undefined : 'same'
  }

  async *list(path: string, recursive: boolean) {
    const base = key(path) === '' ? '' : `${key(path)}/`
    const seen = new Set<string>()
    for (const one of this.tree.keys()) {
      if (!one.startsWith(base)) continue
      const parts = one.slice(base.length).split('/')
      for (let n = 1; n <= (recursive ? parts.length : 1); n++) seen.add(base + parts.slice(0, n).join('/'))
    }
    for (const one of seen) yield this.#entry(one)!
  }

  async read(path: string, limit: number) {
    return this.tree.get(key(path))?.subarray(0, limit)
  }

  async stream(path: string) {
    const body = this.tree.get(key(path))
    if (body === undefined) return undefined
    return {
      size: body.length,
      body: (async function* () {
        yield body
      })(),
    }
  }

  async write(path: string, body: Uint8Array | AsyncIterable<Uint8Array>, overwrite: boolean) {
    if (!overwrite && this.tree.has(key(path)))
      throw new ManagedError(409, 'aborted', 'Requested entity already exists')
    const pieces: Uint8Array[] = []
    if (body instanceof Uint8Array) pieces.push(body)
    else for await (const piece of body) pieces.push(piece)
    this.tree.set(key(path), Buffer.concat(pieces))
  }

  async remove(path: string) {
    this.tree.delete(key(path))
  }
}

/** Environments whose "commands" are a few words: `echo TEXT`, `sleep SECONDS`, `fail`, anything else prints itself. */
export class MemoryEnvironments implements Environments {
  readonly all = new Map<string, { record: EnvironmentRecord; files: MemoryFiles }>()
  readonly ran: string[] = []
  #count = 0

  async create(spec: Parameters<Environments['create']>[0]) {
    for (const [index, source] of (spec.sources ?? []).entries()) {
      if (source.target === '/' || source.target.split('/').includes('..'))
        throw new ManagedError(400, 'invalid_request', `Source ${index}: the target '${source.target}' is refused.`)
      if (source.type !== 'inline') throw new ManagedError(400, 'invalid_request', `Source ${index} cannot be had.`)
    }
    const from = spec.from === undefined ? undefined : this.all.get(spec.from)
    if (spec.from !== undefined && from === undefined)
      throw new ManagedError(404, 'not_found', `Environment '${spec.from}' not found.`)
    const tree: Tree = new Map(from?.files.tree)
    for (const source of spec.sources ?? [])
      if (source.type === 'inline') tree.set(key(source.target), Buffer.from(source.content, source.encoding ?? 'utf8'))
    this.#count++
    const id = `env_${this.#count}`
    const record: EnvironmentRecord = {
      ...{ id, status: 'active', created: 1, updated: 1, lastAccessed: 1, fileCount: tree.size, sizeBytes: 0 },
      ...{ network: spec.network ?? from?.record.network, sources: spec.sources ?? [], env: spec.env ?? {} },
      warnings: [],
    }
    this.all.set(id, { record, files: new MemoryFiles(tree) })
    return record
  }

  async get(id: string) {
    return this.all.get(id)?.record
  }

  async list() {
    return [...this.all.values()].map(({ record }) => record)
  }

  async setNetwork(id: string, network: EnvironmentRecord['network']) {
    const found = this.#found(id)
    found.record = { ...found.record, network }
    return found.record
  }

  async remove(id: string) {
    this.all.delete(id)
  }

  async stop() {}

  async files(id: string) {
    return this.#found(id).files
  }

  async run(): Promise<never> {
    throw new Error('no program runs here')
  }

  async tool(
    id: string,
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const { tree } = this.#found(id).files
    const path = key(String(args['path'] ?? ''))
    const missing = { output: `${path} is not there`, isError: true, error: `${path} is not there` }
    this.ran.push(`${name} ${String(args['code'] ?? args['path'])}`)
    switch (name) {
      case 'code_execution':
        return await command(String(args['code']), signal)
      case 'view_file': {
        const body = tree.get(path)
        return body === undefined ? missing : { output: new TextDecoder().decode(body), isError: false }
      }
      case 'write_to_file':
        tree.set(path, Buffer.from(String(args['content'])))
        return { output: 'written', isError: false }
      case 'delete_file':
        return tree.delete(path) ? { output: 'deleted', isError: false } : missing
      default:
        return { output: [...tree.keys()].join('\n'), isError: false }
    }
  }

  async freeze() {}

  async hookRoots() {
    return ['/', '/workspace']
  }

  async close() {}

  #found(id: string) {
    const found = this.all.get(id)
    if (found === undefined) throw new ManagedError(404, 'not_found', `Environment '${id}' not found.`)
    return found
  }
}

async function command(code: string, signal: AbortSignal): Promise<ToolOutcome> {
  const [word, ...rest] = code.split(' ')
  if (word === 'fail') return { output: 'exit status 1', isError: true, error: 'exit status 1' }
  if (word === 'flood') return { output: 'a line of the flood\n'.repeat(Number(rest[0])), isError: false }
  if (word === 'sleep')
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, Number(rest[0]) * 1000)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    })
  return { output: word === 'echo' ? rest.join(' ') : '', isError: false }
}

/** Hooks that deny whatever holds `rm -rf` or `/private/`, and keep what they saw. */
export class MemoryHooks implements Hooks {
  readonly seen: (readonly [string, HookCall, string | undefined])[] = []

  async provision() {
    return { warnings: [] }
  }

  forget() {}

  async before(_: unknown, call: HookCall): Promise<HookVerdict> {
    this.seen.push(['before', call, undefined])
    const denied = /rm -rf|\/private\//.test(JSON.stringify(call.args))
    return { decision: denied ? 'deny' : 'allow', ...(denied ? { reason: 'Blocked by the gate.' } : {}), ...NOTHING }
  }

  async after(_: unknown, call: HookCall, error: string | undefined): Promise<HookVerdict> {
    this.seen.push(['after', call, error])
    return { decision: 'allow', ...NOTHING }
  }
}

const NOTHING = { trace: [], warnings: [] }

export const memoryEgress: Egress = {
  check(network) {
    if (typeof network !== 'object' || network.allowlist === 'disabled') return
    for (const { domain } of network.allowlist)
      if (domain.includes('/')) throw new ManagedError(400, 'invalid_request', `'${domain}' is no domain.`)
  },
  open: async () => {
    throw new Error('there are no doors here')
  },
  request: async () => ({ ok: false, why: 'nothing is reached from here', refused: true, timedOut: false }),
  selfTest: async () => {},
  close: async () => {},
}

export class MemoryCredentials implements Credentials {
  readonly #all = new Map<string, CredentialView>()

  async create(body: unknown) {
    const { id = 'made', type = 'bearer_token' } = body as { id?: string; type?: CredentialView['type'] }
    if (this.#all.has(id))
      throw new ManagedError(409, 'aborted', `Credential '${id}' already exists.; CreateCredential call failed`)
    const view: CredentialView = { id, type, status: 'active', createTime: 1, updateTime: 1 }
    this.#all.set(id, view)
    return view
  }

  async update(id: string) {
    return this.#all.get(id)!
  }

  get(id: string) {
    return this.#all.get(id)
  }

  list() {
    return [...this.#all.values()]
  }

  async remove(id: string) {
    this.#all.delete(id)
  }

  placeholder(id: string) {
    return `__GEMINI_CRED_${id}__`
  }
}

const openGate: OutputGate = {
  shown: (_, __, ___, text) => text,
  lookUp: async () => ({ text: 'nothing is kept here', failed: true }),
  forget: () => {},
}

export interface Memory extends Runtime {
  readonly environments: MemoryEnvironments
  readonly hooks: MemoryHooks
  readonly events: Omit<RuntimeEvent, 'at'>[]
  /** Changes part of what a restarted server stands on. */
  again(): Memory
  /** Removes the state. */
  clear(): void
}

export function memoryRuntime(change: Partial<Runtime> = {}): Memory {
  const state = mkdtempSync(join(tmpdir(), 'interactions-'))
  const events: Omit<RuntimeEvent, 'at'>[] = []
  const memory: Memory = {
    ...{ environments: new MemoryEnvironments(), hooks: new MemoryHooks(), egress: memoryEgress },
    ...{ credentials: new MemoryCredentials(), gate: openGate, state, events },
    model: (name) => (name === undefined || name === 'scripted' ? scriptedModel : undefined),
    clock: { now: Date.now, after: () => () => {} },
    report: (event) => void events.push(event),
    again: () => ({ ...memory }),
    clear: () => rmSync(state, { recursive: true, force: true }),
    ...(change as object),
  }
  return memory
}

export const KEY = 'test-key'

export interface Talk {
  readonly serving: Serving
  readonly base: string
  /** One request; `body` is sent as JSON. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Told>
  close(): Promise<void>
}

type Entries = readonly { readonly [key: string]: string }[]

/** What answers may hold, as far as tests read it. */
interface Body extends InteractionView {
  readonly error: { readonly code: string; readonly message: string }
  readonly files: Entries
  readonly environments: Entries
  readonly agents: Entries
  readonly credentials: Entries
  readonly warnings: readonly string[]
  readonly trace: readonly unknown[]
  readonly next_page_token?: string
  readonly [key: string]: unknown
}

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
  readonly text: string
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {} as Body
  }
}

/** A server on a free port, and the way to talk to it. */
export async function talk(runtime: Runtime): Promise<Talk> {
  const serving = await serve(runtime, 0, { key: KEY })
  const base = `http://127.0.0.1:${serving.port}`
  return {
    ...{ serving, base },
    close: () => serving.close(),
    async ask(method, path, body, headers = {}) {
      const answer = await fetch(base + path, {
        ...{ method, headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json', ...headers } },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: parsed(text), text }
    },
  }
}

/** The events of an answer that is a stream, and its last line. */
export function eventsOf(text: string): { readonly events: readonly Numbered[]; readonly done: boolean } {
  const datas = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  return {
    events: datas.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as Numbered),
    done: datas.at(-1) === '[DONE]',
  }
}

/** Asks again until it holds; fails after ten seconds. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = Date.now() + 10_000; ; ) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error('it does not come')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export const AGENT = 'antigravity-preview-09-2026'

/** A request that plays a script. */
export const script = (...lines: readonly object[]): string => JSON.stringify({ script: lines })
