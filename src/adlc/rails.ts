/** Rails of the active tickets: what they freeze, and how a path meets them. */
import { compileGlob, type PathMatcher } from '../paths/glob.ts'
import { foldCase, join, type PathSense, plainInside, plainPath } from '../paths/lexical.ts'
import { isPlain, unescaped } from '../paths/pattern.ts'
import { isUsual, normaliseRail } from './rail-text.ts'
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
  /** Plain paths where its globs begin: whatever it names is there or below. */
  readonly leads: readonly string[]
  /** Matchers of absolute paths, for shell patterns too; compiled when first asked for. */
  matchers(): readonly PathMatcher[]
  /** How an absolute physical path meets it. `tree`: what lies below the path counts. */
  meets(path: string, tree?: boolean): RailKind | undefined
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

/** Paths of one store whose rails are remembered. */
const MOST_NEAR = 1_000

/** Of many rails those that an absolute path meets, in their order; with `tree` also those that it may meet below. */
export type NearRails = (path: string, tree?: boolean) => readonly Rail[]

/** Rails by where they begin, so that a path is put to few of them, and to each once. */
export function nearRails(rails: readonly Rail[], sense: PathSense): NearRails {
  const at = new Map<string, Set<number>>()
  const above = new Map<string, Set<number>>()
  const add = (map: Map<string, Set<number>>, place: string, rail: number) => {
    const there = map.get(place)
    if (there === undefined) map.set(place, new Set([rail]))
    else there.add(rail)
  }
  for (const [i, rail] of rails.entries()) {
    for (const lead of rail.leads) {
      add(at, lead, i)
      for (const dir of dirsAbove(lead)) add(above, dir, i)
    }
  }
  const known = { tree: new Map<string, readonly Rail[]>(), self: new Map<string, readonly Rail[]>() }
  return (path, tree = false) => {
    const memo = tree ? known.tree : known.self
    const before = memo.get(path)
    if (before !== undefined) return before
    const plain = plainPath(path, sense)
    const found = new Set(above.get(plain))
    for (const place of [plain, ...dirsAbove(plain)]) for (const rail of at.get(place) ?? []) found.add(rail)
    const order = [...found].sort((a, b) => a - b).map((i) => rails[i]!)
    const near = order.filter((rail) => rail.meets(path, tree) !== undefined)
    if (memo.size >= MOST_NEAR) memo.clear()
    memo.set(path, near)
    return near
  }
}

/** Directories above a plain path, the root (an empty text) last. */
function dirsAbove(plain: string): readonly string[] {
  const out: string[] = []
  for (let at = plain.lastIndexOf('/'); at > 0; at = plain.lastIndexOf('/', at - 1)) out.push(plain.slice(0, at))
  if (plain !== '') out.push('')
  return out
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

/** One rail of a repository. Patterns are compiled only when a path comes near them: most rails are far from most paths. */
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
  const places = globs.map((glob) => placeOf(glob, base, sense))
  // A name may look like a pattern: the text itself, read as a path, is always meant.
  const literal =
    problem !== undefined || isUsual(text) || text.startsWith('/')
      ? undefined
      : plainPath(join(root, text, sense.flavour), sense)
  let compiled: readonly PathMatcher[] | undefined
  const matchers = () => {
    // A text that cannot be understood is handed over as it is: its matcher names everything.
    compiled ??= (problem === undefined ? globs : [text]).map((glob) => compileGlob(glob, root, sense))
    return compiled
  }
  // Only groups and braces can make a pattern that no matcher takes.
  const risky = problem === undefined && /[({]/.test(text)
  const bad = problem ?? (risky ? matchers().find((matcher) => matcher.problem)?.problem : undefined)
  return {
    text,
    tickets,
    file,
    globs,
    notes,
    ...(bad !== undefined && { problem: bad }),
    leads: bad === undefined ? [...places.map(({ lead }) => lead), ...(literal === undefined ? [] : [literal])] : [''],
    matchers,
    meets(path, tree = false) {
      const plain = plainOf(path)
      if (bad !== undefined) return plainInside(plain, base) || plainInside(base, plain) ? 'closed' : undefined
      let best: RailKind | undefined
      for (const [i, { lead, whole }] of places.entries()) {
        if (whole && plain === lead) return 'exact'
        if (!plainInside(plain, lead)) {
          if (plainInside(lead, plain)) best ??= 'ancestor'
          continue
        }
        const kind = whole ? 'inside' : meetsPattern(matchers()[i]!, path, tree)
        if (kind === 'inside' || kind === 'glob') best = kind
        else if (best === undefined || best === 'below') best = kind ?? best
      }
      if (literal === undefined || !plainInside(plain, literal)) return best
      return plain === literal ? 'exact' : (best ?? 'inside')
    },
  }
}

function meetsPattern(matcher: PathMatcher, path: string, tree: boolean): RailKind | undefined {
  if (matcher.matches(path)) return 'glob'
  if (matcher.holds(path)) return 'ancestor'
  return tree && matcher.mayContain(path) ? 'below' : undefined
}

/** The plain path of a glob's leading part without patterns; `whole`: there is nothing behind it. */
function placeOf(glob: string, base: string, sense: PathSense): { readonly lead: string; readonly whole: boolean } {
  const { lead, rest } = splitLead(glob)
  const names = lead.join('/')
  const place = sense.foldsCase ? foldCase(names) : names
  const plain = names === '' ? base : base === '' ? place : `${base}/${place}`
  return { lead: plain, whole: lead.length > 0 && (rest.length === 0 || (rest.length === 1 && rest[0] === '**')) }
}

/** The leading segments of a glob that name one place each, unescaped, and the rest as written. */
export function splitLead(glob: string): { readonly lead: readonly string[]; readonly rest: readonly string[] } {
  if (isUsual(glob)) {
    const tree = glob.endsWith('/**')
    return { lead: (tree ? glob.slice(0, -3) : glob).split('/'), rest: tree ? ['**'] : [] }
  }
  const segments = glob.split('/').filter((segment) => segment !== '')
  const at = segments.findIndex((segment) => !isPlain(segment) || /[{}]/.test(segment))
  const n = at < 0 ? segments.length : at
  return { lead: segments.slice(0, n).map(unescaped), rest: segments.slice(n) }
}
