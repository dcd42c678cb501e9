/** Reads the value of one policy file into the part of a policy that it may set. Judges no calls, asks nothing. */
import { FAMILIES, HOST_IDS, KEYS, type Key, LEVELS, type Level, PROFILES, PROJECT_KEYS, SETTINGS } from './keys.ts'
import type { Allow, Origin, PersonRule, PolicyGlob, Profile, Settings } from './policy.ts'
import { readAllow, readRules } from './read-rules.ts'
import { isObject, type Path, type Source, show } from './source.ts'

export interface FamilySetting {
  readonly family: (typeof FAMILIES)[number]
  readonly level: Level
  readonly origin: Origin
}

/** What one file sets, in the order it is written. */
export interface Layer {
  readonly profile: { readonly value: Profile; readonly origin: Origin } | undefined
  readonly frozen: readonly PolicyGlob[]
  readonly scope: readonly PolicyGlob[] | undefined
  readonly disposable: readonly PolicyGlob[]
  readonly denyRead: readonly PolicyGlob[]
  readonly allow: readonly Allow[]
  readonly transparent: readonly { readonly program: string; readonly origin: Origin }[]
  readonly rules: readonly PersonRule[]
  readonly families: readonly FamilySetting[]
  readonly settings: Settings
  readonly origins: Readonly<Record<string, Origin>>
}

type Draft = { -readonly [K in keyof Layer]: Layer[K] }

const nothing = (): Draft => ({
  profile: undefined,
  frozen: [],
  scope: undefined,
  disposable: [],
  denyRead: [],
  allow: [],
  transparent: [],
  rules: [],
  families: [],
  settings: {},
  origins: {},
})

/** What `value`, the content of the file behind `source`, sets. What is wrong with it goes to `source.errors`. */
export function readLayer(source: Source, value: unknown): Layer {
  const layer = nothing()
  if (!isObject(value)) {
    source.fail([], 'a policy file holds one object')
    return layer
  }
  if (value['v'] !== undefined && value['v'] !== 1) {
    source.fail(['v'], `\`v\` is ${show(value['v'])}; this version reads 1, so the file is not used`)
    return layer
  }
  for (const key of Object.keys(value)) {
    if (!(KEYS as readonly string[]).includes(key)) source.unknownKey([key], KEYS)
    else if (source.layer === 'project' && !PROJECT_KEYS.includes(key as Key)) source.fail([key], notInProject(key))
    else KEY_READERS[key as Key](source, value[key], layer)
  }
  return layer
}

const notInProject = (key: string): string =>
  `\`${key}\` has no effect in a project file, which may only add to frozen, scope and denyRead, add rules that ask or deny, and raise families`

const KEY_READERS: Readonly<Record<Key, (source: Source, value: unknown, layer: Draft) => void>> = {
  $schema: () => {},
  v: () => {},
  profile: (source, value, layer) => {
    const profile = source.oneOf(['profile'], value, PROFILES)
    if (profile !== undefined) layer.profile = { value: profile, origin: source.origin(['profile']) }
  },
  frozen: (source, value, layer) => {
    layer.frozen = source.globs('frozen', value)
  },
  scope: (source, value, layer) => {
    // A list that is no list must not read as "no ticket": it stays absent and is told.
    if (Array.isArray(value)) {
      layer.scope = source.globs('scope', value)
      layer.origins = { ...layer.origins, scope: source.origin(['scope']) }
    } else source.fail(['scope'], '`scope` must be a list of globs')
  },
  disposable: (source, value, layer) => {
    layer.disposable = source.globs('disposable', value)
  },
  denyRead: (source, value, layer) => {
    layer.denyRead = source.globs('denyRead', value)
  },
  allow: (source, value, layer) => {
    layer.allow = readAllow(source, value)
  },
  transparent: (source, value, layer) => {
    layer.transparent = source.list(['transparent'], value).flatMap((item, index) => {
      const path = ['transparent', index]
      const program = source.string(path, item)
      if (program === undefined) return []
      if (/\s/.test(program)) {
        source.fail(path, `\`${program}\` must be the name of one program, without arguments`)
        return []
      }
      return [{ program, origin: source.origin(path) }]
    })
  },
  rules: (source, value, layer) => {
    layer.rules = readRules(source, value)
  },
  families: (source, value, layer) => {
    if (!isObject(value)) {
      source.fail(['families'], '`families` must be an object of family and `off`, `ask` or `deny`')
      return
    }
    layer.families = Object.keys(value).flatMap((name) => {
      const path = ['families', name]
      const family = FAMILIES.find((known) => known === name)
      if (family === undefined) {
        source.unknownKey(path, FAMILIES, 'a rule family')
        return []
      }
      const level = source.oneOf(path, value[name], LEVELS)
      return level === undefined ? [] : [{ family, level, origin: source.origin(path) }]
    })
  },
  snapshots: readSettings('snapshots'),
  store: readSettings('store'),
  budgets: readSettings('budgets'),
  hosts: (source, value, layer) => {
    if (!isObject(value)) {
      source.fail(['hosts'], '`hosts` must be an object of host and its settings')
      return
    }
    const hosts: Record<string, Readonly<Record<string, unknown>>> = {}
    for (const id of Object.keys(value)) {
      const settings = value[id]
      if (!(HOST_IDS as readonly string[]).includes(id)) source.unknownKey(['hosts', id], HOST_IDS, 'a host')
      else if (!isObject(settings)) source.fail(['hosts', id], `\`hosts.${id}\` must be an object`)
      else {
        hosts[id] = hostSettings(source, ['hosts', id], settings)
        layer.origins = { ...layer.origins, [`hosts.${id}`]: source.origin(['hosts', id]) }
      }
    }
    layer.settings = { ...layer.settings, hosts }
  },
}

/** What is said of one host. Keys that are not known here are other parts'. */
function hostSettings(source: Source, path: Path, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const settings = { ...given }
  const { containment, uncontained } = given
  if (containment !== undefined && typeof containment !== 'boolean') {
    source.fail([...path, 'containment'], `\`containment\` must be true or false, not ${show(containment)}`)
    delete settings['containment']
  }
  if (uncontained !== undefined)
    settings['uncontained'] = source.list([...path, 'uncontained'], uncontained).flatMap((dir, index) => {
      const text =
        typeof dir === 'string' ? dir.replace(/^~(?=\/|$)/, () => source.home).replace(/(?<=.)[\\/]+$/, '') : ''
      if (/^(?:\/|[A-Za-z]:[\\/])/.test(text)) return [text]
      source.fail([...path, 'uncontained', index], `${show(dir)} is no absolute directory`)
      return []
    })
  return settings
}

/** A reader of one settings object whose keys and kinds are in the table. */
function readSettings(name: keyof typeof SETTINGS) {
  const kinds: Readonly<Record<string, 'boolean' | 'count'>> = SETTINGS[name]
  return (source: Source, value: unknown, layer: Draft): void => {
    if (!isObject(value)) {
      source.fail([name], `\`${name}\` must be an object`)
      return
    }
    const settings: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined
      const given = value[key]
      const path = [name, key]
      if (kind === undefined) source.unknownKey(path, Object.keys(kinds))
      else if (kind === 'boolean' && typeof given !== 'boolean')
        source.fail(path, `\`${name}.${key}\` must be true or false, not ${show(given)}`)
      else if (kind === 'count' && !(Number.isSafeInteger(given) && (given as number) > 0))
        source.fail(path, `\`${name}.${key}\` must be a whole number from 1, not ${show(given)}`)
      else {
        settings[key] = given
        layer.origins = { ...layer.origins, [`${name}.${key}`]: source.origin(path) }
      }
    }
    layer.settings = { ...layer.settings, [name]: settings }
  }
}
