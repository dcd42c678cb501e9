/** The environments of a runtime (`Environments`): their records, files, sandboxes and life. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Clock,
  type Credentials,
  type Egress,
  type EnvironmentFiles,
  type EnvironmentRecord,
  type EnvironmentSpec,
  type Environments,
  ManagedError,
  type Network,
  type ProgramEnd,
  type ProgramRun,
  type Report,
  SANDBOX_TOOLS,
  type SandboxTool,
  type ToolOutcome,
} from '../contract.ts'
import { bubblewrapDriver } from './bubblewrap.ts'
import { Cells, type OpenCell, type UseSpec } from './cells.ts'
import { sweepGroups } from './cgroup.ts'
import { codeTool } from './code-tool.ts'
import type { Driver } from './driver.ts'
import { checkEnv, programEnv, valuesOf } from './env.ts'
import { type FileTool, fileTool } from './file-tools.ts'
import { environmentFiles, measure } from './files.ts'
import { copyTree } from './fork.ts'
import { freezePath, frozenMounts } from './frozen.ts'
import { makeRoot, makeSkeleton, type Skeleton, WORKSPACE } from './layout.ts'
import { endLeftovers } from './leftover.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { takeDirectory } from './lock.ts'
import { type Kept, Records } from './records.ts'
import { removeTree } from './remove.ts'
import { runProgram } from './run.ts'
import { applySources, SOURCE_LIMITS, type SourceLimits } from './sources.ts'
import { checkSources, targetOf } from './targets.ts'
import { Tree } from './tree.ts'

export interface SandboxOptions {
  /** Directory of the host that keeps everything; made 0700. */
  readonly state: string
  readonly egress: Egress
  readonly credentials: Pick<Credentials, 'placeholder'>
  readonly clock: Clock
  readonly report: Report
  readonly limits?: Limits
  /** Works without user namespaces where they are missing, and says what is weaker. */
  readonly allowWeaker?: boolean
  /** Milliseconds that one `code_execution` may take. */
  readonly codeTimeout?: number
  /** Another way of isolating than bubblewrap. */
  readonly driver?: Driver
  /** Where the object store of `gs://` answers. */
  readonly objects?: string
  readonly sourceLimits?: SourceLimits
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** The published life of an environment: stopped when idle, gone a week after it was last used. */
const IDLE_AFTER = 15 * MINUTE
const KEPT_FOR = 7 * DAY
const CODE_TIMEOUT = 10 * MINUTE

interface Entry {
  record: Kept
  tree: Tree
  files: EnvironmentFiles
  /** Files may have changed since they were counted. */
  changed: boolean
  cancelExpiry: (() => void) | undefined
}

/**
 * Opens the environments below `options.state`, and ends what a killed runtime left running there. Rejects with a sentence
 * where the machine cannot isolate programs.
 */
export async function openEnvironments(options: SandboxOptions): Promise<Environments> {
  mkdirSync(options.state, { recursive: true, mode: 0o700 })
  const records = new Records(join(options.state, 'environments'))
  takeDirectory(options.state)
  endLeftovers(records.place, options.report)
  await sweepGroups()
  const driver =
    options.driver ?? (await bubblewrapDriver({ directory: options.state, allowWeaker: options.allowWeaker === true }))
  for (const text of driver.weaker) options.report({ kind: 'sandbox.weaker', text })
  const skeleton = makeSkeleton(join(options.state, 'skeleton'), process.execPath)
  const opened = new LocalEnvironments(options, records, driver, skeleton)
  opened.load()
  return opened
}

class LocalEnvironments implements Environments {
  readonly #options: SandboxOptions
  readonly #records: Records
  readonly #skeleton: Skeleton
  readonly #owner: number | undefined
  readonly #cells: Cells
  readonly #entries = new Map<string, Entry>()

  constructor(options: SandboxOptions, records: Records, driver: Driver, skeleton: Skeleton) {
    const { egress, clock, report } = options
    this.#options = options
    this.#records = records
    this.#skeleton = skeleton
    this.#owner = driver.owner
    this.#cells = new Cells({ driver, egress, clock, report, idleAfter: IDLE_AFTER })
  }

  /** Takes over what an earlier runtime kept. Half-made environments are removed. */
  load(): void {
    const { kept, broken } = this.#records.read()
    for (const name of broken) removeTree(this.#records.directory('.'), name)
    for (const record of kept) this.#add(record)
  }

  async create(spec: EnvironmentSpec): Promise<EnvironmentRecord> {
    const base = spec.from === undefined ? undefined : this.#entry(spec.from)
    const sources = spec.sources ?? []
    const env = spec.env ?? {}
    if (base !== undefined && (sources.length > 0 || Object.keys(env).length > 0))
      throw new ManagedError(400, 'invalid_request', 'sources and env must be empty where an environment is forked')
    checkSources(sources)
    checkEnv(env, this.#options.credentials)
    // A fork without rules of its own keeps those of its base: to leave them out must not open it.
    const network = spec.network ?? base?.record.network
    this.#options.egress.check(network)
    const id = `env_${randomBytes(12).toString('hex')}`
    const directory = this.#records.directory(id)
    mkdirSync(directory, { mode: 0o700 })
    try {
      const root = join(directory, 'root')
      if (base === undefined) makeRoot(root, this.#owner)
      else await this.#copy(base, directory)
      const now = this.#options.clock.now()
      const record: Kept = {
        id,
        status: 'active',
        created: now,
        updated: now,
        lastAccessed: now,
        fileCount: 0,
        sizeBytes: 0,
        network,
        // What was put into files is not kept a second time: it may hold secrets.
        sources: base?.record.sources ?? sources.map((one) => (one.type === 'inline' ? { ...one, content: '' } : one)),
        env: base?.record.env ?? env,
        warnings: [],
        keep: spec.keep === true,
        frozen: base?.record.frozen ?? [],
      }
      const entry = this.#entryOf(record)
      await applySources(sources, {
        ...entry,
        network,
        id,
        scratch: join(directory, 'fetched'),
        limits: this.#options.sourceLimits ?? SOURCE_LIMITS,
        egress: this.#options.egress,
        ...(this.#options.objects === undefined ? {} : { objects: this.#options.objects }),
        run: (run, mount) => this.#run(entry, run, { linger: false, root: mount }),
      })
      this.#records.write(record)
      return await this.#counted(this.#add(record))
    } catch (error) {
      await this.#cells.stop(id)
      removeTree(this.#records.directory('.'), id)
      throw error
    }
  }

  async get(id: string): Promise<EnvironmentRecord | undefined> {
    const entry = this.#entries.get(id)
    return entry === undefined ? undefined : this.#counted(entry)
  }

  async list(): Promise<readonly EnvironmentRecord[]> {
    const out: EnvironmentRecord[] = []
    for (const entry of this.#entries.values()) out.push(await this.#counted(entry))
    return out
  }

  async setNetwork(id: string, network: Network): Promise<EnvironmentRecord> {
    const entry = this.#entry(id)
    this.#options.egress.check(network)
    entry.record = { ...entry.record, network, updated: this.#options.clock.now() }
    this.#write(entry)
    await this.#cells.setNetwork(id, network)
    return this.#counted(entry)
  }

  async remove(id: string): Promise<void> {
    const entry = this.#entries.get(id)
    if (entry === undefined) throw notFound(id)
    this.#entries.delete(id)
    entry.cancelExpiry?.()
    await this.#cells.stop(id)
    removeTree(this.#records.directory('.'), id)
  }

  async stop(id: string): Promise<void> {
    this.#entry(id)
    await this.#cells.stop(id)
  }

  async files(id: string): Promise<EnvironmentFiles> {
    return this.#touch(this.#entry(id)).files
  }

  async run(id: string, run: ProgramRun): Promise<ProgramEnd> {
    return this.#run(this.#touch(this.#entry(id)), run, { linger: false })
  }

  async tool(
    id: string,
    name: SandboxTool,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const entry = this.#touch(this.#entry(id))
    if (!SANDBOX_TOOLS.includes(name)) throw new ManagedError(400, 'invalid_request', `no tool is named ${name}`)
    if (name !== 'code_execution') return fileTool(name as FileTool, args, entry.files)
    const timeout = this.#options.codeTimeout ?? CODE_TIMEOUT
    return codeTool(args, timeout, signal, (run) => this.#run(entry, run, { linger: true }))
  }

  async hookRoots(id: string): Promise<readonly string[]> {
    const { sources } = this.#entry(id).record
    const repositories = sources.flatMap((one, index) =>
      one.type === 'repository' ? [targetOf(one.target, index)] : [],
    )
    return [...new Set(['/', WORKSPACE, ...repositories])]
  }

  async freeze(id: string, paths: readonly string[]): Promise<void> {
    const entry = this.#entry(id)
    // What runs could move things while they are copied.
    await this.#cells.stop(id)
    const copies = join(this.#records.directory(id), COPIES)
    const made = paths.map((path) => freezePath(entry.tree, path, copies)).filter((path) => path !== undefined)
    entry.record = { ...entry.record, frozen: [...new Set([...entry.record.frozen, ...made])] }
    entry.tree = this.#treeOf(entry.record)
    this.#write(entry)
  }

  async close(): Promise<void> {
    for (const entry of this.#entries.values()) entry.cancelExpiry?.()
    await this.#cells.close()
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.record.status === 'expired') throw notFound(id)
    return entry
  }

  #entryOf(record: Kept): Entry {
    const tree = this.#treeOf(record)
    const entry: Entry = { record, tree, files: undefined as never, changed: true, cancelExpiry: undefined }
    entry.files = environmentFiles(
      () => entry.tree,
      () => {
        entry.changed = true
      },
    )
    return entry
  }

  #treeOf(record: Kept): Tree {
    const directory = this.#records.directory(record.id)
    const root = join(directory, 'root')
    const mounts = frozenMounts(record.frozen, join(directory, COPIES), root)
    return new Tree(root, [...this.#skeleton.mounts, ...mounts], this.#owner)
  }

  async #copy(base: Entry, to: string): Promise<void> {
    const from = this.#records.directory(base.record.id)
    await copyTree(join(from, 'root'), join(to, 'root'))
    if (base.record.frozen.length > 0) await copyTree(join(from, COPIES), join(to, COPIES))
  }

  #add(record: Kept): Entry {
    const entry = this.#entryOf(record)
    this.#entries.set(record.id, entry)
    this.#schedule(entry)
    return entry
  }

  #write(entry: Entry): void {
    this.#records.write(entry.record)
  }

  /** Every use starts the week anew. */
  #touch(entry: Entry): Entry {
    entry.record = { ...entry.record, lastAccessed: this.#options.clock.now() }
    this.#write(entry)
    this.#schedule(entry)
    return entry
  }

  #schedule(entry: Entry): void {
    entry.cancelExpiry?.()
    if (entry.record.keep) return
    const left = entry.record.lastAccessed + KEPT_FOR - this.#options.clock.now()
    const next = entry.record.status === 'active' ? () => this.#expire(entry) : () => this.remove(entry.record.id)
    entry.cancelExpiry = this.#options.clock.after(Math.max(0, left), () => void next().catch(() => {}))
  }

  /** The files go; that there was such an environment is known for as long again. */
  async #expire(entry: Entry): Promise<void> {
    const { id } = entry.record
    const now = this.#options.clock.now()
    entry.record = { ...entry.record, status: 'expired', updated: now, lastAccessed: now, fileCount: 0, sizeBytes: 0 }
    entry.changed = false
    this.#write(entry)
    await this.#cells.stop(id)
    removeTree(this.#records.directory(id), 'root')
    this.#schedule(entry)
    this.#options.report({ kind: 'environment.expired', environment: id, text: 'expired a week after its last use' })
  }

  async #counted(entry: Entry): Promise<EnvironmentRecord> {
    const { id } = entry.record
    if (entry.changed && entry.record.status === 'active') {
      entry.changed = this.#cells.isOpen(id)
      const { files, bytes } = await measure(entry.tree)
      entry.record = { ...entry.record, fileCount: files, sizeBytes: bytes }
      if (this.#entries.get(id) === entry) this.#write(entry)
    }
    return entry.record
  }

  #run(entry: Entry, run: ProgramRun, how: { readonly linger: boolean; readonly root?: string }): Promise<ProgramEnd> {
    const { clock, report, limits } = this.#options
    const { id, env, frozen } = entry.record
    const directory = this.#records.directory(id)
    const root = join(directory, 'root')
    entry.changed = true
    const spec: UseSpec = {
      id,
      root,
      mounts: [...this.#skeleton.mounts, ...frozenMounts(frozen, join(directory, COPIES), root)],
      scratch: join(directory, 'calls'),
      credentials: Object.values(env).flatMap((value) => (typeof value === 'string' ? [] : [value.credential])),
      limits: limits ?? DEFAULT_LIMITS,
      say: (text: string) => report({ kind: 'sandbox.network', environment: id, text }),
    }
    return this.#cells.use(
      spec,
      () => entry.record.network,
      ({ cell, variables }: OpenCell) =>
        runProgram(
          cell,
          run,
          { ...how, env: programEnv(variables, valuesOf(env, this.#options.credentials), run.env ?? {}) },
          clock,
        ),
    )
  }
}

/** Directory of the frozen copies, beside the root. */
const COPIES = 'frozen'

const notFound = (id: string): ManagedError =>
  new ManagedError(404, 'not_found', `Environment '${id}' does not exist or has expired.`)
