/** Paths of an environment that keep what they held when they were frozen, whatever a program inside does later. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { ManagedError } from '../contract.ts'
import type { Mount } from './driver.ts'
import { MIB } from './limits.ts'
import { type Tree, WalkError } from './tree.ts'

const OPEN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** Configuration and scripts; nothing that would be copied for minutes. */
const MOST_BYTES = 64 * MIB
const MOST_FILES = 10_000
const DEEPEST = 32

/**
 * Copies what `path` leads to into the directory `copies` of the host and gives the path inside that the copy has to cover, or
 * undefined where there is nothing to freeze. Nothing may run in the environment meanwhile. Links are followed beneath the
 * root; one at `path` itself gives way to what it leads to, since a link cannot be covered.
 */
export function freezePath(tree: Tree, path: string, copies: string): string | undefined {
  let inside: string
  try {
    using place = tree.walk(path, { follow: false })
    if (place.system || place.inside === '/') return undefined
    inside = place.inside
    const to = join(copies, inside)
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
    if (!copyOut(tree, inside, to, { bytes: MOST_BYTES, files: MOST_FILES }, 0)) return undefined
    if (lstatSync(place.host).isSymbolicLink()) {
      unlinkSync(place.host)
      if (lstatSync(to).isDirectory()) mkdirSync(place.host, 0o755)
      else writeFileSync(place.host, '', { flag: 'wx', mode: 0o644 })
    }
  } catch (error) {
    if (error instanceof WalkError) return undefined
    throw error
  }
  return inside
}

/** Whether something was copied: a pipe or a device has no content. */
function copyOut(
  tree: Tree,
  inside: string,
  to: string,
  left: { bytes: number; files: number },
  depth: number,
): boolean {
  let fd: number
  try {
    using place = tree.walk(inside, { follow: true })
    fd = openSync(place.host, OPEN)
  } catch {
    return false
  }
  try {
    const stats = fstatSync(fd)
    const self = `/proc/self/fd/${fd}`
    left.files--
    if (stats.isFile()) left.bytes -= stats.size
    if (left.files < 0 || left.bytes < 0 || depth > DEEPEST)
      throw new ManagedError(400, 'failed_precondition', `${inside} is too large to be frozen`)
    if (stats.isDirectory()) {
      mkdirSync(to, { recursive: true, mode: 0o755 })
      for (const name of readdirSync(self)) copyOut(tree, posix.join(inside, name), join(to, name), left, depth + 1)
      return true
    }
    if (!stats.isFile()) return false
    copyFileSync(self, to)
    chmodSync(to, (stats.mode & 0o111) === 0 ? 0o644 : 0o755)
    return true
  } finally {
    closeSync(fd)
  }
}

/**
 * The mounts that keep `frozen` paths in place: the copies, and before them every directory above one onto itself, because
 * what is mounted can neither be moved nor replaced from inside. Parents come before children.
 */
export function frozenMounts(frozen: readonly string[], copies: string, root: string): Mount[] {
  const outer = frozen.filter((path) => !frozen.some((other) => path.startsWith(`${other}/`)))
  const above = new Set<string>()
  for (const path of outer) for (let at = dirname(path); at !== '/'; at = dirname(at)) above.add(at)
  return [
    ...[...above].map((inside) => ({ host: join(root, inside), inside, writable: true })),
    ...outer.map((inside) => ({ host: join(copies, inside), inside })),
  ].sort((a, b) => depth(a.inside) - depth(b.inside))
}

const depth = (path: string): number => path.split('/').length
