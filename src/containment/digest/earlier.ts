/** What changed since an earlier run of the same command. */
import { counted } from '../../core/count.ts'
import type { Bytes } from '../bytes.ts'
import type { Document } from './document.ts'
import { FailureNames, failureName } from './failures.ts'
import type { Reading } from './family.ts'
import type { Candidate } from './generic.ts'
import type { Place } from './lines.ts'

/** The earlier run. */
export interface Earlier {
  readonly bytes: Bytes
  /** Of the bytes, as hexadecimal digits, where it is known. */
  readonly sha256?: string
  readonly exit?: number
  readonly signal?: string
  /** Bytes that were kept where the capture stopped before the child did. */
  readonly stopped?: number
  /** `run:<12 hex>`; without it the run is not named. */
  readonly handle?: string
}

/** Names that are shown of the failures that are gone. */
const NAMES = 12
const STEP = 1 << 18

/** Whether two captures are the same bytes. */
export function sameBytes(a: Bytes, b: Bytes): boolean {
  if (a.size !== b.size) return false
  const [one, other] = [readerOf(a), readerOf(b)]
  for (let at = 0; at < a.size; at += STEP) if (Buffer.compare(one(at), other(at)) !== 0) return false
  return true
}

/** Reads steps into the same memory where that is possible: memory anew for each would pile up in a long capture. */
function readerOf(bytes: Bytes): (at: number) => Uint8Array {
  const { into } = bytes
  if (into === undefined) return (at) => bytes.read(at, at + STEP)
  const memory = new Uint8Array(STEP)
  return (at) => memory.subarray(0, into(memory, at))
}

export interface Change {
  /** Sentences of the frame. */
  readonly facts: readonly string[]
  /** What is new comes before what was there. */
  readonly candidates: readonly Candidate[]
}

/** A run as it is compared. */
export interface RunTold {
  readonly document: Document
  readonly candidates: readonly Candidate[]
  /** Who read it, and what; undefined where no family did. */
  readonly family: string | undefined
  readonly reading: Reading | undefined
  readonly exit: number | undefined
  readonly signal: string | undefined
  readonly stopped: number | undefined
}

/** The exit code of `timeout`, and those from which on a shell reports a signal. */
const TIMED_OUT = 124
const SIGNALLED = 128

/** Whether a run came to its own end, and all that it wrote was read. */
const ended = ({ exit, signal, stopped, document }: RunTold): boolean =>
  exit !== undefined &&
  exit !== TIMED_OUT &&
  exit < SIGNALLED &&
  signal === undefined &&
  stopped === undefined &&
  document.analysis.unread === undefined &&
  document.analysis.middle === undefined

/** Whether a run shows all of its failures, so that one that it does not name is none of it. */
function showsAll(run: RunTold): boolean {
  const { exit, reading, candidates } = run
  if (!ended(run) || reading?.partial === true || hasMore(run)) return false
  // Where no test ran a family says neither that it went well nor that it did not.
  if (exit === 0) return reading === undefined || reading.failed === false
  return reading?.failed === true && candidates.some(({ kind }) => kind === 'failure')
}

/** Whether a run ended well without a word, as compilers and linters do. No family hears it. */
const isSilent = ({ exit, document }: RunTold): boolean => exit === 0 && document.analysis.lines === 0

/** Whether a run has failures that are not told apart. */
const hasMore = ({ candidates }: RunTold): boolean => candidates.some(({ beyond }) => beyond !== undefined)

/**
 * A failure's name without what differs from run to run, and in one form: a runner names it otherwise in its progress, in
 * the header of its report and in its summary.
 */
const nameOf = (candidate: Candidate): string =>
  failureName(
    (candidate.called ?? candidate.name ?? '')
      .replace(/\b\d+(?:[.,:]\d+)*\s?(?:m?s|ms|seconds?|%)\b|\[\s*\d+%\]/g, '')
      .trim(),
  ).replaceAll('::', '.')

/** The names of a run's failures. A second one that only differs in what tells it apart in one run is numbered. */
function namesOf({ candidates }: RunTold): Set<string> {
  const names = new Set<string>()
  const told = new Map<string, Set<string>>()
  for (const candidate of candidates) {
    if (candidate.kind !== 'failure' || candidate.beyond !== undefined) continue
    const called = nameOf(candidate)
    const apart = told.get(called) ?? new Set()
    told.set(called, apart.add(candidate.called === undefined ? '' : (candidate.name ?? '')))
    names.add(apart.size === 1 ? called : `${called} (${apart.size})`)
  }
  return names
}

/** Tells whether a name is among others; `loosely`: also where one of the two holds the other at its end. */
function among(names: ReadonlySet<string>, loosely: boolean): (name: string) => boolean {
  const known = new FailureNames()
  for (const name of names) known.add(name)
  return (name) => known.has(name, !loosely)
}

/** Compares what two runs say. `was`: how the earlier one is called. */
export function changeSince(was: string, now: RunTold, then: RunTold): Change {
  const [old, present] = [namesOf(then), namesOf(now)]
  const loosely = !showsAll(now) || !showsAll(then)
  const [inOld, inPresent] = [among(old, loosely), among(present, loosely)]
  const gone = [...old].filter((name) => !inPresent(name))
  const fresh = [...present].filter((name) => !inOld(name))
  const facts: string[] = []
  if (old.size > 0 || present.size > 0) {
    const sameReader = now.family === then.family || isSilent(now) || isSilent(then)
    const [ranNow, ranThen] = [now.reading?.ran ?? 0, then.reading?.ran ?? 0]
    const nowAll = sameReader && showsAll(now) && (now.exit === 0 || ranNow >= ranThen)
    const thenAll =
      sameReader &&
      (then.exit === 0 || now.exit === 0 || ranThen >= ranNow) &&
      (showsAll(then) || (then.reading === undefined && ended(then) && !hasMore(then)))
    if (nowAll && thenAll) {
      facts.push(
        `since ${was}: ${gone.length} fixed, ${fresh.length} new, ${present.size - fresh.length} same failures`,
      )
      if (gone.length > 0) facts.push(`fixed: ${some(gone)}`)
    } else {
      const unseen: string[] = []
      if (old.size > 0)
        unseen.push(`${gone.length} of ${counted(old.size, 'failure')} of the earlier run not seen in this one`)
      if (present.size > 0)
        unseen.push(`${fresh.length} of ${counted(present.size, 'failure')} here not seen in the earlier one`)
      facts.push(`since ${was}: ${unseen.join(', ')}; ${nowAll ? 'the earlier run' : 'this run'} may not name all`)
    }
  }
  const unknown = unknownShapes(now.document, then.document)
  const known = new Set(then.document.analysis.shapes.map((shape) => masked(shape.sample)))
  const isNew = (candidate: Candidate) =>
    candidate.kind === 'failure' ? !inOld(nameOf(candidate)) : !known.has(masked(now.document.raw(candidate.place)))
  const candidates = now.candidates.map((candidate) => ({
    ...candidate,
    score: candidate.score + (isNew(candidate) ? 4 : 0),
  }))
  if (facts.length === 0) {
    if (unknown > 0) facts.push(`since ${was}: ${counted(unknown, 'kind of line is', 'kinds of lines are')} new`)
    else if (saysNothingNew(now.document, then.document)) facts.push(`since ${was}: nothing new is said`)
  }
  return { facts, candidates }
}

const some = (names: readonly string[]): string =>
  `${names.slice(0, NAMES).join('; ')}${names.length > NAMES ? `; ${names.length - NAMES} more` : ''}`

/** Kinds of lines that the earlier run did not have. */
function unknownShapes(now: Document, then: Document): number {
  return now.analysis.shapes.filter(
    ({ part, garbled, places }) => !part && !garbled && places.some((place) => isUnknown(now, place, then)),
  ).length
}

/** Whether a line is like none of the earlier run. */
const isUnknown = (now: Document, place: Place, then: Document): boolean =>
  then.analysis.shapeOf(now.bytesOf(place)) === undefined

/** Lines up to which each is looked at before it is said that none is new. */
const EACH = 50_000

/** Whether each line of a run is like one of the earlier run. Of what is not read line by line nothing is claimed. */
function saysNothingNew(now: Document, then: Document): boolean {
  const { lines, unread, binary, parted } = now.analysis
  if (lines > EACH || unread !== undefined || binary !== undefined || parted > 0) return false
  return now.places(1, lines).every((place) => !isUnknown(now, place, then))
}

/** A line without its numbers. */
const masked = (text: string): string =>
  text
    .replace(/\d+(?:[.,:/-]\d+)*/g, '0')
    .replace(/\s+/g, ' ')
    .trim()
