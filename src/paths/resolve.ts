/**
 * Where a path leads: component by component as the kernel goes, from the raw text, so that `link/..` follows the link
 * first. Never lexical where a fact is missing: an unknown answer gives an unresolved path.
 */
import { type Asking, ask, type Stat } from '../core/question.ts'
import { type Flavour, foldCase, isAbsolute, normalise, separatorOf, splitRoot } from './lexical.ts'

/** Links that one path may pass: what Linux allows. */
export const MOST_LINKS = 40
/** Components of one path, links unfolded: far above any path a kernel takes. */
export const MOST_COMPONENTS = 4096
/** Steps of one path: each component, seen four times. */
export const MOST_PATH_STEPS = 4 * MOST_COMPONENTS
/** Steps of one call, all its paths together. */
export const MOST_STEPS = 200_000

/** What one call may still spend, and what it has learnt. One object a call, changed by every resolution. */
export interface PathBudget {
  steps: number
  readonly flavour: Flavour
  readonly foldsCase: boolean
  /** Answers to `stat` by path. Only good while nothing changes: see `freshView`. */
  readonly seen: Map<string, Stat | 'absent' | 'unknown'>
  /** Directories that were walked to as they are written, without passing a link, with those above: as long as `seen` holds. */
  readonly plain: Map<string, readonly string[]>
}

export const newPathBudget = (flavour: Flavour = 'posix', foldsCase = flavour === 'win32'): PathBudget => ({
  steps: MOST_STEPS,
  flavour,
  foldsCase,
  seen: new Map(),
  plain: new Map(),
})

/** Forgets what was learnt, keeps what was spent: for the time after a step that changes files or links. */
export function freshView(budget: PathBudget): void {
  budget.seen.clear()
  budget.plain.clear()
}

/** Learns what one path is now: after a step that changes nothing else. */
export function learn(budget: PathBudget, path: string, now: Stat | 'absent'): void {
  const key = budget.foldsCase ? foldCase(path) : path
  const known = budget.seen.get(key)
  // Ways may lead through a directory.
  if (typeof known === 'object' && known.kind === 'dir') freshView(budget)
  budget.seen.set(key, now)
}

export type Unresolved = {
  readonly is: 'unresolved'
  /** `magic`: what it names depends on who looks (`/proc/self`, `/dev/fd`). `unknown`: a fact could not be had. */
  readonly why: 'links' | 'components' | 'steps' | 'magic' | 'unknown'
}

export interface ResolvedPath {
  readonly is: 'path'
  /** Physical path of the entry itself: its parents resolved, a link in the last component not followed. */
  readonly entry: string
  /** Physical path with that link followed too; the entry where it is no link. */
  readonly target: string
  /** Whether the target exists (with `follow`), or the entry (without). */
  readonly exists: boolean
  /** Of the target (with `follow`), or of the entry (without). */
  readonly kind?: Stat['kind']
  readonly stat?: Stat
  /** Physical paths of the links that were passed, in order. */
  readonly links: readonly string[]
}

export type Resolved = ResolvedPath | Unresolved

const MAGIC = /^\/(?:proc\/(?:self|thread-self|\d+)|dev\/fd|\.vol)(?:\/|$)/
const isMagic = (path: string): boolean =>
  (path.startsWith('/proc/') || path.startsWith('/dev/fd') || path.startsWith('/.vol')) && MAGIC.test(path)
/** Components of a magic path: deeper ones have passed one already. */
const MAGIC_DEPTH = 2
/** Links on some systems and devices on others; what is written there goes to the caller, never to a file by name. */
const STREAMS = /^\/dev\/(?:stdin|stdout|stderr)$/
/** Device namespaces of Windows that name volumes and pipes past every drive letter. */
const MAGIC_WINDOWS = /^(?:\\\\[?.]\\|\\\?\?\\)/
const DEVICE_WINDOWS = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(?:\..*)?$/i

const STREAM_STAT: Stat = { kind: 'device', size: 0, mtime: 0, inode: 'stream', links: 1, mode: 0o666 }

type Look = Stat | 'absent' | 'unknown'

/** What is known of a path without a question: nearly all that is walked over was walked over before. */
function known(path: string, budget: PathBudget): Look | undefined {
  if (path.startsWith('/dev/') && budget.flavour === 'posix' && STREAMS.test(path)) return STREAM_STAT
  return budget.seen.get(budget.foldsCase ? foldCase(path) : path)
}

function* look(path: string, budget: PathBudget): Asking<Look> {
  const answer = yield* ask('stat', { path })
  budget.seen.set(budget.foldsCase ? foldCase(path) : path, answer)
  return answer
}

/**
 * Resolves an absolute path. `follow`: the caller acts on what a link in the last component points to; a trailing
 * slash follows it anyhow. What does not exist is kept as written. Ends for any answers.
 */
export function* resolvePath(
  path: string,
  options: { readonly follow: boolean; readonly budget: PathBudget },
): Asking<Resolved> {
  const { follow, budget } = options
  const { flavour } = budget
  if (isNear(path, budget)) {
    if (known(path, budget) === undefined) yield* look(path, budget)
    const near = nearPath(path, budget)
    if (near !== undefined) return near
  }
  if (!isAbsolute(path, flavour) || path.includes('\0')) return unresolved('unknown')
  if (flavour === 'win32' && MAGIC_WINDOWS.test(path.replaceAll('/', '\\'))) {
    if (!/^\\\\[?.]\\(?:[a-z]:|unc\\)/i.test(path.replaceAll('/', '\\'))) return unresolved('magic')
  }
  return yield* walk(path, follow, budget)
}

const NO_LINKS: readonly string[] = []

/** What `resolvePath` says where nothing has to be asked: of a path in a directory that was walked to, which is no link. */
export function nearPath(path: string, budget: PathBudget): ResolvedPath | undefined {
  const stat = known(path, budget)
  if (stat === undefined || stat === 'unknown' || (stat !== 'absent' && stat.kind === 'link')) return undefined
  if (!isNear(path, budget)) return undefined
  budget.steps--
  if (stat === 'absent') return { is: 'path', entry: path, target: path, exists: false, links: NO_LINKS }
  return { is: 'path', entry: path, target: path, exists: true, kind: stat.kind, stat, links: NO_LINKS }
}

/** Whether a path lies in a directory that was walked to: then, unless it is a link, it is what it says. */
function isNear(path: string, budget: PathBudget): boolean {
  const slash = path.lastIndexOf('/')
  const walked = slash > 0 ? budget.plain.get(path.slice(0, slash)) : undefined
  if (walked === undefined || walked.length < MAGIC_DEPTH || budget.steps <= 0) return false
  // What follows the slash may be no name, or none that a file can have.
  const length = path.length - slash - 1
  const dots = length <= 2 && path.charCodeAt(slash + 1) === DOT && path.charCodeAt(path.length - 1) === DOT
  return length > 0 && !dots && !path.includes('\0', slash)
}

const DOT = 46

const unresolved = (why: Unresolved['why']): Unresolved => ({ is: 'unresolved', why })

function* walk(path: string, follow: boolean, budget: PathBudget): Asking<Resolved> {
  const { flavour } = budget
  const separator = separatorOf(flavour)
  // Windows removes `..` from the text before it looks at any link.
  const raw = flavour === 'win32' ? trailed(path) : path
  const { root, rest } = splitRoot(raw, flavour)
  const slash = flavour === 'posix' ? path.lastIndexOf('/') : -1
  const above = slash > 0 ? path.slice(0, slash) : undefined
  const walked = above === undefined ? undefined : budget.plain.get(above)
  // `todo` is reversed: its last element comes next.
  const todo = walked ? [path.slice(slash + 1)] : rest.split(separator).reverse()
  if (todo.length > MOST_COMPONENTS) return unresolved('components')
  let spent = 0
  /** Elements at the bottom of `todo` that stem from the path itself, not from a link. */
  let own = todo.length
  let base = root
  // The prefix `\\?\` takes names as they are: there `nul` is a file like any other.
  const literalNames = path[2] === '?' && /^[\\/]{2}\?[\\/]/.test(path)
  /** Full paths of the components walked so far, so that none is put together twice. */
  const at: string[] = walked ? [...walked] : []
  /** How many components of `at` exist; those behind it are kept as written. */
  let real = at.length
  let stat: Stat | undefined
  let entry: { path: string; stat: Stat | undefined; exists: boolean } | undefined
  const links: string[] = []
  const here = () => at.at(-1) ?? base

  while (todo.length > 0) {
    if (budget.steps <= 0 || ++spent > MOST_PATH_STEPS) return giveUp('steps')
    budget.steps--
    const name = todo.pop()!
    const last = own > 0 && todo.length === 0 && own === 1
    own = Math.min(own, todo.length)
    if (name === '' || name === '.') continue
    if (name === '..') {
      at.pop()
      real = Math.min(real, at.length)
      stat = undefined
      continue
    }
    const present = real === at.length
    const cur = (at.length === 0 ? base : here() + separator) + name
    if (flavour === 'posix' && at.length < MAGIC_DEPTH && isMagic(cur)) return giveUp('magic')
    at.push(cur)
    if (flavour === 'win32' && !literalNames && DEVICE_WINDOWS.test(name)) {
      const device = { is: 'path', exists: true, kind: 'device', stat: STREAM_STAT, links } as const
      return { ...device, entry: cur, target: cur }
    }
    if (!present) {
      if (last) entry = { path: cur, stat: undefined, exists: false }
      continue
    }
    const found = known(cur, budget) ?? (yield* look(cur, budget))
    if (found === 'unknown') return giveUp('unknown')
    if (last) {
      entry = { path: cur, stat: found === 'absent' ? undefined : found, exists: found !== 'absent' }
      // It lies where its text says: nothing on the way was a link or written another way.
      if (!walked && above !== undefined && links.length === 0 && cur === path) budget.plain.set(above, at.slice(0, -1))
    }
    stat = found === 'absent' ? undefined : found
    if (found === 'absent') continue
    if (found.kind !== 'link') {
      real = at.length
      continue
    }
    links.push(cur)
    if (links.length > MOST_LINKS) return giveUp('links')
    const target = found.target ?? ''
    at.pop()
    const to = splitRoot(flavour === 'win32' ? target.replaceAll('/', '\\') : target, flavour)
    if (to.root !== '') {
      if (flavour === 'win32' && to.root.length <= 2) return giveUp('unknown')
      base = to.root
      at.length = 0
      real = 0
    }
    const more = to.rest.split(separator)
    if (todo.length + more.length > MOST_COMPONENTS) return giveUp('components')
    for (let i = more.length - 1; i >= 0; i--) todo.push(more[i]!)
    stat = undefined
  }

  const target = here()
  const whole = real === at.length
  let final = stat
  if (whole && final === undefined) {
    // The walk ended on `..`, on a root, or on `link/`: ask for the place itself.
    const found = known(target, budget) ?? (yield* look(target, budget))
    if (found === 'unknown') return giveUp('unknown')
    final = found === 'absent' ? undefined : found
  }
  const self = entry ?? { path: target, stat: final, exists: final !== undefined }
  return follow
    ? place(self.path, target, whole && final !== undefined ? final : undefined)
    : place(self.path, target, self.stat)

  /** Nothing that goes wrong behind the entry's own link matters to whoever acts on the link. */
  function giveUp(why: Unresolved['why']): Resolved {
    return entry && !follow ? place(entry.path, entry.path, entry.stat) : unresolved(why)
  }

  function place(entryPath: string, targetPath: string, found: Stat | undefined): ResolvedPath {
    const facts = found ? { exists: true, kind: found.kind, stat: found } : { exists: false }
    return { is: 'path', entry: entryPath, target: targetPath, ...facts, links }
  }
}

/** A Windows path with `..` removed; a trailing separator, which follows links, stays. */
function trailed(path: string): string {
  const text = normalise(path, 'win32')
  return /[\\/]\.?$/.test(path) && !text.endsWith('\\') ? `${text}\\` : text
}
