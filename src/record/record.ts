/** The one record of a verdict that log, replay, sticky denies and telemetry share (`v` is its version). No secret inside. */
import type { Fact } from '../core/driver.ts'
import type { Act, Effect, Target } from '../core/effect.ts'
import { nameOfText } from '../core/hash.ts'
import type { Asks } from '../core/question.ts'
import { byteOffsets } from '../core/utf8.ts'
import { type Provenance, showGlob } from '../core/value.ts'
import type { Decision, Loss, ParseStatus, Verdict } from '../core/verdict.ts'
import { policyDigest } from '../policy/effective.ts'
import type { Policy, Profile } from '../policy/policy.ts'
import { redact } from './redact.ts'

/** A place that led to an effect. Offsets are UTF-8 bytes in the source; absent where its text is not known. */
export interface RecordSpan {
  /** `call`, a path, or what was read (`scripts.build`). */
  readonly source: string
  readonly from?: number
  readonly to?: number
  readonly line?: number
}

export interface RecordEffect {
  readonly act: Act
  readonly target: string
  readonly zones: readonly string[]
  readonly when: Effect['when']
  readonly via: readonly RecordSpan[]
  readonly provenance: Provenance
}

export interface VerdictRecord {
  readonly v: 1
  /** `v_` and 12 hexadecimal digits. */
  readonly id: string
  readonly verdict: Decision
  /** `family.name`, or `none`. */
  readonly rule: string
  readonly reason: string
  readonly safer?: string
  readonly effects: readonly RecordEffect[]
  readonly loss?: Loss
  readonly status: ParseStatus
  readonly profile: Profile
  /** Names of the facts and of the policy that the verdict rests on, 32 hexadecimal digits each. */
  readonly facts: string
  readonly policy: string
  readonly ms: number
}

export interface RecordInput {
  readonly verdict: Verdict
  readonly policy: Policy
  /** The facts that the driver recorded, in order. */
  readonly facts: readonly Fact[]
  /** The text of the call where it is a shell line: spans with the source `call` lie in it. */
  readonly call?: string
  /** The zones that an effect's target lies in. */
  readonly zones?: (effect: Effect) => readonly string[]
  /** Milliseconds that the verdict took. */
  readonly ms: number
  /** Makes ids of equal verdicts differ: time and process. The same seed gives the same id. */
  readonly seed: string
}

/** Effects in one record. A line with more is not read effect by effect; the verdict is the whole of it all the same. */
const MOST_EFFECTS = 200
/** Steps of one effect's trail. */
const MOST_VIA = 8
const MOST_LOST_PATHS = 8

/** The record of one verdict. Equal input gives equal bytes. */
export function buildRecord(input: RecordInput): VerdictRecord {
  const { verdict, policy, ms } = input
  const spans = spanReader(input)
  const zones = input.zones ?? ((effect: Effect) => effect.zones ?? [])
  const body = {
    verdict: verdict.decision,
    rule: verdict.rule,
    reason: redact(verdict.reason),
    ...(verdict.safer === undefined ? {} : { safer: redact(verdict.safer) }),
    effects: verdict.effects.slice(0, MOST_EFFECTS).map((effect) => ({
      act: effect.act,
      target: redact(showTarget(effect.target)),
      zones: [...zones(effect)].sort(),
      when: effect.when,
      via: effect.via.slice(-MOST_VIA).map(spans),
      provenance: effect.provenance,
    })),
    ...(verdict.loss === undefined ? {} : { loss: lossOf(verdict.loss) }),
    status: verdict.status,
    profile: policy.profile,
    facts: factsDigest(input.facts),
    policy: policyDigest(policy),
  }
  const id = `v_${nameOfText(`${input.seed}\n${JSON.stringify(body)}`).slice(0, 12)}`
  return { v: 1, id, ...body, ms: Number.isFinite(ms) ? Math.max(0, Math.round(ms * 100) / 100) : 0 }
}

/** The name of the facts of a verdict: equal for equal questions with equal answers in the same order. */
export const factsDigest = (facts: readonly Fact[]): string => nameOfText(JSON.stringify(facts.map(brief)))

/** A fact with the marks of files for the files, where it has any: a store of tickets may be longer than all else. */
function brief(fact: Fact): unknown {
  const { question, answer } = fact
  if (question.ask !== 'texts' || typeof answer !== 'object') return fact
  const { entries, ...rest } = answer as Exclude<Asks['texts'][1], 'absent'>
  const brief = entries.map((one) =>
    one.mark === undefined ? one : { name: one.name, kind: one.kind, mark: one.mark },
  )
  return { question, answer: { ...rest, entries: brief } }
}

const lossOf = (loss: Loss): Loss => ({
  paths: loss.paths.slice(0, MOST_LOST_PATHS).map(redact),
  files: loss.files,
  bytes: loss.bytes,
  commits: loss.commits,
})

/** Turns the spans of one record into bytes: each source is walked once, however many spans lie in it. */
function spanReader({ verdict, call, facts }: RecordInput): (via: Effect['via'][number]) => RecordSpan {
  const offsets = new Map<string, Set<number>>()
  for (const effect of verdict.effects.slice(0, MOST_EFFECTS)) {
    for (const { source, span } of effect.via.slice(-MOST_VIA)) {
      const known = offsets.get(source) ?? new Set()
      offsets.set(source, known.add(span.from).add(span.to))
    }
  }
  const bytes = new Map<string, ReadonlyMap<number, number>>()
  for (const [source, wanted] of offsets) {
    const text = source === 'call' ? call : textOf(source, facts)
    if (text === undefined) continue
    const list = [...wanted]
    const found = byteOffsets(text, list)
    bytes.set(source, new Map(list.map((offset, i) => [offset, found[i]!])))
  }
  return ({ source, span, line }) => {
    const known = bytes.get(source)
    return {
      source: redact(source),
      ...(known === undefined ? {} : { from: known.get(span.from)!, to: known.get(span.to)! }),
      ...(line === undefined ? {} : { line }),
    }
  }
}

/** The text of a file as the verdict saw it. */
function textOf(path: string, facts: readonly Fact[]): string | undefined {
  for (const { question, answer } of facts) {
    if (question.ask !== 'text' || question.path !== path) continue
    if (typeof answer === 'object' && 'text' in answer && typeof answer.text === 'string') return answer.text
  }
  return undefined
}

/** A target for people: a tree ends in a slash, an unknown stretch is `…`. */
export function showTarget(target: Target): string {
  switch (target.is) {
    case 'path': {
      const rest = target.pattern === undefined ? '' : `/${showGlob(target.pattern)}`
      const path = rest === '' ? target.path : target.path.replace(/\/$/, '') + rest
      return `${path}${target.open ? '…' : ''}${target.tree && !path.endsWith('/') ? '/' : ''}`
    }
    case 'unknown':
      return target.what
    case 'git':
      return `${target.repo ?? 'repository'} ${target.op.is}`
    case 'remote':
      return `${target.service} ${target.name}`
    case 'process':
    case 'thing':
      return target.name
  }
}
