/** Profiles of a repository on the disk, and which of them a person trusts. */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openState, statePath } from '../../session/store.ts'
import { MOST_TEXT } from './profile.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Where profiles lie, from the root of a repository. */
export const PROFILES = join('.sallyport', 'digests')
/** Profiles that are looked at. */
const MOST_FILES = 64
/** Levels above the working directory that are looked at. */
const MOST_LEVELS = 64
/** Bytes of the file of trust; a line takes some hundred. */
const MOST_TRUSTED = 4 << 20

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The nearest directory from `cwd` up that has profiles, or the root of the repository; undefined where there is neither. */
export function profileRoot(cwd: string): { readonly root: string; readonly has: boolean } | undefined {
  let at = cwd
  for (let level = 0; level < MOST_LEVELS; level++) {
    const has = statSync(join(at, PROFILES), { throwIfNoEntry: false })?.isDirectory() ?? false
    if (has || statSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return { root: at, has }
    if (dirname(at) === at) return undefined
    at = dirname(at)
  }
  return undefined
}

/** The files with profiles below a root, in order of their names. */
export function profileFiles(root: string): readonly string[] {
  try {
    return readdirSync(join(root, PROFILES))
      .filter((name) => name.endsWith('.jsonc'))
      .sort()
      .slice(0, MOST_FILES)
      .map((name) => join(root, PROFILES, name))
  } catch {
    return []
  }
}

/** The text of a file and the hash of its bytes, or a clause that says why it cannot be read. */
export function readText(file: string): { readonly text: string; readonly sha256: string } | string {
  let handle: number | undefined
  try {
    handle = openSync(file, FLAGS)
    const found = fstatSync(handle)
    if (!found.isFile()) return `${file} is no regular file`
    if (found.size > MOST_TEXT * 4) return `${file} is larger than ${(MOST_TEXT * 4) / 1024} KiB`
    const bytes = Buffer.alloc(found.size)
    const got = bytes.subarray(0, readSync(handle, bytes))
    return { text: got.toString('utf8'), sha256: createHash('sha256').update(got).digest('hex') }
  } catch (error) {
    return `${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

const NAME = 'digests.jsonl'

/** Hashes of contents that a person trusts; none where the file of trust is not ours alone. */
export function trustedHashes(env: Env, home: string): ReadonlySet<string> {
  const out = new Set<string>()
  let handle: number | undefined
  try {
    handle = openSync(join(statePath(env, home), NAME), FLAGS)
    const found = fstatSync(handle)
    const mine = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0)
    if (!found.isFile() || !mine || found.size > MOST_TRUSTED) return out
    const bytes = Buffer.alloc(found.size)
    for (const line of bytes.toString('utf8', 0, readSync(handle, bytes)).split('\n')) {
      const hash = /^\{"v":1,"sha256":"([0-9a-f]{64})"/.exec(line)?.[1]
      if (hash !== undefined) out.add(hash)
    }
  } catch {
    // No file: nothing is trusted.
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
  return out
}

/**
 * Writes down that a person trusts a content. Only for a caller that asked one. Undefined, or a clause that says what
 * went wrong.
 */
export function trust(env: Env, home: string, file: string, sha256: string): string | undefined {
  const state = openState(env, home)
  if ('refused' in state) return state.refused
  const place = join(state.path, NAME)
  let handle: number | undefined
  try {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    handle = openSync(place, flags, 0o600)
    if (!fstatSync(handle).isFile()) return `${place} is no regular file`
    const line = `${JSON.stringify({ v: 1, sha256, name: basename(file).slice(0, 64) })}\n`
    return writeSync(handle, line) === Buffer.byteLength(line) ? undefined : `${place} could not be written whole`
  } catch (error) {
    return `${place} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
