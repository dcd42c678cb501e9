/** From targets to places on the disk: links followed, patterns looked up where that is cheap. */
import type { Effect, PathTarget } from '../core/effect.ts'
import { type Asking, ask, type Stat } from '../core/question.ts'
import type { GlobPart } from '../core/value.ts'
import { separatorOf } from '../paths/lexical.ts'
import { type PathBudget, resolvePath } from '../paths/resolve.ts'
import { matchPattern, takesHidden } from '../shell/expand.ts'
import { type Overlay, through, turnView } from './overlay.ts'

/** Acts that change what a path holds or that it is there. */
export const CHANGES: ReadonlySet<string> = new Set(['create', 'write', 'append', 'edit', 'delete', 'mode'])

/** Names of one pattern that are judged one by one. */
const MOST_MATCHES = 200

/** What a pattern matches, physical. `linked`: a link in the middle of the pattern led there, so `path` does not look like it. */
export interface Name {
  readonly path: string
  readonly kind: Stat['kind']
  readonly linked?: true
}

/** One place that an effect touches. */
export interface Place {
  /** Physical path: of the entry for deletes and links, of what it leads to for writes. */
  readonly path: string
  readonly tree: boolean
  readonly exists: boolean
  readonly kind?: Stat['kind']
  readonly stat?: Stat
  /** `path` is a directory and these are the pattern behind it. */
  readonly pattern?: readonly GlobPart[]
  /** What the pattern matches now, where it could be looked up. */
  readonly names?: readonly Name[]
  /** Nothing but this beginning is known. */
  readonly open?: boolean
  /** What an open place surely ends with, where that is known. */
  readonly end?: string
  readonly only?: 'untracked' | 'ignored'
}

export type Located =
  | { readonly is: 'places'; readonly places: readonly Place[] }
  | { readonly is: 'unresolved'; readonly what: string; readonly why: string }
  | { readonly is: 'elsewhere' }

/** Resolves the target of one effect as the disk is at that step of the line. */
export function* locate(effect: Effect, budget: PathBudget, view: View): Asking<Located> {
  const { target } = effect
  if (target.is === 'unknown') return { is: 'unresolved', what: target.what, why: 'unknown' }
  if (target.is !== 'path') return { is: 'elsewhere' }
  const overlay = effect.seen as Overlay | undefined
  turnView(budget, view.overlay, overlay)
  view.overlay = overlay
  return yield* through(resolve(target, budget, CHANGES.has(effect.act)), overlay)
}

/** Which overlay the path budget's memo belongs to. */
export interface View {
  /** `null`: not known, as after planning. */
  overlay: Overlay | undefined | null
}

export const newView = (): View => ({ overlay: null })

function* resolve(target: PathTarget, budget: PathBudget, deep: boolean): Asking<Located> {
  const separator = separatorOf(budget.flavour)
  const directory = target.pattern !== undefined || target.open
  let start = target.path
  let rest = ''
  if (target.open && !start.endsWith(separator)) {
    const cut = start.lastIndexOf(separator) + 1
    rest = start.slice(cut)
    start = start.slice(0, cut)
  }
  const found = yield* resolvePath(start === '' ? separator : start, { follow: directory || target.follow, budget })
  if (found.is !== 'path') return { is: 'unresolved', what: target.path, why: found.why }
  const path = directory || target.follow ? found.target : found.entry
  const base = {
    path: rest === '' ? path : path.endsWith(separator) ? path + rest : path + separator + rest,
    tree: target.tree,
    exists: found.exists,
    ...(found.kind === undefined ? {} : { kind: found.kind }),
    ...(found.stat === undefined ? {} : { stat: found.stat }),
    ...(target.only === undefined ? {} : { only: target.only }),
  }
  if (target.open)
    return { is: 'places', places: [{ ...base, open: true, ...(target.end === undefined ? {} : { end: target.end }) }] }
  if (target.pattern === undefined) return { is: 'places', places: [base] }
  if (!found.exists) return { is: 'places', places: [] }
  const names =
    (yield* matchesOf(path, target.pattern, separator, budget)) ??
    (deep ? yield* matchesBelow(path, target.pattern, separator) : undefined)
  return { is: 'places', places: [{ ...base, pattern: target.pattern, ...(names === undefined ? {} : { names }) }] }
}

/** The directory that a link in the middle of a pattern leads to, as shells follow it; undefined where it is none. */
function* behindLink(path: string, budget: PathBudget): Asking<string | undefined> {
  const found = yield* resolvePath(path, { follow: true, budget })
  return found.is === 'path' && found.kind === 'dir' ? found.target : undefined
}

/** Looks a pattern of one or more plain levels up. Undefined: too many, or too deep to look. */
function* matchesOf(
  dir: string,
  pattern: readonly GlobPart[],
  separator: string,
  budget: PathBudget,
): Asking<readonly Name[] | undefined> {
  const levels: GlobPart[][] = [[]]
  for (const part of pattern) {
    if (part.is === 'any' || part.is === 'deep') return undefined
    if (part.is !== 'text') {
      levels.at(-1)!.push(part)
      continue
    }
    // Windows takes either slash between names.
    const [first, ...more] = part.text.split(separator === '\\' ? /[\\/]/ : separator)
    if (first !== '') levels.at(-1)!.push({ is: 'text', text: first! })
    for (const text of more) levels.push(text === '' ? [] : [{ is: 'text', text }])
  }
  const slash = levels.at(-1)!.length === 0
  let found: Name[] = [{ path: dir, kind: 'dir' }]
  for (const level of levels) {
    if (level.length === 0) continue
    const next: typeof found = []
    const seen = new Set<string>()
    for (const one of found) {
      const path = one.kind === 'dir' ? one.path : one.kind === 'link' ? yield* behindLink(one.path, budget) : undefined
      // Several links may lead to one directory.
      if (path === undefined || seen.has(path)) continue
      seen.add(path)
      const list = yield* ask('list', { dir: path, limit: 2_000 })
      if (list === 'unknown' || (list !== 'absent' && list.cut)) return undefined
      if (list === 'absent') continue
      const hidden = takesHidden(level)
      for (const entry of list.entries) {
        if (!hidden && entry.name.startsWith('.')) continue
        if (!matchPattern(level, entry.name)) continue
        next.push({
          path: path.endsWith(separator) ? path + entry.name : path + separator + entry.name,
          kind: entry.kind,
          ...(one.linked || one.kind === 'link' ? { linked: true as const } : {}),
        })
        if (next.length > MOST_MATCHES) return undefined
      }
    }
    found = next
  }
  return slash ? found.filter(({ kind }) => kind !== 'file') : found
}

/** Directories and entries of a tree that are looked at for a pattern of any depth. */
const MOST_DIRS = 400
const MOST_ENTRIES = 4_000

/** Looks up a pattern that may match at any depth, as `find` gives it. Undefined: the tree is too large, or another shape. */
function* matchesBelow(
  dir: string,
  pattern: readonly GlobPart[],
  separator: string,
): Asking<readonly Name[] | undefined> {
  const [first, second, ...others] = pattern
  if (first?.is !== 'deep' || second?.is !== 'text' || !second.text.startsWith('/')) return undefined
  const lead = second.text.slice(1)
  const name: readonly GlobPart[] = lead === '' ? others : [{ is: 'text', text: lead }, ...others]
  if (name.some((part) => part.is === 'any' || part.is === 'deep' || (part.is === 'text' && part.text.includes('/'))))
    return undefined
  const found: Name[] = []
  const queue = [dir]
  let entries = 0
  for (let at = 0; at < queue.length; at++) {
    if (at >= MOST_DIRS) return undefined
    const list = yield* ask('list', { dir: queue[at]!, limit: MOST_ENTRIES })
    if (list === 'unknown' || (list !== 'absent' && list.cut)) return undefined
    if (list === 'absent') continue
    entries += list.entries.length
    if (entries > MOST_ENTRIES) return undefined
    for (const entry of list.entries) {
      const path = queue[at]!.endsWith(separator) ? queue[at]! + entry.name : queue[at]! + separator + entry.name
      if (matchPattern(name, entry.name)) found.push({ path, kind: entry.kind })
      // What a package manager put there is rebuilt, and holds nothing of anybody's.
      if (entry.kind === 'dir' && entry.name !== 'node_modules') queue.push(path)
      if (found.length > MOST_MATCHES) return undefined
    }
  }
  return found
}
