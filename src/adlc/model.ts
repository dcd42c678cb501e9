/** What the parts of this folder share. */
import type { Asking } from '../core/question.ts'
import type { PathSense } from '../paths/lexical.ts'
import type { PathBudget } from '../paths/resolve.ts'
import type { LinkedRail } from './linked.ts'
import type { NearRails, Rail, RailKind } from './rails.ts'
import type { Ways } from './repo.ts'
import type { Store, StoredTicket } from './store.ts'
import type { Addition } from './validity.ts'

export interface AdlcFacts {
  readonly home: string
  readonly sense: PathSense
  /** The path budget of the call. */
  readonly paths: PathBudget
  /** Working directory and workspaces, absolute: relative store overrides start there, and links of their repositories
   * freeze places that lie outside them. */
  readonly anchors: readonly string[]
}

/** One a verdict. What was read stays as it was read. */
export interface Adlc extends AdlcFacts {
  readonly known: Map<string, AdlcRepo>
  /** By the path that was asked about. */
  readonly at: Map<string, AdlcRepo | 'none'>
  /** By path and how it was asked about. */
  readonly judged: Map<string, Judged>
  overrides?: Overrides
  homes?: ReadonlySet<string>
  /** The repositories of the anchors, each once; `unsure`: one of them is not known whole. */
  anchored?: { readonly repos: readonly AdlcRepo[]; readonly unsure: boolean }
  readonly ways: Ways
}

/** What protects a path. */
export interface Judged {
  /** Everything that protects the path, the first for the entry as named; empty: nothing does. */
  readonly hits: readonly RailHit[]
  /** Repositories that the path belongs to by name or physically. */
  readonly repos: readonly AdlcRepo[]
  /** Where the path leads, or what links make of it, could not be found out: nobody may write there. */
  readonly unresolved: boolean
  /** Whether environment variables name a store could not be found out. */
  readonly overridesUnknown: boolean
}

export const newAdlc = (facts: AdlcFacts): Adlc => ({
  ...facts,
  ...{ known: new Map(), at: new Map(), judged: new Map(), ways: new Map() },
})

export interface AdlcRepo {
  /** Physical. */
  readonly root: string
  /** The root as the path spelled it that it was found by. */
  readonly named: string
  /** Where `.adlc` really lies. */
  readonly dir: string
  /** `directory`: it has `.adlc`. `override`: a plain git repository whose store an environment variable names. */
  readonly by: 'directory' | 'override'
  readonly store: Store
  /** Stores that environment variables name; their tickets count too. */
  readonly overrides: readonly Store[]
  /** All tickets, those of the repository's own store first. */
  readonly tickets: readonly StoredTicket[]
  /** Frozen rails hold here: there are some, or what there is cannot be read. */
  readonly active: boolean
  /** Why tickets cannot be read: a sentence without its full stop. Everything is frozen then. */
  readonly unreadable?: string
  /** A fact could not be had: what is frozen here, and where links carry it, is not known at all. */
  readonly unsure: boolean
  readonly rails: readonly Rail[]
  /** Those of them that an absolute path meets. */
  readonly near: NearRails
  /** Rails that hold at other places since a link lies on their way. */
  readonly linked: readonly LinkedRail[]
  /** Repositories around this one whose declared rails hold here as well, the nearest first. */
  readonly outer: readonly AdlcRepo[]
  /** What protects an absolute path here: physical, or spelled like the one that the repository was found by. `tree`: what lies below it counts. */
  protects(path: string, how?: { readonly tree?: boolean }): Asking<RailHit | 'none'>
  /** The name of a shard that does not exist yet, where the path is one. */
  newShard(path: string): string | undefined
  /** Whether a new shard leaves the store readable; pure. */
  canAdd(name: string, text: string): Addition
}

export interface RailHit {
  /** `store`: unreadable tickets freeze all. `root`: the repository as a whole. `override`: a store outside. */
  readonly source: 'store' | 'root' | 'override' | 'implicit' | 'declared'
  readonly kind: RailKind
  /** The rail as its ticket writes it, or the protected path. */
  readonly rail: string
  /** Ids of the tickets that declare it. */
  readonly tickets: readonly string[]
  readonly root: string
  /** Why it is protected, where a ticket does not say so: a clause. */
  readonly why?: string
  /** The link that makes this place count as the rail. */
  readonly via?: string
}

/** A repository without what can be asked of it. */
export type RepoFacts = Omit<AdlcRepo, 'protects' | 'newShard' | 'canAdd'>

/** What `ADLC_TICKET_STORE` and `ADLC_TICKETS` say. */
export interface Overrides {
  readonly values: readonly { readonly name: string; readonly value: string }[]
  readonly unsure?: string
}
