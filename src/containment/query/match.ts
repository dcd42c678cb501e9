/** Finds lines in one chunk of a capture. */
import { buffer } from '../capture/lines.ts'

export interface Spec {
  readonly patterns: readonly string[]
  /** Patterns are texts, not expressions. */
  readonly fixed: boolean
  /** A line counts only where every pattern is in it. */
  readonly all: boolean
  /** Words of a query, in lower case, at most 30; lines are told by which of them they have. */
  readonly terms: readonly string[]
}

/** A line that matches, as bytes of the chunk without its line end; of a long line the part around a match. */
export interface Hit {
  readonly from: number
  readonly to: number
  /** One bit for each term of the query that the line has. */
  readonly terms: number
}

export interface Matches {
  /** Matches in all: lines, and in long lines the parts around matches. */
  readonly count: number
  /** Matches by pattern. */
  readonly by: readonly number[]
  /** The first of them, as many as were wanted. */
  readonly hits: readonly Hit[]
}

/** A line above this length is matched part by part. */
export const LONG = 4096

/**
 * The matches in a chunk, of which `most` are given with their place. `until`: a match that begins there or behind does
 * not count; it is found again in the next chunk. Stands for itself: it is also sent to a thread as text.
 */
export function matchChunk(chunk: Uint8Array, spec: Spec, most: number, until: number): Matches {
  const LONG_LINE = 4096
  const AROUND = 200
  const CONTROL = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]/g
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const expressions = spec.fixed ? [] : spec.patterns.map((source) => compile(source))
  const by = spec.patterns.map(() => 0)
  const hits: Hit[] = []
  let count = 0

  function compile(source: string): RegExp {
    try {
      return new RegExp(source, 'gu')
    } catch {
      return new RegExp(source, 'g')
    }
  }
  /** Where each pattern occurs first from `at` on; undefined where that is no match. */
  function find(line: string, at: number): { index: number; length: number; which: number[] } | undefined {
    let index = -1
    let length = 0
    const which: number[] = []
    for (let p = 0; p < spec.patterns.length; p++) {
      let place = -1
      let size = 0
      const expression = expressions[p]
      if (expression === undefined) {
        place = line.indexOf(spec.patterns[p]!, at)
        size = spec.patterns[p]!.length
      } else {
        expression.lastIndex = at
        const match = expression.exec(line)
        if (match !== null) {
          place = match.index
          size = match[0].length
        }
      }
      if (place < 0) {
        if (spec.all) return undefined
        continue
      }
      which.push(p)
      if (index < 0 || place < index) {
        index = place
        length = size
      }
    }
    return index < 0 ? undefined : { index, length, which }
  }
  function termsOf(line: string): number {
    if (spec.terms.length === 0) return 0
    const lower = line.toLowerCase()
    let mask = 0
    for (let t = 0; t < spec.terms.length; t++) if (lower.includes(spec.terms[t]!)) mask |= 1 << t
    return mask
  }
  function note(from: number, to: number, which: readonly number[], terms: number): void {
    count++
    for (const p of which) by[p] = by[p]! + 1
    if (hits.length < most) hits.push({ from, to, terms })
  }
  /** A line, or a part of one, as text. */
  function take(raw: string, from: number, to: number): void {
    if (to - from > LONG_LINE) {
      takeLong(raw, from, to)
      return
    }
    if (from >= until) return
    const line = raw.includes('\x1b') ? raw.replace(CONTROL, '') : raw
    const found = spec.patterns.length === 0 ? { which: [] } : find(line, 0)
    if (found === undefined) return
    const terms = termsOf(line)
    if (spec.terms.length === 0 || terms !== 0) note(from, to, found.which, terms)
  }
  function takeLong(line: string, from: number, to: number): void {
    const ascii = line.length === to - from
    const byteOf = (index: number): number => from + (ascii ? index : Buffer.byteLength(line.slice(0, index)))
    const start = (place: number): number => {
      let at = place
      while (at > from && at < to && (bytes[at]! & 0xc0) === 0x80) at--
      return at
    }
    let at = 0
    while (at <= line.length) {
      const found = spec.patterns.length > 0 ? find(line, at) : findTerm(line, at)
      if (found === undefined) return
      const place = byteOf(found.index)
      if (place >= until) return
      const end = Math.min(to, Math.max(place + AROUND, byteOf(found.index + found.length)))
      const begin = start(Math.max(from, place - AROUND))
      note(begin, start(end), found.which, termsOf(line.slice(found.index, found.index + AROUND)))
      at = found.index + Math.max(AROUND, found.length)
    }
  }
  function findTerm(line: string, at: number): { index: number; length: number; which: number[] } | undefined {
    const lower = line.toLowerCase()
    let index = -1
    for (const term of spec.terms) {
      const place = lower.indexOf(term, at)
      if (place >= 0 && (index < 0 || place < index)) index = place
    }
    return index < 0 ? undefined : { index, length: 1, which: [] }
  }

  const text = bytes.toString('utf8')
  const ascii = text.length === bytes.length
  for (let at = 0; at < bytes.length; ) {
    let end = ascii ? text.indexOf('\n', at) : bytes.indexOf(10, at)
    if (end < 0) end = bytes.length
    const stop = end > at && bytes[end - 1] === 13 ? end - 1 : end
    take(ascii ? text.slice(at, stop) : bytes.toString('utf8', at, stop), at, stop)
    at = end + 1
  }
  return { count, by, hits }
}

/** The same for texts in chunks without control sequences: jumps from match to match, at the speed of memory. */
export function matchFixed(chunk: Uint8Array, spec: Spec, most: number, until: number): Matches {
  const bytes = buffer(chunk)
  const needles = spec.patterns.map((pattern) => Buffer.from(pattern))
  if (spec.terms.length > 0 || needles.some((needle) => needle.length === 0) || bytes.includes(0x1b))
    return matchChunk(chunk, spec, most, until)
  const by = needles.map(() => 0)
  const hits: Hit[] = []
  let count = 0
  const next = needles.map((needle) => bytes.indexOf(needle))
  for (;;) {
    let first = -1
    for (const place of next) if (place >= 0 && (first < 0 || place < first)) first = place
    if (first < 0 || first >= until) break
    const from = bytes.lastIndexOf(0x0a, first) + 1
    const found = bytes.indexOf(0x0a, first)
    const end = found < 0 ? bytes.length : found
    if (end - from > LONG) {
      // Long lines are rare, and taken by the part.
      const part = matchChunk(bytes.subarray(from, end), spec, most - hits.length, until - from)
      count += part.count
      for (const [p, number] of part.by.entries()) by[p] = by[p]! + number
      for (const hit of part.hits) hits.push({ ...hit, from: hit.from + from, to: hit.to + from })
    } else if (!spec.all || next.every((place) => place >= 0 && place < end)) {
      count++
      for (const [p, place] of next.entries()) if (place >= 0 && place < end) by[p] = by[p]! + 1
      const to = end > from && bytes[end - 1] === 0x0d ? end - 1 : end
      if (hits.length < most) hits.push({ from, to, terms: 0 })
    }
    for (const [p, place] of next.entries()) if (place >= 0 && place < end) next[p] = bytes.indexOf(needles[p]!, end)
    if (spec.all && next.some((place) => place < 0)) break
  }
  return { count, by, hits }
}
