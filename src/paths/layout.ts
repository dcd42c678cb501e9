/** What lies where on this machine: the tables of places with home, workspaces and XDG directories put in. Pure. */
import { type Flavour, flavourOf, join, type PathSense, plainPath } from './lexical.ts'
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
  readonly name: RegExp | undefined
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
  const places = new Map<string, Place[]>()
  const anywhere: { parts: string[]; place: Place }[] = []
  const put = (place: Place) => {
    const before = places.get(place.at)
    if (before) before.push(place)
    else places.set(place.at, [place])
  }
  const roots = unique([...facts.workspaces, ...(facts.roots ?? [])])
  for (const [zone, rows] of TABLES) {
    for (const { at, why, except = [] } of rows) {
      for (const written of at) {
        const tree = written.endsWith('/')
        const slash = written.lastIndexOf('/')
        const last = written.slice(slash + 1)
        const name = last.includes('*') ? namePattern(last, sense.foldsCase) : undefined
        const dir = name ? written.slice(0, slash + 1) : written
        const rest = { zone, tree, name, why, except }
        if (dir.startsWith('.../')) {
          const text = plain(`/${dir.slice('.../'.length)}`).replace(/^\//, '')
          anywhere.push({ parts: text.split('/'), place: { ...rest, at: text } })
          // Where they usually are, so that directories above know of them.
          for (const root of [facts.home, ...roots]) {
            put({ ...rest, at: plain(join(root, dir.slice('.../'.length), flavour)) })
          }
        } else for (const path of pathsOf(dir, facts, roots, flavour)) put({ ...rest, at: plain(path) })
      }
    }
  }
  const base = { tree: false, name: undefined, except: [] }
  for (const guard of facts.guards ?? []) {
    put({ ...base, zone: 'trust-root', at: plain(guard), why: 'a program that guards this agent' })
  }
  const temp = unique((facts.temp ?? []).filter((dir) => dir !== '').flatMap((dir) => twins(dir, facts)))
  for (const dir of temp) put({ ...base, zone: 'temp', at: plain(dir), tree: true, why: 'temporary files' })
  const tables = [...places.values()].flat().filter((place) => place.zone === 'temp')
  return {
    ...sense,
    facts,
    home: plain(facts.home),
    workspaces: unique(facts.workspaces.map(plain)),
    temp: unique(tables.map((place) => place.at)),
    created: unique((facts.created ?? []).flatMap((path) => twins(path, facts)).map(plain)),
    places,
    anywhere,
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

/** The absolute paths that a written place stands for on this machine. */
function pathsOf(written: string, facts: LayoutFacts, roots: readonly string[], flavour: Flavour): string[] {
  if (written.startsWith('~/')) return [join(facts.home, written.slice(2), flavour)]
  if (written.startsWith('./')) return roots.map((root) => join(root, written.slice(2), flavour))
  const xdg = /^\$(config|state|data|cache)\//.exec(written)
  if (xdg) {
    const kind = xdg[1] as keyof typeof XDG
    const rest = written.slice(xdg[0].length)
    const usual = join(facts.home, XDG[kind], flavour)
    return unique([usual, facts.xdg?.[kind] || usual]).map((dir) => join(dir, rest, flavour))
  }
  const windows = /^[A-Z]:/.test(written)
  if (windows !== (flavour === 'win32')) return []
  return twins(written, facts)
}

/** macOS keeps `/etc`, `/tmp` and `/var` in `/private`. */
function twins(path: string, facts: LayoutFacts): string[] {
  if (facts.platform !== 'darwin') return [path]
  if (/^\/(?:etc|tmp|var)(?:\/|$)/.test(path)) return [path, `/private${path}`]
  return /^\/private\/(?:etc|tmp|var)(?:\/|$)/.test(path) ? [path, path.slice('/private'.length)] : [path]
}

/** A name with `*` as an expression; none of our tables holds more than three. */
export function namePattern(name: string, folds: boolean): RegExp {
  const text = name.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${text.join('.*')}$`, folds ? 'isu' : 'su')
}
