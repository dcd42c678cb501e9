/** What a rule gets to see of one effect, and what it may use to judge it. */
import type { Effect } from '../core/effect.ts'
import type { Asking } from '../core/question.ts'
import type { Decision, EffectIdentity, Family, Finding, Loss } from '../core/verdict.ts'
import type { PathMatcher } from '../paths/glob.ts'
import type { PathSense } from '../paths/lexical.ts'
import type { NearMatchers, Zone } from '../paths/zones.ts'
import type { Context } from './context.ts'
import type { Located, Place } from './locate.ts'

export { CHANGES } from './locate.ts'

export interface Subject {
  readonly effect: Effect
  readonly located: Located
  /** Each place with the zones that it lies in. */
  readonly places: readonly (Place & { readonly zones: ReadonlySet<Zone> })[]
  readonly identity: EffectIdentity | undefined
}

export interface Tools {
  readonly context: Context
  readonly sense: PathSense
  /** Zones of a path, with what this line made counted as the session's. */
  zones(path: string): ReadonlySet<Zone>
  /** Whether a zone begins somewhere below a directory. */
  contains(dir: string, zone: Zone): boolean
  readonly frozen: NearMatchers
  readonly scope: readonly PathMatcher[] | undefined
  readonly denyRead: readonly PathMatcher[]
  readonly disposable: readonly PathMatcher[]
  readonly workspaces: readonly string[]
  /** Programs that the host runs as hooks, ours among them. */
  guardNames(): Asking<ReadonlySet<string>>
  /** A path as people write it: relative to the workspace, or with `~`. */
  show(path: string): string
}

/** What a family finds in one subject; most need to ask nothing. */
export type Rule = (subject: Subject, tools: Tools) => readonly Finding[] | Asking<readonly Finding[]>

/** Makes a finding for a subject. */
export function finding(
  subject: Subject,
  family: Family,
  name: string,
  decision: Decision,
  reason: string,
  extra: { readonly safer?: string; readonly loss?: Loss } = {},
): Finding {
  return {
    rule: `${family}.${name}`,
    family,
    decision,
    reason,
    ...extra,
    effect: subject.effect,
    via: subject.effect.via,
    ...(subject.identity === undefined ? {} : { identity: subject.identity }),
  }
}

/** Streams that swallow whatever is written, by the name that everybody gives them. */
const SWALLOWS: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

/** Whether an effect is nothing but throwing output away or showing it, by its words. Where the name leads is another question. */
export const isDropped = ({ act, target }: Effect): boolean =>
  (act === 'write' || act === 'append') && target.is === 'path' && !target.tree && SWALLOWS.has(target.path)

/** Whether the effect surely changes nothing at this place: it makes what is there already. */
export const isIdle = (effect: Effect, place: Place): boolean =>
  // Of names that are not known yet only the directory is known to be there.
  (effect.act === 'create' &&
    place.exists &&
    !place.open &&
    (place.pattern === undefined || place.names?.length !== 0) &&
    effect.note !== 'unpack') ||
  (effect.act === 'delete' && !place.exists && !place.open && !place.pattern)

/** Named things up to this many are a question; more cannot be looked through and are refused. */
export const MOST_ASKED = 20
