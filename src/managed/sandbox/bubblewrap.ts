/** Isolation by bubblewrap: every run has mounts and processes of its own, and shares the network of its environment. */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import { BENCH, Bench } from './bench.ts'
import type { Groups } from './cgroup.ts'
import { openGroups } from './cgroup.ts'
import type { Cell, CellSpec, Driver, Exit, Mount, Program, Running } from './driver.ts'
import { becomeWords, type Identity, identityOf, identityOptions, ownerOf } from './identity.ts'
import { FD, launch, missingProgram } from './launch.ts'
import { CALLS_INSIDE, UID } from './layout.ts'
import { limitWords, MIB } from './limits.ts'
import { type Network, openNetwork } from './network.ts'
import { seccompProgram } from './seccomp.ts'

export interface BubblewrapOptions {
  /** Keeps the filter of system calls; must outlive the driver. */
  readonly directory: string
  /** Works without user namespaces where they are missing, which only root can, and says that it is weaker. */
  readonly allowWeaker: boolean
}

const ROOT_WITHOUT =
  'programs run without a user namespace of their own: a hole in a system call that only root may use is not covered'
const MEMORY_EACH =
  'memory is limited for each process, not for all of an environment together: no control group can be used'

/** Checks what the machine offers. Rejects with a sentence that names the way out where it is too little. */
export async function bubblewrapDriver(options: BubblewrapOptions): Promise<Driver> {
  const missing = missingProgram()
  if (missing !== undefined) throw new Error(`no sandbox can be made: ${missing}`)
  const filter = join(options.directory, 'seccomp.bpf')
  writeFileSync(filter, seccompProgram(process.arch), { mode: 0o600 })
  const refused = await probe(true)
  const userNamespace = refused === undefined
  if (!userNamespace) {
    if (!options.allowWeaker)
      throw new Error(`no sandbox can be made: ${refused}; user namespaces must be allowed, or the weaker mode chosen`)
    const alsoRefused = await probe(false)
    if (alsoRefused !== undefined)
      throw new Error(`no sandbox can be made, not even a weaker one without user namespaces: ${alsoRefused}`)
  }
  const identity = identityOf(userNamespace)
  const groups = openGroups('probe', { memoryBytes: 64 * MIB, processes: 16 })
  await groups.close()
  return {
    name: 'bubblewrap',
    weaker: [...(userNamespace ? [] : [ROOT_WITHOUT]), ...(groups.limitsMemory ? [] : [MEMORY_EACH])],
    owner: ownerOf(identity),
    async open(spec) {
      const own = openGroups(spec.id, spec.limits)
      try {
        const network = await openNetwork({ door: spec.door, identity, say: spec.say })
        return new BubblewrapCell(spec, network, own, filter, identity)
      } catch (error) {
        await own.close()
        throw error
      }
    },
  }
}

/** Why a sandbox cannot be made, or undefined. */
function probe(userNamespace: boolean): Promise<string | undefined> {
  if (!userNamespace && process.getuid?.() !== 0) return Promise.resolve('without user namespaces it takes root')
  return new Promise((resolve) => {
    const child = launch({
      argv: [
        'bwrap',
        ...(userNamespace ? ['--unshare-user', '--uid', String(UID), '--gid', String(UID)] : []),
        ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--die-with-parent', '--cap-drop', 'ALL'],
        ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--', '/bin/true'],
      ],
      stdio: ['ignore', 'ignore', 'pipe'],
      pipes: '',
      groups: [],
    })
    let said = ''
    child.stderr!.on('data', (chunk: Buffer) => {
      if (said.length < 4096) said += chunk.toString()
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) => {
      if (code === 0) return resolve(undefined)
      resolve(said.trim() || `status ${code}`)
    })
  })
}

const systemWords = (mounts: readonly Mount[]): string[] =>
  mounts.flatMap((mount) => [mount.writable === true ? '--bind' : '--ro-bind', mount.host, mount.inside])

/** Parts of `/proc` that tell about the machine, as far as they exist: files, and directories. */
const MASKED = ['kcore', 'keys', 'key-users', 'latency_stats', 'sched_debug', 'timer_list', 'interrupts', 'mtrr']
const MASKED_DIRECTORIES = ['acpi', 'scsi', 'pressure']

function procWords(): string[] {
  const there = (name: string) => existsSync(`/proc/${name}`)
  return [
    ...['--proc', '/proc'],
    ...MASKED.filter(there).flatMap((name) => ['--ro-bind', '/dev/null', `/proc/${name}`]),
    ...MASKED_DIRECTORIES.filter(there).flatMap((name) => ['--tmpfs', `/proc/${name}`]),
    // Written by nobody, whoever the runtime is.
    ...['--ro-bind', '/proc/sys', '/proc/sys'],
  ]
}

/** Variables that make the C library load or read what they name. */
const LOADS = /^(?:LD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|GETCONF_DIR|LOCPATH|NLSPATH|LANGUAGE|TEXTDOMAIN.*|TZDIR)$/

interface Words {
  /** What is entered on the host, up to bwrap itself. */
  readonly before: readonly string[]
  /** Options of bwrap; never on its command line, which every user of the host can read. */
  readonly options: readonly string[]
  /** Inside, before the program. */
  readonly become: readonly string[]
  readonly owner: number | undefined
}

class BubblewrapCell implements Cell {
  readonly #spec: CellSpec
  readonly #network: Network
  readonly #groups: Groups
  readonly #filter: string
  readonly #identity: Identity
  readonly #running = new Set<Running>()
  readonly #benches = new Set<Bench>()
  #count = 0
  #closed = false

  constructor(spec: CellSpec, network: Network, groups: Groups, filter: string, identity: Identity) {
    this.#spec = spec
    this.#network = network
    this.#groups = groups
    this.#filter = filter
    this.#identity = identity
  }

  async start(program: Program): Promise<Running> {
    if (!program.linger) return this.#launch(program, [])
    const mark = `\x1e${randomUUID()}\x1e`
    // One that takes no call any more, because a program filled it up, gives way to a new one.
    for (let tries = 0; tries < 2; tries++) {
      const running = await this.#bench().call(program, mark)
      if (running !== undefined) return running
    }
    throw new Error('the sandbox takes no call')
  }

  #bench(): Bench {
    for (const bench of this.#benches) if (bench.free) return bench
    const directory = join(this.#spec.scratch, String(++this.#count))
    mkdirSync(directory, { recursive: true, mode: 0o755 })
    const argv = ['/bin/bash', '--noprofile', '--norc', '-c', BENCH]
    const program = { argv, cwd: '/', env: { PATH: '/usr/bin:/bin' }, input: '', linger: true }
    const bench = new Bench(this.#launch(program, [{ host: directory, inside: CALLS_INSIDE }]), directory)
    this.#benches.add(bench)
    void bench.gone.then(() => this.#benches.delete(bench))
    return bench
  }

  #launch(program: Program, mounts: readonly Mount[]): Running {
    if (this.#closed) throw new Error('the sandbox is closed')
    const running = startProgram(this.#words(program, mounts), {
      groups: this.#groups.directories,
      filter: this.#filter,
      network: this.#network,
      program,
    })
    this.#running.add(running)
    void running.gone.then(() => this.#running.delete(running))
    return running
  }

  async close(): Promise<void> {
    this.#closed = true
    const running = [...this.#running]
    for (const one of running) one.kill()
    await Promise.all(running.map((one) => one.gone))
    await this.#network.close()
    await this.#groups.close()
  }

  #words(program: Program, mounts: readonly Mount[]): Words {
    const become = becomeWords(this.#identity)
    // What becomes the user does so with another's rights: nothing may be loaded into it that the user has written.
    const isLater = ([name]: readonly [string, string]) => become.length > 0 && LOADS.test(name)
    const variables = Object.entries(program.env)
    const plain = variables.filter((variable) => !isLater(variable))
    const later = variables.filter(isLater).map(([name, value]) => `${name}=${value}`)
    const options = [
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
      ...['--new-session', '--clearenv', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
      ...identityOptions(this.#identity),
      ...['--bind', program.root ?? this.#spec.root, '/'],
      ...systemWords([...this.#spec.mounts, ...mounts]),
      ...procWords(),
      ...['--dev', '/dev', '--perms', '1777', '--size', String(this.#spec.limits.sharedBytes), '--tmpfs', '/dev/shm'],
      ...['--chdir', program.cwd, '--seccomp', String(FD.seccomp), '--info-fd', String(FD.info)],
      ...plain.flatMap(([name, value]) => ['--setenv', name, value]),
    ]
    const before = [...limitWords(this.#spec.limits), ...this.#network.enter, 'bwrap']
    return {
      before,
      options,
      become: [...become, ...(later.length > 0 ? ['/usr/bin/env', ...later] : [])],
      owner: ownerOf(this.#identity),
    }
  }
}

interface Start {
  readonly groups: readonly string[]
  readonly filter: string
  readonly network: Network
  readonly program: Program
}

function startProgram(words: Words, { groups, filter, network, program }: Start): Running {
  const seccomp = openSync(filter, 'r')
  const child = launch({
    argv: [...words.before, '--args', String(FD.args), '--', ...words.become, ...program.argv],
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', seccomp, 'pipe', ...(program.linger ? (['pipe'] as const) : [])],
    pipes: '012',
    owner: words.owner,
    groups,
  })
  closeSync(seccomp)
  const [stdin, stdout, stderr, args, , info, control] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Writable,
    null,
    Readable,
    Duplex | undefined,
  ]
  let told = ''
  let first: number | undefined
  let killed = false
  const end = () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    if (first !== undefined) network.kill(first)
    const timer = setTimeout(() => endGroup(child.pid!), ENDS_WITHIN)
    child.once('exit', () => clearTimeout(timer))
  }
  info.on('data', (chunk: Buffer) => {
    told += chunk.toString()
    const pid = /"child-pid": (\d+)/.exec(told)?.[1]
    if (first !== undefined || pid === undefined) return
    first = Number(pid)
    if (killed) end()
  })
  for (const stream of [stdin, args, control]) stream?.on('error', () => {})
  args.end(words.options.map((word) => `${word}\0`).join(''))
  // A program need not read what it is sent.
  stdin.end(program.input)
  const ended = new Promise<Exit>((resolve) => {
    child.on('error', (error) => resolve({ why: error.message }))
    child.on('exit', (code) => resolve(code === null || killed ? {} : { status: code }))
  })
  const gone = ended.then(() => {})
  // The first process of the sandbox: with it the kernel ends all others, and only then bwrap sees it gone. Where bwrap has
  // not told it yet it will in a moment; to kill bwrap itself before could leave that process behind.
  const kill = () => {
    killed = true
    end()
  }
  return { stdout, stderr, ...(control === undefined ? {} : { control }), ended, gone, kill }
}

/** How long the first process of a sandbox may take to end all others; then its whole group on the host is killed. */
const ENDS_WITHIN = 3000

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
