/** Spools whose process died: anybody may seal them as partial runs. */
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Order } from '../capture/order.ts'
import { Recorder, type Recording } from '../capture/recorder.ts'
import { FileBytes, FileSink, MemorySink, type Sink } from '../capture/sink.ts'
import { changedAt, createFile, GONE, namesIn, openFile, readText, removeDir } from './files.ts'
import { lives, type Owner, ownerText, readOwner, thisProcess } from './owner.ts'
import { type Head, keepSpool } from './spool.ts'
import type { RunFacts, Sealed } from './types.ts'

const CLAIM = '.claim.'

/** A spool as its name tells it. */
export interface Found {
  readonly name: string
  readonly id: string
  /** The process that answers for it: who writes it, or who claimed it to seal it. */
  readonly owner: Owner
}

export const spoolsIn = (root: string): readonly Found[] => namesIn(join(root, 'spool')).flatMap(foundIn)

function foundIn(name: string): readonly Found[] {
  const [first = '', claim] = name.split(CLAIM)
  const id = first.slice(0, first.indexOf('.'))
  const owner = readOwner(claim ?? first.slice(first.indexOf('.') + 1))
  return owner !== undefined && /^[0-9a-f]{12}$/.test(id) ? [{ name, id, owner }] : []
}

/** Whether the process of a spool still answers for it. */
export function isLive(root: string, { name, owner }: Found): boolean {
  const dir = join(root, 'spool', name)
  return lives(owner, Date.now() - Math.max(changedAt(dir), changedAt(join(dir, 'data'))))
}

/** Bytes above which a spool is left to those who ask for it: reading it again takes seconds. */
export const QUICK = 256 * 1024 * 1024

/**
 * Seals what dead processes left, as far as `most` bytes a spool. Each spool is sealed by one process: the one that
 * renames it first.
 */
export function recoverSpools(root: string, most: number): readonly Sealed[] {
  removeHalves(root)
  return spoolsIn(root).flatMap((found) => {
    if (isLive(root, found)) return []
    const size = lstatSync(join(root, 'spool', found.name, 'data'), { throwIfNoEntry: false })?.size ?? 0
    if (size > most) return []
    const sealed = recoverSpool(root, found)
    return sealed === undefined ? [] : [sealed]
  })
}

/** Removes the rest of spools whose process died while it removed them. */
function removeHalves(root: string): void {
  for (const name of namesIn(join(root, 'spool'))) {
    if (!name.endsWith(GONE)) continue
    const [found] = foundIn(name.slice(0, -GONE.length))
    if (found !== undefined && !lives(found.owner, Date.now() - changedAt(join(root, 'spool', name))))
      rmSync(join(root, 'spool', name), { recursive: true, force: true })
  }
}

/** Seals one spool of a dead process; undefined where another process does, or there was nothing in it. */
export function recoverSpool(root: string, found: Found): Sealed | undefined {
  const [first = ''] = found.name.split(CLAIM)
  const dir = join(root, 'spool', `${first}${CLAIM}${ownerText(thisProcess())}`)
  try {
    renameSync(join(root, 'spool', found.name), dir)
  } catch {
    return undefined
  }
  let sealed: Sealed | undefined
  try {
    sealed = sealDead(root, dir)
  } catch {
    // Left as it is, for the next one who tries: the disk may be full.
    return undefined
  }
  removeDir(dir)
  return sealed
}

function sealDead(root: string, dir: string): Sealed | undefined {
  const head = readHead(dir)
  const data = openFile(join(dir, 'data'))
  if (head === undefined || data === undefined) return undefined
  const bytes = new FileBytes(data)
  rmSync(join(dir, 'reserve'), { force: true })
  rmSync(join(dir, 'run'), { recursive: true, force: true })
  rmSync(join(dir, 'whole'), { force: true })
  const recording = replay(bytes, dir)
  const manifest = keepSpool(root, dir, head, readFacts(dir), recording, join(dir, 'whole'))
  return { ...recording, id: manifest.id, handle: `run:${manifest.id.slice(0, 12)}`, manifest }
}

/** How the child ended, where its process had still come to write that down. */
function readFacts(dir: string): RunFacts {
  try {
    const value: unknown = JSON.parse(readText(join(dir, 'facts.json')) ?? '')
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // It died before, or while the child still ran.
  }
  return { cutOff: true }
}

export function readHead(dir: string): Head | undefined {
  try {
    const value = JSON.parse(readText(join(dir, 'head.json')) ?? '') as Partial<Head> | null
    const argv = value?.argv
    return Array.isArray(argv) && argv.every((word) => typeof word === 'string') && typeof value?.cwd === 'string'
      ? (value as Head)
      : undefined
  } catch {
    return undefined
  }
}

/** Bytes of one step of a replay. */
const STEP = 1024 * 1024

/** Takes the bytes once more, as if they came from the child: for their hashes and marks. */
function replay(bytes: FileBytes, dir: string): Recording {
  const data: Sink & { size: number } = {
    size: 0,
    read: (from, to) => bytes.read(from, to),
    append(chunk) {
      data.size += chunk.length
      return { written: chunk.length }
    },
  }
  const order = new FileSink(createFile(join(dir, 'whole')))
  const recorder = new Recorder({ data, order, limit: Number.POSITIVE_INFINITY })
  const file = openFile(join(dir, 'order'))
  const pieces = new Order(file === undefined ? new MemorySink(0) : new FileBytes(file), bytes.size)
  for (let at = 0, k = 0; at < bytes.size; ) {
    const end = pieces.count === 0 ? bytes.size : pieces.endOf(k)
    const source = pieces.count === 0 ? 'stdout' : pieces.piece(k).source
    const chunk = bytes.read(at, Math.min(end, at + STEP))
    if (chunk.length === 0) break
    recorder.append(source, chunk)
    at += chunk.length
    if (at >= end) k++
  }
  // Bytes that cannot be ordered for want of room are left for a time when there is room.
  if (recorder.stopped !== undefined) throw new Error('the order of the streams cannot be written')
  return recorder.recording()
}
