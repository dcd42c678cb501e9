/** Assess: to what, and what would be lost? Effects become findings, each family by its own file. */
import type { Effect } from '../core/effect.ts'
import { type Asking, ask } from '../core/question.ts'
import type { Finding } from '../core/verdict.ts'
import type { Zone } from '../paths/zones.ts'
import { identitiesOf } from './identity.ts'
import { type Located, locate, newView, type Place, type View } from './locate.ts'
import type { Overlay } from './overlay.ts'
import { MOST_NODES } from './pace.ts'
import type { Plan } from './plan.ts'
import { inBulk } from './rules/bulk.ts'
import { frozen } from './rules/frozen.ts'
import { loss } from './rules/loss.ts'
import { machine } from './rules/machine.ts'
import { person } from './rules/person.ts'
import { reading } from './rules/reading.ts'
import { remoteCode } from './rules/remote-code.ts'
import { scope } from './rules/scope.ts'
import { secrets } from './rules/secrets.ts'
import { tamper } from './rules/tamper.ts'
import { trustRoot } from './rules/trust-root.ts'
import { unresolved } from './rules/unresolved.ts'
import type { Rule, Subject, Tools } from './subject.ts'
import { zonesAt } from './tools.ts'

/** Every family's rule. The order is that of the reasons when several are equally strict. */
const RULES: readonly Rule[] = [
  trustRoot,
  tamper,
  frozen,
  secrets,
  remoteCode,
  loss,
  machine,
  scope,
  person,
  unresolved,
  reading,
]

export interface Assessed {
  readonly findings: readonly Finding[]
  readonly subjects: readonly Subject[]
}

/** Judges every effect of a plan by every family. */
export function* assess(plan: Plan, tools: Tools): Asking<Assessed> {
  const view = newView()
  const findings: Finding[] = []
  const subjects: Subject[] = []
  for (const [i, effect] of plan.effects.entries()) {
    if (i % LOOK === LOOK - 1 && (yield* ask('time', { step: MOST_NODES + i })) === 'unknown') {
      findings.push(unassessed(effect))
      break
    }
    const subject = yield* subjectOf(effect, plan, tools, view)
    subjects.push(subject)
    for (const rule of RULES) {
      const found = rule(subject, tools)
      const all = isFound(found) ? found : yield* found
      if (all.length > 0) findings.push(...all)
    }
  }
  return { findings: findings.length > 1 ? inBulk(findings) : findings, subjects }
}

const isFound = (found: ReturnType<Rule>): found is readonly Finding[] => Array.isArray(found)

/** Effects between two looks at the clock. */
const LOOK = 8

/** There was no time for all effects: what the others come to is not known. */
const unassessed = (effect: Effect): Finding => ({
  rule: 'reading.budget',
  family: 'reading',
  decision: 'ask',
  reason: 'the call does more than can be judged in time',
  safer: 'split it into smaller calls',
  effect,
  via: effect.via,
})

const NO_ZONES: ReadonlySet<Zone> = new Set()

/** A place with its zones. It was made for this effect alone, and there may be hundreds: no copy is made. */
function zoned(place: Place, zones: ReadonlySet<Zone>): Place & { readonly zones: ReadonlySet<Zone> } {
  const made = place as Place & { zones: ReadonlySet<Zone> }
  made.zones = zones
  return made
}

export function* subjectOf(effect: Effect, plan: Plan, tools: Tools, view: View): Asking<Subject> {
  const located: Located = yield* locate(effect, plan.paths, view)
  const overlay = effect.seen as Overlay | undefined
  const isPath = effect.target.is === 'path'
  const places =
    located.is === 'places'
      ? located.places.map((place) => zoned(place, isPath ? zonesAt(tools, place.path, overlay) : NO_ZONES))
      : []
  const identities = identitiesOf(effect, places)
  return { effect, located, places, identity: identities.length === 1 ? identities[0] : undefined }
}
