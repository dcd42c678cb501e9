/** Projects of the JavaScript package managers: the nearest `package.json`, its scripts, its workspaces. */
import { type Asking, ask } from '../../core/question.ts'
import { basename, dirname, type Flavour, join } from '../../paths/lexical.ts'
import { readYaml } from './yaml.ts'

/** Directories looked at from the working directory upward: deeper nesting is no one's project. */
const MOST_LEVELS = 32
/** Characters of one manifest. */
const MOST_MANIFEST = 256 * 1024
/** Packages of one workspace that are looked at. */
const MOST_PACKAGES = 64
/** Names of a directory that is searched for packages. */
const MOST_NAMES = 256
/** How deep `**` in a list of workspaces is followed. */
const MOST_DEPTH = 3

export interface Project {
  /** Absolute directory of the manifest. */
  readonly dir: string
  readonly name: string | undefined
  readonly scripts: ReadonlyMap<string, string>
  /** Names of packages that the project depends on, of any kind. */
  readonly dependencies: ReadonlySet<string>
  /** Patterns of workspaces, relative to `dir`. */
  readonly workspaces: readonly string[]
  /** `packageManager` as written (`yarn@4.1.0`). */
  readonly manager: string | undefined
}

/** The text of a file. `unreadable`: no text, or not ours to read. `unknown`: it could not be had whole. */
export function* fileText(
  path: string,
  limit = MOST_MANIFEST,
): Asking<{ readonly text: string } | 'absent' | 'unreadable' | 'unknown'> {
  const found = yield* ask('text', { path, limit })
  if (typeof found === 'string') return found
  return found.cut ? 'unknown' : { text: found.text }
}

/** The project of a directory itself. A manifest that is no JSON object, or that nobody can read, stops the tools, too. */
export function* projectIn(dir: string, flavour: Flavour): Asking<Project | 'absent' | 'broken' | 'unknown'> {
  const found = yield* fileText(join(dir, 'package.json', flavour))
  if (found === 'unreadable') return 'broken'
  if (typeof found === 'string') return found
  const manifest = parse(found.text)
  if (manifest === undefined) return 'broken'
  let workspaces = listOf(manifest['workspaces'])
  if (workspaces.length === 0) workspaces = listOf(recordOf(manifest['workspaces'])['packages'])
  return {
    dir,
    name: textIn(manifest['name']),
    scripts: new Map(
      Object.entries(recordOf(manifest['scripts'])).flatMap(([name, text]): [string, string][] =>
        typeof text === 'string' ? [[name, text]] : [],
      ),
    ),
    dependencies: new Set(
      ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) =>
        Object.keys(recordOf(manifest[key])),
      ),
    ),
    workspaces,
    manager: textIn(manifest['packageManager']),
  }
}

/** The nearest project from a directory upward. */
export function* projectAt(dir: string, flavour: Flavour): Asking<Project | 'absent' | 'unknown'> {
  let at = dir
  for (let level = 0; level < MOST_LEVELS; level++) {
    const found = yield* projectIn(at, flavour)
    if (found === 'broken') return 'absent'
    if (found !== 'absent') return found
    const parent = dirname(at, flavour)
    if (parent === at) return 'absent'
    at = parent
  }
  return 'unknown'
}

/** The project that holds `project` as a workspace, or `project` itself: lock files lie there. */
export function* rootOf(project: Project, flavour: Flavour): Asking<Project> {
  if (project.workspaces.length > 0) return project
  let at = dirname(project.dir, flavour)
  for (let level = 0; level < MOST_LEVELS && at !== dirname(at, flavour); level++) {
    const found = yield* projectIn(at, flavour)
    if (typeof found === 'object' && (found.workspaces.length > 0 || (yield* pnpmPatterns(found, flavour)).length > 0))
      return found
    at = dirname(at, flavour)
  }
  return project
}

/** Packages of the workspaces of a project, itself left out. `unknown`: they could not all be found. */
export function* packagesOf(project: Project, flavour: Flavour): Asking<readonly Project[] | 'unknown'> {
  const patterns = [...project.workspaces, ...(yield* pnpmPatterns(project, flavour))]
  const dirs = new Set<string>()
  for (const pattern of patterns) {
    if (pattern.startsWith('!')) continue
    const found = yield* expand(project.dir, pattern, flavour)
    if (found === 'unknown') return 'unknown'
    for (const dir of found) dirs.add(dir)
  }
  const out: Project[] = []
  let looked = 0
  for (const dir of dirs) {
    if (dir === project.dir) continue
    if (out.length >= MOST_PACKAGES || ++looked > MOST_NAMES) return 'unknown'
    const found = yield* projectIn(dir, flavour)
    if (found === 'unknown') return 'unknown'
    if (typeof found === 'object') out.push(found)
  }
  return out
}

/** The list below `packages:` in `pnpm-workspace.yaml`. */
function* pnpmPatterns(project: Project, flavour: Flavour): Asking<readonly string[]> {
  const found = yield* fileText(join(project.dir, 'pnpm-workspace.yaml', flavour))
  if (typeof found === 'string') return []
  const yaml = readYaml(found.text)
  return listOf(recordOf(yaml)['packages'])
}

/** Directories that a pattern of workspaces names; it may hold `*` as a whole component or within one, and `**`. */
function* expand(root: string, pattern: string, flavour: Flavour): Asking<readonly string[] | 'unknown'> {
  let dirs: readonly string[] = [root]
  for (const part of pattern.split('/').filter((word) => word !== '' && word !== '.')) {
    const next: string[] = []
    for (const dir of dirs) {
      if (!part.includes('*')) next.push(join(dir, part, flavour))
      else {
        const below = part === '**' ? yield* tree(dir, flavour) : yield* subdirs(dir, part, flavour)
        if (below === 'unknown') return 'unknown'
        next.push(...below)
      }
      if (next.length > MOST_NAMES) return 'unknown'
    }
    dirs = next
  }
  return dirs
}

function* subdirs(dir: string, pattern: string, flavour: Flavour): Asking<readonly string[] | 'unknown'> {
  const list = yield* ask('list', { dir, limit: MOST_NAMES })
  if (list === 'absent') return []
  if (list === 'unknown' || list.cut) return 'unknown'
  return list.entries
    .filter(({ name, kind }) => (kind === 'dir' || kind === 'link') && name !== 'node_modules' && like(pattern, name))
    .map(({ name }) => join(dir, name, flavour))
}

function* tree(dir: string, flavour: Flavour): Asking<readonly string[] | 'unknown'> {
  const out: string[] = [dir]
  let level: readonly string[] = [dir]
  for (let depth = 0; depth < MOST_DEPTH; depth++) {
    const next: string[] = []
    for (const at of level) {
      const below = yield* subdirs(at, '*', flavour)
      if (below === 'unknown') return 'unknown'
      next.push(...below.filter((path) => !basename(path, flavour).startsWith('.')))
      if (out.length + next.length > MOST_NAMES) return 'unknown'
    }
    out.push(...next)
    level = next
  }
  return out
}

/** Whether a name fits a pattern whose only special character is `*`, which stands for any run of characters. */
export function like(pattern: string, name: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return pattern === name
  if (!name.startsWith(parts[0]!)) return false
  let at = parts[0]!.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - parts.at(-1)!.length >= at && name.endsWith(parts.at(-1)!)
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? recordOf(value) : undefined
  } catch {
    return undefined
  }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
