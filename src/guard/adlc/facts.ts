/** What a verdict knows of ADLC: the repositories around the call, what they freeze, and what the ticket may touch. */
import { type Adlc, type AdlcRepo, currentTicket, newAdlc, readRepo } from '../../adlc/adlc.ts'
import type { Rail } from '../../adlc/rails.ts'
import type { ToolCall } from '../../core/call.ts'
import { once } from '../../core/once.ts'
import type { Asking } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { compileGlob, type PathMatcher } from '../../paths/glob.ts'
import { usuallyFolds } from '../../paths/layout.ts'
import { flavourOf, isAbsolute, join, type PathSense, plainInside, plainPath } from '../../paths/lexical.ts'
import { newPathBudget } from '../../paths/resolve.ts'
import type { NearMatchers } from '../../paths/zones.ts'
import type { Context } from '../context.ts'

/** `int`: a person's session; `W`: a worker with a ticket; `R`: a worker that may change nothing. */
export type Limits = 'int' | 'W' | 'R'

/** `plain`: they do not count since the call reads plainly; `nothing`: there is another reason. */
export type Needs = 'tickets' | 'plain' | 'nothing'

export interface Facts {
  readonly adlc: Adlc
  /** Absolute: the working directory of the call, then the workspaces. */
  readonly anchors: readonly string[]
  /** Repositories of the anchors, each once. */
  readonly repos: readonly AdlcRepo[]
  readonly limits: Limits
  /** The call only reads, by programs of the published first stage: no ticket was read, and `repos` is empty. */
  readonly plain: boolean
  /** Declared and fixed implicit rails of these repositories. */
  readonly frozen: NearMatchers
  /** What the current ticket may touch; undefined where there is none, or it does not say. */
  readonly scope: readonly PathMatcher[] | undefined
}

export const limitsOf = (mode: Context['mode']): Limits =>
  mode.is === 'readonly' ? 'R' : mode.is === 'worker' ? 'W' : 'int'

export const senseOf = ({ platform, foldsCase }: Context): PathSense => ({
  flavour: flavourOf(platform),
  foldsCase: foldsCase ?? usuallyFolds(platform),
})

/** `needs`: what tickets say counts; else no store is looked for, and nothing is known to be frozen. */
export function* factsOf(call: ToolCall, context: Context, needs: Needs = 'tickets'): Asking<Facts> {
  const sense = senseOf(context)
  const { flavour } = sense
  const shell = call.actions.flatMap((action) => (action.is === 'shell' && action.cwd ? [action.cwd] : []))
  const named = [...shell, ...(call.cwd === undefined ? [] : [call.cwd]), ...call.workspaces]
  const anchors = [...new Set(named.filter((path) => isAbsolute(path, flavour)))]
  const paths = newPathBudget(flavour, sense.foldsCase)
  const adlc = newAdlc({ home: context.home, sense, paths, anchors })
  const repos: AdlcRepo[] = []
  for (const anchor of needs === 'tickets' ? anchors : []) {
    const repo = yield* readRepo(anchor, adlc)
    for (const one of repo === 'none' ? [] : [repo, ...repo.outer]) if (!repos.includes(one)) repos.push(one)
  }
  const frozen = repos.map((repo) => frozenIn(repo, adlc))
  return {
    ...{ adlc, anchors, repos, limits: limitsOf(context.mode), plain: needs === 'plain' },
    frozen: {
      all: once(() => frozen.flatMap((one) => one.all())),
      near: (path) => frozen.flatMap((one) => one.near(path)),
    },
    scope: yield* scopeOf(repos[0], adlc),
  }
}

/** Implicit rails that stand at fixed places. What only a look can tell is judged by `effects.ts`. */
const FIXED = (
  '.git/** .adlc/ticket-archive/** .adlc/ticket-transactions/** .adlc/leases/** .adlc/manifest.d/** .adlc/tickets/** ' +
  '.adlc/config.json .adlc/manifest.jsonl .adlc/sessions.json .adlc/tickets.json .adlc/current-ticket.json ' +
  '.adlc/tickets.archive.json .adlc/tickets.lock .adlc/integration_journal.json .adlc/admin.pub'
).split(' ')

/** Matchers of the fixed places of one store, as long as its rails are the same: making them costs more than a verdict. */
const made = new WeakMap<AdlcRepo['rails'], { readonly key: string; readonly fixed: readonly PathMatcher[] }>()

function fixedOf(repo: AdlcRepo, adlc: Adlc): readonly PathMatcher[] {
  const key = `${repo.by} ${repo.root}`
  let known = made.get(repo.rails)
  if (known?.key !== key) {
    const fixed = repo.by === 'directory' ? FIXED.map((glob) => compileGlob(glob, repo.root, adlc.sense)) : []
    known = { key, fixed }
    made.set(repo.rails, known)
  }
  return known.fixed
}

function frozenIn(repo: AdlcRepo, adlc: Adlc): NearMatchers {
  // A path is put to every rail in turn.
  let last: string | undefined
  let near: readonly Rail[] = []
  const nearTo = (path: string): readonly Rail[] => {
    if (path !== last) {
      near = repo.near(path)
      last = path
    }
    return near
  }
  const declared = (rails: readonly Rail[]): PathMatcher[] =>
    rails.flatMap((rail) =>
      rail.matchers().map((matcher) => {
        const holds = (path: string) => nearTo(path).includes(rail) && matcher.holds(path)
        const matches = (path: string) =>
          nearTo(path).includes(rail) && matcher.matches(path) && repo.newShard(path) === undefined
        return { ...matcher, matches, holds, mayContain: holds }
      }),
    )
  const looked = (matcher: PathMatcher): PathMatcher => ({
    ...matcher,
    matches: (path) => matcher.matches(path) && repo.newShard(path) === undefined,
    // What only some name below might match is looked for on the disk.
    mayContain: matcher.holds,
  })
  const fixed = once(() => fixedOf(repo, adlc).map(looked))
  const linked = once(() => repo.linked.flatMap((rail) => rail.matchers().map(looked)))
  const root = plainPath(repo.root, adlc.sense)
  const own = ['.git', '.adlc'].map((name) => plainPath(join(repo.root, name, adlc.sense.flavour), adlc.sense))
  /** All fixed places lie in two directories. */
  const isBeside = (path: string): boolean => {
    const plain = plainPath(path, adlc.sense)
    return !plainInside(root, plain) && !own.some((dir) => plainInside(plain, dir) || plainInside(dir, plain))
  }
  return {
    all: () => [...declared(repo.rails), ...fixed(), ...linked()],
    near: (path) => [...declared(nearTo(path)), ...(isBeside(path) ? [] : fixed()), ...linked()],
  }
}

function* scopeOf(repo: AdlcRepo | undefined, adlc: Adlc): Asking<readonly PathMatcher[] | undefined> {
  if (repo === undefined) return undefined
  const current = yield* currentTicket(repo.dir, adlc.sense)
  if (current.is !== 'ticket') return undefined
  const ticket = repo.tickets.find(({ id }) => id === current.id)
  if (ticket?.scope === undefined || ticket.scope.length === 0) return undefined
  return ticket.scope.map((glob) => compileGlob(glob, repo.root, { ...adlc.sense, closed: 'none' }))
}

/** A finding of this profile. */
export const stage = (name: string, decision: Finding['decision'], reason: string, safer?: string): Finding => ({
  ...{ rule: `adlc.${name}`, family: 'adlc', decision, reason },
  ...(safer === undefined ? {} : { safer }),
})
