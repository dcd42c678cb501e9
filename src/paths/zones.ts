/** In which zones a path lies: a pure function of the resolved path, the layout and the policy's globs. */
import { once } from '../core/once.ts'
import type { PathMatcher } from './glob.ts'
import { fitsName, type Layout, type Place, type PlaceZone } from './layout.ts'
import { foldCase, plainInside, plainPath } from './lexical.ts'
import { REGENERABLE } from './tables/regenerable.ts'
import type { NameRow } from './tables/row.ts'
import { SECRET_NAMES } from './tables/secrets.ts'
import { SYSTEM_PARENTS } from './tables/system.ts'

export type Zone =
  | PlaceZone
  | 'frozen'
  | 'out-of-scope'
  | 'deny-read'
  | 'disposable'
  | 'regenerable'
  | 'git-dir'
  | 'project' // inside a workspace
  | 'outside' // in no workspace, and neither temporary nor made by this session
  | 'created'
  | 'home'
  | 'program' // what a search path finds

/** Matchers of which there may be many, so that those near one path are told apart from all of them. */
export interface NearMatchers {
  /** All, for patterns and unknown paths. */
  all(): readonly PathMatcher[]
  /** Those that match an absolute path, hold it, or may contain it, in the same order. */
  near(path: string): readonly PathMatcher[]
}

export interface ZoneRules {
  readonly frozen: NearMatchers
  /** Undefined: everything in the project is in scope. */
  readonly scope: readonly PathMatcher[] | undefined
  readonly disposable: readonly PathMatcher[]
  readonly denyRead: readonly PathMatcher[]
}

const NONE: NearMatchers = { all: () => [], near: () => [] }

export const NO_RULES: ZoneRules = { frozen: NONE, scope: undefined, disposable: [], denyRead: [] }

/** Zones of one path: absolute and physical, as `resolvePath` gives it. Zones overlap; nothing here is a verdict. */
export function zonesOf(path: string, layout: Layout, rules: ZoneRules = NO_RULES): ReadonlySet<Zone> {
  const laid = laidZones(plainPath(path, layout), layout)
  const any = (matchers: readonly PathMatcher[]) => matchers.some((matcher) => matcher.matches(path))
  const ruled: Zone[] = []
  if (any(rules.frozen.near(path))) ruled.push('frozen')
  if (any(rules.denyRead)) ruled.push('deny-read')
  if (any(rules.disposable)) ruled.push('disposable')
  if (rules.scope !== undefined && laid.has('project') && !any(rules.scope)) ruled.push('out-of-scope')
  return ruled.length === 0 ? laid : new Set([...laid, ...ruled])
}

/** What is known of plain paths in a layout: the same as long as that is. */
const laid = new WeakMap<Layout, Map<string, ReadonlySet<Zone>>>()

/** Paths that are remembered for one layout. */
const MOST_LAID = 2_000

function laidZones(text: string, layout: Layout): ReadonlySet<Zone> {
  let known = laid.get(layout)
  if (known === undefined) {
    known = new Map()
    laid.set(layout, known)
  }
  let zones = known.get(text)
  if (zones === undefined) {
    zones = findZones(text, layout)
    if (known.size >= MOST_LAID) known.clear()
    known.set(text, zones)
  }
  return zones
}

/** The zones that do not hang on any rule. */
function findZones(text: string, layout: Layout): ReadonlySet<Zone> {
  const zones = new Set<Zone>()
  const hits = placesOf(text, layout)
  const depth = (dirs: readonly string[]) => Math.max(-1, ...dirs.filter((dir) => plainInside(text, dir)).map(lengthOf))
  const workspace = depth(layout.workspaces)
  const temp = depth(layout.temp)
  const system = depth(hits.filter(({ zone }) => zone === 'system').map(({ at }) => at))
  const home = depth([layout.home])
  const stream = hits.some(({ zone }) => zone === 'stream')

  for (const { zone } of hits) {
    // A place within a place: the inner one says what it is.
    if (zone === 'temp' || zone === 'system' || (zone === 'device' && (stream || temp >= 0))) continue
    zones.add(zone)
  }
  if (workspace >= 0 && workspace >= temp) zones.add('project')
  else if (temp >= 0) zones.add('temp')
  if (home >= 0) zones.add('home')
  if (system > Math.max(workspace, temp, home) && !stream) zones.add('system')
  if (isSystemParent(text, layout)) zones.add('system')
  if (layout.created.some((dir) => plainInside(text, dir))) zones.add('created')
  if (!zones.has('project') && !zones.has('temp') && !zones.has('created') && !stream) zones.add('outside')

  const parts = text.split('/')
  // Windows may know `.git` by its short name, too.
  const above = (parts.at(-2) ?? '').toLowerCase()
  if (above === 'bin' || above === 'sbin') zones.add('program')
  if (parts.includes('.git') || (layout.flavour === 'win32' && parts.includes('git~1'))) zones.add('git-dir')
  if (!zones.has('system') || zones.has('project')) {
    const from = Math.max(workspace, temp, home)
    if (from >= 0 && parts.slice(from === 0 ? 0 : from).some(isRegenerable(layout.foldsCase))) zones.add('regenerable')
  }
  if (isSecretName(parts.at(-1) ?? '', layout.foldsCase)) zones.add('secret')
  return zones
}

/** How many components a plain path has; also how deep what lies in it begins. */
function lengthOf(dir: string): number {
  if (dir === '') return 0
  let count = 1
  for (let at = dir.indexOf('/'); at >= 0; at = dir.indexOf('/', at + 1)) count++
  return count
}

/**
 * Whether `dir` is, lies in, or holds a place of the zone: a fixed place of the tables, the fixed leading part of a
 * policy's glob, a workspace, home. What may lie anywhere by its name (`.env`, a glob that begins with `**`) is not counted: only a
 * look into the directory tells (`below.ts`).
 */
export function containsZone(dir: string, zone: Zone, layout: Layout, rules: ZoneRules = NO_RULES): boolean {
  if (zonesOf(dir, layout, rules).has(zone)) return true
  const text = plainPath(dir, layout)
  const holds = (places: readonly string[]) => places.some((place) => plainInside(place, text))
  const globs = (matchers: readonly PathMatcher[]) => matchers.some((matcher) => matcher.holds(dir))
  switch (zone) {
    case 'frozen':
      return globs(rules.frozen.near(dir))
    case 'deny-read':
      return globs(rules.denyRead)
    case 'disposable':
      return globs(rules.disposable)
    case 'out-of-scope':
      return rules.scope !== undefined && holds(layout.workspaces)
    case 'project':
    case 'git-dir':
      return holds(layout.workspaces)
    case 'home':
      return holds([layout.home])
    case 'temp':
      return holds(layout.temp)
    case 'created':
      return holds(layout.created)
    case 'outside':
      return holds(layout.workspaces)
    case 'regenerable':
    case 'program':
      return false
    default:
      return layout.places.holds(text, zone)
  }
}

/** Why a path is in a zone that tables name: the row's reason, for people. Undefined where no row says so. */
export function whyZone(path: string, zone: PlaceZone, layout: Layout): string | undefined {
  const text = plainPath(path, layout)
  const place = placesOf(text, layout).find((hit) => hit.zone === zone)
  if (place) return place.why
  return zone === 'secret' ? nameRow(secrets(), text.split('/').at(-1) ?? '', layout.foldsCase)?.why : undefined
}

/** All places of the tables that a plain path is in, the outermost first. */
function placesOf(text: string, layout: Layout): Place[] {
  const parts = text === '' ? [] : text.split('/')
  const { places, foldsCase } = layout
  const out: Place[] = []
  // A path of a hundred thousand components is not looked up for each of its beginnings.
  const deepest = Math.min(parts.length, places.deepest)
  let at = ''
  for (let n = 0; n <= deepest; n++) {
    if (n > 0) at = n === 1 ? parts[0]! : `${at}/${parts[n - 1]}`
    for (const place of places.get(at)) if (isIn(parts.slice(n), place, foldsCase)) out.push(place)
  }
  const found: { readonly order: number; readonly place: Place }[] = []
  for (const [n, part] of parts.entries()) {
    for (const { order, parts: wanted, place } of layout.anywhere.get(part)) {
      if (n + wanted.length > parts.length || wanted.some((name, i) => parts[n + i] !== name)) continue
      if (isIn(parts.slice(n + wanted.length), place, foldsCase)) found.push({ order, place })
    }
  }
  // In the order of the tables; of one place the outermost first.
  for (const { place } of found.sort((a, b) => a.order - b.order)) out.push(place)
  return out
}

/** Whether `rest`, the components below the place's directory, belongs to the place. */
function isIn(rest: readonly string[], place: Place, folds: boolean): boolean {
  if (place.name) return rest.length === 1 && fits(place.name, rest[0]!, folds)
  if (rest.length === 0) return true
  return place.tree && !place.except.some((except) => isExcept(rest, except, folds))
}

function isExcept(rest: readonly string[], except: string, folds: boolean): boolean {
  if (except.endsWith('/')) {
    const wanted = except.slice(0, -1).split('/')
    return wanted.every((part, i) => rest[i] === part)
  }
  return rest.length === 1 && fits(except, rest[0]!, folds)
}

function isSystemParent(text: string, layout: Layout): boolean {
  const windows = layout.flavour === 'win32'
  if (windows && /^[a-z]:$/i.test(text)) return true
  return systemParents(layout).has(text)
}

const parents = new Map<string, ReadonlySet<string>>()

/** The directories that hold the system's, as plain paths of this flavour. */
function systemParents({ flavour, foldsCase }: Layout): ReadonlySet<string> {
  const key = `${flavour} ${foldsCase}`
  let set = parents.get(key)
  if (set === undefined) {
    const own = SYSTEM_PARENTS.filter((path) => (path[1] === ':') === (flavour === 'win32'))
    set = new Set(own.map((path) => plainPath(path, { flavour, foldsCase })))
    parents.set(key, set)
  }
  return set
}

const folded = new Map<string, string>()

/** `fitsName` for a pattern as the tables write it. */
function fits(pattern: string, name: string, folds: boolean): boolean {
  if (!folds) return fitsName(pattern, name)
  let text = folded.get(pattern)
  if (text === undefined) {
    text = foldCase(pattern)
    folded.set(pattern, text)
  }
  return fitsName(text, foldCase(name))
}

/** Rows by exact name, and the ones with a pattern. */
interface Names {
  readonly exact: ReadonlyMap<string, NameRow>
  readonly patterns: readonly { readonly name: string; readonly row: NameRow }[]
  /** What was looked up: a few names make up most paths. */
  readonly known: Map<string, NameRow | undefined>
}

/** Names that are remembered. */
const MOST_KNOWN = 5_000

function namesOf(rows: readonly NameRow[]): Names {
  const exact = new Map<string, NameRow>()
  const open: { name: string; row: NameRow }[] = []
  for (const row of rows) {
    for (const name of row.names) {
      if (name.includes('*')) open.push({ name, row })
      else exact.set(name.toLowerCase(), row)
    }
  }
  return { exact, patterns: open, known: new Map() }
}

const secrets = once(() => namesOf(SECRET_NAMES))
const rebuilt = once(() => namesOf(REGENERABLE))

function nameRow(names: Names, name: string, folds: boolean): NameRow | undefined {
  const key = folds ? `/${name}` : name
  const known = names.known.get(key)
  if (known !== undefined || names.known.has(key)) return known
  if (names.known.size >= MOST_KNOWN) names.known.clear()
  const row = findRow(names, name, folds)
  names.known.set(key, row)
  return row
}

function findRow(names: Names, name: string, folds: boolean): NameRow | undefined {
  const exact = names.exact.get(name.toLowerCase())
  const found =
    exact && (folds || exact.names.includes(name))
      ? exact
      : names.patterns.find((pattern) => fits(pattern.name, name, folds))?.row
  return found?.except?.some((except) => fits(except, name, folds)) ? undefined : found
}

const isRegenerable =
  (folds: boolean) =>
  (name: string): boolean =>
    nameRow(rebuilt(), name, folds) !== undefined

/** Whether a file's name alone says that its content is a secret. */
export const isSecretName = (name: string, folds = false): boolean => nameRow(secrets(), name, folds) !== undefined
