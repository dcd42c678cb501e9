/**
 * Copies an environment's files for a fork, while programs of the base may be at work there. Each step holds an open directory
 * and takes one name in it, following no link, so that nothing which they move or link meanwhile leads the copy outside.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  openSync,
  readdirSync,
} from 'node:fs'
import { chmod, copyFile, lchown, link, lstat, lutimes, mkdir, readlink, symlink, utimes } from 'node:fs/promises'
import { ManagedError } from '../contract.ts'

const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Each level holds two descriptors. */
const DEEPEST = 400

/**
 * Copies the directory `from` to `to`, which must not exist: files, directories and links, with modes, times, owners and what is
 * linked together; pipes and sockets are left out. Blocks are shared where the file system can; nothing is with the base, since
 * a change of the fork must not reach it. What goes away meanwhile is left out. Throws `ManagedError` 400 where it cannot be read.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  try {
    await mkdir(to, { mode: 0o700 })
    await new Copy(to).directory(from, to, '', 0)
  } catch (error) {
    if (error instanceof ManagedError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new ManagedError(400, 'failed_precondition', `the environment cannot be forked (${code ?? String(error)})`)
  }
}

class Copy {
  /** Where the copy lies. */
  readonly #root: string
  /** Copies of files with more than one name, by the number of the file. */
  readonly #linked = new Map<string, string>()
  readonly #isRoot = process.getuid?.() === 0

  constructor(root: string) {
    this.#root = root
  }

  /** `inside`: its path, for people. */
  async directory(from: string, to: string, inside: string, depth: number): Promise<void> {
    if (depth > DEEPEST)
      throw new ManagedError(
        400,
        'failed_precondition',
        `the environment cannot be forked: directories nest deeper than ${DEEPEST} levels`,
      )
    const source = opened(from, DIRECTORY, inside)
    if (source === undefined) return
    const target = openSync(to, DIRECTORY)
    try {
      for (const entry of readdirSync(here(source), { withFileTypes: true, encoding: 'utf8' }))
        await this.#entry(entry, source, target, `${inside}/${entry.name}`, depth)
      const { uid, gid, mode, atimeMs, mtimeMs } = fstatSync(source)
      if (this.#isRoot) fchownSync(target, uid, gid)
      fchmodSync(target, mode & 0o7777)
      futimesSync(target, atimeMs / 1000, mtimeMs / 1000)
    } finally {
      closeSync(source)
      closeSync(target)
    }
  }

  async #entry(entry: Dirent, source: number, target: number, inside: string, depth: number): Promise<void> {
    const [from, to] = [`${here(source)}/${entry.name}`, `${here(target)}/${entry.name}`]
    if (entry.isDirectory()) {
      await mkdir(to, { mode: 0o700 })
      await this.directory(from, to, inside, depth + 1)
    } else if (entry.isSymbolicLink()) await this.#link(from, to)
    else if (entry.isFile()) await this.#file(from, to, inside)
  }

  async #link(from: string, to: string): Promise<void> {
    try {
      const { uid, gid, atimeMs, mtimeMs } = await lstat(from)
      await symlink(await readlink(from), to)
      if (this.#isRoot) await lchown(to, uid, gid)
      await lutimes(to, atimeMs / 1000, mtimeMs / 1000)
    } catch (error) {
      // It has gone, or become another thing.
      if (!isGone(error)) throw error
    }
  }

  async #file(from: string, to: string, inside: string): Promise<void> {
    const fd = opened(from, FILE, inside)
    if (fd === undefined) return
    try {
      const stats = fstatSync(fd)
      // It has become another thing since its directory was read.
      if (!stats.isFile()) return
      const number = `${stats.dev}:${stats.ino}`
      const first = stats.nlink > 1 ? this.#linked.get(number) : undefined
      if (first !== undefined && (await isLinked(first, to))) return
      await copyFile(here(fd), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      const { uid, gid, mode, atimeMs, mtimeMs } = stats
      if (this.#isRoot) await lchown(to, uid, gid)
      await chmod(to, mode & 0o7777)
      await utimes(to, atimeMs / 1000, mtimeMs / 1000)
      if (stats.nlink > 1) this.#linked.set(number, this.#root + inside)
    } finally {
      closeSync(fd)
    }
  }
}

const here = (fd: number): string => `/proc/self/fd/${fd}`
const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')

/** A path may be too long to be named from the root, or a file have too many names: then it is copied once more. */
async function isLinked(first: string, to: string): Promise<boolean> {
  try {
    await link(first, to)
    return true
  } catch {
    return false
  }
}

/** Undefined where it is gone, or has become another thing. */
function opened(path: string, flags: number, inside: string): number | undefined {
  try {
    return openSync(path, flags)
  } catch (error) {
    if (isGone(error)) return undefined
    const { code } = error as NodeJS.ErrnoException
    throw new ManagedError(400, 'failed_precondition', `the environment cannot be forked: ${inside} (${code})`)
  }
}
