/**
 * Anchors: a short hash of some lines, so that they are found again in a file that has changed. The hash rolls from line
 * to line: all places of a file are compared in one pass.
 */
import { createHash } from 'node:crypto'
import { buffer } from '../capture/lines.ts'
import type { Lines } from '../store/types.ts'
import { rowsIn } from './rows.ts'

/** Lines are numbers below this prime, and so are anchors. */
const PRIME = 2_147_483_629
const BASE = 1_000_003

const times = (a: number, b: number): number => Number((BigInt(a) * BigInt(b)) % BigInt(PRIME))

function lineHash(bytes: Lines, from: number, to: number): number {
  const hash = createHash('sha1').update(buffer(bytes.read(from, to)))
  return hash.digest().readUInt32BE(0) % PRIME
}

const text = (value: number): string => value.toString(16).padStart(8, '0')

/** The anchor of lines `from` to `to`, 8 hexadecimal digits. */
export function anchorOf(bytes: Lines, from: number, to: number): string {
  let value = 0
  for (const row of rowsIn(bytes, bytes.lineStart(from), bytes.lineStart(to + 1)))
    value = (times(value, BASE) + lineHash(bytes, row.from, row.to)) % PRIME
  return text(value)
}

/**
 * Where `count` lines with this anchor begin (a line, from 1): at `near` if they are there, else the place nearest to it.
 * Undefined where they are nowhere.
 */
export function findAnchor(bytes: Lines, anchor: string, count: number, near: number): number | undefined {
  const fits = (value: number): boolean => text(value).startsWith(anchor)
  if (near + count - 1 <= bytes.lines && anchorOf(bytes, near, near + count - 1).startsWith(anchor)) return near
  let lead = 1
  for (let i = 1; i < count; i++) lead = times(lead, BASE)
  const window: number[] = []
  let value = 0
  let best: number | undefined
  for (const row of rowsIn(bytes, 0, bytes.size)) {
    const hash = lineHash(bytes, row.from, row.to)
    if (window.length === count) value = (value + PRIME - times(window.shift()!, lead)) % PRIME
    window.push(hash)
    value = (times(value, BASE) + hash) % PRIME
    const start = row.n - count + 1
    if (
      window.length === count &&
      fits(value) &&
      (best === undefined || Math.abs(start - near) < Math.abs(best - near))
    )
      best = start
  }
  return best
}
