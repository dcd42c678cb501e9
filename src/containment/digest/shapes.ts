/**
 * Shapes of lines: lines that say the same of different things are counted as one. Words are compared at their place
 * among lines that are held together alike; a place that took more than a few words is a variable and no longer compared,
 * so a line stands out where it differs at a place at which the others do not.
 */
import { FirstWords } from './first-words.ts'
import { Lexer, mix, WORDS, wordHash } from './lexer.ts'
import type { Place } from './lines.ts'
import { KEPT_APART, type Voice } from './loud.ts'
import { Numbers, type Odd, oddest } from './numbers.ts'

/** Words at one place after which it is a variable. */
const VARIED = 12
/** Shapes of one cluster after which its most varied place is a variable, too. */
const CROWD = 160
const SHAPES = 4096
/** Places of single occurrences that are kept for lines that name a failure, and for any other. */
const NAMED = 512
const KEPT = 8

export interface Shape {
  /** From 1, in order of first occurrence. */
  id: number
  count: number
  first: Place
  readonly last: { n: number; from: number; to: number }
  /** The text of the loudest line among those that were compared, cut to what a voice is told from, and its place. */
  sample: string
  best: Place
  voice: Voice
  /** No text: bytes that are no UTF-8. */
  garbled: boolean
  /** The first occurrences, in order. */
  places: Place[]
  /** The shape of the line before its first one. */
  before: Shape | undefined
  /** The shape that it was counted to when a place became a variable. */
  into: Shape | undefined
  /** Words of the first line, by which it is found again when a place becomes a variable. */
  readonly words: Int32Array
  /** Lines that are held together like this one; lines that hold its least frequent word, at a place that is compared. */
  alike: number
  known: number
  /** What holds the line together. */
  readonly skeleton: number
  /** Its first line is a part of one. */
  readonly part: boolean
}

interface Cluster {
  readonly skeleton: number
  /** 1: a variable. */
  readonly open: Uint8Array
  /** Words seen at each place that is still compared; made with the second shape, which many clusters never get. */
  seen: Set<number>[] | undefined
  shapes: Map<number, Shape>
  lines: number
  readonly numbers: Numbers
  lastKey: number
  last: Shape | undefined
}

const APART = new Set(KEPT_APART.map(wordHash))
/** A sieve in front of the set: most words are in none of its slots. */
const SIEVE = new Uint8Array(4096)
for (const hash of APART) SIEVE[hash & 4095] = 1

/** Lines without a shape of their own that are looked at. */
const LOOKED_AT = 256
/** Slots in which words are counted; words that share one make each other look more frequent, never less. */
const SLOTS = 1 << 18

/** Tells a line's text and its voice; asked once a shape. */
export type Tell = (
  buffer: Uint8Array,
  start: number,
  end: number,
) => { readonly text: string; readonly voice: Voice; readonly garbled: boolean }

export class Shapes {
  readonly #lexer = new Lexer()
  readonly #clusters = new Map<number, Cluster>()
  readonly #tell: Tell
  readonly #firstWords = new FirstWords()
  readonly #frequency = new Uint32Array(SLOTS)
  #shapes = 0
  #noRoomUntil = 0
  #before: Shape | undefined
  /** Lines that came when there was no room for further shapes: the first of them that a voice is heard in, and any. */
  readonly rest: Shape[] = []
  lines = 0
  /** Whether what is added are parts of lines. */
  parts = false

  constructor(tell: Tell) {
    this.#tell = tell
  }

  /** Counts one line. False where it holds control characters; it is not counted then. */
  add(buffer: Uint8Array, start: number, end: number, n: number, from: number, to: number): boolean {
    const lexer = this.#lexer
    if (!lexer.read(buffer, start, end)) return false
    this.lines++
    for (let at = 0; at < lexer.count; at++) this.#frequency[slotOf(lexer.words[at]!)]!++
    let cluster = this.#clusters.get(lexer.skeleton)
    if (cluster === undefined) {
      if (this.#clusters.size >= SHAPES) return this.#overflow(buffer, start, end, { n, from, to })
      cluster = {
        skeleton: lexer.skeleton,
        open: new Uint8Array(lexer.count),
        seen: undefined,
        shapes: new Map(),
        lines: 0,
        numbers: new Numbers(),
        lastKey: 0,
        last: undefined,
      }
      this.#clusters.set(lexer.skeleton, cluster)
    }
    cluster.lines++
    if (!this.parts) {
      if (lexer.numbers > 0) cluster.numbers.add(lexer, n, from, to)
      if (lexer.count > 0) this.#firstWords.add(lexer.words[0]!, n, from, to)
    }
    const key = keyOf(cluster, lexer.words)
    let shape = cluster.last !== undefined && cluster.lastKey === key ? cluster.last : cluster.shapes.get(key)
    if (shape === undefined) {
      if (this.#shapes >= SHAPES && !this.#makeRoom()) return this.#overflow(buffer, start, end, { n, from, to })
      shape = this.#create(cluster, buffer, start, end, { n, from, to })
    } else {
      shape.count++
      cluster.lastKey = key
      cluster.last = shape
      if (shape.places.length < (shape.voice.failure ? NAMED : KEPT)) shape.places.push({ n, from, to })
      // No memory for each of many lines.
      const { last } = shape
      last.n = n
      last.from = from
      last.to = to
    }
    this.#before = shape
    return true
  }

  /**
   * Counts the line that was added last `count` times more; the last of them is line `n`, `length` bytes from `from` on.
   * False where it was counted to no shape of its own; it is not counted then.
   */
  again(count: number, n: number, from: number, length: number): boolean {
    const shape = this.#before
    const cluster = shape === undefined ? undefined : this.#clusters.get(shape.skeleton)
    if (shape === undefined || cluster === undefined) return false
    if (count <= 0) return true
    this.lines += count
    shape.count += count
    cluster.lines += count
    cluster.numbers.again(count)
    if (this.#lexer.count > 0) this.#firstWords.again(count)
    for (let at = 0; at < this.#lexer.count; at++) this.#frequency[slotOf(this.#lexer.words[at]!)]! += count
    Object.assign(shape.last, { n, from, to: from + length })
    return true
  }

  #create(cluster: Cluster, buffer: Uint8Array, start: number, end: number, place: Place): Shape {
    const words = this.#lexer.words.slice(0, this.#lexer.count)
    const made = shapeOf(this.#tell(buffer, start, end), place, words, this.#before, cluster.skeleton, this.parts)
    let opened = false
    if (cluster.shapes.size > 0) {
      cluster.seen ??= Array.from(
        words,
        (_, at) => new Set([...cluster.shapes.values()].map((shape) => shape.words[at]!)),
      )
      for (const [at, seen] of cluster.seen.entries()) {
        if (cluster.open[at] === 1) continue
        seen.add(words[at]!)
        if (seen.size > VARIED) {
          this.#open(cluster, at)
          opened = true
        }
      }
    }
    if (opened) this.#merge(cluster)
    return this.#put(cluster, made)
  }

  /** Adds a shape to its cluster, or counts it to the one that is there. */
  #put(cluster: Cluster, made: Shape): Shape {
    const key = keyOf(cluster, made.words)
    const there = cluster.shapes.get(key)
    if (there !== undefined) {
      merge(there, made)
      return there
    }
    cluster.shapes.set(key, made)
    this.#shapes++
    cluster.last = undefined
    if (cluster.shapes.size > CROWD) {
      this.#openWidest(cluster)
      return cluster.shapes.get(keyOf(cluster, made.words)) ?? made
    }
    return made
  }

  #open(cluster: Cluster, at: number): void {
    cluster.open[at] = 1
    cluster.seen?.[at]?.clear()
  }

  #openWidest(cluster: Cluster): boolean {
    let widest = -1
    let most = 1
    for (const [at, { size }] of (cluster.seen ?? []).entries())
      if (cluster.open[at] === 0 && size > most) {
        widest = at
        most = size
      }
    if (widest < 0) return false
    this.#open(cluster, widest)
    this.#merge(cluster)
    return true
  }

  /** Puts shapes together that differed in what has become a variable. */
  #merge(cluster: Cluster): void {
    const old = [...cluster.shapes.values()]
    this.#shapes -= old.length
    cluster.shapes = new Map()
    cluster.last = undefined
    for (const shape of old) {
      const key = keyOf(cluster, shape.words)
      const there = cluster.shapes.get(key)
      if (there === undefined) {
        cluster.shapes.set(key, shape)
        this.#shapes++
      } else {
        merge(there, shape)
      }
    }
  }

  /** Where there are too many shapes: the most crowded cluster gets one variable more. */
  #makeRoom(): boolean {
    // Looking for room takes as long as there are clusters: where there was none, not before as many lines again.
    if (this.lines < this.#noRoomUntil) return false
    let crowded: Cluster | undefined
    for (const cluster of this.#clusters.values())
      if (cluster.shapes.size > Math.max(8, crowded?.shapes.size ?? 0)) crowded = cluster
    if (crowded !== undefined && this.#openWidest(crowded)) return true
    this.#noRoomUntil = this.lines * 2
    return false
  }

  /** Counts a line to those for which there was no room, apart where a word in it is kept apart. Few are looked at. */
  #overflow(buffer: Uint8Array, start: number, end: number, place: Place): boolean {
    const { words, count } = this.#lexer
    let loud = 0
    for (let at = 0; at < count && loud === 0; at++) if (isApart(words[at]!)) loud = 1
    const there = this.rest[loud]
    this.#before = undefined
    if (there === undefined) {
      this.rest[loud] = shapeOf(this.#tell(buffer, start, end), place, new Int32Array(0), undefined, 0, this.parts)
      return true
    }
    there.count++
    Object.assign(there.last, place)
    if (there.places.length < KEPT) there.places.push(place)
    if (there.count <= LOOKED_AT) {
      const told = this.#tell(buffer, start, end)
      if (told.voice.loud > there.voice.loud)
        Object.assign(there, { sample: told.text, best: place, voice: told.voice, garbled: told.garbled })
    }
    return true
  }

  /** The shape of a line, where it has one that was counted. */
  shapeOf(buffer: Uint8Array, start: number, end: number): Shape | undefined {
    if (!this.#lexer.read(buffer, start, end)) return undefined
    const cluster = this.#clusters.get(this.#lexer.skeleton)
    return cluster?.shapes.get(keyOf(cluster, this.#lexer.words))
  }

  /** Lines with a number that is unlike those in its place, or with a beginning unlike the others'. `last`: the number of the last line. */
  odd(last: number): readonly Odd[] {
    const numbers = [...this.#clusters.values()].flatMap((cluster) => cluster.numbers.odd(last))
    return oddest([...numbers, ...this.#firstWords.odd()])
  }

  /** All shapes in order of their first line, numbered in that order. */
  list(): readonly Shape[] {
    const all: Shape[] = []
    for (const { shapes, open, lines } of this.#clusters.values())
      for (const shape of shapes.values()) {
        shape.alike = lines
        shape.known = this.lines
        for (let at = 0; at < open.length; at++)
          if (open[at] === 0) shape.known = Math.min(shape.known, this.#frequency[slotOf(shape.words[at]!)]!)
        all.push(shape)
      }
    for (const shape of this.rest) if (shape !== undefined) all.push(shape)
    all.sort((a, b) => a.first.from - b.first.from)
    all.forEach((shape, at) => {
      shape.id = at + 1
    })
    return all
  }
}

const isApart = (word: number): boolean => SIEVE[word & 4095] === 1 && APART.has(word)

const slotOf = (word: number): number => (word ^ (word >>> 18)) & (SLOTS - 1)

/** The key of a line within its cluster: the words that are compared, and those that are kept apart wherever they are. */
function keyOf(cluster: Cluster, words: Int32Array): number {
  let key = 0
  const { open } = cluster
  for (let at = 0; at < open.length && at < WORDS; at++) {
    const word = words[at]!
    if (open[at] === 0 || isApart(word)) key = mix(key + at, word)
  }
  return key
}

function merge(into: Shape, other: Shape): void {
  const [early, late] = into.first.from <= other.first.from ? [into, other] : [other, into]
  const limit = early.voice.failure ? NAMED : KEPT
  into.places = [...into.places, ...other.places].sort((a, b) => a.from - b.from).slice(0, limit)
  if (other.last.from > into.last.from) Object.assign(into.last, other.last)
  const loudest = late.voice.loud > early.voice.loud ? late : early
  into.sample = loudest.sample
  into.best = loudest.best
  into.voice = loudest.voice
  into.before = early.before
  into.first = early.first
  into.count += other.count
  into.garbled = early.garbled
  other.into = into
}

function shapeOf(
  told: ReturnType<Tell>,
  place: Place,
  words: Int32Array,
  before: Shape | undefined,
  skeleton: number,
  part: boolean,
): Shape {
  const { text, voice, garbled } = told
  const alone = { id: 0, count: 1, first: place, last: { ...place }, best: place, places: [place], into: undefined }
  return { ...alone, sample: text, voice, garbled, before, words, alike: 1, known: 1, skeleton, part }
}

/** The shape that one was counted to in the end. */
export function settled(shape: Shape): Shape {
  let at = shape
  while (at.into !== undefined) at = at.into
  return at
}
