/** Isolation by bubblewrap: every run has mounts and processes of its own, and shares the network of its environment. */
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Groups } from './cgroup.ts'
import { openGroups } from './cgroup.ts'
import type { Cell, CellSpec, Driver, Exit, Mount, Program, Running } from './driver.ts'
import { FD, launch } from './launch.ts'
import { UID } from './layout.ts'
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
const PROCESSES_OF_ROOT =
  'the number of processes is not limited: root is exempt from the limit, and no control group can be used'

/** Checks what the machine offers. Rejects with a sentence that names the way out where it is too little. */
export async function bubblewrapDriver(options: BubblewrapOptions): Promise<Driver> {
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
  const groups = openGroups('probe', { memoryBytes: 64 * MIB, processes: 16 })
  const limited = groups.limitsProcesses || process.getuid?.() !== 0
  await groups.close()
  return {
    name: 'bubblewrap',
    weaker: [...(userNamespace ? [] : [ROOT_WITHOUT]), ...(limited ? [] : [PROCESSES_OF_ROOT])],
    async open(spec) {
      const own = openGroups(spec.id, spec.limits)
      try {
        const network = await openNetwork({
          door: spec.door,
          system: systemWords(spec.mounts),
          userNamespace,
          groups: [],
        })
        return new BubblewrapCell(spec, network, own, filter, userNamespace)
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
      resolve(
        /bwrap: not found|bwrap: command not found/.test(said)
          ? 'bubblewrap is not installed'
          : said.trim() || `status ${code}`,
      )
    })
  })
}

const systemWords = (mounts: readonly Mount[]): string[] =>
  mounts.flatMap((mount) => [mount.writable === true ? '--bind' : '--ro-bind', mount.host, mount.inside])

/** Parts of `/proc` that tell about the machine or that its root may write, as far as they exist. */
const MASKED = [
  'acpi',
  'kcore',
  'keys',
  'key-users',
  'latency_stats',
  'sched_debug',
  'scsi',
  'timer_list',
  'interrupts',
]

function procWords(): string[] {
  const words = ['--proc', '/proc']
  for (const name of MASKED) {
    if (existsSync(`/proc/${name}`))
      words.push(
        ...(name === 'acpi' || name === 'scsi'
          ? ['--tmpfs', `/proc/${name}`]
          : ['--ro-bind', '/dev/null', `/proc/${name}`]),
      )
  }
  return words
}

class BubblewrapCell implements Cell {
  readonly #spec: CellSpec
  readonly #network: Network
  readonly #groups: Groups
  readonly #filter: string
  readonly #userNamespace: boolean
  readonly #running = new Set<Running>()
  #closed = false

  constructor(spec: CellSpec, network: Network, groups: Groups, filter: string, userNamespace: boolean) {
    this.#spec = spec
    this.#network = network
    this.#groups = groups
    this.#filter = filter
    this.#userNamespace = userNamespace
  }

  start(program: Program): Running {
    if (this.#closed) throw new Error('the sandbox is closed')
    const running = startProgram(this.#words(program), this.#groups.directories, this.#filter, program)
    this.#running.add(running)
    void running.gone.then(() => this.#running.delete(running))
    return running
  }

  async close(): Promise<void> {
    this.#closed = true
    const running = [...this.#running]
    for (const one of running) one.kill()
    await Promise.all(running.map((one) => one.gone))
    this.#network.close()
    await this.#groups.close()
  }

  #words(program: Program): { readonly before: string[]; readonly options: string[] } {
    const options = [
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
      ...(this.#userNamespace ? ['--unshare-user', '--uid', String(UID), '--gid', String(UID)] : []),
      ...['--new-session', '--clearenv', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
      ...['--bind', program.root ?? this.#spec.root, '/'],
      ...systemWords(this.#spec.mounts),
      ...procWords(),
      ...['--dev', '/dev', '--size', String(this.#spec.limits.sharedBytes), '--tmpfs', '/dev/shm'],
      ...['--chdir', program.cwd, '--seccomp', String(FD.seccomp)],
      ...Object.entries(program.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ]
    return { before: [...limitWords(this.#spec.limits), ...this.#network.enter, 'bwrap'], options }
  }
}

/** Says the status of the program on descriptor 5, and stays while something that it left behind lives. */
const LINGER = `
"$@" 5>&-
echo $? >&5
exec 0</dev/null 5>&-
pause=0.2
while set -- /proc/[0-9]*; [ $# -gt 2 ]; do sleep $pause; pause=2; done
`

function startProgram(
  words: { readonly before: readonly string[]; readonly options: readonly string[] },
  groups: readonly string[],
  filter: string,
  program: Program,
): Running {
  const seccomp = openSync(filter, 'r')
  const argv = program.linger ? ['/bin/sh', '-c', LINGER, 'sh', ...program.argv] : program.argv
  const child = launch({
    argv: [...words.before, '--args', String(FD.args), '--', ...argv],
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', seccomp, ...(program.linger ? (['pipe'] as const) : [])],
    pipes: '012',
    groups,
  })
  closeSync(seccomp)
  const [stdin, stdout, stderr, args, , status] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Writable,
    null,
    Readable?,
  ]
  for (const stream of [stdin, args]) stream.on('error', () => {})
  args.end(words.options.map((word) => `${word}\0`).join(''))
  let told = ''
  const ended = new Promise<Exit>((resolve) => {
    status?.on('data', (chunk: Buffer) => {
      told += chunk.toString()
      if (/^\d+\n/.test(told)) resolve({ status: Number.parseInt(told, 10) })
    })
    child.on('error', (error) => resolve({ why: error.message }))
    child.on('exit', (code) => resolve(code === null ? {} : { status: code }))
  })
  const gone = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
    child.on('error', () => resolve())
  })
  return { stdin, stdout, stderr, ended, gone, kill: () => killGroup(child.pid) }
}

/** The group too: what bwrap has just cloned dies with its parent only a moment later. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
