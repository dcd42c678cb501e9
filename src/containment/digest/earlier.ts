/** What changed since an earlier run of the same command. */
import type { Bytes } from '../bytes.ts'
import type { Analysis } from './analysis.ts'
import { failureName } from './failures.ts'
import type { Candidate } from './generic.ts'

/** The earlier run. */
export interface Earlier {
  readonly bytes: Bytes
  readonly exit?: number
  readonly signal?: string
  /** `run:<12 hex>`; without it the run is not named. */
  readonly handle?: string
}

/** Names that are shown of the failures that are gone. */
const NAMES = 12
const STEP = 1 << 20

/** Whether two captures are the same bytes. */
export function sameBytes(a: Bytes, b: Bytes): boolean {
  if (a.size !== b.size) return false
  for (let at = 0; at < a.size; at += STEP) {
    const one = a.read(at, at + STEP)
    const other = b.read(at, at + STEP)
    if (Buffer.compare(one, other) !== 0) return false
  }
  return true
}

export interface Change {
  /** Sentences of the frame. */
  readonly facts: readonly string[]
  /** What is new comes before what was there. */
  readonly candidates: readonly Candidate[]
}

/** A failure's name without what differs from run to run. */
const nameOf = (candidate: Candidate): string =>
  (candidate.name ?? '').replace(/\b\d+(?:[.,:]\d+)*\s?(?:m?s|ms|seconds?|%)\b|\[\s*\d+%\]/g, '').trim()

/** Compares what two runs say. `was`: how the earlier one is called. */
export function changeSince(
  was: string,
  now: readonly Candidate[],
  then: readonly Candidate[],
  before: Analysis,
  sampleOf: (candidate: Candidate) => string,
): Change {
  const names = (candidates: readonly Candidate[]) =>
    new Set(candidates.filter(({ kind }) => kind === 'failure').map(nameOf))
  const [old, present] = [names(then), names(now)]
  const fixed = [...old].filter((name) => !present.has(name))
  const fresh = [...present].filter((name) => !old.has(name))
  const facts: string[] = []
  if (old.size > 0 || present.size > 0) {
    facts.push(`since ${was}: ${fixed.length} fixed, ${fresh.length} new, ${present.size - fresh.length} same failures`)
    if (fixed.length > 0)
      facts.push(
        `fixed: ${fixed.slice(0, NAMES).map(failureName).join('; ')}${fixed.length > NAMES ? `; ${fixed.length - NAMES} more` : ''}`,
      )
  }
  const known = new Set(before.shapes.map((shape) => masked(shape.sample)))
  const isNew = (candidate: Candidate) =>
    candidate.kind === 'failure' ? !old.has(nameOf(candidate)) : !known.has(masked(sampleOf(candidate)))
  let unseen = 0
  const candidates = now.map((candidate) => {
    const fresh = isNew(candidate)
    if (fresh && (candidate.kind === 'cause' || candidate.kind === 'rare')) unseen++
    return { ...candidate, score: candidate.score + (fresh ? 4 : 0) }
  })
  if (facts.length === 0)
    facts.push(`since ${was}: ${unseen === 0 ? 'nothing new is said' : `${unseen} kinds of lines are new`}`)
  return { facts, candidates }
}

/** A line without its numbers. */
const masked = (text: string): string =>
  text
    .replace(/\d+(?:[.,:/-]\d+)*/g, '0')
    .replace(/\s+/g, ' ')
    .trim()
