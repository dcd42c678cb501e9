/**
 * Where things lie in a store.
 *
 * ```
 * runs/ab/<62 hex>/   manifest.json, seen.jsonl (when and where it was made), order and line marks where both streams wrote
 * blobs/ab/<62 hex>   bytes by their hash; beside large ones `.idx`, their line marks
 * spool/<id>.<pid>.<start>.<world>[.claim.<pid>.<start>.<world>]/   captures that grow, or whose process died
 * jobs/<12 hex>       the run that a job became
 * last/<16 hex>       the latest run of one command in one directory
 * pins/<run|blob>-<64 hex>
 * gone.jsonl          what was here, and since when it is not
 * ```
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { statePath } from '../../session/store.ts'
import { namesIn } from './files.ts'
import type { Env } from './types.ts'

/** Where store and ledger lie: `CTX_STATE_HOME`, else the product's state directory. A relative variable is ignored. */
export function containmentState(env: Env, home: string): string {
  const given = env['CTX_STATE_HOME']
  return given !== undefined && isAbsolute(given) ? given : statePath(env, home)
}

const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)

/** The directory for captures where the state directory cannot be written. */
export function fallbackState(env: Env): string {
  const given = env['XDG_RUNTIME_DIR']
  const base = given !== undefined && isAbsolute(given) ? given : '/tmp'
  return join(base, `sallyport-${process.getuid?.() ?? 'user'}`)
}

export type Kept = 'run' | 'blob'

const folderOf = (is: Kept): string => (is === 'run' ? 'runs' : 'blobs')

/** The directory of a run, or the file of a blob. */
export const placeOf = (root: string, is: Kept, id: string): string =>
  join(root, folderOf(is), id.slice(0, 2), id.slice(2))

export const manifestOf = (root: string, id: string): string => join(placeOf(root, 'run', id), 'manifest.json')
export const marksOf = (root: string, blob: string): string => `${placeOf(root, 'blob', blob)}.idx`
export const pinOf = (root: string, is: Kept, id: string): string => join(root, 'pins', `${is}-${id}`)
export const jobOf = (root: string, id: string): string => join(root, 'jobs', id)
export const goneOf = (root: string): string => join(root, 'gone.jsonl')

/** The place that remembers the latest run of a command in a directory. */
export const lastOf = (root: string, argv: readonly string[], cwd: string): string =>
  join(root, 'last', sha256(JSON.stringify([argv, cwd])).slice(0, 16))

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Whole ids of what is kept and begins with `prefix` (at least two digits), in order. */
export function idsOf(root: string, is: Kept, prefix: string): readonly string[] {
  const first = prefix.slice(0, 2)
  return namesIn(join(root, folderOf(is), first))
    .filter((name) => /^[0-9a-f]{62}$/.test(name) && (first + name).startsWith(prefix))
    .map((name) => first + name)
    .sort()
}

/** Whole ids of all that is kept. */
export const allIds = (root: string, is: Kept): readonly string[] =>
  namesIn(join(root, folderOf(is)))
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((first) => idsOf(root, is, first))
