/** Rails of the active tickets: what they freeze, links included, and how a path meets them. */
import { type Asking, ask } from '../core/question.ts'
import { compileGlob, type PathMatcher } from '../paths/glob.ts'
import { join, type PathSense, plainInside, plainPath } from '../paths/lexical.ts'
import { isPlain, unescaped } from '../paths/pattern.ts'
import { type PathBudget, resolvePath } from '../paths/resolve.ts'
import { normaliseRail } from './rail-text.ts'
import type { StoredTicket } from './store.ts'

/** How a path meets a rail. */
export type RailKind =
  | 'exact' // it is the rail
  | 'inside' // it lies below the rail
  | 'glob' // the rail's pattern names it
  | 'ancestor' // it is or lies above the part of the rail that has no pattern
  | 'below' // something below it could be named by the rail's pattern; asked for with `tree` only
  | 'closed' // the rail cannot be understood, so it names everything

export interface Rail {
  /** As its tickets write it. */
  readonly text: string
  /** Ids of the active tickets that declare it. */
  readonly tickets: readonly string[]
  /** The file of the first of them. */
  readonly file: string
  /** What the rail is taken for, where that is not its text. */
  readonly globs: readonly string[]
  /** Clauses about what is malformed and understood. */
  readonly notes: readonly string[]
  /** A clause: it cannot be understood, so everything is frozen. */
  readonly problem?: string
  /** Matchers of absolute paths, for shell patterns too; compiled when first asked for. */
  matchers(): readonly PathMatcher[]
  /** How an absolute physical path meets it. `tree`: what lies below the path counts. */
  meets(path: string, tree?: boolean): RailKind | undefined
}

export interface LinkedRail extends Rail {
  /** The link that makes other places count as the rail. */
  readonly via: string
}

/** The union of the rails of active tickets, in the order of first mention, each text once. Pure. */
export function railsOf(tickets: readonly StoredTicket[], root: string, sense: PathSense): readonly Rail[] {
  const found = new Map<string, { ids: string[]; file: string }>()
  for (const ticket of tickets) {
    if (!ticket.active) continue
    for (const text of ticket.rails) {
      const before = found.get(text)
      if (!before) found.set(text, { ids: [ticket.id], file: ticket.file })
      else if (!before.ids.includes(ticket.id)) before.ids.push(ticket.id)
    }
  }
  const plain = plainly(sense)
  return [...found].map(([text, { ids, file }]) => newRail(text, ids, file, root, sense, plain))
}

/** Plain paths, the last one remembered: a path is put to every rail in turn. */
function plainly(sense: PathSense): (path: string) => string {
  let last: string | undefined
  let plain = ''
  return (path) => {
    if (path !== last) {
      plain = plainPath(path, sense)
      last = path
    }
    return plain
  }
}

/** One rail of a repository. */
export function newRail(
  text: string,
  tickets: readonly string[],
  file: string,
  root: string,
  sense: PathSense,
  plainOf = plainly(sense),
): Rail {
  const { globs, notes, problem } = normaliseRail(text, root)
  const base = plainPath(root, sense)
  const places = globs.map((glob) => placeOf(glob, root, sense))
  let compiled: readonly PathMatcher[] | undefined
  const matchers = () => {
    // A text that cannot be understood is handed over as it is: its matcher names everything.
    compiled ??= (problem === undefined ? globs : [text]).map((glob) => compileGlob(glob, root, sense))
    return compiled
  }
  const open = () => matchers().filter((_, i) => places[i] === undefined)
  const bad = problem ?? (places.includes(undefined) ? open().find((matcher) => matcher.problem)?.problem : undefined)
  return {
    text,
    tickets,
    file,
    globs,
    notes,
    ...(bad !== undefined && { problem: bad }),
    matchers,
    meets(path, tree = false) {
      const plain = plainOf(path)
      if (bad !== undefined) return plainInside(plain, base) || plainInside(base, plain) ? 'closed' : undefined
      let best: RailKind | undefined
      for (const place of places) {
        if (place === undefined) continue
        if (plain === place) return 'exact'
        if (plainInside(plain, place)) best = 'inside'
        else if (plainInside(place, plain)) best ??= 'ancestor'
      }
      if (best === 'inside') return best
      for (const matcher of open()) {
        if (matcher.matches(path)) return plain === plainPath(join(root, text, sense.flavour), sense) ? 'exact' : 'glob'
        if (matcher.holds(path)) best = 'ancestor'
        else if (tree && matcher.mayContain(path)) best ??= 'below'
      }
      return best
    },
  }
}

/** The plain path that a glob without patterns names, or undefined where it has one. */
function placeOf(glob: string, root: string, sense: PathSense): string | undefined {
  if (/[{}]/.test(glob)) return undefined
  const tree = glob.endsWith('/**') ? glob.slice(0, -3) : glob
  const segments = tree.split('/')
  if (glob === '**' || !segments.every(isPlain)) return undefined
  return plainPath(join(root, segments.map(unescaped).join('/'), sense.flavour), sense)
}

/** Paths that are looked at for links; more than that is answered as unknown. */
const MOST_LINK_PATHS = 10_000
/** Rails that are resolved because a link lies on their way. */
const MOST_LINKED = 200

/**
 * Rails that a link on their way makes hold elsewhere: what the link leads to, and links in between. The link itself is
 * met by the rail as it is. `unknown`: it could not be found out.
 */
export function* linkedRails(
  rails: readonly Rail[],
  root: string,
  sense: PathSense,
  paths: PathBudget,
): Asking<readonly LinkedRail[] | 'unknown'> {
  const ways = rails.flatMap((rail) => rail.globs.map((glob) => ({ rail, ...splitLead(glob) })))
  const prefixes = new Set<string>()
  for (const { lead } of ways) {
    for (let n = 1; n <= lead.length; n++) prefixes.add(join(root, lead.slice(0, n).join('/'), sense.flavour))
  }
  if (prefixes.size === 0) return []
  if (prefixes.size > MOST_LINK_PATHS) return 'unknown'
  const links = yield* ask('links', { paths: [...prefixes].sort() })
  if (links === 'unknown') return 'unknown'
  const linked = new Set(links.map(({ path }) => path))
  const out: LinkedRail[] = []
  for (const { rail, lead, rest } of ways) {
    const prefix = lead.map((_, i) => join(root, lead.slice(0, i + 1).join('/'), sense.flavour))
    const via = prefix.findLast((path) => linked.has(path))
    if (via === undefined) continue
    if (out.length >= MOST_LINKED) return 'unknown'
    const place = yield* resolvePath(prefix.at(-1)!, { follow: true, budget: paths })
    if (place.is === 'unresolved') {
      // A loop leads nowhere; anything else may lead anywhere.
      if (place.why === 'links') continue
      return 'unknown'
    }
    const goals = [[place.target, ...rest], ...place.links.filter((link) => !linked.has(link)).map((link) => [link])]
    for (const [to, ...more] of goals) {
      const glob = [to!.replace(/[*?[\]{}()!+@\\]/g, '\\$&').replace(/\/$/, ''), ...more].join('/')
      const own = elsewhere(glob, to!, more.length === 0, sense)
      out.push({ ...rail, matchers: own.matchers, meets: own.meets, via })
    }
  }
  return out
}

/** A rail at an absolute place that need not lie below the root. */
function elsewhere(glob: string, lead: string, fixed: boolean, sense: PathSense): Pick<Rail, 'matchers' | 'meets'> {
  const place = plainPath(lead, sense)
  let compiled: PathMatcher | undefined
  const matcher = () => {
    compiled ??= compileGlob(glob, '/', sense)
    return compiled
  }
  return {
    matchers: () => [matcher()],
    meets(path, tree = false) {
      const plain = plainPath(path, sense)
      if (fixed) return plain === place ? 'exact' : plainInside(plain, place) ? 'inside' : above(place, plain)
      if (matcher().matches(path)) return 'glob'
      return above(place, plain) ?? (tree && matcher().mayContain(path) ? 'below' : undefined)
    },
  }
}

const above = (place: string, plain: string): RailKind | undefined =>
  plainInside(place, plain) ? 'ancestor' : undefined

/** The leading segments of a glob that name one place each, unescaped, and the rest as written. */
function splitLead(glob: string): { lead: readonly string[]; rest: readonly string[] } {
  const segments = glob.split('/').filter((segment) => segment !== '')
  const at = segments.findIndex((segment) => !isPlain(segment) || /[{}]/.test(segment))
  const n = at < 0 ? segments.length : at
  return { lead: segments.slice(0, n).map(unescaped), rest: segments.slice(n) }
}
