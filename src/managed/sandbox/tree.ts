/**
 * Walks an environment's files from the host as a program inside would see them: links are followed beneath the root,
 * `..` stops at it, and the system's directories are the mounted ones. Each step holds an open directory and looks one
 * name up in it, so that nothing which a running program moves or links meanwhile can lead the walk outside.
 */
import { closeSync, constants, lchownSync, mkdirSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { posix } from 'node:path'
import type { Mount } from './driver.ts'
import { SYSTEM_NAMES } from './layout.ts'

/** Not among Node's constants: opens a name without a right to what it holds. The same number on all Linux machines. */
const O_PATH = 0o10000000
const DIRECTORY = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
const MOST_LINKS = 40
/** Bytes of a path. */
export const LONGEST_PATH = 4095

/** A name in an open directory. */
export class Place {
  readonly #directory: number
  readonly name: string
  /** The path inside, without links but perhaps in the last name. */
  readonly inside: string
  /** Part of the system: never written. */
  readonly system: boolean

  constructor(directory: number, name: string, inside: string, system: boolean) {
    this.#directory = directory
    this.name = name
    this.inside = inside
    this.system = system
  }

  /** A path of the host that leads to it for calls that do not follow a link in the last name. Valid until closed. */
  get host(): string {
    return this.beside(this.name)
  }

  /** The same for another name in the directory. */
  beside(name: string): string {
    return `/proc/self/fd/${this.#directory}/${name}`
  }

  [Symbol.dispose](): void {
    closeSync(this.#directory)
  }
}

/** A path that cannot be walked: `code` as the system names it. */
export class WalkError extends Error {
  readonly code: 'ENOENT' | 'ENOTDIR' | 'ELOOP' | 'EACCES' | 'EINVAL' | 'ENAMETOOLONG'
  constructor(code: WalkError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Makes an absolute path of one that may be relative to `from`; `..` stays, since it means what links make of it. */
export function insidePath(path: string, from = '/'): string {
  if (path.includes('\0')) throw new WalkError('EINVAL', 'a path cannot hold a NUL')
  if (Buffer.byteLength(path) > LONGEST_PATH) throw new WalkError('ENAMETOOLONG', 'the path is too long')
  if (path.split('/').some((name) => Buffer.byteLength(name) > 255))
    throw new WalkError('ENAMETOOLONG', 'a name in the path is too long')
  return path.startsWith('/') ? path : posix.join('/', from, '/') + path
}

export interface WalkOptions {
  /** Follow a link in the last name. */
  readonly follow: boolean
  /** Make directories that are missing on the way to the last name. */
  readonly make?: boolean
}

export class Tree {
  readonly owner: number | undefined
  readonly #root: string
  readonly #mounts: ReadonlyMap<string, string>

  /** `owner`: user and group of what is made; undefined: the runtime's own. */
  constructor(root: string, mounts: readonly Mount[], owner: number | undefined) {
    this.#root = root
    this.owner = owner
    this.#mounts = new Map(mounts.filter((mount) => mount.writable !== true).map((mount) => [mount.inside, mount.host]))
  }

  /**
   * The place of `path`. The last name need not exist. `.` is the name of the root itself. Throws `WalkError` where the way
   * to it is missing, is no directory, or winds through too many links.
   */
  walk(path: string, options: WalkOptions): Place {
    const pending = insidePath(path)
      .split('/')
      .filter((name) => name !== '')
    const trail: Step[] = [{ inside: '/', fd: openSync(this.#root, DIRECTORY), system: false }]
    let links = 0
    try {
      for (;;) {
        const name = pending.shift()
        if (name === undefined) return this.#self(trail)
        if (name === '.' || name === '') continue
        if (name === '..') {
          if (trail.length > 1) closeSync(trail.pop()!.fd)
          continue
        }
        const last = pending.length === 0
        const here = trail.at(-1)!
        const at = `/proc/self/fd/${here.fd}/${name}`
        const inside = here.inside === '/' ? `/${name}` : `${here.inside}/${name}`
        const mounted = this.#mounts.get(inside)
        const target = mounted === undefined ? linkAt(at) : undefined
        if (target !== undefined && !(last && !options.follow)) {
          if (++links > MOST_LINKS) throw new WalkError('ELOOP', `${inside}: too many links`)
          pending.unshift(...target.split('/'))
          if (target.startsWith('/')) while (trail.length > 1) closeSync(trail.pop()!.fd)
          continue
        }
        const shut = trail.length === 1 && SYSTEM_NAMES.has(name)
        const system = here.system || mounted !== undefined || shut
        if (last) return this.#last(trail, name, inside, system, mounted)
        trail.push({ inside, system, fd: this.#enter(at, inside, mounted, options.make === true && !system) })
      }
    } finally {
      for (const step of trail) if (!step.kept) closeSync(step.fd)
    }
  }

  /** Whether something is mounted at `inside` or below it, so that it stays where it is. */
  isHeld(inside: string): boolean {
    return [...this.#mounts.keys()].some((at) => at === inside || at.startsWith(`${inside}/`))
  }

  #enter(at: string, inside: string, mounted: string | undefined, make: boolean): number {
    if (mounted !== undefined) return openSync(realpathSync(mounted), DIRECTORY)
    for (let tries = 0; ; tries++) {
      try {
        return openSync(at, DIRECTORY)
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code
        if (code !== 'ENOENT' || !make || tries > 0) throw walkError(code, inside)
        try {
          mkdirSync(at, 0o755)
          if (this.owner !== undefined) lchownSync(at, this.owner, this.owner)
        } catch (made) {
          if ((made as NodeJS.ErrnoException).code !== 'EEXIST')
            throw walkError((made as NodeJS.ErrnoException).code, inside)
        }
      }
    }
  }

  /** The last directory of the trail itself, as a name in its parent where it has one. */
  #self(trail: Step[]): Place {
    const here = trail.at(-1)!
    here.kept = true
    return new Place(here.fd, '.', here.inside, here.system)
  }

  #last(trail: Step[], name: string, inside: string, system: boolean, mounted: string | undefined): Place {
    if (mounted !== undefined) {
      const real = realpathSync(mounted)
      return new Place(openSync(posix.dirname(real), DIRECTORY), posix.basename(real) || '.', inside, true)
    }
    const here = trail.at(-1)!
    here.kept = true
    return new Place(here.fd, name, inside, system)
  }
}

interface Step {
  /** Its path inside. */
  readonly inside: string
  readonly fd: number
  readonly system: boolean
  kept?: boolean
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function walkError(code: string | undefined, inside: string): WalkError {
  if (code === 'ENOTDIR') return new WalkError('ENOTDIR', `${inside} is not a directory`)
  if (code === 'ELOOP') return new WalkError('ENOTDIR', `${inside} changed while it was looked at`)
  if (code === 'ENAMETOOLONG') return new WalkError('ENAMETOOLONG', 'a name in the path is too long')
  if (code === 'EACCES' || code === 'EPERM') return new WalkError('EACCES', `${inside} may not be entered`)
  return new WalkError('ENOENT', `${inside} does not exist`)
}
