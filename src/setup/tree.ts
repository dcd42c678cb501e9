/** Trees of files as they are on disk: their digest, and moving them without a half-way state. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** What lies at a path below a root. */
export interface Leaf {
  readonly path: string
  readonly kind: 'file' | 'link' | 'dir' | 'other'
  readonly size: number
}

/** Directories that are no part of a plugin, wherever in it they lie. */
export const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', '.worktrees', '.git'])

/** A plugin that holds more entries is none. */
const MOST_LEAVES = 50_000

/** Everything below `root`, sorted by path, links not followed, `without` left out. Empty where there is no directory. */
export function leavesOf(root: string, without: ReadonlySet<string> = new Set()): readonly Leaf[] {
  const out: Leaf[] = []
  const open = ['']
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    let names: string[]
    try {
      names = readdirSync(join(root, dir))
    } catch (error) {
      if (dir === '' && (error as { code?: unknown }).code === 'ENOENT') return []
      throw error
    }
    for (const name of names) {
      if (without.has(name)) continue
      const path = dir === '' ? name : `${dir}/${name}`
      const stat = lstatSync(join(root, path))
      const kind = stat.isDirectory() ? 'dir' : stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : 'other'
      out.push({ path, kind, size: stat.size })
      if (out.length > MOST_LEAVES) throw new Error(`${root} holds more than ${MOST_LEAVES} entries`)
      if (kind === 'dir') open.push(path)
    }
  }
  return out.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** SHA-512 over paths, kinds, execution bits and contents, as hex. */
export function treeDigest(root: string, without: ReadonlySet<string> = new Set()): string {
  const hash = createHash('sha512')
  for (const { path, kind } of leavesOf(root, without)) {
    const at = join(root, path)
    if (kind === 'dir') continue
    const bytes = kind === 'file' ? readFileSync(at) : kind === 'link' ? Buffer.from(readlinkSync(at)) : Buffer.alloc(0)
    const runs = kind === 'file' && (lstatSync(at).mode & 0o100) !== 0
    hash.update(`${kind} ${runs ? 'x' : '-'} ${bytes.length} ${JSON.stringify(path)}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/** Writes a file so that it is there whole or not at all. `mode`: its permission bits. */
export function writeWhole(path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.${process.pid}.part`
  try {
    writeFileSync(part, content, { mode })
    chmodSync(part, mode)
    const fd = openSync(part, 'r')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(part, path)
  } catch (error) {
    // A full disk is not filled further.
    rmSync(part, { force: true })
    throw error
  }
}
