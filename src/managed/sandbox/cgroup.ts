/** Control groups, where the runtime may make some: bounds for everything of one environment together. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Limits } from './limits.ts'
import { startOf } from './lock.ts'

export interface Groups {
  /** Directories whose `cgroup.procs` a program enters before it starts. */
  readonly directories: readonly string[]
  readonly limitsProcesses: boolean
  readonly limitsMemory: boolean
  /** Removes them; nothing may run in them any more. */
  close(): Promise<void>
}

/** Removes the groups of runtimes that are gone, and ends what is left in them. */
export async function sweepGroups(): Promise<void> {
  for (const { directory } of placesFor('any', { memoryBytes: 0, processes: 0 })) {
    const above = dirname(directory)
    for (const name of namesIn(above)) {
      const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
      if (owner === undefined || startOf(Number(owner)) !== undefined) continue
      for (const pid of text(join(above, name, 'cgroup.procs'))
        .split('\n')
        .filter(Boolean))
        end(Number(pid))
      await remove(join(above, name))
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

interface Place {
  readonly directory: string
  readonly files: Readonly<Record<string, string>>
  readonly processes: boolean
  readonly memory: boolean
}

const PREFIX = 'sallyport-'

/** Makes groups for `id`. What cannot be made is left out. */
export function openGroups(id: string, limits: Pick<Limits, 'memoryBytes' | 'processes'>): Groups {
  const made = placesFor(`${PREFIX}${process.pid}-${id}`, limits).filter(make)
  return {
    directories: made.map((place) => place.directory),
    limitsProcesses: made.some((place) => place.processes),
    limitsMemory: made.some((place) => place.memory),
    async close() {
      for (const { directory } of made) await remove(directory)
    },
  }
}

function placesFor(name: string, limits: Pick<Limits, 'memoryBytes' | 'processes'>): Place[] {
  const mounted = mounts()
  const own = membership()
  const processes = String(limits.processes)
  const memory = String(limits.memoryBytes)
  const out: Place[] = []
  const second = mounted.get('')
  const secondPath = own.get('')
  if (second !== undefined && secondPath !== undefined) {
    const directory = join(second, secondPath)
    const has = controllers(directory)
    if (has.has('pids') && has.has('memory'))
      out.push({
        directory: join(directory, name),
        files: { 'pids.max': processes, 'memory.max': memory, 'memory.swap.max': '0' },
        processes: true,
        memory: true,
      })
  }
  for (const [controller, file, value] of [
    ['pids', 'pids.max', processes],
    ['memory', 'memory.limit_in_bytes', memory],
  ] as const) {
    const mount = mounted.get(controller)
    const path = own.get(controller)
    if (mount === undefined || path === undefined) continue
    out.push({
      directory: join(mount, path, name),
      files: { [file]: value },
      processes: controller === 'pids',
      memory: controller === 'memory',
    })
  }
  return out
}

function make(place: Place): boolean {
  try {
    mkdirSync(place.directory, { mode: 0o755 })
    for (const [name, value] of Object.entries(place.files)) {
      const file = join(place.directory, name)
      // Not every kernel counts swap.
      if (existsSync(file) || !name.includes('swap')) writeFileSync(file, value)
    }
    return true
  } catch {
    try {
      rmdirSync(place.directory)
    } catch {
      // It was not made.
    }
    return false
  }
}

/** A group can only go when its last process has been reaped. */
async function remove(directory: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      return rmdirSync(directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      await pause(20)
    }
  }
}

/** Controllers that children of `directory` may use; asked for where they are only offered. */
function controllers(directory: string): Set<string> {
  const read = (name: string) => new Set(text(join(directory, name)).trim().split(/\s+/))
  const offered = read('cgroup.controllers')
  if (!offered.has('pids') || !offered.has('memory')) return new Set()
  try {
    writeFileSync(join(directory, 'cgroup.subtree_control'), '+pids +memory')
  } catch {
    // Refused where the group holds processes itself, or is not ours.
  }
  return read('cgroup.subtree_control')
}

/** Mount points by controller; the second version is named by the empty word. */
function mounts(): Map<string, string> {
  const out = new Map<string, string>()
  for (const line of text('/proc/self/mounts').split('\n')) {
    const [, at = '', type, options = ''] = line.split(' ')
    if (type === 'cgroup2') out.set('', at)
    if (type === 'cgroup') for (const option of options.split(',')) out.set(option, at)
  }
  return out
}

/** The runtime's own group by controller. */
function membership(): Map<string, string> {
  const out = new Map<string, string>()
  for (const line of text('/proc/self/cgroup').split('\n')) {
    const [, names, path] = line.split(':')
    if (names !== undefined && path !== undefined) for (const name of names.split(',')) out.set(name, path)
  }
  return out
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
