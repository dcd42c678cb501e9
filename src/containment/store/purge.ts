/** Removes what a person wants gone: pins do not hold it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeThings, thingOf } from './collect.ts'
import { namesIn, readText, removeDir } from './files.ts'
import { allIds, jobOf, type Kept, lastOf, pinOf } from './layout.ts'
import { readManifest, readOccurrences } from './manifest.ts'
import { isLive, spoolsIn } from './recover.ts'
import type { Collected } from './types.ts'

/**
 * Removes one run or blob, or all. With a run goes its blob, unless another run has it; with a blob go all runs that have
 * it. With all go captures of dead processes, too; those that run are their processes' own.
 */
export function purge(root: string, what: { readonly is: Kept; readonly id: string } | 'all'): Collected {
  const runs = allIds(root, 'run').map((id) => ({ id, blob: readManifest(root, id)?.streams.merged.sha256 ?? '' }))
  const chosen =
    what === 'all' ? runs : runs.filter(({ id, blob }) => (what.is === 'run' ? id === what.id : blob === what.id))
  const others = new Set(runs.filter((run) => !chosen.includes(run)).map(({ blob }) => blob))
  const blobs =
    what === 'all'
      ? allIds(root, 'blob')
      : what.is === 'blob'
        ? [what.id]
        : chosen.map(({ blob }) => blob).filter((blob) => blob !== '' && !others.has(blob))
  for (const { id } of chosen) {
    rmSync(pinOf(root, 'run', id), { force: true })
    const argv = readManifest(root, id)?.argv
    if (argv !== undefined)
      for (const { cwd } of readOccurrences(root, id)) {
        const last = lastOf(root, argv, cwd)
        if (readText(last) === id) rmSync(last, { force: true })
      }
  }
  for (const id of blobs) rmSync(pinOf(root, 'blob', id), { force: true })
  const gone = removeThings(
    root,
    runs.map(({ id }) => id),
    chosen.flatMap(({ id }) => thingOf(root, 'run', id)),
    blobs.flatMap((id) => thingOf(root, 'blob', id)),
    () => 'purged',
    Date.now(),
  )
  if (what === 'all') {
    for (const found of spoolsIn(root)) if (!isLive(root, found)) removeDir(join(root, 'spool', found.name))
    for (const dir of ['pins', 'last', 'trash']) rmSync(join(root, dir), { recursive: true, force: true })
  }
  const runIds = new Set(chosen.map(({ id }) => id))
  for (const job of namesIn(join(root, 'jobs')))
    if (runIds.has(readText(jobOf(root, job)) ?? '')) rmSync(jobOf(root, job), { force: true })
  return gone
}
