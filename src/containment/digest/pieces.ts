/** Parts of a line that is too long to be shown or compared as one. */
import { outOfSequence } from './clean.ts'

const LT = 0x3c
const COMMA = 0x2c
const SPACE = 0x20
const CR = 0x0d

/** Where a long line may be parted. */
export type Parting = 'return' | 'tag' | 'comma' | 'blank' | 'length'

/** Longest part: what has no place to part is parted here. */
const PART = 512

/** How to part a line, told from its first bytes. */
export function partingOf(head: Uint8Array): Parting {
  const counts = new Uint32Array(256)
  for (const c of head) counts[c]!++
  const often = (c: number, least: number) => counts[c]! * 4096 >= least * Math.max(head.length, 1024)
  if (often(CR, 4)) return 'return'
  if (often(LT, 16) && often(0x3e, 16)) return 'tag'
  if (often(COMMA, 24)) return 'comma'
  return often(SPACE, 64) ? 'blank' : 'length'
}

/**
 * Parts `buffer[start, end)`. `whole`: the line ends at `end`; else the last part is left for the next call. Gives where
 * the next part begins.
 */
export function part(
  buffer: Uint8Array,
  start: number,
  end: number,
  how: Parting,
  whole: boolean,
  take: (start: number, end: number) => void,
): number {
  let from = start
  for (let i = start; i < end; i++) {
    const c = buffer[i]!
    const long = i - from
    let cut = -1
    if (how === 'return') cut = c === CR ? i + 1 : -1
    else if (how === 'tag') cut = c === LT && long > 0 ? i : -1
    else if (how === 'comma') cut = c === COMMA && long >= 8 ? i + 1 : -1
    else if (how === 'blank') cut = c === SPACE && long >= 160 ? i + 1 : -1
    if (cut < 0 && long >= PART && how !== 'return' && (c & 0xc0) !== 0x80 && outOfSequence(buffer, i) === i) cut = i
    if (cut < 0) continue
    const to = how === 'return' ? cut - 1 : cut
    if (to > from) take(from, to)
    from = cut
  }
  if (!whole) return from
  if (end > from) take(from, end)
  return end
}
