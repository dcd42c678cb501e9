/** What lies where on this machine: the tables of places with home, workspaces and XDG directories put in. Pure. */
import { flavourOf, foldCase, type PathSense, plainPath } from './lexical.ts'
import type { Moved } from './moved.ts'
import { entriesAt, groupOf, linesOf, type PlaceGroup } from './place-group.ts'
import { type PlaceIndex, type PlaceZone, type Rest, writtenPlaces } from './place-index.ts'
import { splitPlace } from './tables/row.ts'
import { TEMP } from './tables/system.ts'

export type { PlaceZone } from './place-index.ts'

export interface Place {
  readonly zone: PlaceZone
  /** Plain path (`plainPath`) of the place, or of the directory that `name` is looked for in. */
  readonly at: string
  /** Everything below too. */
  readonly tree: boolean
  /** Pattern of the last component, where it holds `*`. */
  readonly name: string | undefined
  readonly why: string
  readonly except: readonly string[]
}

export interface LayoutFacts {
  readonly platform: 'linux' | 'darwin' | 'win32'
  readonly home: string
  readonly user: string
  /** Workspace roots, absolute; give both the name and the physical path where they differ. */
  readonly workspaces: readonly string[]
  /** Roots of repositories besides: their `.claude` and the like count as a workspace's do. */
  readonly roots?: readonly string[]
  /** `TMPDIR`, `TEMP`, `TMP` as far as known. */
  readonly temp?: readonly string[]
  /** What this session made. */
  readonly created?: readonly string[]
  /** Files of the guard: programs that host settings register as hooks. */
  readonly guards?: readonly string[]
  /** `XDG_CONFIG_HOME` and the like, where set. */
  readonly xdg?: Readonly<Partial<Record<'config' | 'state' | 'data' | 'cache', string>>>
  /** What lies elsewhere than usually: its places count there as well. */
  readonly moved?: readonly Moved[]
  /** Undefined: as the platform usually does. */
  readonly foldsCase?: boolean
}

/** A place that may lie anywhere, by its components. `order`: where it stands in the tables. */
interface Anywhere {
  readonly order: number
  readonly parts: readonly string[]
  readonly place: Place
}

export interface Layout extends PathSense {
  readonly facts: LayoutFacts
  /** All below are plain paths. */
  readonly home: string
  readonly workspaces: readonly string[]
  readonly temp: readonly string[]
  readonly created: readonly string[]
  readonly places: Places
  /** Places that may lie anywhere, by the first of their components. */
  readonly anywhere: AnywherePlaces
}

const XDG = { config: '.config', state: '.local/state', data: '.local/share', cache: '.cache' } as const

/** Whether the file system of a platform folds case, as far as one can say without looking. */
export const usuallyFolds = (platform: LayoutFacts['platform']): boolean => platform !== 'linux'

/** One for names as written, one for folded ones. */
const indices: { written?: PlaceIndex; folded?: PlaceIndex } = {}

function indexOf(folds: boolean): PlaceIndex {
  const key = folds ? 'folded' : 'written'
  indices[key] ??= folds ? folded(writtenPlaces()) : writtenPlaces()
  return indices[key]
}

const anywheres = new WeakMap<PlaceIndex, AnywherePlaces>()

function anywhereOf(index: PlaceIndex): AnywherePlaces {
  let known = anywheres.get(index)
  if (known === undefined) {
    known = new AnywherePlaces(index)
    anywheres.set(index, known)
  }
  return known
}

/** The index for names whose case does not count. */
function folded({ by, rows, deepest }: PlaceIndex): PlaceIndex {
  const out: Record<string, PlaceGroup> = {}
  for (const [start, group] of Object.entries(by)) {
    const to = new Map<string, string>()
    for (const [rest, entries] of linesOf(group)) {
      const path = foldCase(rest)
      const before = to.get(path)
      to.set(path, before === undefined ? entries : `${before}|${entries}`)
    }
    out[start] = groupOf(to)
  }
  return { by: out, rows, deepest }
}

/** The entries of a group at a path, taken apart. */
function restsAt(group: PlaceGroup, path: string, rows: PlaceIndex['rows']): readonly Rest[] {
  const entries = entriesAt(group, path)
  return entries === undefined ? [] : restsOf(entries, rows)
}

const restsOf = (entries: string, rows: PlaceIndex['rows']): readonly Rest[] =>
  entries.split('|').map((entry) => {
    const colon = entry.indexOf(':')
    const head = colon < 0 ? entry : entry.slice(0, colon)
    const [zone, why, except] = JSON.parse(rows[Number.parseInt(head, 10)]!) as [PlaceZone, string, readonly string[]]
    return { zone, tree: head.endsWith('/'), name: colon < 0 ? undefined : entry.slice(colon + 1), why, except }
  })

/** Whether a place of these entries is of the zone: told by how its row begins. */
const hasZone = (entries: string, zone: PlaceZone, rows: PlaceIndex['rows']): boolean =>
  entries.split('|').some((entry) => rows[Number.parseInt(entry, 10)]!.startsWith(`["${zone}",`))

/** Beginnings of paths that are remembered. */
const MOST_KNOWN = 2_000

/** Places that may lie anywhere: taken apart when the first of their components is met. */
class AnywherePlaces {
  private readonly byFirst = new Map<string, { readonly order: number; readonly rest: string }[]>()
  private readonly made = new Map<string, readonly Anywhere[]>()
  private readonly index: PlaceIndex

  constructor(index: PlaceIndex) {
    this.index = index
    let order = 0
    for (const [rest, entries] of linesOf(index.by[ANYWHERE])) {
      const slash = rest.indexOf('/')
      const first = slash < 0 ? rest : rest.slice(0, slash)
      const group = this.byFirst.get(first) ?? []
      this.byFirst.set(first, group)
      group.push({ order, rest })
      // As many places as there are bars between them, and one more.
      order += entries.split('|').length
    }
  }

  get(first: string): readonly Anywhere[] {
    const group = this.byFirst.get(first)
    if (group === undefined) return NOWHERE
    let made = this.made.get(first)
    if (made === undefined) {
      made = group.flatMap(({ order, rest }) =>
        restsAt(this.index.by[ANYWHERE]!, rest, this.index.rows).map((place, i) => ({
          order: order + i,
          parts: rest.split('/'),
          place: { ...place, at: rest },
        })),
      )
      this.made.set(first, made)
    }
    return made
  }
}

const ANYWHERE = '.../'
const NOWHERE: readonly Anywhere[] = []

/** Places with a fixed path, by that path. Nothing of them is put together before it is looked for. */
export class Places {
  /** No place has more components. */
  readonly deepest: number
  private readonly index: PlaceIndex
  private readonly starts: ReadonlyMap<string, readonly string[]>
  private readonly own: ReadonlyMap<string, readonly Place[]>
  private readonly moves: boolean
  private readonly moved: readonly MovedDir[]
  /** What was looked up: paths of one call share most of their beginnings. */
  private readonly known = new Map<string, readonly Place[]>()

  /** `starts`: what the beginnings of places stand for; `own`: places of this call; `moves`: macOS keeps some elsewhere; `moved`: variables do. */
  constructor(
    index: PlaceIndex,
    starts: ReadonlyMap<string, readonly string[]>,
    own: ReadonlyMap<string, readonly Place[]>,
    moves: boolean,
    moved: readonly MovedDir[],
  ) {
    this.index = index
    this.starts = starts
    this.own = own
    this.moves = moves
    this.moved = moved
    const lead = Math.max(0, ...[...starts.values(), moved.map(([to]) => to)].flat().map(lengthOf))
    this.deepest = Math.max(1 + lead + index.deepest, ...[...own.keys()].map(lengthOf))
  }

  /** The places at a plain path, in the order of the tables. */
  get(at: string): readonly Place[] {
    const known = this.known.get(at)
    if (known !== undefined) return known
    const found = this.find(at)
    for (const [to, usual] of this.moved) {
      const rest = behind(at, to)
      if (rest !== undefined) for (const place of this.find(joined(usual, rest))) found.push({ ...place, at })
    }
    if (this.known.size < MOST_KNOWN) this.known.set(at, found)
    return found
  }

  /** Those of the tables and of this call, at a path where nothing is moved to. */
  private find(at: string): Place[] {
    const out: Place[] = []
    for (const [start, dirs] of this.starts) {
      const group = this.index.by[start]
      if (group === undefined) continue
      for (const dir of dirs) {
        const rest = behind(at, dir)
        if (rest !== undefined) for (const place of restsAt(group, rest, this.index.rows)) out.push({ ...place, at })
      }
      const moved = this.moves && start === '/' ? behind(at, 'private') : undefined
      if (moved !== undefined && MOVED.test(moved))
        for (const place of restsAt(group, moved, this.index.rows)) out.push({ ...place, at })
    }
    out.push(...(this.own.get(at) ?? []))
    return out
  }

  /** Whether a place of the zone is, or lies below, a plain path. */
  holds(path: string, zone: PlaceZone): boolean {
    if (this.holdsUsually(path, zone)) return true
    return this.moved.some(([to, usual]) => {
      const rest = behind(path, to) ?? (behind(to, path) === undefined ? undefined : '')
      return rest !== undefined && this.holdsUsually(joined(usual, rest), zone)
    })
  }

  private holdsUsually(path: string, zone: PlaceZone): boolean {
    for (const [start, dirs] of this.starts) {
      const group = this.index.by[start]
      if (group === undefined) continue
      for (const dir of dirs) if (this.holdsBehind(path, dir, zone, group)) return true
      if (this.moves && start === '/' && this.holdsBehind(path, 'private', zone, group, MOVED)) return true
    }
    for (const [at, places] of this.own)
      if (behind(at, path) !== undefined && places.some((place) => place.zone === zone)) return true
    return false
  }

  /** Every place, with its path where nothing is moved. A path may come several times. */
  *[Symbol.iterator](): Generator<readonly [at: string, places: readonly Place[]]> {
    for (const [start, dirs] of this.starts) {
      for (const [rest, entries] of linesOf(this.index.by[start])) {
        const paths = dirs.map((dir) => joined(dir, rest))
        if (this.moves && start === '/' && MOVED.test(rest)) paths.push(`private/${rest}`)
        const places = restsOf(entries, this.index.rows)
        for (const at of paths) yield [at, places.map((place) => ({ ...place, at }))]
      }
    }
    yield* this.own
  }

  /** Whether a path holds a place of a zone of those behind a directory; `only`: of which of them. */
  private holdsBehind(path: string, dir: string, zone: PlaceZone, group: PlaceGroup, only?: RegExp): boolean {
    const above = behind(dir, path) !== undefined
    const wanted = above ? '' : behind(path, dir)
    if (wanted === undefined) return false
    for (const [rest, entries] of linesOf(group)) {
      if (!above && behind(rest, wanted) === undefined) continue
      if (only !== undefined && !only.test(rest)) continue
      if (hasZone(entries, zone, this.index.rows)) return true
    }
    return false
  }
}

/** What stands behind a directory in a path that is it or lies below it. */
function behind(path: string, dir: string): string | undefined {
  if (dir === '') return path
  if (!path.startsWith(dir)) return undefined
  if (path.length === dir.length) return ''
  return path[dir.length] === '/' ? path.slice(dir.length + 1) : undefined
}

/** How many components a plain path has. */
const lengthOf = (path: string): number => (path === '' ? 0 : path.split('/').length)

/** Puts the facts of one call to the tables. */
export function newLayout(facts: LayoutFacts): Layout {
  const flavour = flavourOf(facts.platform)
  const sense: PathSense = { flavour, foldsCase: facts.foldsCase ?? usuallyFolds(facts.platform) }
  const plain = (path: string) => plainPath(path, sense)
  const starts = startsOf(facts, plain)
  const index = indexOf(sense.foldsCase)
  const own = new Map<string, Place[]>()
  const put = (place: Place) => own.set(place.at, [...(own.get(place.at) ?? []), place])
  const base = { tree: false, name: undefined, except: NOTHING }
  for (const guard of facts.guards ?? []) {
    put({ ...base, zone: 'trust-root', at: plain(guard), why: 'a program that guards this agent' })
  }
  const given = unique((facts.temp ?? []).filter((dir) => dir !== '').flatMap((dir) => twins(plain(dir), facts)))
  for (const dir of given) put({ ...base, zone: 'temp', at: dir, tree: true, why: 'temporary files' })
  const moves = facts.platform === 'darwin'
  const temp = new Set(given)
  for (const { at } of TEMP) {
    for (const written of at) {
      const { start, rest: spelt } = splitPlace(written)
      const rest = sense.foldsCase ? foldCase(spelt) : spelt
      for (const dir of starts.get(start) ?? []) {
        temp.add(joined(dir, rest))
        if (moves && start === '/' && MOVED.test(rest)) temp.add(`private/${rest}`)
      }
    }
  }
  return {
    ...sense,
    facts,
    home: plain(facts.home),
    workspaces: unique(facts.workspaces.map(plain)),
    temp: [...temp],
    created: unique((facts.created ?? []).flatMap((path) => twins(plain(path), facts))),
    places: new Places(index, starts, own, moves, movedOf(facts, plain)),
    anywhere: anywhereOf(index),
  }
}

const NOTHING: readonly string[] = []

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

const joined = (dir: string, name: string): string => (dir === '' ? name : name === '' ? dir : `${dir}/${name}`)

/** Where something lies, and where it usually does, both as plain paths. */
type MovedDir = readonly [to: string, usual: string]

const movedOf = ({ moved = [], home }: LayoutFacts, plain: (path: string) => string): readonly MovedDir[] =>
  moved.map(({ to, usual }): MovedDir => [plain(to), plain(`${home}/${usual}`)]).filter(([to, usual]) => to !== usual)

/** What the beginnings of written places stand for here, as plain paths. Absent: nothing on this platform. */
function startsOf(facts: LayoutFacts, plain: (path: string) => string): ReadonlyMap<string, readonly string[]> {
  const home = plain(facts.home)
  const roots = unique([...facts.workspaces, ...(facts.roots ?? [])].map(plain))
  const starts = new Map<string, readonly string[]>([
    ['~/', [home]],
    ['./', roots],
    // Where they usually are, so that directories above know of them.
    ['.../', unique([home, ...roots])],
    facts.platform === 'win32' ? ['C:/', [plain('C:/')]] : ['/', ['']],
  ])
  for (const [kind, usual] of Object.entries(XDG)) {
    const set = facts.xdg?.[kind as keyof typeof XDG]
    starts.set(`$${kind}/`, unique([plain(`${facts.home}/${usual}`), ...(set ? [plain(set)] : [])]))
  }
  return starts
}

/** macOS keeps `/etc`, `/tmp` and `/var` in `/private`. */
const MOVED = /^(?:etc|tmp|var)(?:\/|$)/

function twins(path: string, facts: LayoutFacts): string[] {
  if (facts.platform !== 'darwin') return [path]
  if (MOVED.test(path)) return [path, `private/${path}`]
  const inner = path.startsWith('private/') ? path.slice('private/'.length) : ''
  return MOVED.test(inner) ? [path, inner] : [path]
}

/** Whether a name fits a pattern with `*`, both folded where names are. As an expression it would be compiled first. */
export function fitsName(pattern: string, name: string): boolean {
  const first = pattern.indexOf('*')
  if (first < 0) return pattern === name
  const last = pattern.lastIndexOf('*')
  const limit = name.length - (pattern.length - last - 1)
  if (limit < first || !name.startsWith(pattern.slice(0, first)) || !name.endsWith(pattern.slice(last + 1)))
    return false
  let at = first
  for (const piece of first === last ? [] : pattern.slice(first + 1, last).split('*')) {
    const found = name.indexOf(piece, at)
    if (found < 0 || found + piece.length > limit) return false
    at = found + piece.length
  }
  return true
}
