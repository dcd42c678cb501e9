/** Looks through the bytes of one source, chunk by chunk. */
import { buffer } from '../capture/lines.ts'
import type { Lines } from '../store/types.ts'
import { type Hit, LONG } from './match.ts'
import type { Matcher } from './matcher.ts'

const CHUNK = 4 << 20
/** Of a line that fills a whole chunk, the end is looked at again with the next one. */
const OVERLAP = 2 * LONG

export interface Scanned {
  readonly count: number
  readonly by: readonly number[]
  readonly hits: readonly Hit[]
  /** Bytes up to here were looked at; less than asked for where the time was up. */
  readonly to: number
}

/** All matches between two places. `most`: of how many the place is wanted. `size`: bytes of a chunk, for tests. */
export async function scanBytes(
  bytes: Lines,
  from: number,
  to: number,
  most: number,
  matcher: Matcher,
  size = CHUNK,
): Promise<Scanned> {
  const by: number[] = []
  const hits: Hit[] = []
  let count = 0
  let at = from
  while (at < to) {
    const read = buffer(bytes.read(at, Math.min(to, at + size)))
    if (read.length === 0) break
    const last = at + read.length >= to
    const newline = last ? -1 : read.lastIndexOf(0x0a)
    const chunk = newline >= 0 ? read.subarray(0, newline + 1) : read
    const until = last || newline >= 0 ? chunk.length : Math.max(1, chunk.length - OVERLAP)
    const found = await matcher.match(chunk, most - hits.length, until)
    if (found === undefined) break
    count += found.count
    for (const [p, number] of found.by.entries()) by[p] = (by[p] ?? 0) + number
    for (const hit of found.hits) hits.push({ ...hit, from: hit.from + at, to: hit.to + at })
    at += until
  }
  return { count, by, hits, to: Math.min(at, to) }
}
