/**
 * What a rail's text means. Texts that silently protect nothing under the published reading are taken for what people
 * plainly mean by them; where nothing is plain the rail fails closed. Pure.
 */
import { BadGlob } from '../paths/bad-glob.ts'
import { expandBraces, isPlain } from '../paths/pattern.ts'
import { MOST_RAIL } from './limits.ts'

export interface RailText {
  /** Globs below the root: what the rail is taken for, and what it says by the letter. Empty with a problem. */
  readonly globs: readonly string[]
  /** A clause for each thing that is malformed and understood. */
  readonly notes: readonly string[]
  /** A clause: the rail cannot be understood, so it freezes everything. */
  readonly problem?: string
}

/** What nearly all rails are: names that no pattern and no rule about spelling knows anything of, perhaps with all below. */
const USUAL = /^\.?[\w-][\w.-]*(?:\/\.?[\w-][\w.-]*)*(?:\/\*\*)?$/

export const isUsual = (rail: string): boolean => USUAL.test(rail)

/** Reads a rail as its ticket writes it. `root` (absolute) is the repository, for rails that name it. */
export function normaliseRail(text: string, root: string): RailText {
  const closed = (problem: string): RailText => ({ globs: [], notes: [], problem })
  if (text.length > MOST_RAIL) return closed(`is longer than ${MOST_RAIL} characters`)
  if (isUsual(text)) return { globs: [text], notes: [] }
  if (text.includes('\0')) return closed('holds a NUL character')
  const trimmed = trim(text)
  if (trimmed === '') return closed('is empty')
  if (trimmed.startsWith('#')) return closed('begins with #, which makes it a comment; a name is written \\#')
  if (trimmed.startsWith('!')) return closed('begins with !, which turns it around; a name is written \\!')
  const notes = new Set<string>()
  if (trimmed !== text) notes.add('has blanks around it')
  const globs: string[] = []
  let alternatives: readonly string[]
  try {
    alternatives = expandBraces(trimmed)
  } catch (error) {
    if (error instanceof BadGlob) return closed(error.message)
    throw error
  }
  const read: string[] = []
  let plain = true
  for (const alternative of alternatives) {
    for (const spelling of spellings(alternative, notes)) {
      const glob = relative(spelling, root, notes)
      if (typeof glob === 'object') return closed(glob.problem)
      if (glob !== alternative) plain = false
      read.push(glob)
    }
  }
  // Whole where nothing is malformed: one pattern is cheaper than its alternatives.
  if (plain) globs.push(trimmed)
  else globs.push(...new Set(read))
  // By the letter too: a name may really end in a blank.
  if (trimmed !== text && !/^[\s]*[/.#!]/.test(text)) globs.push(text)
  return { globs, notes: [...notes] }
}

/** Without blanks around it, but for one that a backslash makes part of the name. */
function trim(text: string): string {
  const start = text.trimStart()
  const end = start.trimEnd()
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(end) && end.length < start.length ? start.slice(0, end.length + 1) : end
}

/** A backslash before a letter is a separator to some people and nothing to a glob: both count. */
function spellings(glob: string, notes: Set<string>): readonly string[] {
  if (!/\\[\p{L}\p{N}_]/u.test(glob)) return [glob]
  notes.add('has backslashes where a path has slashes')
  return [glob.replace(/\\(?=[\p{L}\p{N}_])/gu, '/'), glob]
}

/** The glob as seen from the root. */
function relative(glob: string, root: string, notes: Set<string>): string | { readonly problem: string } {
  let text = glob
  const from = root.endsWith('/') ? root : `${root}/`
  if (root !== '/' && (text === root || text.startsWith(from))) {
    notes.add('is absolute')
    text = text.slice(from.length)
  } else if (text.startsWith('/')) {
    notes.add('begins with a slash')
  }
  if (/^\.\//.test(text)) notes.add('begins with ./')
  if (text.length > 1 && text.endsWith('/')) notes.add('ends in a slash')
  const out: string[] = []
  for (const segment of text.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') {
      out.push(segment)
      continue
    }
    const left = out.pop()
    if (left === undefined) return { problem: 'leads out of the repository' }
    if (!isPlain(left)) return { problem: 'climbs out of a pattern' }
    notes.add('climbs with ..')
  }
  if (out.length === 0) {
    notes.add('names the repository itself')
    return '**'
  }
  const tree = /\/\.?$/.test(text) && out.at(-1) !== '**'
  const clean = [...out, ...(tree ? ['**'] : [])].join('/')
  return /^[#!]/.test(clean) ? `\\${clean}` : clean
}
