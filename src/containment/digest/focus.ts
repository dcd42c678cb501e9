/** Lines that a reader asked about. */
import type { Bytes } from '../bytes.ts'
import type { Windows } from './analysis.ts'
import { shownText } from './clean.ts'
import { LINE_CAP } from './family.ts'
import type { Candidate } from './generic.ts'
import { LineIndex, type Place, scan } from './lines.ts'

/** Words of a question that are looked for. */
const WORDS = 8
/** Lines that are kept of those that hold the same words. */
const KEPT = 24

export interface Focus {
  /** Lines that hold every word. */
  readonly all: number
  /** Lines that hold any. */
  readonly any: number
  readonly candidates: readonly Candidate[]
}

/** Looks for the words of `query`, whatever their case. Seldom words weigh more. */
export function focusOf(bytes: Bytes, windows: Windows, query: string): Focus | undefined {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*/gu) ?? [])].slice(0, WORDS)
  if (words.length === 0) return undefined
  const groups = new Map<number, { count: number; places: Place[] }>()
  let lines = 0
  const look = (text: string, place: Place) => {
    lines++
    const lower = text.toLowerCase()
    let held = 0
    words.forEach((word, at) => {
      if (lower.includes(word)) held |= 1 << at
    })
    if (held === 0) return
    const group = groups.get(held) ?? { count: 0, places: [] }
    group.count++
    if (group.places.length < KEPT) group.places.push(place)
    groups.set(held, group)
  }
  scan(bytes, windows, new LineIndex(), {
    line: (buffer, start, end, n, from) =>
      look(shownText(buffer, start, end, false), { n, from, to: from + end - start }),
    long: (n, from, to) => {
      const head = bytes.read(from, Math.min(to, from + LINE_CAP))
      look(shownText(head, 0, head.length, false), { n, from, to })
    },
  })
  const weights = words.map((_, at) => {
    let count = 0
    for (const [held, group] of groups) if ((held & (1 << at)) !== 0) count += group.count
    return Math.log2(1 + lines / (1 + count))
  })
  const every = 2 ** words.length - 1
  const candidates: Candidate[] = []
  let any = 0
  for (const [held, group] of groups) {
    any += group.count
    const score = weights.reduce((sum, weight, at) => sum + ((held & (1 << at)) !== 0 ? weight : 0), 0)
    for (const place of group.places) candidates.push({ kind: 'focus', place, more: [], score })
  }
  return { all: groups.get(every)?.count ?? 0, any, candidates }
}
