/**
 * What a range does to tickets. New ones may come; those that the base has may stay as they are, end in place, or move
 * to the archive as they were. Anything else could free what they freeze. Pure.
 */

import { MANIFEST } from './limits.ts'
import type { Change, Violation, Warning } from './rails-check.ts'
import type { Store, StoredTicket } from './store.ts'
import { asObject, hasShardForm, parseJson, readTicket } from './ticket.ts'
import { widthOf } from './validity.ts'

/** The tickets of one repository at both ends of a range. */
export interface StoreSides {
  /** Absolute path that stands for the top of the git repository. */
  readonly top: string
  readonly base: Store
  readonly head: Store
  /** The archive at the head. */
  readonly archive: Store
}

interface Texts {
  readonly baseText: (path: string) => string | undefined
  readonly headText: (path: string) => string | undefined
}

interface Found {
  readonly violations: readonly Violation[]
  readonly warnings: readonly Warning[]
}

type Raw = Readonly<Record<string, unknown>>

/** One ticket as its file writes it. */
interface Written {
  readonly path: string
  readonly raw: Raw
  readonly active: boolean
}

/** Judges the changes of files that hold tickets, their archive and their manifests. */
export function compareStores(sides: StoreSides, changes: readonly Change[], texts: Texts): Found {
  const violations: Violation[] = []
  const warnings: Warning[] = []
  const no = (path: string, why: string, ticket?: string) =>
    violations.push({ path, kind: 'store', why, ...(ticket !== undefined && { ticket }) })
  const { base, head, archive } = sides
  for (const [store, what] of [
    [head, 'the tickets'],
    [archive, 'the archive of tickets'],
  ] as const) {
    if (store.is !== 'unreadable') continue
    // Which of the changes is to blame cannot be told, and nothing can be told apart.
    const why = `${what} could not be read any more: ${store.why.replaceAll(`${sides.top}/`, '')}`
    for (const { path } of changes) no(path, why)
    return { violations, warnings }
  }
  const kept = changes.filter((change) => !judgedByFile(change, texts, no))
  const before = written(base, sides.top, texts.baseText, touches(kept, base))
  const after = written(head, sides.top, texts.headText)
  const archived = archivedOf(archive, sides.top, changes, texts)
  for (const [id, was] of before) {
    const now = after.get(id)
    const end = now ?? archived.get(id)
    if (end === undefined) {
      no(was.path, 'removes a ticket that is not in the archive as it was', id)
      continue
    }
    const differs = differences(was.raw, end.raw)
    if (differs.length > 0) no(was.path, `changes ${listed(differs)} of a ticket that is there already`, id)
    else if (!was.active && end.active) no(was.path, 'opens a ticket again that had ended', id)
    else if (was.active && !end.active) {
      const why = `${now ? 'ends a ticket' : 'archives an active ticket'}, whose rails held for this range all the same`
      warnings.push({ path: was.path, kind: 'ticket-ended', why, ticket: id })
    } else if (was.active && now && !sameJson(otherwise(was.raw), otherwise(now.raw))) {
      no(was.path, 'edits a ticket that is there already', id)
    }
  }
  const known = written(base, sides.top, texts.baseText)
  for (const [id, { path, raw, active }] of after) {
    if (known.has(id) || !active) continue
    const ticket = readTicket(raw)
    const wide = 'problem' in ticket ? undefined : widthOf(ticket)
    if (wide !== undefined) warnings.push({ path, kind: 'wide', why: lowered(wide), ticket: id })
  }
  return { violations, warnings }
}

const SHARDS = /(?:^|\/)\.adlc\/tickets\/[^/]+$/
const ARCHIVE = /(?:^|\/)\.adlc\/(?:ticket-archive\/[^/]+|tickets\.archive\.json)$/
const LEGACY = /(?:^|\/)\.adlc\/tickets\.json$/
const LEGACY_ARCHIVE = 'tickets.archive.json'

/** Manifests and archives are judged as files: what is there may not change. */
function judgedByFile(change: Change, texts: Texts, no: (path: string, why: string) => void): boolean {
  const { path, before, after } = change
  const name = path.slice(path.lastIndexOf('/') + 1)
  if ((before && !isFile(before.mode)) || (after && !isFile(after.mode))) {
    no(path, 'is no plain file, and tickets must be')
    return true
  }
  if (before && after && before.oid === after.oid) {
    no(path, 'has another mode')
    return true
  }
  if (ARCHIVE.test(path)) {
    if (before === undefined) return true
    if (name !== LEGACY_ARCHIVE || after === undefined || !keepsAll(path, texts))
      no(path, 'changes the archive of tickets, which may only grow')
    return true
  }
  if (SHARDS.test(path) && name === MANIFEST) {
    if (before !== undefined) no(path, 'changes what makes the directory a store of tickets')
    return true
  }
  if (SHARDS.test(path) ? hasShardForm(name) : LEGACY.test(path)) return false
  no(path, 'is no ticket')
  return true
}

const isFile = (mode: string): boolean => mode === '100644' || mode === '100755'

/** Whether a legacy archive still holds all that it held. */
function keepsAll(path: string, { baseText, headText }: Texts): boolean {
  const was = rawTickets(baseText(path))
  const now = rawTickets(headText(path))
  if (!was || !now) return false
  const byId = new Map(now.map((ticket) => [ticket['id'], ticket]))
  return was.every((ticket) => sameJson(ticket, byId.get(ticket['id'])))
}

function rawTickets(text: string | undefined): readonly Raw[] | undefined {
  const list = text === undefined ? undefined : asObject(parseJson(text)?.value)?.['tickets']
  if (!Array.isArray(list)) return undefined
  return list.flatMap((value: unknown): readonly Raw[] => {
    const raw = asObject(value)
    return raw === undefined ? [] : [raw]
  })
}

/** The files of a store that changes touch; undefined: all. */
const touches = (changes: readonly Change[], store: Store): ReadonlySet<string> | undefined =>
  store.is === 'tickets' && store.kind === 'directory' ? new Set(changes.map(({ path }) => path)) : undefined

/** Tickets by id, as their files write them. */
function written(
  store: Store,
  top: string,
  text: (path: string) => string | undefined,
  only?: ReadonlySet<string>,
): ReadonlyMap<string, Written> {
  const out = new Map<string, Written>()
  if (store.is !== 'tickets') return out
  const whole = store.kind === 'file' ? rawTickets(text(below(store.path, top))) : undefined
  for (const [i, ticket] of store.tickets.entries()) {
    const path = below(ticket.file, top)
    if (only && !only.has(path)) continue
    const raw = whole ? whole[i] : rawOf(text(path))
    // What was read as a ticket a moment ago is one; a text that is missing is an edit that cannot be judged.
    out.set(ticket.id, { path, raw: raw ?? {}, active: ticket.active })
  }
  return out
}

const rawOf = (text: string | undefined): Raw | undefined =>
  text === undefined ? undefined : asObject(parseJson(text)?.value)

const below = (path: string, top: string): string => (path.startsWith(`${top}/`) ? path.slice(top.length + 1) : path)

/** Tickets that the range brought into the archive. */
function archivedOf(
  archive: Store,
  top: string,
  changes: readonly Change[],
  { headText }: Texts,
): ReadonlyMap<string, Written> {
  const came = new Set(changes.filter(({ after }) => after !== undefined).map(({ path }) => path))
  const out = new Map<string, Written>()
  const put = (path: string, { _adlcArchive, ...raw }: Raw) => {
    void _adlcArchive
    const id = raw['id']
    if (typeof id === 'string') out.set(id, { path, raw, active: false })
  }
  for (const [id, { path, raw }] of written(archive, top, headText, came)) if (id !== '') put(path, raw)
  for (const path of came) {
    if (!path.endsWith(`/${LEGACY_ARCHIVE}`)) continue
    for (const raw of rawTickets(headText(path)) ?? []) put(path, raw)
  }
  return out
}

/** What the schema of tickets names; what else stands in one means nothing to the guard. */
const NAMED = ['id', 'title', 'body', 'category', 'duration', 'budget', 'scope', 'rails', 'edges'] as const

const differences = (was: Raw, now: Raw): readonly string[] => NAMED.filter((key) => !sameJson(was[key], now[key]))

/** A ticket without its state, which may go on as long as its rails hold. */
const otherwise = ({ status, completed, ...rest }: Raw): Raw => rest

const listed = (keys: readonly string[]): string => keys.map((key) => `\`${key}\``).join(', ')

/** A sentence as a clause. */
const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '')

/** Whether a file of evidence still begins with all that it held. */
export function growsOnly({ path, before, after }: Change, { baseText, headText }: Texts): boolean {
  if (after === undefined || !isFile(after.mode) || (before !== undefined && before.mode !== after.mode)) return false
  if (before === undefined) return true
  const was = baseText(path)
  const now = headText(path)
  if (was === undefined || now === undefined) return false
  return now.startsWith(was) && (was === '' || was.endsWith('\n'))
}

/** The text of a ticket that says what may be switched off. */
export function bodyOf(ticket: StoredTicket, top: string, baseText: (path: string) => string | undefined): string {
  const text = baseText(below(ticket.file, top))
  const raws = rawTickets(text) ?? (rawOf(text) ? [rawOf(text)!] : [])
  const body = raws.find(({ id }) => id === ticket.id)?.['body']
  return typeof body === 'string' ? body : ''
}

/** Whether two values out of JSON say the same; the order of keys does not count. A stack of our own: texts may nest deep. */
function sameJson(one: unknown, other: unknown): boolean {
  const left: [unknown, unknown][] = [[one, other]]
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    const [a, b] = pair
    if (Object.is(a, b)) continue
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false
      for (const [i, value] of a.entries()) left.push([value, b[i]])
      continue
    }
    const [x, y] = [asObject(a), asObject(b)]
    if (!x || !y) return false
    const keys = Object.keys(x)
    if (keys.length !== Object.keys(y).length || !keys.every((key) => Object.hasOwn(y, key))) return false
    for (const key of keys) left.push([x[key], y[key]])
  }
  return true
}
