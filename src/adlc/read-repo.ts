/** Reading the repository around a path: its roots, its stores, its rails. */
import { type Asking, ask } from '../core/question.ts'
import { components, dirname, isAbsolute, join, keyOfPath, normalise, relativeTo } from '../paths/lexical.ts'
import { repoOf } from '../paths/repo.ts'
import { MOST_COMPONENTS, resolvePath } from '../paths/resolve.ts'
import { linkedRails, type RailWays, waysOf } from './linked.ts'
import type { Adlc, AdlcRepo, Overrides, RailHit, RepoFacts } from './model.ts'
import { newShard, protects } from './protects.ts'
import { type NearRails, nearRails, type Rail, type RailKind, railsOf } from './rails.ts'
import { type FoundRoot, isWorktreeOf, rootsAround } from './repo.ts'
import { readStore, readStoreAt, type Store, type StoredTicket } from './store.ts'
import { canAdd } from './validity.ts'

/** The repository that an absolute path belongs to, with those around it in `outer`. */
export function* readRepo(path: string, adlc: Adlc): Asking<AdlcRepo | 'none'> {
  const known = adlc.at.get(path)
  if (known !== undefined) return known
  const repo = yield* findRepo(path, adlc)
  if (adlc.at.size < MOST_AT) adlc.at.set(path, repo)
  return repo
}

/** Paths of one verdict that are remembered: anchors are asked about with every other path. */
const MOST_AT = 2_000

function* findRepo(path: string, adlc: Adlc): Asking<AdlcRepo | 'none'> {
  const { sense } = adlc
  const homes = yield* homesOf(adlc)
  const roots = yield* rootsAround(normalise(path, sense.flavour), { homes, sense, paths: adlc.paths, ways: adlc.ways })
  if (roots.length === 0) return yield* byOverride(path, adlc)
  return yield* readFrom(roots, 0, adlc)
}

/** Repositories inside one another; more are no one's work. */
const MOST_OUTER = 8

function* readFrom(roots: readonly FoundRoot[], at: number, adlc: Adlc): Asking<AdlcRepo> {
  const found = roots[at]!
  const place = yield* resolvePath(found.root, { follow: true, budget: adlc.paths })
  const root = place.is === 'path' ? place.target : found.root
  const key = `${keyOfPath(root, adlc.sense)}\0${keyOfPath(found.root, adlc.sense)}`
  const known = adlc.known.get(key)
  if (known) return known
  const outer: AdlcRepo[] = []
  if (at + 1 < roots.length && at < MOST_OUTER) {
    const next = yield* readFrom(roots, at + 1, adlc)
    const own = yield* isWorktreeOf(root, next.root, adlc.sense)
    outer.push(...(own ? [] : [next]), ...next.outer)
  }
  const unsure =
    found.unsure ??
    (place.is === 'unresolved' ? `where ${found.root} really lies could not be found out` : undefined) ??
    (at >= MOST_OUTER ? `${root} lies inside too many repositories` : undefined)
  const repo = yield* load(root, { named: found.root, linked: found.linked, by: 'directory', unsure, outer }, adlc)
  adlc.known.set(key, repo)
  return repo
}

interface Loading {
  readonly named: string
  readonly linked: boolean
  readonly by: AdlcRepo['by']
  readonly unsure: string | undefined
  readonly outer: readonly AdlcRepo[]
}

function* load(root: string, how: Loading, adlc: Adlc): Asking<AdlcRepo> {
  const { sense } = adlc
  const tools = { flavour: sense.flavour }
  const named = join(root, '.adlc', sense.flavour)
  const real = how.linked ? yield* resolvePath(named, { follow: true, budget: adlc.paths }) : undefined
  const dir = real?.is === 'path' ? real.target : named
  const own: Store = how.by === 'directory' ? yield* readStore(named, how.linked, tools) : { is: 'none' }
  const overrides = yield* overridesOf(adlc)
  const others: Store[] = []
  for (const { value } of overrides.values) {
    const path = normalise(join(root, value, sense.flavour), sense.flavour)
    if (own.is !== 'none' && keyOfPath(path, sense) === keyOfPath(own.path, sense)) continue
    others.push(yield* readStoreAt(path, tools))
  }
  const stores = [own, ...others]
  const { tickets, rails, near, ways } = derived(stores, root, adlc)
  const linked = yield* linkedRails(ways, sense, adlc.paths)
  const fault = stores.find((store) => store.is === 'unreadable')
  const unreadable =
    how.unsure ??
    (fault?.is === 'unreadable' ? fault.why : undefined) ??
    overrides.unsure ??
    (linked === 'unknown' ? `whether links lie on the way of the rails of ${root} could not be found out` : undefined)
  const facts: RepoFacts = {
    ...{
      root,
      named: how.named,
      dir,
      by: how.by,
      store: own,
      overrides: others,
      tickets,
      rails,
      near,
      outer: how.outer,
    },
    active: unreadable !== undefined || rails.length > 0,
    ...(unreadable !== undefined && { unreadable }),
    unsure:
      (how.unsure ?? overrides.unsure) !== undefined ||
      linked === 'unknown' ||
      stores.some((store) => store.is === 'unreadable' && store.unsure === true),
    linked: linked === 'unknown' ? [] : linked,
  }
  return {
    ...facts,
    protects: (path, { tree = false } = {}) => protects(facts, path, tree, sense),
    newShard: (path) => newShard(facts, path, sense),
    canAdd: (name, text) => canAdd(own, name, text),
  }
}

/** What follows from stores alone. */
interface Derived {
  readonly stores: readonly Store[]
  readonly key: string
  readonly tickets: readonly StoredTicket[]
  readonly rails: readonly Rail[]
  readonly near: NearRails
  readonly ways: RailWays
}

/** What was made of a store before, by its first one. */
const made = new WeakMap<Store, Derived>()

/** The same again where the very same stores gave it before: with many rails, making them costs the most. */
function derived(stores: readonly Store[], root: string, { sense }: Adlc): Derived {
  const key = `${sense.flavour} ${sense.foldsCase} ${root}`
  const known = made.get(stores[0]!)
  if (
    known?.key === key &&
    known.stores.every((store, i) => store === stores[i]) &&
    known.stores.length === stores.length
  )
    return known
  const tickets = stores.flatMap((store) => (store.is === 'tickets' ? store.tickets : []))
  const rails = railsOf(tickets, root, sense)
  const out = { stores, key, tickets, rails, near: nearRails(rails, sense), ways: waysOf(rails, root, sense) }
  made.set(stores[0]!, out)
  return out
}

/** The home directory by name and physically, as keys. */
function* homesOf(adlc: Adlc): Asking<ReadonlySet<string>> {
  if (!adlc.homes) {
    const real = yield* resolvePath(adlc.home, { follow: true, budget: adlc.paths })
    const homes = [adlc.home, ...(real.is === 'path' ? [real.target] : [])]
    adlc.homes = new Set(homes.map((home) => keyOfPath(home, adlc.sense)))
  }
  return adlc.homes
}

/** What `ADLC_TICKET_STORE` and `ADLC_TICKETS` say, as written. */
function* overridesOf(adlc: Adlc): Asking<Overrides> {
  if (adlc.overrides) return adlc.overrides
  const values: { name: string; value: string }[] = []
  let unsure: string | undefined
  for (const name of ['ADLC_TICKET_STORE', 'ADLC_TICKETS']) {
    const answer = yield* ask('env', { name })
    if (answer === 'unknown') unsure = `whether ${name} is set could not be found out`
    else if (answer !== 'unset' && answer.value !== '' && !values.some(({ value }) => value === answer.value)) {
      values.push({ name, value: answer.value })
    }
  }
  adlc.overrides = { values, ...(unsure !== undefined && { unsure }) }
  return adlc.overrides
}

/**
 * A plain git repository whose tickets lie in a store that a variable names. Such a store counts for the repository that
 * it lies in, and for every one where it lies in none: a project's store is no concern of its neighbours.
 */
function* byOverride(path: string, adlc: Adlc): Asking<AdlcRepo | 'none'> {
  const { sense } = adlc
  const { values } = yield* overridesOf(adlc)
  if (values.length === 0) return 'none'
  // Whether a repository lies around such a path is a question of its own size; nobody can write there.
  if (components(path, sense.flavour).length > MOST_COMPONENTS) return 'none'
  const git = yield* repoOf(path, sense.flavour)
  if (typeof git === 'string') return 'none'
  const known = adlc.known.get(keyOfPath(git.root, sense))
  if (known) return known
  let counts = false
  for (const { value } of values) {
    const place = normalise(join(git.root, value, sense.flavour), sense.flavour)
    const holder = yield* repoOf(dirname(place, sense.flavour), sense.flavour)
    if (holder === 'none' || holder === 'unknown' || holder.root === git.root) counts = true
  }
  if (!counts) return 'none'
  const repo = yield* load(
    git.root,
    { named: git.root, linked: false, by: 'override', unsure: undefined, outer: [] },
    adlc,
  )
  adlc.known.set(keyOfPath(git.root, sense), repo)
  return repo
}

/** Whether an absolute path is, lies in, or holds a store that an environment variable names. */
export function* overrideHit(path: string, adlc: Adlc): Asking<RailHit | 'none'> {
  const { sense } = adlc
  for (const { name, value } of (yield* overridesOf(adlc)).values) {
    const bases = isAbsolute(value, sense.flavour) ? ['/'] : adlc.anchors
    for (const base of bases) {
      const place = normalise(join(base, value, sense.flavour), sense.flavour)
      const real = yield* resolvePath(place, { follow: true, budget: adlc.paths })
      for (const store of new Set([place, ...(real.is === 'path' ? [real.entry, real.target] : [])])) {
        const kind: RailKind | undefined =
          keyOfPath(store, sense) === keyOfPath(path, sense)
            ? 'exact'
            : relativeTo(store, path, sense) !== undefined
              ? 'inside'
              : relativeTo(path, store, sense) !== undefined
                ? 'ancestor'
                : undefined
        if (kind) return { source: 'override', kind, rail: store, tickets: [], root: store, why: `${name} names it` }
      }
    }
  }
  return 'none'
}
