/**
 * The tables of places by how a place begins, then by the plain path behind that. What a hook asks of it at each start is
 * a look at a few paths, so it holds texts only, which are taken apart when they are found: the built hook has it ready.
 */
import { groupOf, type PlaceGroup } from './place-group.ts'
import { PERSISTENCE } from './tables/persistence.ts'
import { type PlaceRow, splitPlace } from './tables/row.ts'
import { SECRET_PLACES } from './tables/secrets.ts'
import { DEVICES, STREAMS, SYSTEM, TEMP } from './tables/system.ts'
import { TRUST_ROOT } from './tables/trust-root.ts'

/** Kinds of places that tables name. `stream`: a device that gives or swallows bytes and keeps none. */
export type PlaceZone = 'trust-root' | 'persistence' | 'secret' | 'system' | 'device' | 'stream' | 'temp'

/** A row's place without what only one call knows. */
export interface Rest {
  readonly zone: PlaceZone
  /** Everything below too. */
  readonly tree: boolean
  /** Pattern of the last component, where it holds `*`. */
  readonly name: string | undefined
  readonly why: string
  readonly except: readonly string[]
}

export interface PlaceIndex {
  readonly by: Readonly<Record<string, PlaceGroup>>
  /** Zone, reason and exceptions of each row, as JSON. */
  readonly rows: readonly string[]
  /** Components of the longest path behind a beginning. */
  readonly deepest: number
}

const TABLES: readonly (readonly [PlaceZone, readonly PlaceRow[]])[] = [
  ['trust-root', TRUST_ROOT],
  ['persistence', PERSISTENCE],
  ['secret', SECRET_PLACES],
  ['system', SYSTEM],
  ['device', DEVICES],
  ['stream', STREAMS],
  ['temp', TEMP],
]

/** The index of all tables, with names as they are written. */
export function writtenPlaces(): PlaceIndex {
  const by = new Map<string, Map<string, string>>()
  const rows: string[] = []
  let deepest = 0
  for (const [zone, table] of TABLES) {
    for (const { at, why, except = [] } of table) {
      for (const written of at) {
        const { start, rest, name, tree } = splitPlace(written)
        if (name !== undefined && /[:|]/.test(name)) throw new Error(`the place ${written} has a sign in its name`)
        const entry = `${rows.length}${tree ? '/' : ''}${name === undefined ? '' : `:${name}`}`
        const group = by.get(start) ?? new Map<string, string>()
        by.set(start, group)
        const before = group.get(rest)
        group.set(rest, before === undefined ? entry : `${before}|${entry}`)
        deepest = Math.max(deepest, rest === '' ? 0 : rest.split('/').length)
      }
      rows.push(JSON.stringify([zone, why, except]))
    }
  }
  return { by: Object.fromEntries(Array.from(by, ([start, group]) => [start, groupOf(group)])), rows, deepest }
}
