/** A person's own rules. */
import type { Finding } from '../../core/verdict.ts'
import { compileGlob, type PathMatcher } from '../../paths/glob.ts'
import { flavourOf } from '../../paths/lexical.ts'
import type { PersonRule } from '../../policy/policy.ts'
import { finding, isIdle, type Subject, type Tools } from '../subject.ts'

/** A rule about writing means every way to change what a file says. */
export const sameAct = (wanted: string, act: string): boolean =>
  wanted === act || (wanted === 'write' && WRITES.has(act))

const WRITES: ReadonlySet<string> = new Set(['write', 'append', 'edit', 'create'])

const compiled = new WeakMap<PersonRule, PathMatcher>()

export function person(subject: Subject, tools: Tools): readonly Finding[] {
  const out: Finding[] = []
  for (const rule of tools.context.policy.rules) {
    if (rule.command !== undefined || rule.tool !== undefined) continue
    if (rule.effect !== undefined && !sameAct(rule.effect, subject.effect.act)) continue
    if (rule.effect === undefined && rule.path === undefined && rule.zone === undefined) continue
    const places = subject.places.filter((place) => !isIdle(subject.effect, place))
    if (rule.zone !== undefined && !places.some((place) => place.zones.has(rule.zone as never))) continue
    if (rule.path !== undefined) {
      const matcher = matcherOf(rule, tools)
      const hit = places.some((place) =>
        place.names
          ? place.names.some((name) => matcher.matches(name.path) || (place.tree && matcher.mayContain(name.path)))
          : place.pattern
            ? matcher.mayMatch(place.pattern, `${place.path}/`, { tree: place.tree })
            : matcher.matches(place.path) || (place.tree && place.exists && matcher.mayContain(place.path)),
      )
      if (!hit) continue
    }
    out.push(finding(subject, 'rules', rule.id, rule.verdict, rule.reason))
  }
  return out
}

function matcherOf(rule: PersonRule, tools: Tools): PathMatcher {
  let matcher = compiled.get(rule)
  if (matcher === undefined) {
    const { context } = tools
    const base = tools.workspaces[0] ?? context.home
    const glob = rule.path!.startsWith('~/') ? context.home + rule.path!.slice(1) : rule.path!
    matcher = compileGlob(glob, base, { flavour: flavourOf(context.platform), foldsCase: context.foldsCase ?? false })
    compiled.set(rule, matcher)
  }
  return matcher
}
