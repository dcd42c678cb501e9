/** Rails whose way leads through a link: they hold where the link leads, too. */
import { type Asking, ask } from '../core/question.ts'
import { compileGlob, type PathMatcher } from '../paths/glob.ts'
import { join, type PathSense, plainInside, plainPath } from '../paths/lexical.ts'
import { type PathBudget, resolvePath } from '../paths/resolve.ts'
import { type Rail, type RailKind, splitLead } from './rails.ts'

export interface LinkedRail extends Rail {
  /** The link that makes other places count as the rail. */
  readonly via: string
}

/** Paths that are looked at for links; more than that is answered as unknown. */
const MOST_LINK_PATHS = 10_000
/** Rails that are resolved because a link lies on their way. */
const MOST_LINKED = 200

/** Where the rails of a repository begin, so that each verdict need not find out again. */
export interface RailWays {
  readonly ways: readonly {
    readonly rail: Rail
    readonly prefixes: readonly string[]
    readonly rest: readonly string[]
  }[]
  /** All paths on which a link would carry a rail elsewhere, sorted. */
  readonly paths: readonly string[]
}

/** The ways of rails below `root`. Pure. */
export function waysOf(rails: readonly Rail[], root: string, sense: PathSense): RailWays {
  const ways = rails.flatMap((rail) =>
    rail.globs.map((glob) => {
      const { lead, rest } = splitLead(glob)
      const prefixes: string[] = []
      for (const [i, name] of lead.entries()) {
        // A drive's letter in the middle would count for more than what stands before it.
        const whole = i === 0 || sense.flavour === 'win32'
        prefixes.push(whole ? join(root, lead.slice(0, i + 1).join('/'), sense.flavour) : `${prefixes[i - 1]}/${name}`)
      }
      return { rail, prefixes, rest }
    }),
  )
  return { ways, paths: [...new Set(ways.flatMap(({ prefixes }) => prefixes))].sort() }
}

/**
 * Rails that a link on their way makes hold elsewhere: what the link leads to, and links in between. The link itself is
 * met by the rail as it is. `unknown`: it could not be found out.
 */
export function* linkedRails(
  { ways, paths }: RailWays,
  sense: PathSense,
  budget: PathBudget,
): Asking<readonly LinkedRail[] | 'unknown'> {
  if (paths.length === 0) return []
  if (paths.length > MOST_LINK_PATHS) return 'unknown'
  const links = yield* ask('links', { paths })
  if (links === 'unknown') return 'unknown'
  const linked = new Set(links.map(({ path }) => path))
  if (linked.size === 0) return []
  const out: LinkedRail[] = []
  for (const { rail, prefixes, rest } of ways) {
    const via = prefixes.findLast((path) => linked.has(path))
    if (via === undefined) continue
    if (out.length >= MOST_LINKED) return 'unknown'
    const place = yield* resolvePath(prefixes.at(-1)!, { follow: true, budget })
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
