/**
 * One migration at a time, and one setup. The lock is a directory that comes into being whole, with the holder's name in it; it is taken
 * over only from a holder that is provably gone.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Holder {
  readonly pid: number
  /** When the process started, in the platform's own words: a number of a process may be another's by now. */
  readonly startTime: string
  readonly token: string
  readonly startedAt: string
}

export interface Lock {
  readonly token: string
  release(): void
}

const NAME = '.migration.lock.d'
/** Two runs may reclaim and lose a few times; more is no accident. */
const MOST_TRIES = 8

export const lockDir = (data: string, name = NAME): string => join(data, name)

/** Takes the lock below `data`, or tells who holds it (`unknown`: a lock without a holder's name). `name`: of another kind of work. */
export function acquireLock(data: string, now: Date, name = NAME): Lock | { readonly heldBy: Holder | 'unknown' } {
  mkdirSync(data, { recursive: true })
  const dir = lockDir(data, name)
  const token = randomUUID()
  const holder: Holder = {
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? '',
    token,
    startedAt: now.toISOString(),
  }
  const own = `${dir}.${token}`
  mkdirSync(own)
  writeFileSync(join(own, 'meta.json'), JSON.stringify(holder))
  try {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      try {
        // Fails where a lock is there already: no directory with something in it is replaced.
        renameSync(own, dir)
        return { token, release: () => release(dir, token) }
      } catch (error) {
        if (!['ENOTEMPTY', 'EEXIST'].includes(String((error as { code?: unknown }).code))) throw error
      }
      const held = readHolder(dir)
      if (held === 'absent') continue
      if (held === 'unknown' || isAlive(held)) return { heldBy: held }
      takeAway(dir, held.token)
    }
    return { heldBy: readHolder(dir) as Holder | 'unknown' }
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

/**
 * Takes over the lock that its holder hands over with its token: it never lies free in between. The former holder's token
 * is worth nothing from then on. Undefined where the lock is another's by now.
 */
export function adoptLock(data: string, token: string, now: Date): Lock | undefined {
  const dir = lockDir(data)
  const held = readHolder(dir)
  if (typeof held !== 'object' || held.token !== token) return undefined
  const own = randomUUID()
  const holder: Holder = {
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? '',
    token: own,
    startedAt: now.toISOString(),
  }
  writeFileSync(join(dir, `meta.${own}`), JSON.stringify(holder))
  renameSync(join(dir, `meta.${own}`), join(dir, 'meta.json'))
  return { token: own, release: () => release(dir, own) }
}

/** Removes a lock whoever holds it. True where there was one. */
export function breakLock(data: string): boolean {
  const held = readHolder(lockDir(data))
  rmSync(lockDir(data), { recursive: true, force: true })
  return held !== 'absent'
}

/** Who holds the lock below `data`. */
export const holderOf = (data: string): Holder | 'unknown' | 'absent' => readHolder(lockDir(data))

function release(dir: string, token: string): void {
  const held = readHolder(dir)
  if (typeof held === 'object' && held.token === token) takeAway(dir, token)
}

/** Moves the lock out of the way and looks again: another's fresh lock in its place is put back, never removed. */
function takeAway(dir: string, token: string): void {
  const aside = `${dir}.gone.${randomUUID()}`
  try {
    renameSync(dir, aside)
  } catch {
    return
  }
  const held = readHolder(aside)
  if (typeof held === 'object' && held.token !== token) {
    try {
      renameSync(aside, dir)
    } catch {
      // A third one was faster. The one that was moved finds that it has lost its lock.
    }
    return
  }
  rmSync(aside, { recursive: true, force: true })
}

function readHolder(dir: string): Holder | 'unknown' | 'absent' {
  try {
    const read = JSON.parse(readFileSync(join(dir, 'meta.json'), 'utf8')) as Partial<Holder>
    return typeof read.pid === 'number' && typeof read.token === 'string' ? (read as Holder) : 'unknown'
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') return 'unknown'
    try {
      readFileSync(dir)
    } catch (inner) {
      if ((inner as { code?: unknown }).code === 'ENOENT') return 'absent'
    }
    return 'unknown'
  }
}

/** Whether the holder may still run. Only a number that is free, or another process's, proves that it does not. */
export function isAlive({ pid, startTime }: Pick<Holder, 'pid' | 'startTime'>): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ESRCH') return false
  }
  const now = startTimeOf(pid)
  return now === undefined || startTime === '' || now === startTime
}

/** The start of a process as a text that no other process of that number shares; undefined where it cannot be told. */
export function startTimeOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return startField(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return (
      execFileSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8', timeout: 2_000 }).trim() || undefined
    )
  } catch {
    return undefined
  }
}

/** The 22nd field of `/proc/<pid>/stat`: the second one is a name that may hold blanks and parentheses. */
export const startField = (stat: string): string | undefined =>
  stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] || undefined
