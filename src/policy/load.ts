/**
 * Loads the effective policy: managed over user over project. Nothing is silent: what is wrong in a file is an error of
 * the policy, and the value that is wrong is not used.
 */
import { readJsonc } from '../core/jsonc.ts'
import { type Asking, ask } from '../core/question.ts'
import { LEVELS, type Level, OFF_BY_DEFAULT } from './keys.ts'
import { EMPTY_POLICY, type Origin, type Policy, type PolicyError, type Settings } from './policy.ts'
import { type Layer, readLayer } from './read.ts'
import { newSource, type Path } from './source.ts'

export interface Where {
  /** The person's home directory, absolute. */
  readonly home: string
  /** Root of the repository that the call works in, absolute. */
  readonly repo: string | undefined
  /** The call's working directory: where relative globs start from outside repositories. */
  readonly cwd?: string | undefined
  /** Further roots that the host declared: relative globs of the user's and the managed file hold in each. */
  readonly workspaces?: readonly string[]
  /** The user's policy as a value, in place of the user's file. */
  readonly user?: unknown
  /** The environment where it is known already; else `XDG_CONFIG_HOME` is asked for. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Bytes of one policy file. People write a few kilobytes. */
const MOST_BYTES = 256 * 1024
const NAME = 'policy.jsonc'
const MANAGED = `/etc/sallyport/${NAME}`
/** What errors and origins call a policy that is given as a value. */
const GIVEN = 'policy'

/** The files that make up the policy, strongest first. On Windows no place is kept for administrators. */
export function* policyFiles(where: Where): Asking<{ managed?: string; user: string; project?: string }> {
  const windows = isDrive(where.home)
  const slash = windows ? '\\' : '/'
  const given = where.env ? where.env['XDG_CONFIG_HOME'] : yield* envText('XDG_CONFIG_HOME')
  // A relative value is to be ignored, says its specification.
  const isAbsolute = given !== undefined && (given.startsWith('/') || (windows && isDrive(given)))
  const config = isAbsolute ? given : join(slash, where.home, '.config')
  return {
    ...(windows ? {} : { managed: MANAGED }),
    user: join(slash, config, 'sallyport', NAME),
    ...(where.repo === undefined ? {} : { project: join(slash, where.repo, '.sallyport', NAME) }),
  }
}

const isDrive = (path: string): boolean => path[1] === ':' && /^[A-Za-z]:[\\/]/.test(path)

const join = (slash: string, first: string, ...rest: readonly string[]): string => {
  let end = first.length
  while (end > 0 && (first[end - 1] === '/' || first[end - 1] === '\\')) end--
  return [first.slice(0, end), ...rest].join(slash)
}

function* envText(name: string): Asking<string | undefined> {
  const reply = yield* ask('env', { name })
  return reply === 'unset' || reply === 'unknown' ? undefined : reply.value
}

/** The effective policy. Ends for any answers; a file that cannot be read is an error of the policy, never a throw. */
export function* loadPolicy(where: Where): Asking<Policy> {
  const withoutUser = where.user === undefined ? where : { ...where, env: where.env ?? {} }
  const files = yield* policyFiles(withoutUser)
  const errors: PolicyError[] = []
  const own = where.repo ?? where.cwd ?? where.home
  const inside = (root: string): boolean =>
    root === own || (/^[\\/]/.test(root.slice(own.length)) && root.startsWith(own))
  const outside = (where.workspaces ?? []).filter((root) => !inside(root))
  const bases = [own, ...new Set(outside)]

  const layers: Layer[] = []
  const add = function* (layer: 'managed' | 'user' | 'project', file: string | undefined): Asking<void> {
    if (file === undefined) return
    const read = yield* readFile(file, errors)
    if (read === undefined) return
    const source = newSource({
      layer,
      file,
      place: read.place,
      home: where.home,
      bases: layer === 'project' ? [own] : bases,
    })
    for (const { key, place } of read.repeated)
      errors.push({ file, line: place.line, message: `\`${key}\` is written twice; the last one holds` })
    layers.push(readLayer(source, read.value))
    errors.push(...source.errors)
  }
  yield* add('managed', files.managed)
  if (where.user === undefined) {
    yield* add('user', files.user)
  } else {
    const source = newSource({ layer: 'user', file: GIVEN, place: () => undefined, home: where.home, bases })
    layers.push(readLayer(source, where.user))
    errors.push(...source.errors)
  }
  yield* add('project', files.project)
  return merge(layers, errors)
}

interface Read {
  readonly value: unknown
  readonly place: (path: Path) => { readonly line: number; readonly column: number } | undefined
  readonly repeated: readonly { readonly key: string; readonly place: { readonly line: number } }[]
}

function* readFile(file: string, errors: PolicyError[]): Asking<Read | undefined> {
  const reply = yield* ask('text', { path: file, limit: MOST_BYTES })
  if (reply === 'absent') return undefined
  if (reply === 'unknown' || reply === 'unreadable') {
    errors.push({
      file,
      whole: true,
      message: reply === 'unknown' ? 'the file could not be read in time' : 'the file cannot be read',
    })
    return undefined
  }
  if (reply.cut) {
    errors.push({ file, whole: true, message: `the file is larger than ${MOST_BYTES / 1024} KiB, so it is not used` })
    return undefined
  }
  const read = readJsonc(reply.text)
  if (read.ok) return read
  const { line, column } = read.place
  errors.push({ file, line, whole: true, message: `${read.message} (column ${column}), so the file is not used` })
  return undefined
}

/** Layers come strongest first: lists add up, of single values the first holds. Project families may only be stricter. */
function merge(layers: readonly Layer[], errors: PolicyError[]): Policy {
  const scopes = layers.flatMap((layer) => layer.scope ?? [])
  const profile = layers.find((layer) => layer.profile)?.profile
  const origins: Record<string, Origin> = {}
  for (const layer of layers) for (const [name, origin] of Object.entries(layer.origins)) origins[name] ??= origin
  if (profile) origins['profile'] = profile.origin
  const transparent = layers.flatMap((layer) => layer.transparent)
  for (const { program, origin } of transparent) origins[`transparent.${program}`] ??= origin
  return {
    profile: profile?.value ?? EMPTY_POLICY.profile,
    frozen: layers.flatMap((layer) => layer.frozen),
    scope: layers.some((layer) => layer.scope) ? scopes : undefined,
    disposable: layers.flatMap((layer) => layer.disposable),
    denyRead: layers.flatMap((layer) => layer.denyRead),
    allow: layers.flatMap((layer) => layer.allow),
    transparent: [...new Set(transparent.map(({ program }) => program))],
    rules: layers.flatMap((layer) => layer.rules),
    families: mergeFamilies(layers, origins, errors),
    settings: mergeSettings(layers),
    origins,
    errors,
  }
}

function mergeFamilies(
  layers: readonly Layer[],
  origins: Record<string, Origin>,
  errors: PolicyError[],
): Policy['families'] {
  const families: { -readonly [K in keyof Policy['families']]: Policy['families'][K] } = {}
  for (const layer of layers) {
    for (const { family, level, origin } of layer.families) {
      const set: Level | undefined = families[family]
      if (origin.layer === 'project') {
        const now = set ?? (OFF_BY_DEFAULT.includes(family) ? 'off' : undefined)
        // Unset means that the family's own rules ask or deny: only `deny` is surely not looser.
        const raises = level === 'deny' || (level === 'ask' && now !== undefined && rank(now) <= rank('ask'))
        if (!raises) {
          const message = `\`families.${family}\` can only be raised by a project file; \`${level}\` would lower it`
          errors.push({ file: origin.file ?? '', ...(origin.line === undefined ? {} : { line: origin.line }), message })
          continue
        }
      } else if (set !== undefined) {
        continue
      }
      families[family] = level
      origins[`families.${family}`] = origin
    }
  }
  return families
}

const rank = (level: Level): number => LEVELS.indexOf(level)

function mergeSettings(layers: readonly Layer[]): Settings {
  let merged: Settings = {}
  for (const { settings } of layers.toReversed()) {
    merged = {
      ...merged,
      ...(settings.snapshots && { snapshots: { ...merged.snapshots, ...settings.snapshots } }),
      ...(settings.store && { store: { ...merged.store, ...settings.store } }),
      ...(settings.budgets && { budgets: { ...merged.budgets, ...settings.budgets } }),
      ...(settings.hosts && { hosts: { ...merged.hosts, ...settings.hosts } }),
    }
  }
  return merged
}
