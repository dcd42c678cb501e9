/**
 * The check of a range of commits before a merge: what it changes is held against what its base froze. Nothing that the
 * range itself brings counts for it: rails, scope and policy are those of the base. Pure; trees and texts come as facts.
 */
import type { AdlcRepo } from './model.ts'
import { isEvidence, isStorePath, type Place, type Protected } from './rails-check-places.ts'
import { compareStores, growsOnly, type StoreSides } from './rails-check-store.ts'
import { suppressionsAdded } from './rails-check-suppressions.ts'
import { scopeMatcher } from './scope.ts'
import type { StoredTicket } from './store.ts'

/** One entry of a tree as git names it. */
export interface TreeEntry {
  /** Six octal digits: `100644`, `100755`, `120000` for a link, `160000` for a submodule. */
  readonly mode: string
  readonly oid: string
}

/** One path that differs. Both sides there: what it holds or what it is changed. */
export interface Change {
  /** From the top of the repository, with `/`. */
  readonly path: string
  /** At the base. */
  readonly before?: TreeEntry
  /** At the head. */
  readonly after?: TreeEntry
}

export type ViolationKind =
  | 'rail-edit' // a path that a ticket or the base's policy freezes
  | 'trust-root' // what decides over the guard and the check
  | 'store' // tickets that are there already
  | 'scope' // outside what the ticket may touch
  | 'suppression' // a line that switches a tool off

export type WarningKind =
  | 'undone' // a commit touched it, and the range as a whole does not
  | 'ticket-ended' // its rails held for this range all the same
  | 'case' // a spelling that is a protected path where case does not count
  | 'moved' // a suppression in a file that moved as a whole
  | 'nothing' // a rail of the base that means no name, or that nobody understands
  | 'wide' // a new ticket would freeze more than it can mean
  | 'ticket' // which ticket this is about
  | 'base' // what the comparison rests on
  | 'policy' // the base's policy file has faults
  | 'limit' // too large to be looked at

export interface Violation {
  readonly path: string
  readonly kind: ViolationKind
  /** A clause: what was done and why that is not allowed. */
  readonly why: string
  readonly rail?: string
  /** The first ticket that it is about; all of them in `tickets` where there are several. */
  readonly ticket?: string
  readonly tickets?: readonly string[]
  /** The newest commit of the range that touched the path. */
  readonly commit?: string
  /** For suppressions: the line at the head, from 1, and what it says. */
  readonly line?: number
  readonly marker?: string
}

export interface Warning {
  readonly path?: string
  readonly kind: WarningKind
  readonly why: string
  readonly rail?: string
  readonly ticket?: string
  readonly commit?: string
}

export interface RailsReport {
  readonly violations: readonly Violation[]
  readonly warnings: readonly Warning[]
}

export interface Range {
  /** Absolute path that stands for the top of the repository. */
  readonly root: string
  /** What the range as a whole changes. */
  readonly changes: readonly Change[]
  /** Commits of the range, the newest first, by the paths that they touched. */
  readonly touched: ReadonlyMap<string, readonly string[]>
  /** What protects each changed and each touched path at the base. */
  readonly places: ReadonlyMap<string, Place>
  /** The same where case does not count. */
  readonly folded: ReadonlyMap<string, Place>
  /** Stores that the range changes, with what they are at both ends, by the repository's root. */
  readonly stores: ReadonlyMap<string, StoreSides>
  /** The ticket that the work belongs to, as the base knows it. */
  readonly ticket?: { readonly repo: AdlcRepo; readonly ticket: StoredTicket; readonly body: string }
  /** Text of a file at the base and at the head; undefined where it is absent, no file, or was not read. */
  readonly baseText: (path: string) => string | undefined
  readonly headText: (path: string) => string | undefined
}

/** Everything that a range does and may not, in the order of its paths. */
export function checkRange(range: Range): RailsReport {
  const violations: Violation[] = []
  const warnings: Warning[] = []
  const changed = new Set(range.changes.map(({ path }) => path))
  const newest = (path: string) => {
    const commit = range.touched.get(path)?.[0]
    return commit === undefined ? {} : { commit }
  }
  const allowed = new Set<string>()
  for (const [root, sides] of range.stores) {
    const own = range.changes.filter(({ path }) => isStorePath(range.places.get(path), root))
    const found = compareStores(sides, own, range)
    violations.push(...found.violations.map((one) => ({ ...one, ...newest(one.path) })))
    warnings.push(...found.warnings)
    const refused = new Set(found.violations.map(({ path }) => path))
    for (const { path } of own) if (!refused.has(path)) allowed.add(path)
  }
  const inScope = scopeOf(range)
  const gone = new Set(range.changes.flatMap(({ before, after }) => (before && !after ? [before.oid] : [])))
  for (const change of range.changes) {
    const { path } = change
    const place = range.places.get(path)
    const before = violations.length
    if (isEvidence(place)) {
      if (growsOnly(change, range)) allowed.add(path)
      else violations.push({ ...protectedChange(change, place.hit), ...newest(path) })
    } else if (place?.is === 'protected' && !place.free?.includes(changeOf(change))) {
      violations.push({ ...protectedChange(change, place.hit), ...newest(path) })
    }
    if (!allowed.has(path) && place?.is !== 'store' && violations.length === before) {
      if (inScope && !inScope(path)) {
        const ticket = range.ticket!.ticket.id
        const why = `${CHANGED[changeOf(change)]} outside the scope of its ticket`
        violations.push({ path, kind: 'scope', why, ticket, ...newest(path) })
      }
      const folded = range.folded.get(path)
      if (place?.is !== 'protected' && folded?.is === 'protected') {
        const why = 'is a protected path where file names ignore case'
        warnings.push({ path, kind: 'case', why, rail: folded.hit.rail, ...ticketOf(folded.hit) })
      }
    }
    const moved = change.before === undefined && change.after !== undefined && gone.has(change.after.oid)
    // A ticket's body may speak of what it allows.
    if (/(?:^|\/)\.adlc\//.test(path) || (place?.is === 'protected' && place.data)) continue
    for (const { marker, line, why } of suppressionsOf(change, range)) {
      if (moved) warnings.push({ path, kind: 'moved', why: `moved with \`${marker}\` in line ${line}` })
      else violations.push({ path, kind: 'suppression', why, line, marker, ...newest(path) })
    }
  }
  warnings.push(...undone(range, changed))
  const byPath = (a: { readonly path?: string }, b: { readonly path?: string }) =>
    (a.path ?? '') < (b.path ?? '') ? -1 : (a.path ?? '') > (b.path ?? '') ? 1 : 0
  return { violations: violations.sort(byPath), warnings: warnings.sort(byPath) }
}

export type ChangeKind = 'added' | 'deleted' | 'link' | 'submodule' | 'mode' | 'content'

const CHANGED: Readonly<Record<ChangeKind, string>> = {
  added: 'was added',
  deleted: 'was deleted',
  link: 'was swapped with a link, or a link with it',
  submodule: 'was changed as a submodule',
  mode: 'has another mode',
  content: 'was edited',
}

/** What happened to an entry, seen from the base. */
export function changeOf({ before, after }: Change): ChangeKind {
  if (before?.mode === SUBMODULE || after?.mode === SUBMODULE) return 'submodule'
  if (before === undefined) return 'added'
  if (after === undefined) return 'deleted'
  if ((before.mode === LINK) !== (after.mode === LINK)) return 'link'
  return before.oid === after.oid ? 'mode' : 'content'
}

const SUBMODULE = '160000'
const LINK = '120000'

/** Sentences need no list of forty tickets. */
const ticketOf = ({ tickets }: Protected) => ({
  ...(tickets.length > 0 && { ticket: tickets[0]! }),
  ...(tickets.length > 1 && { tickets }),
})

function protectedChange(change: Change, hit: Protected): Violation {
  const { kind, rail, why } = hit
  const what = CHANGED[changeOf(change)]
  return { path: change.path, kind, why: `${what}, and ${why}`, rail, ...ticketOf(hit) }
}

function scopeOf({ ticket, root }: Range): ((path: string) => boolean) | undefined {
  if (ticket === undefined) return undefined
  const matches = scopeMatcher(ticket.ticket, ticket.repo.root, { flavour: 'posix', foldsCase: false })
  return (path) => matches(`${root}/${path}`)
}

function suppressionsOf(change: Change, range: Range) {
  const { path, before, after } = change
  if (after === undefined || after.mode === SUBMODULE || after.mode === LINK || before?.oid === after.oid) return []
  const text = range.headText(path)
  if (text === undefined) return []
  return suppressionsAdded(path, range.baseText(path), text, range.ticket?.body ?? '')
}

/** What commits of the range did to protected paths and undid again. */
function undone({ touched, places }: Range, changed: ReadonlySet<string>): Warning[] {
  const out: Warning[] = []
  for (const [path, commits] of touched) {
    const place = places.get(path)
    if (changed.has(path) || place === undefined || place.is === 'free') continue
    const { hit } = place
    const why = 'was touched by a commit of the range, and is as it was at its end'
    for (const commit of commits) out.push({ path, kind: 'undone', why, rail: hit.rail, ...ticketOf(hit), commit })
  }
  return out
}
