/** Reads `rules` and `allow` of a policy file. A rule that is not understood whole is void: half a rule says something else. */
import type { Act } from '../core/effect.ts'
import { ACTS, MATCH_KEYS, PATH_ACTS, RULE_KEYS, ZONES } from './keys.ts'
import type { Allow, Example, PersonRule } from './policy.ts'
import { isObject, nameOf, type Path, type Source, show } from './source.ts'

const RULE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export function readRules(source: Source, value: unknown): PersonRule[] {
  const seen = new Set<string>()
  return source.list(['rules'], value).flatMap((item, index) => {
    const rule = readRule(source, item, ['rules', index])
    if (rule === undefined) return []
    if (seen.has(rule.id)) {
      source.fail(['rules', index, 'id'], `the rule \`${rule.id}\` is there twice; the first one holds`)
      return []
    }
    seen.add(rule.id)
    return [rule]
  })
}

function readRule(source: Source, value: unknown, path: Path): PersonRule | undefined {
  if (!isObject(value)) {
    source.fail(path, `\`${nameOf(path)}\` must be an object with id, match, verdict and reason`)
    return undefined
  }
  const before = source.errors.length
  for (const key of Object.keys(value)) {
    if (!(RULE_KEYS as readonly string[]).includes(key)) source.unknownKey([...path, key], RULE_KEYS, 'a key of a rule')
  }
  const id = source.string([...path, 'id'], value['id'])
  if (id !== undefined && !RULE_ID.test(id))
    source.fail([...path, 'id'], `\`${id}\` is no name for a rule; use letters, digits, dots, dashes and underscores`)
  const match = readMatch(source, value['match'], [...path, 'match'])
  const verdict = readVerdict(source, value['verdict'], [...path, 'verdict'])
  if (source.errors.length > before || id === undefined || match === undefined || verdict === undefined)
    return undefined

  // From here on an error is told, and the rule holds all the same: it can only make things stricter.
  const reason = source.string([...path, 'reason'], value['reason']) ?? `rule ${id} of the ${source.layer} policy`
  const must = readExamples(source, value['must'], [...path, 'must'])
  const mustNot = readExamples(source, value['must_not'], [...path, 'must_not'])
  return { id, ...match, verdict, reason, must, mustNot, origin: source.origin(path) }
}

function readVerdict(source: Source, value: unknown, path: Path): 'deny' | 'ask' | undefined {
  if (value !== 'pass') return source.oneOf(path, value, ['deny', 'ask'])
  const way =
    source.layer === 'project' ? 'a project file cannot loosen anything' : 'use `allow` for what may always run'
  source.fail(path, `\`${nameOf(path)}\` cannot be \`pass\`; ${way}`)
  return undefined
}

type Match = Pick<PersonRule, 'tool' | 'command' | 'effect' | 'zone' | 'path' | 'base'>

function readMatch(source: Source, value: unknown, path: Path): Match | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) {
    source.fail(path, `\`${nameOf(path)}\` must be an object with at least one of ${MATCH_KEYS.join(', ')}`)
    return undefined
  }
  const match: { -readonly [K in keyof Match]: Match[K] } = {}
  for (const key of Object.keys(value)) {
    const at = [...path, key]
    const given = value[key]
    switch (key) {
      case 'tool':
      case 'command': {
        const text = source.string(at, given)
        if (text !== undefined) match[key] = text
        break
      }
      case 'effect': {
        const act = source.oneOf(at, given, ACTS)
        if (act !== undefined) match.effect = act
        break
      }
      case 'zone': {
        const zone = source.oneOf(at, given, ZONES)
        if (zone !== undefined) match.zone = zone
        break
      }
      case 'path': {
        const glob = source.glob(at, given, false)
        const base = source.bases[0]
        if (glob !== undefined) match.path = glob
        if (glob !== undefined && base !== undefined) match.base = base
        break
      }
      default:
        source.unknownKey(at, MATCH_KEYS, 'something a rule can match')
    }
  }
  return match
}

function readExamples(source: Source, value: unknown, path: Path): Example[] {
  if (value === undefined) return []
  return source.list(path, value).flatMap((item, index): Example[] => {
    if (typeof item === 'string' && item.trim() !== '') return [item]
    if (isObject(item) && typeof item['tool'] === 'string' && Object.hasOwn(item, 'input'))
      return [{ tool: item['tool'], input: item['input'] }]
    source.fail([...path, index], `\`${nameOf([...path, index])}\` must be a shell line or an object of tool and input`)
    return []
  })
}

export function readAllow(source: Source, value: unknown): Allow[] {
  return source.list(['allow'], value).flatMap((item, index) => {
    const path = ['allow', index]
    if (typeof item === 'string') return allowCommand(source, item, path, path)
    if (!isObject(item)) {
      source.fail(
        path,
        `\`${nameOf(path)}\` must be a command, or an object of command, or of effect and target, not ${show(item)}`,
      )
      return []
    }
    const before = source.errors.length
    const shape = Object.hasOwn(item, 'command') ? ['command'] : ['effect', 'target']
    for (const key of Object.keys(item)) {
      if (!shape.includes(key)) source.unknownKey([...path, key], shape, 'a key of this entry')
    }
    if (source.errors.length > before) return []
    return shape[0] === 'command'
      ? allowCommand(source, item['command'], [...path, 'command'], path)
      : allowEffect(source, item, path)
  })
}

function allowCommand(source: Source, value: unknown, at: Path, path: Path): Allow[] {
  const command = source.string(at, value)
  return command === undefined ? [] : [{ is: 'command', command, origin: source.origin(path) }]
}

function allowEffect(source: Source, item: Readonly<Record<string, unknown>>, path: Path): Allow[] {
  const act: Act | undefined = source.oneOf([...path, 'effect'], item['effect'], ACTS)
  const at = [...path, 'target']
  const isPath = (PATH_ACTS as readonly string[]).includes(act ?? '')
  const target = isPath ? source.glob(at, item['target'], true) : source.string(at, item['target'])
  if (act === undefined || target === undefined) return []
  const base = source.bases[0]
  return [{ is: 'effect', act, target, ...(base === undefined ? {} : { base }), origin: source.origin(path) }]
}
