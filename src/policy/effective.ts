/** The effective policy as a list for people, and its name for records. */
import { nameOfText } from '../core/hash.ts'
import type { Allow, Origin, PersonRule, Policy, PolicyGlob } from './policy.ts'

export interface EffectiveValue {
  /** `frozen`, `families.loss`, `store.days`, `rules.<id>`. */
  readonly key: string
  /** As a person would write it. */
  readonly value: string
  readonly origin: Origin
}

const BUILTIN: Origin = { layer: 'builtin' }

/** Every value that holds, in the order of the keys, each with where it comes from. */
export function effectivePolicy(policy: Policy): readonly EffectiveValue[] {
  const originOf = (name: string): Origin => policy.origins?.[name] ?? BUILTIN
  const out: EffectiveValue[] = [{ key: 'profile', value: policy.profile, origin: originOf('profile') }]
  const globs = (key: string, list: readonly PolicyGlob[]) => {
    // A glob stands once for each workspace; people wrote it once.
    const seen = new Set<string>()
    for (const { glob, origin } of list) {
      const name = JSON.stringify([glob, origin])
      if (!seen.has(name)) out.push({ key, value: glob, origin })
      seen.add(name)
    }
  }
  globs('frozen', policy.frozen)
  if (policy.scope?.length === 0) out.push({ key: 'scope', value: '(nothing)', origin: originOf('scope') })
  globs('scope', policy.scope ?? [])
  globs('disposable', policy.disposable)
  globs('denyRead', policy.denyRead)
  for (const entry of policy.allow) out.push({ key: 'allow', value: showAllow(entry), origin: entry.origin })
  for (const program of policy.transparent)
    out.push({ key: 'transparent', value: program, origin: originOf(`transparent.${program}`) })
  for (const rule of policy.rules) out.push({ key: `rules.${rule.id}`, value: showRule(rule), origin: rule.origin })
  for (const [family, level] of Object.entries(policy.families))
    out.push({ key: `families.${family}`, value: level, origin: originOf(`families.${family}`) })
  for (const [part, settings] of Object.entries(policy.settings ?? {})) {
    for (const [name, value] of Object.entries(settings))
      out.push({ key: `${part}.${name}`, value: JSON.stringify(value), origin: originOf(`${part}.${name}`) })
  }
  return out
}

const showAllow = (entry: Allow): string => (entry.is === 'command' ? entry.command : `${entry.act} ${entry.target}`)

function showRule(rule: PersonRule): string {
  const { tool, command, effect, zone, path } = rule
  const match = Object.entries({ tool, command, effect, zone, path }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  return `${rule.verdict}: ${match.join(', ')} (${rule.reason})`
}

/** The policy's name in records, 32 hexadecimal digits: equal for policies that say the same, wherever it is written. */
export function policyDigest(policy: Policy): string {
  const { origins, errors, ...values } = policy
  const families = Object.fromEntries(Object.entries(policy.families).sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = JSON.stringify({ ...values, families, ticket: policy.scope !== undefined }, (key, value) =>
    key === 'origin' ? undefined : value,
  )
  return nameOfText(text)
}
