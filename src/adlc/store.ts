/**
 * Reads the stores that tickets lie in: a directory of shards, or one legacy file. All or nothing, as ADLC itself reads
 * them: one fault makes the whole store unreadable, and an unreadable store freezes its repository.
 */
import { type Asking, type Asks, ask, type TextEntry } from '../core/question.ts'
import { dirname, type Flavour, join } from '../paths/lexical.ts'
import { graphProblem } from './graph.ts'
import { MANIFEST, MOST_LEGACY, MOST_RAIL, MOST_SHARD, MOST_SHARDS } from './limits.ts'
import { asObject, hasShardForm, isNameOf, jsonProblem, parseJson, readTicket, type Ticket } from './ticket.ts'

/** Characters of all shards together: reading more would spend the time of the verdict. */
const MOST_STORE = 64 << 20
/** A manifest holds two short values. */
const MOST_MANIFEST = 4096

export interface StoredTicket extends Ticket {
  /** The file that holds it, absolute. */
  readonly file: string
}

export type Store =
  | { readonly is: 'none' }
  | {
      readonly is: 'tickets'
      readonly kind: 'directory' | 'file'
      readonly path: string
      readonly tickets: readonly StoredTicket[]
      /** Names in the directory. */
      readonly names: ReadonlySet<string>
    }
  | {
      readonly is: 'unreadable'
      readonly path: string
      /** A sentence without its full stop. */
      readonly why: string
      /** Names in the directory, as far as it could be listed. */
      readonly names?: ReadonlySet<string>
      /** A fact could not be had: what the tickets say is not known at all. */
      readonly unsure?: true
    }

export interface StoreTools {
  readonly flavour: Flavour
}

/** Reads the store below a directory `.adlc` (absolute). `linked`: that directory is a link, which ADLC refuses. */
export function* readStore(adlcDir: string, linked: boolean, tools: StoreTools): Asking<Store> {
  const directory = join(adlcDir, 'tickets', tools.flavour)
  const file = join(adlcDir, 'tickets.json', tools.flavour)
  const dirStat = yield* ask('stat', { path: directory })
  const fileStat = yield* ask('stat', { path: file })
  if (dirStat === 'unknown' || fileStat === 'unknown') {
    return unsure(adlcDir, `whether there are tickets in ${adlcDir} could not be found out`)
  }
  if (dirStat === 'absent' && fileStat === 'absent') return { is: 'none' }
  if (linked) return unreadable(adlcDir, `${adlcDir} is a link, and a ticket store must not lie behind one`)
  if (dirStat !== 'absent' && fileStat !== 'absent') {
    const listed = yield* ask('list', { dir: directory, limit: MOST_SHARDS })
    const names = typeof listed === 'object' ? new Set(listed.entries.map(({ name }) => name)) : undefined
    return unreadable(directory, `both ${directory} and ${file} exist, so which one counts is open`, names)
  }
  return dirStat !== 'absent' ? yield* readDirectory(directory, tools) : yield* readFile(file)
}

/** Reads a store that an environment variable names: a file where the name ends in `.json`, else a directory. */
export function* readStoreAt(path: string, tools: StoreTools): Asking<Store> {
  const stat = yield* ask('stat', { path })
  if (stat === 'absent') return { is: 'none' }
  if (stat === 'unknown') return unsure(path, `${path} could not be looked at`)
  const parent = yield* ask('stat', { path: dirname(path, tools.flavour) })
  if (parent === 'unknown') return unsure(path, `whether ${path} lies behind a link could not be found out`)
  if (parent !== 'absent' && parent.kind === 'link') {
    return unreadable(path, `${path} lies behind a link, and a ticket store must not`)
  }
  return path.endsWith('.json') ? yield* readFile(path) : yield* readDirectory(path, tools)
}

/** Reads the archive beside a store. Its tickets are never active. */
export function* readArchive(adlcDir: string, tools: StoreTools): Asking<Store> {
  const path = join(adlcDir, 'ticket-archive', tools.flavour)
  const stat = yield* ask('stat', { path })
  if (stat === 'absent') return { is: 'none' }
  if (stat === 'unknown') return unsure(path, `${path} could not be looked at`)
  return yield* readDirectory(path, tools, true)
}

const unreadable = (path: string, why: string, names?: ReadonlySet<string>): Store => ({
  is: 'unreadable',
  path,
  why,
  ...(names && { names }),
})

const unsure = (path: string, why: string, names?: ReadonlySet<string>): Store => ({
  is: 'unreadable',
  path,
  why,
  unsure: true,
  ...(names && { names }),
})

function* readDirectory(dir: string, tools: StoreTools, archived = false): Asking<Store> {
  const self = yield* ask('stat', { path: dir })
  if (self === 'unknown') return unsure(dir, `${dir} could not be looked at`)
  if (self === 'absent' || self.kind !== 'dir') {
    return unreadable(dir, `${dir} is no directory of its own`)
  }
  const found = yield* ask('texts', { dir, limit: MOST_SHARDS + 1, each: MOST_SHARD, total: MOST_STORE })
  if (typeof found === 'string') return unsure(dir, `${dir} cannot be listed`)
  const known = stores.get(found)
  if (known?.dir === dir && known.archived === archived) return known.store
  const store = loadDirectory(found, dir, tools.flavour, archived)
  stores.set(found, { dir, archived, store })
  return store
}

type Texts = Exclude<Asks['texts'][1], 'absent'>

/** What a world's answer came to. A world that hands out the same answer again says that nothing changed. */
const stores = new WeakMap<Texts, { readonly dir: string; readonly archived: boolean; readonly store: Store }>()

/** Shards read before, by their entries: of a store in which one changes the others stay. */
const shards = new WeakMap<TextEntry, ReturnType<typeof readShard>>()

/** Pure. */
function loadDirectory(found: Texts, dir: string, flavour: Flavour, archived: boolean): Store {
  const names = new Set(found.entries.map(({ name }) => name))
  const bad = (why: string): Store => unreadable(dir, why, names)
  if (found.cut) return bad(`${dir} holds more than ${MOST_SHARDS} tickets`)
  if (new Set([...names].map((name) => name.toLowerCase())).size < names.size) {
    return bad(`${dir} holds names that differ in case only`)
  }
  for (const { name, kind } of found.entries) {
    if (kind !== 'file') return bad(`${join(dir, name, flavour)} is no regular file`)
    if (name !== MANIFEST && !hasShardForm(name)) return bad(`${join(dir, name, flavour)} is no ticket`)
  }
  const manifest = found.entries.find(({ name }) => name === MANIFEST)?.text ?? 'absent'
  if (manifest === 'unknown') return unsure(dir, `${join(dir, MANIFEST, flavour)} could not be read`, names)
  if (!isManifest(manifest, archived ? 'adlc-ticket-archive' : 'adlc-ticket-directory')) {
    return bad(`${join(dir, MANIFEST, flavour)} does not say that this is a ticket store of version 1`)
  }
  const tickets: StoredTicket[] = []
  let size = 0
  for (const entry of found.entries) {
    const { name, text } = entry
    if (name === MANIFEST) continue
    const file = join(dir, name, flavour)
    if (text === 'unknown') return unsure(dir, `${file} could not be read`, names)
    if (typeof text === 'string') return bad(`${file} cannot be read`)
    size += text?.text.length ?? 0
    // Texts end where all together are too long.
    if (text === undefined || size > MOST_STORE) {
      return bad(`the tickets in ${dir} are larger than ${MOST_STORE >> 20} MiB together`)
    }
    let read = archived ? undefined : shards.get(entry)
    if (read === undefined) {
      read = readShard(name, text.cut ? undefined : text.text, archived)
      if (!archived) shards.set(entry, read)
    }
    if ('problem' in read) return bad(`${file} ${read.problem}`)
    tickets.push({ ...read, file })
  }
  const problem = archived ? undefined : graphProblem(tickets)
  if (problem !== undefined) return bad(problem)
  return { is: 'tickets', kind: 'directory', path: dir, tickets, names }
}

function isManifest(text: { readonly text: string } | 'absent' | 'unreadable', format: string): boolean {
  if (typeof text === 'string' || text.text.length > MOST_MANIFEST) return false
  const manifest = asObject(parseJson(text.text)?.value)
  return manifest?.['format'] === format && manifest['version'] === 1
}

/** One shard by its name and text (undefined: longer than allowed). A clause says what is wrong. */
export function readShard(
  name: string,
  text: string | undefined,
  archived = false,
): Ticket | { readonly problem: string } {
  if (text === undefined) return { problem: 'is larger than 1 MiB' }
  const parsed = parseJson(text)
  if (!parsed) return { problem: jsonProblem(text) }
  const ticket = readTicket(parsed.value, archived)
  if ('problem' in ticket) return ticket
  if (!isNameOf(name, ticket.id)) return { problem: `does not have the name that belongs to the id ${ticket.id}` }
  return railsFit(ticket)
}

function railsFit(ticket: Ticket): Ticket | { readonly problem: string } {
  if (!ticket.active || ticket.rails.every((rail) => rail.length <= MOST_RAIL)) return ticket
  return { problem: `has a rail that is longer than ${MOST_RAIL} characters` }
}

function* readFile(file: string): Asking<Store> {
  const stat = yield* ask('stat', { path: file })
  if (stat === 'unknown') return unsure(file, `${file} could not be looked at`)
  if (stat === 'absent' || stat.kind !== 'file') {
    return unreadable(file, `${file} is no regular file`)
  }
  const text = yield* ask('text', { path: file, limit: MOST_LEGACY })
  if (text === 'unknown') return unsure(file, `${file} could not be read`)
  if (typeof text === 'string') return unreadable(file, `${file} cannot be read`)
  if (text.cut) return unreadable(file, `${file} is larger than ${MOST_LEGACY >> 20} MiB`)
  if (lastFile?.file !== file || lastFile.text !== text.text) {
    lastFile = { file, text: text.text, store: loadFile(file, text.text) }
  }
  return lastFile.store
}

/** The last legacy store with its text: to compare it is far less than to read it. */
let lastFile: { readonly file: string; readonly text: string; readonly store: Store } | undefined

function loadFile(file: string, text: string): Store {
  const parsed = parseJson(text)
  if (!parsed) return unreadable(file, `${file} ${jsonProblem(text)}`)
  const list = asObject(parsed.value)?.['tickets']
  if (!Array.isArray(list)) return unreadable(file, `${file} holds no list of tickets`)
  if (list.length > MOST_SHARDS) return unreadable(file, `${file} holds more than ${MOST_SHARDS} tickets`)
  const tickets: StoredTicket[] = []
  for (const [i, value] of list.entries()) {
    const read = readTicket(value)
    const ticket = 'problem' in read ? read : railsFit(read)
    if ('problem' in ticket) return unreadable(file, `ticket ${i + 1} of ${file} ${ticket.problem}`)
    tickets.push({ ...ticket, file })
  }
  const problem = graphProblem(tickets)
  if (problem !== undefined) return unreadable(file, problem)
  return { is: 'tickets', kind: 'file', path: file, tickets, names: new Set() }
}
