/** The files of one environment (`EnvironmentFiles`). */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  unlinkSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { type EnvironmentFiles, type FileEntry, ManagedError } from '../contract.ts'
import { SYSTEM_NAMES } from './layout.ts'
import { removeTree } from './remove.ts'
import { LONGEST_PATH, type Place, type Tree, WalkError } from './tree.ts'

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Files beneath the root that the tree of the moment walks. `changed` is called after every change. */
export function environmentFiles(treeOf: () => Tree, changed: () => void): EnvironmentFiles {
  return {
    async stat(path) {
      return found(treeOf(), path, (place, stats) => entry(place.inside, stats))
    },
    async real(path) {
      return found(treeOf(), path, (place) => place.inside)
    },
    async stamp(path) {
      return found(treeOf(), path, (place) => {
        const stats = lstatSync(place.host, { bigint: true })
        return `${stats.ino}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}`
      })
    },
    list: (path, recursive) => list(treeOf(), path, recursive),
    async read(path, limit) {
      const file = openFile(treeOf(), path)
      if (file === undefined) return undefined
      const handle = file.fd
      try {
        const chunks: Buffer[] = []
        let size = 0
        for await (const chunk of createReadStream('', { fd: handle, autoClose: false, end: limit - 1 })) {
          chunks.push(chunk as Buffer)
          size += (chunk as Buffer).length
        }
        return Buffer.concat(chunks, size)
      } finally {
        closeSync(handle)
      }
    },
    async stream(path) {
      const file = openFile(treeOf(), path)
      if (file === undefined) return undefined
      return { size: file.stats.size, body: createReadStream('', { fd: file.fd }) }
    },
    async write(path, body, overwrite) {
      await write(treeOf(), path, body, overwrite)
      changed()
    },
    async remove(path) {
      using place = walk(treeOf(), path, false)
      if (place === undefined || statOf(place.host) === undefined)
        throw new ManagedError(404, 'not_found', `${path} does not exist`)
      writable(place)
      if (treeOf().isHeld(place.inside))
        throw new ManagedError(400, 'invalid_request', `Path '${place.inside}' holds frozen configuration.`)
      removeTree(place.beside('.'), place.name)
      changed()
    },
  }
}

const missing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Undefined where the way there does not exist; a path that can be none is the caller's mistake. */
function walk(tree: Tree, path: string, follow: boolean, make = false): Place | undefined {
  try {
    return tree.walk(path, { follow, make })
  } catch (error) {
    if (!(error instanceof WalkError)) throw error
    if (make || !missing(error)) throw new ManagedError(400, 'invalid_request', `Path '${path}': ${error.message}.`)
    return undefined
  }
}

function found<T>(tree: Tree, path: string, then: (place: Place, stats: Stats) => T): T | undefined {
  using place = walk(tree, path, true)
  if (place === undefined) return undefined
  try {
    const stats = lstatSync(place.host)
    return stats.isSymbolicLink() ? undefined : then(place, stats)
  } catch (error) {
    if (missing(error)) return undefined
    throw error
  }
}

/** Opens a regular file; a pipe or a device is none, and opening one never waits. */
function openFile(tree: Tree, path: string): { fd: number; stats: Stats } | undefined {
  using place = walk(tree, path, true)
  if (place === undefined) return undefined
  let fd: number
  try {
    fd = openSync(place.host, READ)
  } catch (error) {
    if (missing(error)) return undefined
    throw new ManagedError(
      400,
      'invalid_request',
      `Path '${path}' cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
  const stats = fstatSync(fd)
  if (stats.isFile()) return { fd, stats }
  closeSync(fd)
  if (stats.isDirectory()) throw new ManagedError(400, 'invalid_request', `Path '${path}' is a directory.`)
  throw new ManagedError(400, 'invalid_request', `Path '${path}' is no regular file.`)
}

const entry = (inside: string, stats: Stats): FileEntry => ({
  name: inside.slice(inside.lastIndexOf('/') + 1),
  path: inside.slice(1),
  type: stats.isDirectory() ? 'DIRECTORY' : 'FILE',
  size: stats.isDirectory() ? 0 : stats.size,
  created: stats.birthtimeMs,
  modified: stats.mtimeMs,
})

/**
 * Entries by name. Links show what they lead to, and are not walked through. A program inside chooses how deep and wide
 * the tree is: others get their turn between two directories, and what lies beyond the longest path is left out.
 */
async function* list(tree: Tree, path: string, recursive: boolean): AsyncGenerator<FileEntry> {
  const pending = [path]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const below: string[] = []
    for (const [item, real] of entriesOf(tree, at)) {
      yield item
      if (recursive && real && Buffer.byteLength(item.path) < LONGEST_PATH) below.push(`/${item.path}`)
    }
    pending.push(...below.reverse())
    await setImmediate()
  }
}

/** Each entry, and whether it is a directory itself and no link to one. */
function entriesOf(tree: Tree, path: string): (readonly [FileEntry, boolean])[] {
  using place = walk(tree, path, true)
  if (place === undefined) return []
  let fd: number
  try {
    fd = openSync(place.host, DIRECTORY)
  } catch {
    return []
  }
  const out: (readonly [FileEntry, boolean])[] = []
  try {
    const here = `/proc/self/fd/${fd}`
    for (const name of readdirSync(here).sort()) {
      const inside = place.inside === '/' ? `/${name}` : `${place.inside}/${name}`
      // The system's directories are no files of the environment.
      if (place.inside === '/' && SYSTEM_NAMES.has(name)) continue
      const stats = statOf(`${here}/${name}`)
      if (stats === undefined) continue
      if (!stats.isSymbolicLink()) out.push([entry(inside, stats), stats.isDirectory()])
      else if (Buffer.byteLength(inside) <= LONGEST_PATH) {
        const target = found(tree, inside, (_, seen) => entry(inside, seen))
        if (target !== undefined) out.push([target, false])
      }
    }
  } finally {
    closeSync(fd)
  }
  return out
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

function writable(place: Place): void {
  if (place.system || place.inside === '/')
    throw new ManagedError(400, 'invalid_request', `Path '${place.inside}' is read-only.`)
}

/** Writes beside the file and then puts it in place, so that no reader sees half of it. */
async function write(
  tree: Tree,
  path: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  overwrite: boolean,
): Promise<void> {
  using place = walk(tree, path, true, true)!
  writable(place)
  const there = statOf(place.host)
  if (there?.isDirectory() === true || place.name === '.')
    throw new ManagedError(400, 'invalid_request', `Path '${path}' is a directory.`)
  if (there !== undefined && !overwrite) throw exists()
  const beside = place.beside(`.${randomBytes(8).toString('hex')}.part`)
  const handle = await open(beside, CREATE, 0o600)
  try {
    if (body instanceof Uint8Array) await handle.writeFile(body)
    else for await (const chunk of body) await handle.write(chunk)
    if (tree.owner !== undefined) await handle.chown(tree.owner, tree.owner)
    await handle.chmod(there === undefined || !there.isFile() ? 0o644 : there.mode & 0o777)
    if (overwrite) renameSync(beside, place.host)
    else linkSync(beside, place.host)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists()
    throw error
  } finally {
    await handle.close()
    try {
      unlinkSync(beside)
    } catch {
      // It has become the file.
    }
  }
}

const exists = (): ManagedError => new ManagedError(409, 'aborted', 'Requested entity already exists')

/** Number and bytes of what an environment holds, on a way that no running program can lead outside. */
export async function measure(tree: Tree): Promise<{ files: number; bytes: number }> {
  let files = 0
  let bytes = 0
  for await (const item of list(tree, '/', true)) {
    if (item.type === 'DIRECTORY') continue
    files++
    bytes += item.size
  }
  return { files, bytes }
}
