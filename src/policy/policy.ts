/** The effective policy as the guard sees it: merged, with the origin of every value. */
import type { Act } from '../core/effect.ts'
import type { Decision, Family } from '../core/verdict.ts'

export type Profile = 'adlc' | 'standard' | 'strict' | 'observe'

/** Where a value was written. `builtin` for defaults. */
export interface Origin {
  readonly layer: 'managed' | 'user' | 'project' | 'builtin'
  readonly file?: string
  readonly line?: number
}

/** A glob with the directory that relative ones start from. */
export interface PolicyGlob {
  readonly glob: string
  /** Absolute; a relative glob is matched below it. */
  readonly base: string
  readonly origin: Origin
}

export type Allow =
  | { readonly is: 'command'; readonly command: string; readonly origin: Origin }
  | { readonly is: 'effect'; readonly act: Act; readonly target: string; readonly origin: Origin }

export interface PersonRule {
  readonly id: string
  readonly tool?: string
  readonly command?: string
  readonly effect?: Act
  readonly zone?: string
  readonly path?: string
  readonly verdict: 'deny' | 'ask'
  readonly reason: string
  readonly origin: Origin
}

export interface Policy {
  readonly profile: Profile
  readonly frozen: readonly PolicyGlob[]
  /** Undefined: no ticket, everything in the project is in scope. */
  readonly scope: readonly PolicyGlob[] | undefined
  readonly disposable: readonly PolicyGlob[]
  readonly denyRead: readonly PolicyGlob[]
  readonly allow: readonly Allow[]
  /** Programs that run their arguments and do nothing else. */
  readonly transparent: readonly string[]
  readonly rules: readonly PersonRule[]
  readonly families: Readonly<Partial<Record<Family, 'off' | Exclude<Decision, 'pass'>>>>
  /** What is wrong with the policy files: each verdict mentions the first, and nothing is silently defaulted. */
  readonly errors: readonly PolicyError[]
}

export interface PolicyError {
  readonly file: string
  readonly line?: number
  readonly message: string
}
