/** Findings, verdicts and their order. */
import type { Effect, Via } from './effect.ts'

/** `pass` is silence: the host's own rules go on. */
export type Decision = 'deny' | 'ask' | 'pass'

/** Ids of rule families that a policy can switch. */
export type Family =
  | 'trust-root'
  | 'frozen'
  | 'scope'
  | 'loss'
  | 'secrets'
  | 'remote-code'
  | 'tamper'
  | 'hooks-bypass'
  | 'test-weakened'
  | 'publish'
  | 'infra'
  | 'adlc' // limits of the published guard: stages, tools, workers, the life of tickets
  | 'rules' // a person's own rules
  | 'reading' // what could not be read

export type ParseStatus = 'complete' | 'partial' | 'invalid' | 'limited'

/**
 * A rail that a ticket declares, where the reason is the published sentence: other programs look for it as it is, so nothing
 * is put before or behind it.
 */
export const PUBLISHED_RAIL = 'frozen.ticket'

/** What would be lost, counted. */
export interface Loss {
  /** At most eight, relative to the repository where there is one. */
  readonly paths: readonly string[]
  readonly files: number
  readonly bytes: number
  readonly commits: number
}

export interface Finding {
  /** `family.name` */
  readonly rule: string
  readonly family: Family
  readonly decision: Decision
  /** One clause for the model that reads it: what part is refused and why. No full stop. */
  readonly reason: string
  /** What does the same job without the harm. */
  readonly safer?: string
  readonly loss?: Loss
  readonly effect?: Effect
  readonly via?: readonly Via[]
  /** The same effect on the same target has this name, whatever the command's text: for approvals and sticky denies. */
  readonly identity?: EffectIdentity
  /** All that the effect comes to, for steps of git and for targets with several places. Filled in by the judge. */
  readonly identities?: readonly EffectIdentity[]
}

/** Who an effect is, for approvals, allow rules and sticky denies. */
export interface EffectIdentity {
  readonly act: string
  /** Physical path, or service and name. */
  readonly target: string
  readonly tree: boolean
}

export interface Verdict {
  readonly decision: Decision
  readonly rule: string
  readonly reason: string
  readonly safer?: string
  readonly loss?: Loss
  readonly status: ParseStatus
  readonly findings: readonly Finding[]
  readonly effects: readonly Effect[]
}

const RANK: Readonly<Record<Decision, number>> = { pass: 0, ask: 1, deny: 2 }

/** Positive where `a` is stricter than `b`. */
export const compareStrictness = (a: Decision, b: Decision): number => RANK[a] - RANK[b]
