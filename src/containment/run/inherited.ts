/** What a process gets from its caller beside argv, environment and streams, and what Node takes from it on the way. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Descriptors above this are handed on by themselves: Node closes the first ones alone. */
const HIGHEST = 63
const NONBLOCKING = 0o4000

/**
 * The soft limit of open files that the caller has. Node raises its own to the hard limit when it starts, and whatever it
 * starts would see that. Undefined where it cannot be told (no `/proc`), or where nothing was raised.
 */
export function softFileLimit(): number | undefined {
  const [caller, own] = [fileLimits(String(process.ppid)), fileLimits('self')]
  if (caller === undefined || own === undefined) return undefined
  const [soft, hard] = caller
  // Another hard limit: the caller's numbers say nothing about what we were given.
  return hard === own[1] && soft < own[0] ? soft : undefined
}

/** Soft and hard; `Infinity` for no limit. */
function fileLimits(pid: string): readonly [number, number] | undefined {
  try {
    const found = /^Max open files\s+(\S+)\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))
    if (found === null) return undefined
    const number = (text: string | undefined) => (text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text))
    return [number(found[1]), number(found[2])]
  } catch {
    return undefined
  }
}

/**
 * Open descriptors from 3 on that came from our caller (`3>log`, `<(…)`, the pipes of a parallel make), for the child.
 * Called before anything of ours is opened. Empty where there is no `/proc`.
 */
export function inheritedDescriptors(makeflags: string | undefined): readonly number[] {
  let numbers: number[]
  try {
    numbers = readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
  const jobs = /--jobserver-(?:auth|fds)=(\d+),(\d+)/.exec(makeflags ?? '')
  const pairs = new Map<string, number>()
  const found = numbers
    .filter((fd) => fd > 2 && fd <= HIGHEST)
    .flatMap((fd) => {
      try {
        return [{ fd, link: readlinkSync(`/proc/self/fd/${fd}`), flags: flagsOf(fd) }]
      } catch {
        // The listing's own descriptor is gone by now.
        return []
      }
    })
  for (const { link } of found) pairs.set(link, (pairs.get(link) ?? 0) + 1)
  return found
    .filter(({ fd, link, flags }) => {
      if (fd === Number(jobs?.[1]) || fd === Number(jobs?.[2])) return true
      if (link.startsWith('anon_inode:')) return false
      if (!link.startsWith('pipe:')) return !link.startsWith('socket:')
      // Node's own pipes do not block, or have both their ends here.
      return (flags & NONBLOCKING) === 0 && pairs.get(link) === 1
    })
    .map(({ fd }) => fd)
    .sort((a, b) => a - b)
}

function flagsOf(fd: number): number {
  const found = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))
  return Number.parseInt(found?.[1] ?? '0', 8)
}
