/** Keeps bytes that are there already, without a run that made them. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirs } from '../../session/store.ts'
import { shown } from '../address.ts'
import { Recorder } from '../capture/recorder.ts'
import { codeOf, MemorySink } from '../capture/sink.ts'
import { noteGrowth } from './collect.ts'
import { writeNew } from './files.ts'
import { keepBlob, MOST_SYNCED } from './keep.ts'
import { type Making, newId, spoolName } from './spool.ts'
import type { Sealed } from './types.ts'

/** Keeps `bytes` as a blob below `root`; without a root they are only readable while the caller holds the result. */
export function putBlob(root: string | undefined, bytes: Uint8Array, making: Making): Sealed {
  const masking = making.sealing?.stream()
  const given = masking === undefined ? bytes : Buffer.concat([masking.push(bytes), masking.end()])
  const data = new MemorySink(Math.max(given.length, 1))
  const recorder = new Recorder({ data, order: new MemorySink(1024), limit: making.limit })
  recorder.append('stdout', given)
  const recording = recorder.recording()
  const facts = { ...recording, ...(making.notice === undefined ? {} : { notice: making.notice }) }
  if (root === undefined) return facts
  const dir = join(root, 'spool')
  const temporary = join(dir, `${spoolName(newId())}.put`)
  try {
    makeDirs(dir)
    writeNew(temporary, given.subarray(0, recording.streams.merged.bytes), given.length <= MOST_SYNCED)
    const id = recording.streams.merged.sha256
    keepBlob(root, id, temporary, recording.marks.merged)
    noteGrowth(root, given.length)
    making.kept?.()
    return { ...facts, id, handle: shown('blob', id) }
  } catch (error) {
    const problem = `the result could not be kept in ${root} (${codeOf(error)})`
    return { ...facts, notice: making.notice === undefined ? problem : `${making.notice}; ${problem}` }
  } finally {
    rmSync(temporary, { force: true })
  }
}
