/** Rails, trust root and protected roots, judged on effects: whatever command, script or tool has them. */
import { hitsOn, type RailHit } from '../../adlc/adlc.ts'
import { type Asking, ask } from '../../core/question.ts'
import { type Finding, PUBLISHED_RAIL } from '../../core/verdict.ts'
import { findBelow } from '../../paths/below.ts'
import { basename, isInside, join } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import { broughtFindings } from '../git-brings.ts'
import { CHANGES, finding, isIdle, type Subject, type Tools } from '../subject.ts'
import type { Facts } from './facts.ts'
import { type Roots, rootBelow, rootHit } from './roots.ts'

export const RAIL_SAFER = 'leave the rail as it is; to change it, a person closes or edits the ticket that declares it'

/** Where tickets cannot be read no rail is meant. */
const STORE_SAFER = 'a person mends the ticket store; `sallyport adlc lint` says what is wrong with it'

/** A ticket's id that can stand in a sentence: tickets are written by agents. */
const PLAIN_ID = /^[\w.-]{1,60}$/

/** What to do instead, with the ticket to go to where there is one. */
function saferOf({ source, tickets }: RailHit): string {
  if (source === 'store') return STORE_SAFER
  const [id, ...more] = tickets
  const plain = source === 'declared' && id !== undefined && more.length === 0 && PLAIN_ID.test(id)
  return plain ? `leave the rail as it is; to change it, a person closes or edits the ticket ${id}` : RAIL_SAFER
}

/** Entries that one look below a directory may see: by the published limit, and where nobody asked for that profile. */
export const MOST_BELOW = 50_000
const MOST_BELOW_STANDARD = 2_000

type Place = Subject['places'][number]

export interface How {
  /** Stars take names with a leading dot (`shopt -s dotglob`). */
  readonly dots: boolean
  /** A shell may have written a ticket; what a file tool writes is checked as a whole. */
  readonly shell: boolean
  /** The protected roots of the published guard count as well. */
  readonly roots: Roots | undefined
}

/** Findings on rails and roots for every effect of a call. */
export function* effectFindings(
  subjects: readonly Subject[],
  facts: Facts,
  tools: Tools,
  how: How,
): Asking<readonly Finding[]> {
  const out: Finding[] = []
  const budget = { entries: how.roots ? MOST_BELOW : MOST_BELOW_STANDARD }
  for (const subject of subjects) {
    out.push(...(yield* broughtFindings(subject, (path) => frozenBy(path, facts), tools, facts.adlc.sense)))
    for (const place of [...subject.places, ...unresolvedPlace(subject)]) {
      if (how.roots) out.push(...onRoots(subject, place, facts, how.roots, tools))
      if (!CHANGES.has(subject.effect.act) || isIdle(subject.effect, place) || isStream(place)) continue
      if (how.dots && place.pattern !== undefined) out.push(...dotted(subject, place, facts, tools))
      if (place.pattern !== undefined || place.open) {
        for (const name of place.names ?? []) {
          const named = { path: name.path, kind: name.kind, tree: place.tree, exists: true, zones: place.zones }
          out.push(...(yield* onRails(subject, named, facts, tools, how, budget)))
        }
      } else out.push(...(yield* onRails(subject, place, facts, tools, how, budget)))
    }
  }
  return out
}

/** Where the physical path is a stream of the system, nothing of a repository lies. */
const isStream = (place: Place): boolean => place.zones.has('stream') && !place.tree && !place.open

/** Rails, and the tickets that declare them. Other files of the trust root follow their history. */
function frozenBy(path: string, facts: Facts): string | undefined {
  for (const repo of facts.repos) {
    const rail = repo.near(path).find((one) => one.meets(path) !== 'ancestor')
    if (rail !== undefined) return rail.text
    const ticket = repo.tickets.find(({ active, rails, file }) => active && rails.length > 0 && file === path)
    if (ticket !== undefined) return `the ticket ${ticket.id} says what is`
  }
  return undefined
}

/** Where a path leads could not be found out: it counts as what it says. */
function unresolvedPlace({ located, effect }: Subject): readonly Place[] {
  if (located.is !== 'unresolved' || effect.target.is !== 'path' || effect.target.open) return []
  const { path, tree, pattern } = effect.target
  return [{ path, tree, exists: true, zones: new Set(), ...(pattern && { pattern }) }]
}

/** With names that begin with a dot, a pattern may mean a rail that it would not mean without. */
function dotted(subject: Subject, place: Place, facts: Facts, tools: Tools): readonly Finding[] {
  const options = { tree: place.tree, dots: true }
  const hit = facts.frozen.all().find((rail) => rail.mayMatch(place.pattern!, `${place.path}/`, options))
  if (!hit) return []
  const reason = `${subject.effect.by} takes names with a dot in front as well, and ${tools.show(hit.glob)} is protected`
  return [finding(subject, 'frozen', 'dots', 'deny', reason, { safer: RAIL_SAFER })]
}

function onRoots(subject: Subject, place: Place, facts: Facts, roots: Roots, tools: Tools): Finding[] {
  const { effect } = subject
  const { sense } = facts.adlc
  const paths = place.names?.map(({ path }) => path) ?? [place.path]
  const hit = rootHit(paths, roots, sense)
  const named = hit && tools.show(hit.root)
  const changes = CHANGES.has(effect.act) && !isIdle(effect, place)
  if (hit?.kind === 'data' && (changes || effect.act === 'read' || effect.act === 'names' || effect.act === 'run'))
    return [finding(subject, 'trust-root', 'booster', 'deny', `${named} is data of the guard, which no agent touches`)]
  if (!changes) return []
  if (hit)
    return [finding(subject, 'trust-root', 'protected', 'deny', `${named} is protected, and ${effect.by} changes it`)]
  const whole = effect.act === 'delete' || effect.act === 'mode' || effect.note === 'unpack' || place.pattern
  const below = place.tree && whole && effect.act !== 'create' ? rootBelow(paths, roots, sense) : undefined
  if (below === undefined || (!place.exists && effect.act === 'delete')) return []
  const reason = `${effect.by} on ${tools.show(place.path)} reaches ${tools.show(below)}, which is protected`
  return [finding(subject, 'trust-root', 'protected', 'deny', reason)]
}

function* onRails(
  subject: Subject,
  place: Place,
  facts: Facts,
  tools: Tools,
  how: How,
  budget: { entries: number },
): Asking<readonly Finding[]> {
  const { effect } = subject
  const tree = place.tree && (place.kind === 'dir' || place.kind === undefined)
  // What acts on a link leaves alone what the link leads to.
  const judged = yield* hitsOn(place.path, facts.adlc, { tree, follow: place.kind !== 'link' })
  const out: Finding[] = []
  for (const hit of judged.hits) {
    const decision = yield* weigh(hit, subject, place, facts, budget)
    if (decision === 'pass') continue
    const family = hit.source === 'declared' ? 'frozen' : 'trust-root'
    const name = hit.source === 'declared' ? 'rail' : hit.source
    out.push(finding(subject, family, name, decision, reasonOf(hit, tools), { safer: saferOf(hit) }))
  }
  if (out.length > 0) return out
  for (const repo of judged.repos) {
    if (!how.shell || repo.newShard(place.path) === undefined || effect.by === 'git') continue
    if (effect.act === 'delete' && !place.exists) continue
    const reason = 'a ticket that a shell writes is not checked, and a wrong one locks the whole store'
    out.push(finding(subject, 'trust-root', 'shard', 'ask', reason, { safer: 'use `adlc ticket create`' }))
  }
  const rebuilt = place.zones.has('regenerable') || place.zones.has('created')
  if (yield* isOwnWorktree(subject, place, facts)) return out
  const goes = effect.act === 'delete' && place.tree && place.exists && place.kind === 'dir' && (how.roots || !rebuilt)
  if (goes && out.length === 0) out.push(...(yield* otherRepos(subject, place, facts, tools, how, budget)))
  return out
}

/** `git worktree remove`: a second work tree goes, the repository stays; what would be lost with it is judged as any loss. */
function* isOwnWorktree({ effect }: Subject, place: Place, facts: Facts): Asking<boolean> {
  if (effect.by !== 'git' || effect.act !== 'delete' || effect.note !== 'git' || facts.limits !== 'int') return false
  const repo = yield* repoOf(place.path, facts.adlc.sense.flavour)
  return typeof repo === 'object' && repo.linked && repo.root === place.path
}

/** How strict one hit is for this effect. */
function* weigh(
  hit: RailHit,
  subject: Subject,
  place: Place,
  facts: Facts,
  budget: { entries: number },
): Asking<Finding['decision']> {
  const { effect } = subject
  if (hit.kind !== 'ancestor' && hit.kind !== 'below') {
    if (hit.source !== 'root') return 'deny'
    if (yield* isOwnWorktree(subject, place, facts)) return 'pass'
    return effect.act === 'delete' || (effect.act === 'mode' && place.tree) ? 'deny' : place.tree ? 'ask' : 'pass'
  }
  // A link on the way to a rail: with another one in its place, or with none, the rail is another file or none.
  if (place.kind === 'link' && hit.kind === 'ancestor') return 'deny'
  if (!place.tree) return 'pass'
  const takes = effect.act === 'delete' || effect.act === 'mode'
  if (hit.kind === 'below') {
    // A pattern may match below, or may not: only a look tells.
    const found = yield* railBelow(place.path, facts, budget)
    return found === 'none' ? 'pass' : takes ? 'deny' : 'ask'
  }
  if (takes) return 'deny'
  return effect.act === 'create' && effect.note !== 'unpack' ? 'pass' : 'ask'
}

/** Whether a file below a directory is frozen by a rail's pattern. */
export function* railBelow(
  dir: string,
  facts: Facts,
  budget: { entries: number },
): Asking<'found' | 'none' | 'unknown'> {
  const rails = facts.repos.flatMap((repo) => [...repo.rails])
  const matchers = rails.flatMap((rail) => [...rail.matchers()])
  const found = yield* findBelow(dir, {
    flavour: facts.adlc.sense.flavour,
    found: (path) => matchers.some((matcher) => matcher.matches(path)),
    mayContain: (path) => matchers.some((matcher) => matcher.mayContain(path)),
    budget,
  })
  return typeof found === 'object' ? 'found' : found
}

/** Directories that hold other people's code and no repository of ours. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** Directories below one another. */
const MOST_DEPTH = 256

export type Below =
  | { readonly is: 'repo'; readonly path: string }
  | { readonly is: 'none' }
  /** There is more than is looked at. */
  | { readonly is: 'limit' }
  | { readonly is: 'closed'; readonly path: string }

/** Whether an ADLC repository lies below a directory (physical). Links are looked at, not followed. */
export function* repoBelow(dir: string, facts: Facts, budget: { entries: number }): Asking<Below> {
  const { flavour } = facts.adlc.sense
  const todo = SKIPPED.has(basename(dir, flavour)) ? [] : [{ path: dir, depth: 0 }]
  let closed: string | undefined
  // Breadth first: repositories lie near the top.
  for (let at = 0; at < todo.length; at++) {
    const next = todo[at]!
    if (budget.entries <= 0 || next.depth > MOST_DEPTH) return { is: 'limit' }
    const listed = yield* ask('list', { dir: next.path, limit: budget.entries })
    if (listed === 'absent') continue
    if (listed === 'unknown') {
      closed ??= next.path
      continue
    }
    budget.entries -= listed.entries.length + 1
    for (const { name, kind } of listed.entries) {
      const path = join(next.path, name, flavour)
      if (name.toLowerCase() === '.adlc' && kind !== 'file') return { is: 'repo', path }
      if (kind === 'dir' && !SKIPPED.has(name)) todo.push({ path, depth: next.depth + 1 })
    }
    if (listed.cut) return { is: 'limit' }
  }
  return closed === undefined ? { is: 'none' } : { is: 'closed', path: closed }
}

function* otherRepos(
  subject: Subject,
  place: Place,
  facts: Facts,
  tools: Tools,
  how: How,
  budget: { entries: number },
): Asking<readonly Finding[]> {
  const known = facts.repos.find((repo) => isInside(repo.root, place.path, facts.adlc.sense))
  const found: Below = known ? { is: 'repo', path: known.root } : yield* repoBelow(place.path, facts, budget)
  if (found.is === 'none' || (found.is !== 'repo' && !how.roots)) return []
  const where = tools.show(place.path)
  if (found.is !== 'repo') {
    const reason = `${where} holds too much to tell whether an ADLC repository lies in it`
    return [finding(subject, 'adlc', 'below', 'ask', reason)]
  }
  const reason = `${where} holds an ADLC repository (${tools.show(found.path)})`
  return [finding(subject, 'trust-root', 'root', 'deny', reason, { safer: 'name what is to go, not what holds it' })]
}

/** Why a path is protected, for people; for a declared rail the published wording. */
export function reasonOf(hit: RailHit, tools: Pick<Tools, 'show'>): string {
  switch (hit.source) {
    case 'declared':
      return `Target path matches frozen rail: ${hit.rail}`
    case 'store':
      return `the ticket store cannot be read, so everything in the repository is frozen: ${hit.why ?? ''}`
    case 'root':
      return `${tools.show(hit.root)} is an ADLC repository as a whole`
    case 'override':
      return `${tools.show(hit.rail)} is a ticket store (${hit.why ?? 'a variable names it'})`
    case 'implicit':
      return `${hit.rail} is protected in every ADLC repository: ${hit.why ?? 'it is part of its trust root'}`
  }
}

/** A finding of the published profile about a path that is protected: a declared rail is a frozen path, all else the trust root. */
export const protectedBy = (source: RailHit['source'], reason: string): Finding => ({
  ...(source === 'declared'
    ? { rule: PUBLISHED_RAIL, family: 'frozen' }
    : { rule: `trust-root.${source}`, family: 'trust-root' }),
  decision: 'deny',
  reason,
  safer: source === 'store' ? STORE_SAFER : RAIL_SAFER,
})
