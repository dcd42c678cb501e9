/** What a handle names, as bytes with lines: a capture, or a live file of the workspace. */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { isSecretName } from '../../paths/zones.ts'
import type { Handle } from '../address.ts'
import { SHOWN_DIGITS } from '../address.ts'
import { bytesOf } from '../bytes.ts'
import { scanLines } from '../capture/lines.ts'
import { codeOf, FileBytes } from '../capture/sink.ts'
import type { Lines, Manifest, Store } from '../store/types.ts'

/** Where questions come from. */
export interface Asker {
  readonly store: Pick<Store, 'resolve'>
  /** The directory of the caller; `repo:` means the workspace around it. */
  readonly cwd: string
  /** Why a file, as a real path, is not shown, beside names that tell of secrets; undefined where it may be. */
  readonly hides?: (path: string) => string | undefined
}

export interface Opened {
  /** The handle as it is shown: the id shortened, the stream where one was asked for. */
  readonly handle: Handle
  readonly bytes: Lines
  /** Of a run that has ended. */
  readonly manifest?: Manifest
}

/** A clause without a full stop that says what is wrong and what would be right. */
export interface Refusal {
  readonly refused: string
}

/** Opens what a handle names. A directory of the workspace is refused: `search` and `stats` take those. */
export function openHandle(handle: Handle, asker: Asker): Opened | Refusal {
  if (handle.is === 'repo') {
    const file = workspaceFile(handle.path, workspaceOf(asker.cwd), asker.hides)
    if ('refused' in file) return file
    return { handle, bytes: file.bytes }
  }
  const found = asker.store.resolve(handle)
  if (found.is === 'unresolved') return { refused: found.refused }
  const short = { ...handle, id: found.id.slice(0, Math.max(SHOWN_DIGITS, handle.id.length)) }
  if (found.is === 'blob') return { handle: short, bytes: found.bytes }
  return {
    handle: short,
    bytes: found.capture.stream(handle.stream ?? 'merged'),
    ...(found.manifest === undefined ? {} : { manifest: found.manifest }),
  }
}

/** The workspace around a directory: the nearest one with `.git`, else the directory itself. As a real path. */
export function workspaceOf(cwd: string): string {
  const start = realpathSync(cwd)
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return start
  }
}

/** A path of the workspace as it really lies; links that lead out of it are refused. */
export function insideWorkspace(path: string, workspace: string): string | Refusal {
  let real: string
  try {
    real = realpathSync(join(workspace, path))
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR' ? 'there is no' : 'nobody may look at'
    return { refused: `${why} repo:${path} in ${workspace}` }
  }
  const below = workspace === sep ? sep : workspace + sep
  if (real !== workspace && !real.startsWith(below)) return { refused: `repo:${path} leads out of the workspace` }
  return real
}

/** Why a file's content is not shown; undefined where it may be. `hides`: as the asker has it. */
export const hiddenFile = (real: string, hides: Asker['hides']): string | undefined =>
  isSecretName(real.split(sep).at(-1) ?? '') ? 'its name says that it holds secrets' : hides?.(real)

/** A file up to this is held in memory: a search opens more files than a process may have open. */
const MOST_HELD = 4 * 1024 * 1024

/** A regular file of the workspace. Its lines are counted by reading it once. */
export function workspaceFile(
  path: string,
  workspace: string,
  hides: Asker['hides'],
): { readonly bytes: Lines } | Refusal {
  const real = insideWorkspace(path, workspace)
  if (typeof real !== 'string') return real
  const hidden = hiddenFile(real, hides)
  if (hidden !== undefined) return { refused: `repo:${path} is not shown: ${hidden}` }
  try {
    const fd = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const found = fstatSync(fd)
    if (found.isFile() && found.size > MOST_HELD) return { bytes: scanLines(new FileBytes(fd)) }
    const held = found.isFile() ? readFileSync(fd) : undefined
    closeSync(fd)
    if (held !== undefined) return { bytes: scanLines(bytesOf(held)) }
    const what = found.isDirectory() ? 'a directory; ctx search and ctx stats take directories' : 'no regular file'
    return { refused: `repo:${path} is ${what}` }
  } catch (error) {
    return { refused: `repo:${path} cannot be read (${codeOf(error)})` }
  }
}
