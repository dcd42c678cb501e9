/** Names that many lines begin with or hold, shown once with the number of those lines. */
import { byteLength } from '../../../core/utf8.ts'
import type { Item, Line } from '../family.ts'

/** Places that are held of one name. */
export const PLACES = 3
/** Bytes of a line that is better shown whole than by its name. */
const SHORT = 240

/** Where a name stands. */
export interface Named {
  readonly n: number
  /** Undefined where the line holds more than its text shows, colours for one: its bytes are not those of the text. */
  readonly bytes: { readonly from: number; readonly to: number } | undefined
  readonly short: boolean
}

/** The place of `name`, which begins at the UTF-16 offset `at` of the line. */
export function named(line: Line, at: number, name: string): Named {
  const { n, text, from, to } = line
  const plain = text.length > 4096 || byteLength(text) === to - from
  const start = from + (at === 0 ? 0 : byteLength(text.slice(0, at)))
  return { n, bytes: plain ? { from: start, to: start + byteLength(name) } : undefined, short: to - from <= SHORT }
}

/** Items that name each of `names` with how often it occurs, and the lines that they stand in for. */
export interface Naming {
  readonly items: readonly Pick<Item, 'span' | 'bytes' | 'times' | 'weight'>[]
  readonly lines: ReadonlySet<number>
}

/**
 * Names with how often they occur, at lines that are not to be shown whole where there are such: the number in front of a
 * whole line would be read as that of the line.
 */
export function naming(
  names: Iterable<{ readonly count: number; readonly at: readonly Named[] }>,
  whole: ReadonlySet<number>,
): Naming {
  const items: Pick<Item, 'span' | 'bytes' | 'times' | 'weight'>[] = []
  const lines = new Set<number>()
  for (const { count, at } of names) {
    const place = at.find(({ n, bytes }) => bytes !== undefined && !whole.has(n)) ?? at[0]!
    const span = { from: place.n, to: place.n }
    if (place.bytes === undefined) items.push({ span, weight: count })
    else {
      items.push({ span, bytes: place.bytes, times: count, weight: count })
      lines.add(place.n)
    }
  }
  return { items, lines }
}
