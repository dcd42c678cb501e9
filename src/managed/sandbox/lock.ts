/** One runtime a state directory: a second one would take the first one's programs for leftovers. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'runtime.json'

/** Whether another living process has taken `directory`. */
export function isTakenByOther(directory: string): boolean {
  const holder = read(join(directory, FILE))
  return holder !== undefined && holder.pid !== process.pid && startOf(holder.pid) === holder.start
}

/** Takes `directory` for this process until it ends. Throws where a living one has it. */
export function takeDirectory(directory: string): void {
  const file = join(directory, FILE)
  const holder = read(file)
  if (holder !== undefined && holder.pid !== process.pid && startOf(holder.pid) === holder.start)
    throw new Error(`${directory} is in use by process ${holder.pid}; it must end first, or another directory be given`)
  writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function read(file: string): { pid: number; start: string } | undefined {
  try {
    const { pid, start } = JSON.parse(readFileSync(file, 'utf8')) as { pid: unknown; start: unknown }
    return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : undefined
  } catch {
    return undefined
  }
}

/** When a living process started, in ticks since boot: tells it from a later one with the same number. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold anything; the state is the first word behind it, the start the 20th.
    const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // One that only waits to be reaped is gone.
    return words[0] === 'Z' || words[0] === 'X' ? undefined : words[19]
  } catch {
    return undefined
  }
}
