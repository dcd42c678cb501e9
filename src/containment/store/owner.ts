/** Whose a spool is: told from its name alone, so that anybody can see whether its process still lives. */
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * A process, beyond its number: numbers are used again. `start`: ticks since boot at which it began, `0` where the system
 * does not tell. `world`: where its number means anything, as 8 hexadecimal digits: one boot of one machine, and one
 * container in it.
 */
export interface Owner {
  readonly pid: number
  readonly start: string
  readonly world: string
}

/** A spool of another machine or container is given up after this time without a change. */
export const FOREIGN_MS = 7 * 24 * 3600 * 1000

let self: Owner | undefined

/** This process. */
export function thisProcess(): Owner {
  self ??= { pid: process.pid, start: startOf(process.pid) ?? '0', world: thisWorld() }
  return self
}

function thisWorld(): string {
  let place: string
  try {
    place = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() + readlinkSync('/proc/self/ns/pid')
  } catch {
    // A system that tells neither boots nor containers apart.
    place = hostname()
  }
  return createHash('sha256').update(place).digest('hex').slice(0, 8)
}

/** When a process began, in ticks since boot; undefined where there is none or the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program stands in parentheses and may hold blanks; behind it come the state and, 19 words on, the start.
    const words = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return words[0] === 'Z' || words[0] === 'X' ? undefined : words[19]
  } catch {
    return undefined
  }
}

/** Whether the process lives. `unchanged`: milliseconds since its spool was written to. */
export function lives(owner: Owner, unchanged: number): boolean {
  if (owner.world !== thisWorld()) return unchanged < FOREIGN_MS
  const start = startOf(owner.pid)
  if (start !== undefined) return owner.start === '0' || start === owner.start
  if (process.platform === 'linux') return false
  try {
    process.kill(owner.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export const ownerText = ({ pid, start, world }: Owner): string => `${pid}.${start}.${world}`

/** The owner in `<pid>.<start>.<world>`, or undefined. */
export function readOwner(text: string): Owner | undefined {
  const found = /^(\d{1,10})\.(\d{1,20})\.([0-9a-f]{8})$/.exec(text)
  return found ? { pid: Number(found[1]), start: found[2]!, world: found[3]! } : undefined
}
