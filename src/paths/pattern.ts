/** Reading glob text: policy globs in full, and the pieces of shell patterns. */
import type { GlobPart } from '../core/value.ts'
import {
  ANY,
  BELOW,
  type CharSet,
  charSet,
  choice,
  complement,
  EMPTY,
  literal,
  MOST_STATES,
  NAME,
  NO_DOT,
  NO_SLASH,
  overlap,
  type Regular,
  repeat,
  SEPARATOR,
  sequence,
  set,
  TooLarge,
} from './automaton.ts'
import { BadGlob } from './bad-glob.ts'
import { foldCase } from './lexical.ts'

/** Alternatives that the braces of one glob may make. */
const MOST_ALTERNATIVES = 256
/** Characters of all alternatives together. */
const MOST_EXPANDED = 16_384
/** Braces within braces, and extended patterns within extended patterns. */
const MOST_NESTING = 8

const STAR = repeat(set(NO_SLASH))

/** `{a,b}` and `{1..9}` written out. Braces that hold neither are plain characters. Throws `BadGlob`. */
export function expandBraces(glob: string, depth = 0): string[] {
  if (depth > MOST_NESTING * 8) throw new BadGlob('nests too many braces')
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === '\\') at++
    else if (glob[at] === '[') at = classEnd(glob, at) ?? at
    else if (glob[at] === '{') {
      const found = braceAt(glob, at)
      if (!found) continue
      const out: string[] = []
      let size = 0
      const rests = expandBraces(glob.slice(found.end), depth + 1)
      for (const inner of found.items.flatMap((item) => expandBraces(item, depth + 1))) {
        for (const rest of rests) {
          const text = glob.slice(0, at) + inner + rest
          size += text.length
          if (out.push(text) > MOST_ALTERNATIVES || size > MOST_EXPANDED) throw new BadGlob('has too many alternatives')
        }
      }
      return out
    }
  }
  return [glob]
}

function braceAt(glob: string, open: number): { items: string[]; end: number } | undefined {
  const items: string[] = []
  let depth = 0
  let from = open + 1
  for (let at = open; at < glob.length; at++) {
    const char = glob[at]
    if (char === '\\') at++
    else if (char === '[') at = classEnd(glob, at) ?? at
    else if (char === '{') depth++
    else if (char === ',' && depth === 1) {
      items.push(glob.slice(from, at))
      from = at + 1
    } else if (char === '}' && --depth === 0) {
      const last = glob.slice(from, at)
      if (items.length > 0) return { items: [...items, last], end: at + 1 }
      const range = rangeOf(last)
      return range ? { items: range, end: at + 1 } : undefined
    }
  }
  return undefined
}

function rangeOf(text: string): string[] | undefined {
  const match = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))$/.exec(text)
  if (!match) return undefined
  const letters = match[3] !== undefined
  const from = letters ? match[3]!.charCodeAt(0) : Number(match[1])
  const to = letters ? match[4]!.charCodeAt(0) : Number(match[2])
  if (Math.abs(to - from) >= MOST_ALTERNATIVES) throw new BadGlob('has too many alternatives')
  const count = Math.abs(to - from) + 1
  const step = to < from ? -1 : 1
  return Array.from({ length: count }, (_, i) => {
    const value = from + i * step
    return letters ? String.fromCharCode(value) : String(value)
  })
}

/** Where the class that begins at `open` ends (index of `]`), or undefined where it does not. */
function classEnd(text: string, open: number): number | undefined {
  let at = open + 1
  if (text[at] === '!' || text[at] === '^') at++
  if (text[at] === ']') at++
  for (; at < text.length; at++) {
    if (text[at] === '/') return undefined
    if (text[at] === '\\') at++
    else if (text[at] === '[' && text[at + 1] === ':') {
      const end = text.indexOf(':]', at + 2)
      if (end > 0) at = end + 1
    } else if (text[at] === ']') return at
  }
  return undefined
}

/** What lies beyond ASCII is taken to be in every named class: nobody writes a policy that turns on it. */
const BEYOND: readonly [number, number] = [0x80, 0x10ffff]
const NAMED: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  alpha: [[65, 90], [97, 122], BEYOND],
  digit: [[48, 57]],
  alnum: [[48, 57], [65, 90], [97, 122], BEYOND],
  upper: [[65, 90], BEYOND],
  lower: [[97, 122], BEYOND],
  space: [[9, 13], [32, 32], BEYOND],
  blank: [[9, 9], [32, 32], BEYOND],
  punct: [[33, 47], [58, 64], [91, 96], [123, 126], BEYOND],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
  word: [[48, 57], [65, 90], [95, 95], [97, 122], BEYOND],
}

/** The characters of a class as written, `[` and `]` included. `widen`: never less than what it may mean. */
export function readClass(text: string, folds: boolean, widen = false): CharSet {
  const inner = [...text.slice(1, -1)]
  const negated = inner[0] === '!' || inner[0] === '^'
  const pairs: [number, number][] = []
  let unsure = false
  for (let at = negated ? 1 : 0; at < inner.length; at++) {
    if (inner[at] === '[' && (inner[at + 1] === ':' || inner[at + 1] === '.' || inner[at + 1] === '=')) {
      const rest = inner.slice(at).join('')
      const named = /^\[:([a-z]+):\]/.exec(rest)
      if (named) {
        const ranges = NAMED[named[1]!]
        if (ranges) for (const [lo, hi] of ranges) pairs.push([lo, hi])
        else unsure = true
        at += named[0].length - 1
        continue
      }
      unsure = true
    }
    if (inner[at] === '\\' && at + 1 < inner.length) at++
    const lo = inner[at]!.codePointAt(0)!
    if (inner[at + 1] === '-' && at + 2 < inner.length) {
      at += 2
      if (inner[at] === '\\' && at + 1 < inner.length) at++
      pairs.push([lo, inner[at]!.codePointAt(0)!])
    } else pairs.push([lo, lo])
  }
  if (unsure && widen) return NO_SLASH
  const own = folds ? charSet([...pairs, ...otherCase(pairs)]) : charSet(pairs)
  return overlap(negated ? complement(own) : own, NO_SLASH)
}

/** The same letters in the other case; beyond ASCII, where that is a long table, everything. */
function otherCase(pairs: readonly (readonly [number, number])[]): [number, number][] {
  return pairs.flatMap(([lo, hi]): [number, number][] => [
    [Math.max(lo, 65) + 32, Math.min(hi, 90) + 32],
    [Math.max(lo, 97) - 32, Math.min(hi, 122) - 32],
    ...(hi >= 0x80 ? [[0x80, 0x10ffff] as [number, number]] : []),
  ])
}

const EXTENDED = new Set(['@', '?', '*', '+', '!'])

/** One component of a policy glob: names that begin with a dot are matched like any other. Throws `BadGlob`. */
export function readSegment(text: string, folds: boolean, depth = 0): Regular {
  if (depth > MOST_NESTING) throw new BadGlob('nests too many patterns')
  const parts: Regular[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (EXTENDED.has(char) && text[at + 1] === '(') {
      const group = groupAt(text, at + 1)
      if (!group) throw new BadGlob('has a pattern in brackets that does not end in its path component')
      const inner = choice(...group.items.map((item) => readSegment(item, folds, depth + 1)))
      parts.push(extended(char, inner))
      at = group.end
      continue
    }
    if (char === '*') {
      if (parts.at(-1) !== STAR) parts.push(STAR)
    } else if (char === '?') parts.push(set(NO_SLASH))
    else if (char === '[' && classEnd(text, at) !== undefined) {
      const end = classEnd(text, at)!
      parts.push(set(readClass(text.slice(at, end + 1), folds)))
      at = end
    } else {
      if (char === '\\' && at + 1 < text.length) at++
      const point = String.fromCodePoint(text.codePointAt(at)!)
      parts.push(literal(folds ? foldCase(point) : point))
      at += point.length - 1
    }
  }
  return sequence(...parts)
}

function extended(kind: string, inner: Regular): Regular {
  switch (kind) {
    case '?':
      return choice(EMPTY, inner)
    case '*':
      return repeat(inner)
    case '+':
      return sequence(inner, repeat(inner))
    case '!':
      return { is: 'not', of: inner }
    default:
      return inner
  }
}

function groupAt(text: string, open: number): { items: string[]; end: number } | undefined {
  const items: string[] = []
  let depth = 0
  let from = open + 1
  for (let at = open; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '[') at = classEnd(text, at) ?? at
    else if (char === '(') depth++
    else if (char === '|' && depth === 1) {
      items.push(text.slice(from, at))
      from = at + 1
    } else if (char === ')' && --depth === 0) return { items: [...items, text.slice(from, at)], end: at }
  }
  return undefined
}

/** True where the text of a component names one name only. */
export function isPlain(segment: string): boolean {
  return !/[*?[\]]|[@+!]\(/.test(segment.replace(/\\./g, ''))
}

/** True where it holds no character that stands for more than one name of a kind: classes are names to many people. */
export const isFixed = (segment: string): boolean => !/[*?]|[@+!]\(/.test(segment.replace(/\\./g, ''))

export const unescaped = (segment: string): string => segment.replace(/\\(.)/gs, '$1')

/** `[id]` is a class, `+page@(app).ts` a pattern with a group, and, where frameworks name files so, both are names. */
function component(segment: string, folds: boolean): Regular {
  const pattern = readSegment(segment, folds)
  if (!/[[(]/.test(segment)) return pattern
  const name = unescaped(segment)
  return choice(pattern, literal(folds ? foldCase(name) : name))
}

/** Components of one alternative as a pattern of relative paths with `/`. `deep` stands for `**`. */
export function readSegments(segments: readonly string[], folds: boolean): Regular {
  const out: Regular[] = []
  let slash = false
  for (const [i, segment] of segments.entries()) {
    if (segment === '**') {
      if (segments[i + 1] === '**') continue
      if (i === segments.length - 1) out.push(slash ? BELOW : choice(EMPTY, sequence(NAME, BELOW)))
      else {
        if (slash) out.push(set(SEPARATOR))
        out.push(repeat(sequence(NAME, set(SEPARATOR))))
        slash = false
      }
      continue
    }
    if (slash) out.push(set(SEPARATOR))
    // A component of stars alone still has to name something.
    out.push(/^\*+$/.test(segment) ? NAME : component(segment, folds))
    slash = true
  }
  return sequence(...out)
}

/**
 * A shell pattern as a pattern of paths with `/`, never less than what a shell may match. Names that begin with a dot
 * are matched only where the dot is written, unless `dots`. Throws `TooLarge` where no automaton could hold it.
 */
export function readParts(parts: readonly GlobPart[], folds: boolean, dots: boolean): Regular {
  if (parts.length > MOST_STATES) throw new TooLarge()
  const out: Regular[] = []
  // Whether a name begins here. After an unknown stretch it may; then a dot may be part of the stretch, so it is no start.
  let start = true
  const first = dots ? NO_SLASH : NO_DOT
  let eatSlash = false
  for (const [i, part] of parts.entries()) {
    const last = i === parts.length - 1
    switch (part.is) {
      case 'text': {
        // Of the two slashes around `**` one goes where it stands for no component.
        let text = eatSlash ? part.text.replace(/^\//, '') : part.text
        if (last || (parts[i + 1]!.is === 'deep' && i + 2 === parts.length)) text = text.replace(/\/$/, '')
        out.push(literal(folds ? foldCase(text) : text))
        if (part.text !== '') start = part.text.endsWith('/')
        break
      }
      case 'star':
        out.push(start ? choice(EMPTY, sequence(set(first), STAR)) : STAR)
        start = false
        break
      case 'question':
        out.push(set(start ? first : NO_SLASH))
        start = false
        break
      case 'class': {
        const chars = readClass(part.text, folds, true)
        out.push(set(start ? overlap(chars, first) : chars))
        start = false
        break
      }
      case 'deep': {
        const name = sequence(set(first), STAR)
        const before = parts[i - 1]
        const next = parts[i + 1]
        if (last && before?.is === 'text' && before.text.endsWith('/')) out.push(repeat(sequence(set(SEPARATOR), name)))
        else if (next?.is === 'text' && next.text.startsWith('/')) {
          out.push(repeat(sequence(name, set(SEPARATOR))))
          eatSlash = true
          continue
        } else out.push(choice(EMPTY, sequence(name, repeat(sequence(set(SEPARATOR), name)))))
        start = false
        break
      }
      case 'one':
        out.push(choice(...part.of.map((text) => literal(folds ? foldCase(text) : text))))
        start = false
        break
      case 'any':
        out.push(repeat(set(ANY)))
        start = false
        break
    }
    eatSlash = false
  }
  return sequence(...out)
}
