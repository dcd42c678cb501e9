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
  | {
      readonly is: 'effect'
      readonly act: Act
      readonly target: string
      /** Absolute; where `target` is a relative glob it is matched below it. */
      readonly base?: string
      readonly origin: Origin
    }

/** A rule's own example: a shell line, or a call of another tool. */
export type Example = string | { readonly tool: string; readonly input: unknown }

export interface PersonRule {
  readonly id: string
  readonly tool?: string
  readonly command?: string
  readonly effect?: Act
  readonly zone?: string
  /** A glob; a relative one is matched below `base`. */
  readonly path?: string
  readonly base?: string
  readonly verdict: 'deny' | 'ask'
  readonly reason: string
  /** Calls that the rule must catch, and calls that it must leave alone. */
  readonly must?: readonly Example[]
  readonly mustNot?: readonly Example[]
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
  /** Where single values come from: `profile`, `families.<id>`, `transparent.<program>`, `store.days` and the like. */
  readonly origins?: Readonly<Record<string, Origin>>
  /** What other parts than the guard are told. Absent keys mean their own defaults. */
  readonly settings?: Settings
  /** What is wrong with the policy files: each verdict mentions the first, and nothing is silently defaulted. */
  readonly errors: readonly PolicyError[]
}

/** Sizes in bytes, times in days, budgets in tokens. */
export interface Settings {
  readonly snapshots?: { readonly on?: boolean; readonly maxBytes?: number; readonly days?: number }
  readonly store?: { readonly seal?: boolean; readonly maxBytes?: number; readonly days?: number }
  readonly budgets?: { readonly digest?: number; readonly result?: number }
  readonly hosts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface PolicyError {
  /** Nothing of the file holds: what it protects is not known. */
  readonly whole?: true
  readonly file: string
  readonly line?: number
  readonly message: string
}

/** What holds where no file says anything. */
export const EMPTY_POLICY: Policy = {
  profile: 'standard',
  frozen: [],
  scope: undefined,
  disposable: [],
  denyRead: [],
  allow: [],
  transparent: [],
  rules: [],
  families: {},
  errors: [],
}
