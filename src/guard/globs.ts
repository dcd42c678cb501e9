/** Patterns against the disk, where that is cheap: one directory level, few names. */
import type { Listed } from '../commands/doing.ts'
import { type Asking, ask } from '../core/question.ts'
import { concat, type GlobPart, MOST_TEXTS, type Value } from '../core/value.ts'
import { matchPattern, takesHidden } from '../shell/expand.ts'
import type { Engine, LookedUp, Match } from './engine.ts'
import type { Machine } from './machine.ts'
import { isBrought, through } from './overlay.ts'
import { absolutes, physical } from './physical.ts'

/** Names of a directory that are looked at for a pattern. */
export const MOST_NAMES = 2_000

/** Directories that are looked at for one pattern. */
const MOST_DIRS = 32

/**
 * The names that a pattern stands for, sorted, as the shell would write them; undefined where that is too much to tell:
 * more than `most` names, a directory that cannot be listed whole, a pattern without bound.
 */
export function* expandGlob(
  engine: Engine,
  value: Value,
  m: Machine,
  most = MOST_TEXTS,
): Asking<readonly string[] | undefined> {
  return (yield* matchesOf(engine, value, m, most))?.map(({ text }) => text).sort()
}

/** Whether a pattern takes everything that is there: its last segment is `*`. */
export function isBare(value: Value): boolean {
  const last = value.is === 'glob' ? segmentsOf(value.parts)?.findLast((segment) => segment.length > 0) : undefined
  return last === undefined || last.every((part) => part.is === 'star')
}

/** Those of the names that are links: what follows them reaches elsewhere. */
export function* linksAmong(engine: Engine, value: Value, m: Machine): Asking<readonly string[]> {
  const found = yield* matchesOf(engine, value, m, MOST_NAMES)
  return (found ?? []).filter(({ link }) => link).map(({ text }) => text)
}

/** Patterns of which the last expansion is kept: those of one command. */
const MOST_KEPT = 32

function* matchesOf(engine: Engine, value: Value, m: Machine, most: number): Asking<readonly Match[] | undefined> {
  if (value.is !== 'glob') return undefined
  const { overlay, cwd } = m
  let known: LookedUp | undefined = engine.globs.get(value)
  if (known === undefined || known.overlay !== overlay || known.cwd !== cwd) {
    known = { overlay, cwd, found: yield* lookedUp(engine, value, m) }
    if (engine.globs.size >= MOST_KEPT) engine.globs.clear()
    engine.globs.set(value, known)
  }
  return known.found !== undefined && known.found.length > most ? undefined : known.found
}

/** What a pattern matches as the disk is at this step; undefined where that is too much to tell. */
function* lookedUp(
  engine: Engine,
  value: Extract<Value, { is: 'glob' }>,
  m: Machine,
): Asking<readonly Match[] | undefined> {
  const segments = segmentsOf(value.parts, engine.paths.flavour === 'win32' ? /[/\\]/ : '/')
  if (segments === undefined) return undefined
  const folders = segments.at(-1)!.length === 0
  const end = segments.length - (folders ? 2 : 1)
  let found: readonly Match[] = [{ text: '', link: false }]
  for (const [i, segment] of segments.entries()) {
    if (segment.length === 0) {
      // A slash in front, one too many, or one behind.
      found = found.map(({ text, link }) => ({ text: `${text}/`, link }))
      continue
    }
    const plain = i < end ? textOfSegment(segment) : undefined
    if (plain !== undefined) {
      // Whether it is there shows in the next directory.
      found = found.map(({ text, link }) => ({ text: `${text}${plain}/`, link }))
      continue
    }
    if (found.length > MOST_DIRS) return undefined
    const next: Match[] = []
    for (const { text: dir } of found) {
      const names = yield* namesIn(engine, dir, segment, m)
      if (names === undefined) return undefined
      for (const { name, kind } of names)
        if (kind !== 'file' || (i === end && !folders))
          next.push({ text: `${dir}${name}${i < end ? '/' : ''}`, link: kind === 'link' })
    }
    found = next
  }
  return found
}

/** A pattern at its slashes; undefined where a part may stand for slashes, too. Empty segments stay. */
function segmentsOf(
  parts: readonly GlobPart[],
  slash: string | RegExp = '/',
): readonly (readonly GlobPart[])[] | undefined {
  const out: GlobPart[][] = [[]]
  for (const part of parts) {
    if (part.is === 'any' || part.is === 'deep') return undefined
    if (part.is !== 'text') {
      out.at(-1)!.push(part)
      continue
    }
    for (const [i, text] of part.text.split(slash).entries()) {
      if (i > 0) out.push([])
      if (text !== '') out.at(-1)!.push({ is: 'text', text })
    }
  }
  return out
}

const textOfSegment = (segment: readonly GlobPart[]): string | undefined =>
  segment.every((part) => part.is === 'text')
    ? segment.map((part) => ('text' in part ? part.text : '')).join('')
    : undefined

interface Name {
  readonly name: string
  readonly kind: string
}

/** Whether a `..` stands behind what is surely not there: no name matches below it, as in `of=lib/../*.ts`. */
function* goesBackFromNothing(engine: Engine, dir: string, m: Machine): Asking<boolean> {
  for (const { index } of dir.matchAll(/(?<=[^/])\/+\.\.(?=\/)/g)) {
    const where = absolutes(dir.slice(0, index), m, engine)
    const found = where?.length === 1 ? yield* physical(engine, where[0]!, true, m.overlay) : undefined
    if (found?.is === 'path' && !found.exists && !isBrought(m.overlay, found.target)) return true
  }
  return false
}

/** The names of a directory that a segment matches; undefined where that cannot be told. */
function* namesIn(
  engine: Engine,
  dir: string,
  segment: readonly GlobPart[],
  m: Machine,
): Asking<readonly Name[] | undefined> {
  const where = absolutes(dir === '' ? '.' : dir, m, engine)
  if (where?.length !== 1) return undefined
  const found = yield* physical(engine, where[0]!, true, m.overlay)
  if (found.is !== 'path') return undefined
  if (!found.exists || (yield* goesBackFromNothing(engine, dir, m))) return []
  const list = yield* through(ask('list', { dir: found.target, limit: MOST_NAMES }), m.overlay)
  if (list === 'unknown' || (list !== 'absent' && list.cut)) return undefined
  if (list === 'absent') return []
  const hidden = takesHidden(segment)
  return list.entries.filter(({ name }) => (hidden || !name.startsWith('.')) && matchPattern(segment, name))
}

/** One path of a listing, as a value: the start itself, or anything below it. */
export function listedValue(listed: Listed): Value {
  if (!listed.tree || listed.at.value.is === 'glob') return listed.at.value
  return concat(listed.at.value, { is: 'glob', parts: [{ is: 'text', text: '/' }, { is: 'any' }] })
}
