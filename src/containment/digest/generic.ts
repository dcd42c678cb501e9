/** What to show of an output whose tool nobody knows: told from how rare lines are and how loud. */
import type { Document } from './document.ts'
import { failureName } from './failures.ts'
import type { ItemKind } from './family.ts'
import type { Place } from './lines.ts'
import { bareLine, continues } from './loud.ts'
import { type Shape, settled } from './shapes.ts'

/** Something that may be shown. */
export interface Candidate {
  readonly kind: ItemKind | 'end' | 'focus'
  /** The line, or the part of one, that it is about. */
  readonly place: Place
  /** What belongs to it, in order; shown as far as the budget goes, from the first. */
  readonly more: readonly Place[]
  /** More is shown first. */
  readonly score: number
  readonly times?: number
  /** Of a failure. Failures of one name are one. */
  readonly name?: string
  /** The name without what only tells it apart within this run, where it holds such. */
  readonly called?: string
  /** A family's: its name is exact. */
  readonly own?: boolean
  /** Further ones of its kind that are no candidates of their own: how many, and the line of the last. */
  readonly beyond?: { readonly count: number; readonly to: number }
}

/** Parts of the generic reading that can be switched off, to see what each is worth. */
export interface Parts {
  readonly shapes: boolean
  readonly rarity: boolean
  readonly words: boolean
  readonly groups: boolean
  readonly ends: boolean
  readonly shares: boolean
  readonly families: boolean
}

export const ALL_PARTS: Parts = {
  shapes: true,
  rarity: true,
  words: true,
  groups: true,
  ends: true,
  shares: true,
  families: true,
}

/** Lines of a continuation at most. */
const GROUP = 14
/** What an unusual structure is worth beside an unusual word. */
const STRUCTURE = 0.7
/** Bits below which a line that says nothing loud is not rare. */
const RARE = 1.5
/** Examples of lines that are held together alike, and in all. */
const EXAMPLES = { alike: 3, all: 8 }
/** Lines of a continuation that are as frequent as others. */
const FREQUENT = 3
/** Occurrences up to which each is a candidate of its own. */
const SEVERAL = 8
/** Shapes that are looked at as candidates. */
const LOOKED_AT = 400

/**
 * Bits of surprise at a line of a shape: how few lines belong to shapes as seldom as it. A line that is seldom only as a
 * combination of frequent words, held together as many lines are, surprises no more than its parts do.
 */
export function surprises(shapes: readonly Shape[], counted: number): (shape: Shape) => number {
  const counts = shapes.map((shape) => shape.count).sort((a, b) => a - b)
  const upTo = new Map<number, number>()
  let sum = 0
  for (const count of counts) {
    sum += count
    upTo.set(count, sum)
  }
  const total = Math.max(2, counted)
  const bits = (lines: number) => Math.log2(total / Math.min(total, Math.max(1, lines)))
  return (shape) =>
    Math.min(bits(upTo.get(shape.count) ?? total), Math.max(bits(shape.known), STRUCTURE * bits(shape.alike)))
}

/** All candidates of an output, in no order. */
export function candidatesOf(document: Document, failed: boolean, parts: Parts): Candidate[] {
  const found: Candidate[] = []
  if (parts.shapes) found.push(...ofShapes(document, failed, parts))
  if (parts.rarity) found.push(...ofNumbers(document))
  if (parts.ends) found.push(...ofEnds(document))
  return found
}

function ofShapes(document: Document, failed: boolean, parts: Parts): Candidate[] {
  const { analysis } = document
  const shapes = analysis.shapes.filter((shape) => !shape.garbled && shape.sample.trim() !== '')
  const surprise = surprises(analysis.shapes, analysis.counted)
  const most = Math.log2(Math.max(2, analysis.counted))
  const scored = shapes.map((shape) => {
    const loud = parts.words ? shape.voice.loud : 0
    const rare = parts.rarity ? surprise(shape) * isolation(shape) : 0
    // Words are a prior: they weigh less where the run says that all went well.
    const score =
      (loud * (failed ? 3 : 1.5) + (rare / most) * 8 + (loud > 1 ? precision(shape.sample) : 0)) *
      (isWords(shape.sample) ? 1 : 0.3)
    return { shape, loud, rare, score }
  })
  scored.sort((a, b) => b.score - a.score || a.shape.first.from - b.shape.first.from)
  const found: Candidate[] = []
  const examples = exampleFilter()
  for (const { shape, loud, rare, score } of scored.slice(0, LOOKED_AT)) {
    const { voice } = shape
    if (parts.words && voice.failure && failed) {
      const count = shape.count - shape.places.length
      for (const [at, place] of shape.places.entries())
        found.push({
          kind: 'failure',
          place,
          more: moreOf(document, shape, place, parts),
          score,
          name: failureName(bareLine(document.raw(place))),
          ...(count > 0 && at === 0 ? { beyond: { count, to: shape.last.n } } : {}),
        })
      continue
    }
    const near = analysis.lines - shape.last.n
    if (parts.words && voice.total && (near < 40 || shape.count <= 3)) {
      const place = near < 40 ? shape.last : shape.best
      found.push({ kind: 'total', place, more: [], score: score + 8 / (1 + near / 8) })
      continue
    }
    const kind = loud >= 2 && (failed || loud >= 3) ? 'cause' : 'rare'
    const example = shape.count > SEVERAL && loud < 2
    if (example ? !isWords(shape.sample) || !examples(shape) : loud === 0 && parts.rarity && rare < RARE) continue
    const [first, ...others] = shape.count <= SEVERAL ? shape.places : [shape.best]
    found.push({
      kind: example ? 'example' : kind,
      place: first!,
      more: loud > 0 || shape.count <= 3 ? moreOf(document, shape, first!, parts) : [],
      score,
      ...(shape.count > 3 ? { times: shape.count } : {}),
    })
    // Each further occurrence says less.
    others.forEach((place, at) => {
      found.push({
        kind,
        place,
        more: shape.count <= 3 ? moreOf(document, shape, place, parts) : [],
        score: score * 0.8 ** (at + 1),
      })
    })
  }
  // What there is most of, so that the mass has a face.
  for (const shape of [...shapes]
    .sort((a, b) => b.count - a.count || a.first.from - b.first.from)
    .slice(0, EXAMPLES.all))
    if (shape.count > 1 && isWords(shape.sample) && !(failed && shape.voice.failure) && examples(shape))
      found.push({ kind: 'example', place: shape.best, more: [], score: 0, times: shape.count })
  return found
}

/** What an odd number is worth beside an unusual word. */
const NUMBER = 0.35

/** Lines that a number alone makes unlike the others. */
const ofNumbers = ({ analysis }: Document): Candidate[] =>
  analysis.odd.map(({ place, among }) => {
    const most = Math.log2(Math.max(2, analysis.counted))
    return { kind: 'rare', place, more: [], score: (Math.log2(among) / most) * 8 * NUMBER }
  })

/** Lets each shape through once, and few that are held together alike. */
function exampleFilter(): (shape: Shape) => boolean {
  const seen = new Set<Shape>()
  const alike = new Map<number, number>()
  return (shape) => {
    const count = alike.get(shape.skeleton) ?? 0
    if (seen.has(shape) || count >= EXAMPLES.alike) return false
    seen.add(shape)
    alike.set(shape.skeleton, count + 1)
    return true
  }
}

/** Words up to which a line that sounds loud is a heading, and tells nothing itself. */
const BANNER = 2

/** A line that names a place or a thing tells more than one that only says that something failed. */
const precision = (text: string): number =>
  ((text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0) <= BANNER ? -3 : 0) +
  (/[\w)]\.\w{1,5}(?::|\(|", line )\d+/.test(text) ? 2 : 0) +
  (/['"`‘“][^'"`’”]{1,80}['"`’”]|\w[=:] ?\S/u.test(text) ? 1 : 0)

/** Whether a line holds words at all. Rules and brackets are rare and say nothing. */
const isWords = (text: string): boolean => /[\p{L}\p{N}]{2}/u.test(text)

/** 1 where a line stands among what there is much of, less where its neighbours are as rare as itself. */
function isolation(shape: Shape): number {
  const before = shape.before === undefined ? undefined : settled(shape.before)
  if (before === undefined) return 0.5
  const mass = Math.max(before.count, before.alike / 2)
  return mass >= 4 * shape.count ? 1 : mass > shape.count ? 0.8 : 0.55
}

/** The lines behind a place that go on with what it began. */
function moreOf(document: Document, shape: Shape, place: Place, parts: Parts): Place[] {
  if (!parts.groups || shape.part) return []
  const [own, ...behind] = document.places(place.n, place.n + GROUP)
  if (own === undefined || own.from !== place.from || own.to !== place.to) return []
  const indent = indentOf(bareLine(document.raw(own)))
  const more: Place[] = []
  const usual = Math.max(SEVERAL, 4 * shape.count)
  let frequent = 0
  let blank: Place | undefined
  for (const next of behind) {
    const text = bareLine(document.raw(next))
    if (text.trim() === '') {
      if (blank !== undefined) break
      blank = next
      continue
    }
    if (!(continues(text) && (indentOf(text) > indent || !/^\s/.test(text)))) break
    // Of what there is much of, some is enough.
    if ((document.shape(next)?.count ?? 1) > usual && ++frequent > FREQUENT) continue
    if (blank !== undefined) more.push(blank)
    blank = undefined
    more.push(next)
  }
  return more
}

const indentOf = (text: string): number => text.length - text.trimStart().length

/** Lines of one shape at one end. */
const ALIKE = 2

function ofEnds(document: Document): Candidate[] {
  const { head, tail, binary } = document.analysis
  const found: Candidate[] = []
  const take = (places: readonly Place[], score: number) => {
    const seen = new Map<number, number>()
    let rank = score
    for (const place of places) {
      if (document.raw(place).trim() === '') continue
      const shape = document.shape(place)
      const count = (seen.get(shape?.skeleton ?? 0) ?? 0) + 1
      if (shape !== undefined) seen.set(shape.skeleton, count)
      if (shape === undefined || count <= ALIKE) found.push({ kind: 'end', place, more: [], score: rank-- })
    }
  }
  if (binary === undefined) take(head.slice(0, 6), 3)
  take(
    tail
      .filter((place) => binary === undefined || place.n > binary.last)
      .slice(-10)
      .reverse(),
    6,
  )
  return found
}
