/** Captures that grow, on disk under the name of their process. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, statfsSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDirs } from '../../session/store.ts'
import { Masking } from '../capture/masking.ts'
import { Recorder, type Recording } from '../capture/recorder.ts'
import { codeOf, FileSink, MemorySink, type Sink } from '../capture/sink.ts'
import { noteGrowth } from './collect.ts'
import { createFile, DIR_MODE, removeDir, writeNew, writeWhole } from './files.ts'
import { keepRun } from './keep.ts'
import { jobOf } from './layout.ts'
import { ownerText, thisProcess } from './owner.ts'
import type { Capture, Manifest, RunFacts, Sealed, Sealing, Source, Spool, SpoolMeta, Stopped } from './types.ts'

/** What a spool says of itself, for whoever has to seal it. */
export interface Head {
  readonly v: 1
  readonly argv: readonly string[]
  readonly cwd: string
  readonly ts: string
  readonly job?: string
  readonly sealed?: true
}

/** Bytes in memory where neither store nor temporary directory can be written. */
const MOST_IN_MEMORY = 64 * 1024 * 1024
/** Free bytes, and the part of the disk, that a capture leaves to others: whichever is less. */
const ROOM = 512 * 1024 * 1024
const ROOM_PART = 0.05
/** Bytes put by, so that a capture that filled the disk can still be sealed; only captures above `RESERVE_FROM` do. */
const RESERVE = 256 * 1024
const RESERVE_FROM = 1024 * 1024

export interface Making {
  readonly limit: number
  readonly sealing?: Sealing | undefined
  readonly notice?: string | undefined
  /** Called when something was kept. */
  readonly kept?: () => void
}

export const newId = (): string => randomBytes(6).toString('hex')

export const spoolName = (id: string): string => `${id}.${ownerText(thisProcess())}`

/** Begins a capture in a store. Throws where the disk refuses. */
export function spoolIn(root: string, meta: SpoolMeta, making: Making): Spool {
  const id = meta.job ?? newId()
  const dir = join(root, 'spool', spoolName(id))
  makeDirs(join(root, 'spool'))
  mkdirSync(dir, { mode: DIR_MODE })
  try {
    const mask = making.sealing?.mask
    const argv = mask === undefined ? meta.argv : meta.argv.map((word) => mask(word).text)
    const head: Head = {
      v: 1,
      argv,
      cwd: meta.cwd,
      ts: new Date().toISOString(),
      ...(meta.job === undefined ? {} : { job: meta.job }),
      ...(mask === undefined ? {} : { sealed: true }),
    }
    writeWhole(join(dir, 'head.json'), JSON.stringify(head), false)
    const data = new FileSink(createFile(join(dir, 'data')))
    const order = new FileSink(createFile(join(dir, 'order')))
    return new OpenSpool(id, { root, dir, head }, { data, order }, making)
  } catch (error) {
    removeDir(dir)
    throw error
  }
}

/** A capture that nothing keeps: in a file without a name, else in memory. */
export function spoolNowhere(making: Making): Spool {
  const sinks = (): { data: Sink; order: Sink } => {
    try {
      return { data: nameless(), order: nameless() }
    } catch {
      return { data: new MemorySink(MOST_IN_MEMORY), order: new MemorySink(MOST_IN_MEMORY) }
    }
  }
  return new OpenSpool(newId(), undefined, sinks(), making)
}

function nameless(): FileSink {
  const path = join(tmpdir(), `sallyport-${randomBytes(12).toString('hex')}`)
  const fd = createFile(path)
  unlinkSync(path)
  return new FileSink(fd)
}

class OpenSpool implements Spool {
  readonly id: string
  readonly #place: { readonly root: string; readonly dir: string; readonly head: Head } | undefined
  readonly #making: Making
  readonly #recorder: Recorder
  readonly #masking: Masking | undefined
  #reserve: 'none' | 'there' | 'refused' = 'none'
  #ended: Sealed | undefined

  constructor(
    id: string,
    place: { readonly root: string; readonly dir: string; readonly head: Head } | undefined,
    sinks: { readonly data: Sink; readonly order: Sink },
    making: Making,
  ) {
    this.id = id
    this.#place = place
    this.#making = making
    this.#recorder = new Recorder({
      ...sinks,
      limit: making.limit,
      ...(place === undefined ? {} : { room: () => hasRoom(place.dir) }),
    })
    const { sealing } = making
    this.#masking = sealing && new Masking(sealing.stream, (source, chunk) => this.#take(source, chunk))
  }

  append(stream: Source, chunk: Uint8Array): void {
    if (this.#ended !== undefined) return
    if (this.#masking === undefined) this.#take(stream, chunk)
    else this.#masking.append(stream, chunk)
  }

  #take(stream: Source, chunk: Uint8Array): void {
    if (this.#reserve === 'none' && this.#place !== undefined && this.#recorder.seen > RESERVE_FROM) {
      try {
        writeNew(join(this.#place.dir, 'reserve'), Buffer.alloc(RESERVE), false)
        this.#reserve = 'there'
      } catch {
        this.#reserve = 'refused'
      }
    }
    this.#recorder.append(stream, chunk)
  }

  get seen(): number {
    return this.#recorder.seen
  }

  get stopped(): Stopped | undefined {
    return this.#recorder.stopped
  }

  view(): Capture {
    this.#masking?.lines()
    return this.#recorder.recording()
  }

  seal(facts: RunFacts): Sealed {
    if (this.#ended !== undefined) return this.#ended
    this.#masking?.end()
    const recording = this.#recorder.recording()
    this.#ended = this.#keep(recording, facts)
    return this.#ended
  }

  #keep(recording: Recording, facts: RunFacts): Sealed {
    const notices = [this.#making.notice, stopWords(recording.stopped)].filter((words) => words !== undefined)
    const done = (more: Partial<Sealed>, problem?: string): Sealed => {
      const notice = [...notices, ...(problem === undefined ? [] : [problem])].join('; ')
      return { ...recording, ...more, ...(notice === '' ? {} : { notice }) }
    }
    const place = this.#place
    if (place === undefined) return done({})
    const { root, dir, head } = place
    try {
      rmSync(join(dir, 'reserve'), { force: true })
      // Who dies from here on leaves a spool that others seal as the same run.
      writeWhole(join(dir, 'facts.json'), JSON.stringify(facts), false)
      const manifest = keepSpool(root, dir, head, facts, recording, join(dir, 'order'))
      noteGrowth(root, recording.streams.merged.bytes)
      this.#making.kept?.()
      return done({ id: manifest.id, handle: `run:${manifest.id.slice(0, 12)}`, manifest })
    } catch (error) {
      return done({}, `the capture could not be kept in ${root} (${codeOf(error)})`)
    } finally {
      removeDir(dir)
    }
  }

  drop(): void {
    if (this.#ended !== undefined) return
    this.#ended = this.#recorder.recording()
    if (this.#place !== undefined) removeDir(this.#place.dir)
  }
}

/** Keeps the run of a spool. */
export function keepSpool(
  root: string,
  dir: string,
  head: Head,
  facts: RunFacts,
  recording: Recording,
  order: string,
): Manifest {
  const { argv, cwd, ts, sealed } = head
  const manifest = keepRun(root, {
    argv,
    cwd,
    ts,
    facts,
    recording,
    partial: facts.cutOff === true,
    ...(sealed ? { sealed } : {}),
    data: join(dir, 'data'),
    order,
    work: dir,
  })
  noteJob(root, head, manifest.id)
  return manifest
}

/** Notes which run a job became. */
function noteJob(root: string, head: Head, run: string): void {
  if (head.job === undefined) return
  makeDirs(join(root, 'jobs'))
  writeWhole(jobOf(root, head.job), run, false)
}

function hasRoom(dir: string): boolean {
  try {
    const { bavail, blocks, bsize } = statfsSync(dir)
    return bavail * bsize >= Math.min(ROOM, blocks * bsize * ROOM_PART)
  } catch {
    return true
  }
}

const WHY: Readonly<Record<Stopped['why'], string>> = {
  limit: 'its quota is used up (store.maxBytes of the policy)',
  disk: 'the disk is full',
  error: 'writing failed',
}

/** A clause for a capture that stopped. */
export const stopWords = (stopped: Stopped | undefined): string | undefined =>
  stopped === undefined
    ? undefined
    : `capture stopped at ${stopped.at} bytes: ${WHY[stopped.why]}; the command went on, ${stopped.seen} bytes in all`
