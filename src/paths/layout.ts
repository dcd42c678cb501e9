/** What lies where on this machine: the tables of places with home, workspaces and XDG directories put in. Pure. */
import { flavourOf, foldCase, type PathSense, plainPath } from './lexical.ts'
import { PERSISTENCE } from './tables/persistence.ts'
import type { PlaceRow } from './tables/row.ts'
import { SECRET_PLACES } from './tables/secrets.ts'
import { DEVICES, STREAMS, SYSTEM, TEMP } from './tables/system.ts'
import { TRUST_ROOT } from './tables/trust-root.ts'

/** Kinds of places that tables name. `stream`: a device that gives or swallows bytes and keeps none. */
export type PlaceZone = 'trust-root' | 'persistence' | 'secret' | 'system' | 'device' | 'stream' | 'temp'

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
  /** Undefined: as the platform usually does. */
  readonly foldsCase?: boolean
}

export interface Layout extends PathSense {
  readonly facts: LayoutFacts
  /** All below are plain paths. */
  readonly home: string
  readonly workspaces: readonly string[]
  readonly temp: readonly string[]
  readonly created: readonly string[]
  /** Places with a fixed path, by that path. */
  readonly places: ReadonlyMap<string, readonly Place[]>
  /** Places that may lie anywhere, by their components. */
  readonly anywhere: readonly { readonly parts: readonly string[]; readonly place: Place }[]
}

const XDG = { config: '.config', state: '.local/state', data: '.local/share', cache: '.cache' } as const

const TABLES: readonly (readonly [PlaceZone, readonly PlaceRow[]])[] = [
  ['trust-root', TRUST_ROOT],
  ['persistence', PERSISTENCE],
  ['secret', SECRET_PLACES],
  ['system', SYSTEM],
  ['device', DEVICES],
  ['stream', STREAMS],
  ['temp', TEMP],
]

/** Whether the file system of a platform folds case, as far as one can say without looking. */
export const usuallyFolds = (platform: LayoutFacts['platform']): boolean => platform !== 'linux'

/** Puts the facts of one call into the tables. Costs one walk over the tables, so make it once a call. */
export function newLayout(facts: LayoutFacts): Layout {
  const flavour = flavourOf(facts.platform)
  const sense: PathSense = { flavour, foldsCase: facts.foldsCase ?? usuallyFolds(facts.platform) }
  const plain = (path: string) => plainPath(path, sense)
  const starts = startsOf(facts, plain)
  const places = new Map<string, Place[]>()
  const anywhere: { parts: string[]; place: Place }[] = []
  const put = (place: Place) => {
    const before = places.get(place.at)
    if (before) before.push(place)
    else places.set(place.at, [place])
  }
  for (const [zone, rows] of TABLES) {
    for (const { at, why, except = NOTHING } of rows) {
      for (const written of at) {
        const { start, rest, name, tree } = split(written, sense.foldsCase)
        const dirs = starts.get(start)
        if (dirs === undefined) continue
        const place = { zone, tree, name, why, except }
        if (start === '.../') anywhere.push({ parts: rest.split('/'), place: { ...place, at: rest } })
        for (const dir of dirs) put({ ...place, at: joined(dir, rest) })
        if (facts.platform === 'darwin' && start === '/' && MOVED.test(rest)) put({ ...place, at: `private/${rest}` })
      }
    }
  }
  const base = { tree: false, name: undefined, except: NOTHING }
  for (const guard of facts.guards ?? []) {
    put({ ...base, zone: 'trust-root', at: plain(guard), why: 'a program that guards this agent' })
  }
  for (const dir of unique((facts.temp ?? []).filter((dir) => dir !== '').flatMap((dir) => twins(plain(dir), facts)))) {
    put({ ...base, zone: 'temp', at: dir, tree: true, why: 'temporary files' })
  }
  const temp: string[] = []
  for (const [at, all] of places) if (all.some((place) => place.zone === 'temp')) temp.push(at)
  return {
    ...sense,
    facts,
    home: plain(facts.home),
    workspaces: unique(facts.workspaces.map(plain)),
    temp,
    created: unique((facts.created ?? []).flatMap((path) => twins(plain(path), facts))),
    places,
    anywhere,
  }
}

const NOTHING: readonly string[] = []

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

const joined = (dir: string, name: string): string => (dir === '' ? name : name === '' ? dir : `${dir}/${name}`)

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

/** A written place as its beginning, the plain path behind it, and the pattern of its last component. */
function split(
  written: string,
  folds: boolean,
): { start: string; rest: string; name: string | undefined; tree: boolean } {
  const from = written.indexOf('/') + 1
  const tree = written.endsWith('/')
  let rest = written.slice(from, tree ? -1 : undefined)
  let name: string | undefined
  if (rest.includes('*')) {
    const slash = rest.lastIndexOf('/')
    name = rest.slice(slash + 1)
    rest = rest.slice(0, Math.max(slash, 0))
  }
  return { start: written.slice(0, from), rest: folds ? foldCase(rest) : rest, name, tree }
}

/** macOS keeps `/etc`, `/tmp` and `/var` in `/private`. */
const MOVED = /^(?:etc|tmp|var)(?:\/|$)/

function twins(path: string, facts: LayoutFacts): string[] {
  if (facts.platform !== 'darwin') return [path]
  if (MOVED.test(path)) return [path, `private/${path}`]
  const inner = path.startsWith('private/') ? path.slice('private/'.length) : ''
  return MOVED.test(inner) ? [path, inner] : [path]
}

/** A name with `*` as an expression; none of our tables holds more than three. */
export function namePattern(name: string, folds: boolean): RegExp {
  const text = name.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${text.join('.*')}$`, folds ? 'isu' : 'su')
}
