/** What protects the paths of a range at its base: rails, implicit rails, settings of guards, the project's policy. */
import type { Asking } from '../core/question.ts'
import { compileGlob } from '../paths/glob.ts'
import { newLayout } from '../paths/layout.ts'
import { join, relativeTo } from '../paths/lexical.ts'
import { newPathBudget } from '../paths/resolve.ts'
import { whyZone } from '../paths/zones.ts'
import { loadPolicy } from '../policy/load.ts'
import type { PolicyError } from '../policy/policy.ts'
import { checkHit } from './implicit.ts'
import type { Adlc, AdlcRepo, RailHit } from './model.ts'
import type { ChangeKind } from './rails-check.ts'
import { overrideHit, readRepo } from './read-repo.ts'

export interface Protected {
  readonly kind: 'rail-edit' | 'trust-root' | 'store'
  /** The rail as its ticket writes it, or the protected path. */
  readonly rail: string
  readonly tickets: readonly string[]
  /** A clause: who freezes it. */
  readonly why: string
}

export type Place =
  | { readonly is: 'free' }
  /** `free`: changes of these kinds are allowed. `data`: no code, whatever it says. */
  | {
      readonly is: 'protected'
      readonly hit: Protected
      readonly free?: readonly ChangeKind[]
      readonly data?: true
    }
  /** Tickets and their archive: judged ticket by ticket. */
  | { readonly is: 'store'; readonly hit: Protected; readonly root: string }
  /** Evidence of checks, which may grow. */
  | { readonly is: 'evidence'; readonly hit: Protected }

export interface Places {
  readonly places: ReadonlyMap<string, Place>
  /** All ADLC repositories that were met, the first one first. */
  readonly repos: readonly AdlcRepo[]
  readonly errors: readonly PolicyError[]
}

export interface PlaceFacts {
  /** Absolute path that stands for the top of the repository. */
  readonly root: string
  /** Over the tree of the base. */
  readonly adlc: Adlc
  /** Whether the base has an entry at or below a path. */
  readonly has: (path: string) => boolean
  /** Directories with tickets of their own, from the top of the repository; the top is the empty text. */
  readonly homes: readonly string[]
}

/** What protects each of `paths`. A problem is a sentence without its full stop: what the base froze cannot be told. */
export function* placesOf(paths: Iterable<string>, facts: PlaceFacts): Asking<Places | { readonly problem: string }> {
  const { root, adlc } = facts
  const { sense } = adlc
  const policy = yield* loadPolicy({ home: '/', repo: root, user: {}, env: {} })
  const frozen = policy.frozen.map(({ glob, base }) => ({ glob, matcher: compileGlob(glob, base, sense) }))
  const layout = newLayout({ platform: 'linux', home: '/', user: 'nobody', workspaces: [root], ...sense })
  const repos = new Set<AdlcRepo>()
  const places = new Map<string, Place>()
  const find = function* (path: string): Asking<AdlcRepo | 'none' | { readonly problem: string }> {
    // One path may cost what a verdict may; there are many paths.
    const one: Adlc = { ...adlc, paths: newPathBudget(sense.flavour, sense.foldsCase) }
    const repo = yield* readRepo(path, one)
    if (repo === 'none') return repo
    for (const each of [repo, ...repo.outer]) {
      repos.add(each)
      if (each.unreadable !== undefined) return { problem: each.unreadable }
    }
    return repo
  }
  for (const home of facts.homes) {
    const repo = yield* find(home === '' ? root : join(root, home, sense.flavour))
    if (repo !== 'none' && 'problem' in repo) return repo
  }
  for (const path of paths) {
    const at = join(root, path, sense.flavour)
    const repo = yield* find(at)
    if (repo !== 'none' && 'problem' in repo) return repo
    const store = yield* overrideHit(at, { ...adlc, paths: newPathBudget(sense.flavour, sense.foldsCase) })
    let place: Place | undefined
    if (store !== 'none') {
      const rail = relativeTo(root, store.rail) ?? store.rail
      place = { is: 'protected', hit: protectedBy({ ...store, rail }), data: true }
    } else if (repo !== 'none') {
      place = yield* inRepo(path, at, repo)
    } else {
      const check = yield* checkHit(root, path, sense)
      if (check && (check.needs === undefined || check.needs.some(facts.has)))
        place = { is: 'protected', hit: { kind: 'trust-root', rail: check.rail, tickets: [], why: check.why } }
    }
    places.set(path, place ?? ownSettings(path, at, facts, layout) ?? byPolicy(at, frozen) ?? { is: 'free' })
  }
  return { places, repos: [...repos], errors: policy.errors }
}

function* inRepo(path: string, at: string, repo: AdlcRepo): Asking<Place | undefined> {
  const hit = yield* repo.protects(at)
  const rel = repo.by === 'directory' ? relativeTo(repo.root, at) : undefined
  if (rel !== undefined && STORE.test(rel)) {
    const why = 'tickets that are there may only end or be archived'
    return { is: 'store', root: repo.root, hit: { kind: 'store', rail: path, tickets: [], why } }
  }
  if (hit === 'none') return undefined
  if (rel !== undefined && EVIDENCE.test(rel)) {
    const why = 'evidence of checks may only grow'
    return { is: 'evidence', hit: { kind: 'trust-root', rail: hit.rail, tickets: [], why } }
  }
  return { is: 'protected', hit: protectedBy(hit) }
}

const STORE = /^\.adlc\/(?:tickets|ticket-archive|tickets\.json|tickets\.archive\.json)(?:\/|$)/
const EVIDENCE = /^\.adlc\/(?:manifest\.jsonl|manifest\.d\/[^/]+)$/

function protectedBy({ source, rail, tickets, why, via, kind }: RailHit): Protected {
  if (source !== 'declared') return { kind: 'trust-root', rail, tickets, why: why ?? 'it belongs to the trust root' }
  const how = kind === 'ancestor' ? 'a rail lies below it' : 'it is frozen'
  const more = [...(why === undefined ? [] : [`the rail cannot be understood: ${why}`]), ...(via ? [`by ${via}`] : [])]
  return { kind: 'rail-edit', rail, tickets, why: [how, ...more].join('; ') }
}

/** Settings of agents and guards in the project. */
function ownSettings(
  path: string,
  at: string,
  facts: PlaceFacts,
  layout: ReturnType<typeof newLayout>,
): Place | undefined {
  const why = whyZone(at, 'trust-root', layout)
  if (why === undefined) return undefined
  const hit: Protected = { kind: 'trust-root', rail: path, tickets: [], why: `it holds ${why}` }
  // A project's first policy can only be stricter than none.
  const first = path.startsWith('.sallyport/') && !facts.has('.sallyport')
  return { is: 'protected', hit, ...(first && { free: ['added'] }) }
}

function byPolicy(
  at: string,
  frozen: readonly { readonly glob: string; readonly matcher: ReturnType<typeof compileGlob> }[],
): Place | undefined {
  const found = frozen.find(({ matcher }) => matcher.matches(at) || matcher.holds(at))
  if (!found) return undefined
  return {
    is: 'protected',
    hit: { kind: 'rail-edit', rail: found.glob, tickets: [], why: "the project's policy freezes it" },
  }
}

export const isStorePath = (place: Place | undefined, root: string): boolean =>
  place?.is === 'store' && place.root === root

export const isEvidence = (place: Place | undefined): place is Extract<Place, { is: 'evidence' }> =>
  place?.is === 'evidence'
