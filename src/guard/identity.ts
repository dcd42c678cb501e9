/** Who an effect is, for approvals, allow rules and sticky denies: act and resolved target, never the text. */
import type { Effect } from '../core/effect.ts'
import type { EffectIdentity } from '../core/verdict.ts'
import { isInside } from '../paths/lexical.ts'
import type { Place } from './locate.ts'

/** Ways to change a file are one act: what was denied by one tool is denied by the other. */
const ACTS: Readonly<Record<string, string>> = { append: 'write', edit: 'write', create: 'write', mode: 'mode' }

export const actOf = (act: string): string => ACTS[act] ?? act

/** Identities of one effect: one a place, or the thing that it is done to. Reading and running have none. */
export function identitiesOf(effect: Effect, places: readonly Place[]): readonly EffectIdentity[] {
  const { target } = effect
  if (effect.act === 'read' || effect.act === 'names' || effect.act === 'run' || effect.act === 'fetch') {
    return effect.act === 'read' ? places.map((place) => ({ act: 'read', target: place.path, tree: place.tree })) : []
  }
  if (target.is === 'path') {
    const act = effect.note === 'empty' ? 'delete' : actOf(effect.act)
    return places.flatMap((place) =>
      place.names
        ? place.names.map((name) => ({ act, target: name.path, tree: place.tree }))
        : place.pattern || place.open
          ? [{ act, target: `${place.path}/*`, tree: place.tree }]
          : [{ act, target: place.path, tree: place.tree && place.kind === 'dir' }],
    )
  }
  if (target.is === 'remote') return [{ act: effect.act, target: `${target.service} ${target.name}`, tree: false }]
  return []
}

export const sameIdentity = (a: EffectIdentity, b: EffectIdentity): boolean =>
  a.act === b.act && a.target === b.target && (a.tree === b.tree || !b.tree || !a.tree)

/** Equal, containing or contained: what a sticky deny holds on to. */
export function touches(a: EffectIdentity, b: EffectIdentity): boolean {
  if (a.act !== b.act) return false
  if (a.target === b.target) return true
  if (!a.target.startsWith('/') || !b.target.startsWith('/')) return false
  return (a.tree && isInside(b.target, a.target)) || (b.tree && isInside(a.target, b.target))
}
