/** Ends what a runtime that was killed left behind. Mounts and namespaces go with the processes in them. */
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Report } from '../contract.ts'

/**
 * Kills every process whose mounts come from below `directory`. The kernel ends the programs of a killed runtime by itself; this is for
 * one that was just being started.
 */
export function endLeftovers(directory: string, report: Report): void {
  const place = onItsFileSystem(directory)
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid || !holds(pid, place)) continue
    try {
      process.kill(pid, 'SIGKILL')
      report({ kind: 'sandbox.leftover', text: `ended process ${pid}, which an earlier runtime had left behind` })
    } catch {
      // It ended by itself, or is not ours.
    }
  }
}

/** Whether one of its mounts is a directory below `place`, named from the root of its file system. */
function holds(pid: number, place: string): boolean {
  return mountsOf(String(pid)).some((mount) => mount.root.startsWith(`${place}/`))
}

interface Mounted {
  /** What of the file system is mounted. */
  readonly root: string
  readonly at: string
}

function mountsOf(pid: string): Mounted[] {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
  } catch {
    return []
  }
  return text
    .split('\n')
    .map((line) => line.split(' '))
    .filter((words) => words.length > 4)
    .map((words) => ({ root: plain(words[3]!), at: plain(words[4]!) }))
}

/** The kernel writes blanks and backslashes in octal. */
const plain = (word: string): string =>
  word.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** A directory of the host as its own file system names it. */
function onItsFileSystem(directory: string): string {
  const real = realpathSync(directory)
  const above = mountsOf('self').filter(({ at }) => real === at || real.startsWith(at === '/' ? '/' : `${at}/`))
  const mount = above.reduce((best, one) => (one.at.length >= best.at.length ? one : best), { root: '/', at: '/' })
  return join(mount.root, relative(mount.at, real))
}
