/** Which paths a set of path arguments covers, as a test on absolute paths. */
import type { GitPaths } from '../core/git-op.ts'
import { type GlobPart, textsOf } from '../core/value.ts'
import {
  type Automaton,
  accepts,
  BELOW,
  choice,
  compile,
  EMPTY,
  literal,
  sequence,
  TooLarge,
} from '../paths/automaton.ts'
import { absolute, isAbsolute, isInside, type PathSense, plainPath } from '../paths/lexical.ts'
import { readParts } from '../paths/pattern.ts'

export interface Region {
  /** It takes the whole tree below `root`. */
  readonly whole: boolean
  /** Some of its words are not known: it may cover more than it says. */
  readonly unknown: boolean
  /** Whether an existing path is meant, itself or by a directory above it; also a directory that holds what is meant. */
  touches(path: string): boolean
  /** Whether a path is named by itself. */
  names(path: string): boolean
  /** For people: the paths as far as they are known. */
  readonly paths: readonly string[]
}

/** True for a pattern that leaves no visible name out: `*`, `./*`, `**`. */
export const takesAll = (parts: readonly GlobPart[]): boolean =>
  parts.some((part) => part.is === 'star' || part.is === 'deep' || part.is === 'any') &&
  parts.every(
    (part) =>
      part.is === 'star' ||
      part.is === 'deep' ||
      part.is === 'any' ||
      (part.is === 'text' && /^[./\\]*$/.test(part.text)),
  )

/** The automaton of `prefix` + pattern, what lies below a match included with `tree`. Undefined: too large to tell. */
function automatonOf(
  prefix: string,
  parts: readonly GlobPart[],
  sense: PathSense,
  tree: boolean,
  dots: boolean,
): Automaton | undefined {
  try {
    const lead = plainPath(prefix, sense)
    return compile(
      sequence(
        literal(prefix === '' ? '' : lead === '' ? '' : `${lead}/`),
        readParts(parts, sense.foldsCase, dots),
        tree ? BELOW : choice(EMPTY),
      ),
    )
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

/** A pattern behind a directory without the `/` and `./` that it may begin with. */
function plainParts(parts: readonly GlobPart[]): readonly GlobPart[] {
  const [first, ...rest] = parts
  if (first?.is !== 'text') return parts
  const text = first.text.replace(/^(?:\.?[/\\])+/, '')
  return text === '' ? rest : [{ is: 'text', text }, ...rest]
}

/** One place: a path, with everything below where `tree`, or a pattern behind a directory. */
export function placeRegion(
  place: { readonly path: string; readonly tree: boolean; readonly pattern?: readonly GlobPart[] },
  root: string,
  sense: PathSense,
  dots = false,
): Region {
  const { path, tree } = place
  const pattern = place.pattern === undefined ? undefined : plainParts(place.pattern)
  if (pattern === undefined) {
    return {
      whole: tree && isInside(root, path, sense),
      unknown: false,
      touches: (one) =>
        (tree ? isInside(one, path, sense) : isInside(one, path, sense) && isInside(path, one, sense)) ||
        isInside(path, one, sense),
      names: (one) => isInside(one, path, sense) && isInside(path, one, sense),
      paths: [path],
    }
  }
  const automaton = automatonOf(path, pattern, sense, tree, dots)
  return {
    whole: takesAll(pattern) && isInside(root, path, sense),
    unknown: automaton === undefined,
    touches: (one) => automaton !== undefined && accepts(automaton, plainPath(one, sense)),
    names: () => false,
    paths: [path],
  }
}

/** Pathspecs of a git operation. Relative ones start at `start`; both it and `root` are absolute. */
export function gitRegion(paths: GitPaths, root: string, start: string, sense: PathSense): Region {
  if (paths.is === 'all') return { whole: true, unknown: false, touches: () => true, names: () => false, paths: [root] }
  const regions: Region[] = []
  let unknown = false
  for (const arg of paths.paths) {
    const texts = textsOf(arg.value)
    if (texts) {
      for (const text of texts)
        regions.push(placeRegion({ path: absolute(start, text, sense.flavour), tree: true }, root, sense))
    } else if (arg.value.is === 'glob') regions.push(globRegion(arg.value.parts, root, start, sense))
    else if (arg.value.is === 'partly' && arg.value.prefix !== '') {
      const prefix = absolute(start, arg.value.prefix, sense.flavour)
      const far = /\.\.|^[/\\]?$/.test(arg.value.prefix)
      unknown ||= far
      regions.push({
        whole: false,
        unknown: far,
        touches: (one) => plainPath(one, sense).startsWith(plainPath(prefix, sense)),
        names: () => false,
        paths: [`${prefix}…`],
      })
    } else unknown = true
  }
  return {
    whole: regions.some((region) => region.whole),
    unknown: unknown || regions.some((region) => region.unknown),
    touches: (one) => regions.some((region) => region.touches(one)),
    names: (one) => regions.some((region) => region.names(one)),
    paths: regions.flatMap((region) => region.paths),
  }
}

function globRegion(parts: readonly GlobPart[], root: string, start: string, sense: PathSense): Region {
  const first = parts[0]
  const rooted = first?.is === 'text' && isAbsolute(first.text, sense.flavour)
  if (!rooted) return placeRegion({ path: start, tree: true, pattern: parts }, root, sense, true)
  // The known beginning up to its last separator is a directory; what follows is the pattern.
  const text = first.text
  const cut = Math.max(text.lastIndexOf('/'), sense.flavour === 'win32' ? text.lastIndexOf('\\') : -1) + 1
  const rest = text.slice(cut)
  const pattern: readonly GlobPart[] = rest === '' ? parts.slice(1) : [{ is: 'text', text: rest }, ...parts.slice(1)]
  return placeRegion({ path: absolute('/', text.slice(0, cut), sense.flavour), tree: true, pattern }, root, sense, true)
}
