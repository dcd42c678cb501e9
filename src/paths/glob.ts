/**
 * Globs of policies: whether they match a path, whether something below a directory could match, and whether a shell
 * pattern could name a path that they match. What cannot be decided is answered for the side that the caller names.
 */
import type { GlobPart } from '../core/value.ts'
import {
  type Automaton,
  accepts,
  after,
  BELOW,
  choice,
  compile,
  EMPTY,
  intersects,
  literal,
  NAME,
  type Regular,
  sequence,
  TooLarge,
} from './automaton.ts'
import { BadGlob } from './bad-glob.ts'
import {
  components,
  foldCase,
  plainInside as inside,
  isAbsolute,
  type PathSense,
  plainPath,
  separatorOf,
  splitRoot,
} from './lexical.ts'
import { expandBraces, isFixed, isPlain, readParts, readSegments, unescaped } from './pattern.ts'

/** Characters of one glob; people write far shorter ones, and every longer one costs each verdict. */
export const MOST_GLOB = 1024
/** Characters of a shell pattern, for the same reason. */
export const MOST_PATTERN = 4096

export interface PathMatcher {
  readonly glob: string
  /** A clause that says why the glob cannot be used. The matcher then answers as `closed` says. */
  readonly problem?: string
  /** Whether the glob names this absolute path. */
  matches(path: string): boolean
  /** Whether a path below `dir` could be named by it. False is certain. */
  mayContain(dir: string): boolean
  /** Whether all that the glob can name lies in `dir`: it is the glob's fixed leading part, or lies above that. */
  holds(dir: string): boolean
  /**
   * Whether a path that the shell pattern `prefix` + `pattern` names could be named by the glob too; with `tree` also
   * a path below such a path. False is certain, as long as an unknown stretch does not climb (`src/$x` with `../y`):
   * with `climbs` it may. `dots`: stars match names with a leading dot. `prefix` is absolute and physical.
   */
  mayMatch(pattern: readonly GlobPart[], prefix: string, options?: ShellOptions): boolean
}

export interface ShellOptions {
  readonly tree?: boolean
  readonly dots?: boolean
  readonly climbs?: boolean
}

export interface GlobOptions extends PathSense {
  /** What a glob that cannot be used answers: `match` (default) for rails, `none` for what is allowed. */
  readonly closed?: 'match' | 'none'
}

/**
 * Compiles a glob of a policy. A relative one starts at `base` (absolute). `*`, `?`, classes, braces, extended patterns
 * and `**` as in shells, names with a leading dot included; an entry without `*` and `?` and one that ends in a
 * slash cover everything below; a class also names itself (`app/[id]`). Never throws: see `problem`.
 */
export function compileGlob(glob: string, base: string, options: GlobOptions): PathMatcher {
  const problem = problemOf(glob)
  if (problem) return unusable(glob, problem, base, options)
  try {
    return matcherOf(glob, base, options)
  } catch (error) {
    if (error instanceof BadGlob) return unusable(glob, error.message, base, options)
    if (error instanceof TooLarge) return unusable(glob, 'is too large', base, options)
    throw error
  }
}

function problemOf(glob: string): string | undefined {
  if (glob.trim() === '') return 'is empty'
  if (glob.length > MOST_GLOB) return `is longer than ${MOST_GLOB} characters`
  if (glob.includes('\0')) return 'holds a NUL character'
  if (glob.startsWith('#')) return 'begins with #, which is a comment elsewhere; write \\# for a name'
  if (glob.startsWith('!') && !glob.startsWith('!('))
    return 'begins with !, which negates elsewhere; write \\! for a name'
  return undefined
}

function unusable(glob: string, problem: string, base: string, options: GlobOptions): PathMatcher {
  const answer = options.closed !== 'none'
  const root = plainPath(base, options)
  const near = (path: string) => {
    const text = plainPath(path, options)
    return answer && (inside(text, root) || inside(root, text))
  }
  return {
    glob,
    problem,
    matches: (path) => answer && inside(plainPath(path, options), root),
    mayContain: near,
    holds: (dir) => answer && inside(root, plainPath(dir, options)),
    mayMatch: () => answer,
  }
}

/** The directory that a relative glob starts from and the components of the glob, `.` and leading `..` resolved. */
function anchored(glob: string, base: string, sense: PathSense): { from: string; segments: string[]; below: boolean } {
  const text = sense.flavour === 'win32' ? glob.replaceAll('\\', '/') : glob
  let from = base
  let rest = text
  if (isAbsolute(text, sense.flavour)) {
    const split = splitRoot(text, sense.flavour)
    from = split.root
    rest = split.rest.replaceAll(separatorOf(sense.flavour), '/')
  }
  const fixed = components(from, sense.flavour)
  const segments: string[] = []
  for (const segment of rest.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.length > 0 && isPlain(segments.at(-1)!)) segments.pop()
    else if (segments.length > 0) throw new BadGlob('climbs out of a pattern')
    else fixed.pop()
  }
  const { root } = splitRoot(from, sense.flavour)
  return { from: root + fixed.join(separatorOf(sense.flavour)), segments, below: /\/\.?$/.test(rest) }
}

/**
 * Characters of all alternatives together, from which on an automaton may be too large; far below, since a pattern of one
 * character takes several states. What such a glob, or one with groups, comes to is found out at once.
 */
const RISKY = 2_000

function matcherOf(glob: string, base: string, options: GlobOptions): PathMatcher {
  const { foldsCase } = options
  const text = foldsCase ? glob.normalize('NFC') : glob
  const choices: (() => Regular)[] = []
  const anchors: string[] = []
  const lasts: (Ends | undefined)[] = []
  /** Every alternative names one place and all below it: no automaton is needed to tell. */
  let plain = true
  let size = 0
  for (const alternative of expandBraces(text)) {
    size += alternative.length + base.length
    const { from, segments, below } = anchored(alternative, base, options)
    const start = plainPath(from, options)
    const covers = below || segments.every(isFixed) ? BELOW : undefined
    const firstOpen = segments.findIndex((segment) => !isPlain(segment))
    const fixed = (firstOpen < 0 ? segments : segments.slice(0, firstOpen)).map(unescaped).join('/')
    const anchor = joined(start, foldsCase ? foldCase(fixed) : fixed)
    anchors.push(anchor)
    lasts.push(covers === undefined && !foldsCase ? endsOf(segments.at(-1)) : undefined)
    const tree = firstOpen > 0 && firstOpen === segments.length - 1 && segments[firstOpen] === '**'
    if ((firstOpen >= 0 && !tree) || segments.length === 0 || anchor === '') plain = false
    choices.push(() => {
      const lead = literal(start === '' || segments.length === 0 ? start : `${start}/`)
      // `lib/**` names `lib` too, also where the directory is the base itself.
      const self = segments.length > 0 && segments.every((segment) => segment === '**') ? [literal(start)] : []
      const root = start === '' && segments.length === 0 ? [EMPTY, sequence(NAME, BELOW)] : []
      const own = choice(...self, sequence(lead, readSegments(segments, foldsCase), ...(covers ? [covers] : [])))
      return choice(...root, own)
    })
  }
  let compiled: Automaton | undefined
  const automaton = () => {
    compiled ??= compile(choice(...choices.map((one) => one())))
    return compiled
  }
  if (glob.includes('(') || size > RISKY) automaton()

  return {
    glob,
    matches(path) {
      const text = plainPath(path, options)
      const near = anchors.some((anchor, i) => inside(text, anchor) && fitsEnds(text, lasts[i]))
      return near && (plain || accepts(automaton(), text))
    },
    mayContain(dir) {
      const text = plainPath(dir, options)
      // What lies neither on the way to the fixed part of the glob nor below it holds nothing of it.
      if (!anchors.some((anchor) => inside(text, anchor) || inside(anchor, text))) return false
      return plain || after(automaton(), text === '' ? '' : `${text}/`).size > 0
    },
    holds(dir) {
      const text = plainPath(dir, options)
      return anchors.some((anchor) => inside(anchor, text))
    },
    mayMatch(pattern, prefix, how = {}) {
      const shell = shellOf(pattern, prefix, options, how)
      if (shell === undefined) return true
      // All that the shell names lies in one directory, and most globs name nothing there.
      if (!anchors.some((anchor) => inside(shell.dir, anchor) || inside(anchor, shell.dir))) return false
      return after(automaton(), shell.dir).size > 0 && intersects(automaton(), shell.automaton)
    },
  }
}

/** How the last name of whatever a glob names begins and ends. */
interface Ends {
  readonly start: string
  readonly end: string
}

/** Plain characters at both ends of a pattern: most paths are told apart by them, before any automaton is made. */
function endsOf(segment: string | undefined): Ends | undefined {
  if (segment === undefined || segment === '**') return undefined
  const start = /^[^*?[\](){}|,+@!\\]*/.exec(segment)![0]
  return { start, end: /[^*?[\](){}|,+@!\\]*$/.exec(segment.slice(start.length))![0] }
}

function fitsEnds(text: string, ends: Ends | undefined): boolean {
  return ends === undefined || (text.startsWith(ends.start, text.lastIndexOf('/') + 1) && text.endsWith(ends.end))
}

const joined = (dir: string, name: string): string => (dir === '' ? name : name === '' ? dir : `${dir}/${name}`)

interface Shell {
  /** Every path that the pattern names begins with this text, which is no part of a name. */
  readonly dir: string
  readonly automaton: Automaton
}

/** The last reading of each pattern: one pattern is held against many globs. */
const shells = new WeakMap<readonly GlobPart[], { readonly key: string; readonly shell: Shell | undefined }>()

/** Undefined where the pattern is beyond what can be looked at. */
function shellOf(pattern: readonly GlobPart[], prefix: string, sense: PathSense, how: ShellOptions): Shell | undefined {
  const key = `${sense.flavour} ${sense.foldsCase} ${how.tree} ${how.dots} ${how.climbs} ${prefix}`
  const before = shells.get(pattern)
  if (before?.key === key) return before.shell
  const shell = shellAutomaton(pattern, prefix, sense, how)
  shells.set(pattern, { key, shell })
  return shell
}

function shellAutomaton(
  pattern: readonly GlobPart[],
  prefix: string,
  sense: PathSense,
  how: ShellOptions,
): Shell | undefined {
  if (how.climbs && pattern.some((part) => part.is === 'any')) return undefined
  const separator = separatorOf(sense.flavour)
  const [first, ...rest] = pattern
  const start = first?.is === 'text' ? prefix + first.text : prefix
  const parts = (first?.is === 'text' ? rest : pattern).map(
    (part): GlobPart =>
      part.is === 'text' && sense.flavour === 'win32' ? { is: 'text', text: part.text.replaceAll('\\', '/') } : part,
  )
  const whole = sense.flavour === 'win32' ? start.replaceAll('/', separator) : start
  // Which directory `link/..` is cannot be told from the text.
  if (whole.split(separator).includes('..')) return undefined
  const end = whole.lastIndexOf(separator) + 1
  const dir = plainPath(whole.slice(0, end), sense)
  const lead = `${dir === '' ? '' : `${dir}/`}${whole.slice(end)}`
  const all = tidy([{ is: 'text', text: lead }, ...parts])
  if (all === undefined) return undefined
  try {
    const body = readParts(all, sense.foldsCase, how.dots === true)
    return { dir, automaton: compile(how.tree ? sequence(body, BELOW) : body) }
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

/** Joins neighbouring texts and removes doubled slashes and `.`. Undefined where `..` stands in it, or it is too long. */
function tidy(parts: readonly GlobPart[]): GlobPart[] | undefined {
  const out: GlobPart[] = []
  let length = 0
  for (const part of parts) {
    const last = out.at(-1)
    length +=
      part.is === 'text' || part.is === 'class' ? part.text.length : part.is === 'one' ? part.of.join().length : 1
    if (part.is === 'text' && last?.is === 'text') out[out.length - 1] = { is: 'text', text: last.text + part.text }
    else out.push(part)
  }
  if (length > MOST_PATTERN) return undefined
  for (const [i, part] of out.entries()) {
    if (part.is !== 'text') continue
    if (/(?:^|\/)\.\.(?:\/|$)/.test(part.text)) return undefined
    const clean = part.text.replace(/\/(?:\.?\/)+/g, '/')
    out[i] = { is: 'text', text: i === out.length - 1 ? clean.replace(/\/\.$/, '/') : clean }
  }
  return out
}
