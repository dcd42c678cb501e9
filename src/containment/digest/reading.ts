/** Hears the families about an output, and holds each to its word. */
import type { Bytes } from '../bytes.ts'
import { shownText } from './clean.ts'
import type { Document } from './document.ts'
import { type Family, type Item, LINE_CAP, type Probe, type Reader, type Reading } from './family.ts'
import type { Candidate } from './generic.ts'
import { LineIndex, type Place, scan } from './lines.ts'
import { familiesOf } from './registry.ts'

export interface Heard {
  readonly family: string
  readonly budget: number | undefined
  readonly reading: Reading
}

/** Items of one kind that are looked at. */
const ITEMS = 2000
/** Lines of one item that are looked at. */
const LINES = 80

/**
 * The reading of the first family that accounts for every line. A family that throws, miscounts, points outside the
 * capture or says nothing at all stands down, and the next one is heard.
 */
export function hear(
  bytes: Bytes,
  document: Document,
  probe: Probe,
  windows: { readonly first: number; readonly last: number },
  families?: readonly Family[],
): Heard | undefined {
  for (const family of familiesOf(probe, families)) {
    try {
      const reader = family.reader(probe)
      const fed = feed(bytes, windows, reader)
      const reading = reader.end()
      if (reading !== undefined && holds(reading, fed, document.analysis.lines))
        return { family: family.id, budget: family.budget, reading }
    } catch {
      // What a family cannot read is read by the next one, or by nobody's rules.
    }
  }
  return undefined
}

function feed(bytes: Bytes, windows: { readonly first: number; readonly last: number }, reader: Reader): number {
  let fed = 0
  scan(bytes, windows, new LineIndex(), {
    line: (buffer, start, end, n, from) => {
      fed++
      reader.line({ n, text: shownText(buffer, start, end), from, to: from + end - start })
    },
    long: (n, from, to) => {
      fed++
      const head = bytes.read(from, Math.min(to, from + LINE_CAP))
      reader.line({ n, text: shownText(head, 0, head.length), from, to })
    },
  })
  return fed
}

function holds(reading: Reading, fed: number, lines: number): boolean {
  if (reading.parsed + reading.other !== fed || reading.parsed === 0) return false
  if (reading.items.length === 0 && reading.facts.length === 0) return false
  return reading.items.every(
    ({ span, bytes }) =>
      Number.isInteger(span.from) &&
      Number.isInteger(span.to) &&
      span.from >= 1 &&
      span.to >= span.from &&
      span.to <= lines &&
      (bytes === undefined || bytes.to > bytes.from),
  )
}

/** Kinds whose generic candidates give way where a family knows better. */
const OWN: ReadonlySet<Candidate['kind']> = new Set(['failure', 'total', 'example', 'end'])

/** One line in so many that the family does not know makes an output a mixed one. */
const MIXED = 5

const asRare = (candidate: Candidate): Candidate => {
  if (candidate.kind !== 'failure') return candidate
  const { beyond: _, ...rest } = candidate
  return { ...rest, kind: 'rare' }
}

/** The family's items in front of what the generic reading found. */
export function withItems(document: Document, reading: Reading, generic: readonly Candidate[]): Candidate[] {
  const counts = new Map<string, number>()
  const own: Candidate[] = []
  const covered = new Set<number>()
  let beyond: Candidate['beyond'] = reading.beyond
  for (const item of reading.items) {
    const count = (counts.get(item.kind) ?? 0) + 1
    counts.set(item.kind, count)
    if (count > ITEMS) {
      if (item.kind === 'failure')
        beyond = { count: (beyond?.count ?? 0) + 1, to: Math.max(beyond?.to ?? 0, item.span.to) }
      continue
    }
    const [place, ...more] = placesOf(document, item)
    if (place === undefined) continue
    for (const { n } of [place, ...more]) covered.add(n)
    own.push({
      kind: item.kind,
      place,
      more,
      score: 1000 + Math.max(-900, Math.min(900, item.weight ?? 0)),
      own: true,
      ...(item.times === undefined ? {} : { times: item.times }),
      ...(item.called === undefined ? {} : { called: item.called }),
      ...(item.kind === 'failure' ? { name: item.name ?? document.raw(place).trim() } : {}),
    })
  }
  const failure = own.find(({ kind }) => kind === 'failure')
  if (beyond !== undefined && failure !== undefined) own.push({ ...failure, more: [], beyond })
  // Both ends of what is only counted would be shown and counted as not shown.
  const told = Math.max(0, ...own.filter(({ kind }) => kind === 'failure').map(({ place }) => place.n))
  const counted = ({ kind, place }: Candidate) =>
    beyond !== undefined && kind === 'end' && place.n > told && place.n <= beyond.to
  const kinds = new Set(own.map((candidate) => candidate.kind))
  // Where the output of another tool runs between the family's, what fails there is nobody else's to tell.
  const mixed = reading.other * MIXED > reading.parsed + reading.other
  const rest = (mixed && kinds.has('failure') ? generic.map(asRare) : generic).filter((candidate) => {
    const { kind, place } = candidate
    if (reading.unread !== undefined && place.from >= reading.unread) return kind !== 'example'
    return (
      !counted(candidate) &&
      !covered.has(place.n) &&
      !(OWN.has(kind) && (kinds.has(kind as Item['kind']) || kind === 'example'))
    )
  })
  const ends = reading.ends
  if (ends === undefined) return [...own, ...rest]
  const { lines } = document.analysis
  return [
    ...own,
    ...rest.filter(({ kind, place }) => kind !== 'end' || place.n <= ends.head || place.n > lines - ends.tail),
  ]
}

function placesOf(document: Document, { span, bytes }: Item): Place[] {
  if (bytes !== undefined) return [{ n: span.from, from: bytes.from, to: bytes.to }]
  return document.places(span.from, Math.min(span.to, span.from + LINES - 1))
}
