/**
 * Stack traces in any output: the cause at the end of the chain first, then what it led to, each with the nearest frame of
 * one's own code; frames of libraries are left out. Traces that are alike are counted as one.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading, Span } from '../family.ts'
import { Frames, type TraceLine } from './frames.ts'
import { counted, own } from './words.ts'

/** Kinds of traces that are told apart. */
const KINDS = 256
/** Exceptions of one chain that are held: from its beginning, and its end. */
const CHAIN = 64
/** Exceptions of a chain up to which all are shown. */
const MIDDLE = 6
/** Lines of a frame and its source, and of an exception's message. */
const LINES = 3

interface Raised {
  text: string
  span: Span | undefined
  /** The frame nearest to the place where it was raised; one's own where there is one. */
  frame: Span | undefined
  own: boolean
}

interface Trace {
  readonly python: boolean
  readonly chain: Raised[]
  /** Exceptions beyond those that are held. */
  further: number
}

interface Kind {
  count: number
  readonly first: Trace
}

class Stack implements Reader {
  readonly #frames = new Frames()
  readonly #kinds = new Map<string, Kind>()
  #trace: Trace | undefined
  #raised: Raised | undefined
  #frame: { span: Span; own: boolean } | undefined
  /** The line that lines of the kind `more` belong to. */
  #head: 'frame' | 'raised' | undefined
  /** A further exception of the chain was announced. */
  #chained = false
  #held: Line | undefined
  #count = { traces: 0, exceptions: 0, further: 0 }
  #parsed = 0
  #other = 0

  line(line: Line): void {
    const held = this.#held
    this.#held = line
    if (held === undefined) return
    const follows = line.n === held.n + 1
    this.#read(held, follows ? line.text : undefined)
    if (!follows) {
      this.#end()
      this.#frames.reset()
    }
  }

  #read(line: Line, next: string | undefined): void {
    const read = this.#frames.read(line.text, next)
    if (read === undefined) {
      this.#end()
      this.#other++
      return
    }
    this.#parsed++
    const { n } = line
    switch (read.is) {
      case 'begin':
        this.#begin(read, n)
        break
      case 'cause':
        this.#closeFrame()
        this.#chained = true
        if (read.text !== undefined) this.#raise(read.text, n)
        break
      case 'raised':
        this.#closeFrame()
        if (this.#raised !== undefined) {
          this.#raised.text = read.text
          this.#raised.span = { from: n, to: n }
        }
        this.#head = undefined
        break
      case 'frame':
        this.#closeFrame()
        this.#frame = { span: { from: n, to: n }, own: read.own }
        this.#head = 'frame'
        break
      case 'more':
        this.#more(n, read.library === true)
        break
      case 'word':
        this.#closeFrame()
        this.#head = undefined
    }
  }

  #begin({ text }: TraceLine & { is: 'begin' }, n: number): void {
    this.#closeFrame()
    const python = text === undefined
    // A further part of a chain in Python begins like a trace.
    const goesOn = python && this.#trace?.python === true && this.#raised?.span !== undefined && this.#chained
    if (!goesOn) {
      this.#end()
      this.#count.traces++
      this.#trace = { python, chain: [], further: 0 }
    }
    this.#chained = false
    this.#raise(text ?? '', python ? undefined : n)
  }

  #raise(text: string, n: number | undefined): void {
    const trace = this.#trace
    if (trace === undefined) return
    this.#count.exceptions++
    this.#raised = { text, span: n === undefined ? undefined : { from: n, to: n }, frame: undefined, own: false }
    if (trace.chain.length >= CHAIN) {
      // The newest takes the place of the one before it: both ends of a chain matter.
      trace.chain.pop()
      trace.further++
    }
    trace.chain.push(this.#raised)
    this.#head = 'raised'
  }

  #more(n: number, library: boolean): void {
    if (this.#head === 'frame' && this.#frame !== undefined) {
      if (library) this.#frame = { ...this.#frame, own: false }
      const { span } = this.#frame
      if (n - span.from < LINES) this.#frame = { ...this.#frame, span: { from: span.from, to: n } }
    } else if (this.#head === 'raised' && this.#raised?.span !== undefined) {
      const { span } = this.#raised
      if (n === span.to + 1 && n - span.from < LINES) this.#raised.span = { from: span.from, to: n }
    }
  }

  /** Takes the frame that is over as the nearest one, where it is. */
  #closeFrame(): void {
    const frame = this.#frame
    this.#frame = undefined
    const raised = this.#raised
    if (frame === undefined || raised === undefined) return
    // In Python the nearest frame is the last one, elsewhere the first.
    const nearer = this.#trace?.python === true || raised.frame === undefined
    if (frame.own ? nearer || !raised.own : nearer && !raised.own) {
      raised.frame = frame.span
      raised.own = frame.own
    }
  }

  /** The trace is over. */
  #end(): void {
    this.#closeFrame()
    const trace = this.#trace
    this.#trace = undefined
    this.#raised = undefined
    this.#head = undefined
    if (trace === undefined) return
    const key = trace.chain
      .map(({ text }) => kindOf(text))
      .join('\n')
      .slice(0, 2000)
    const there = this.#kinds.get(key)
    if (there !== undefined) there.count++
    else if (this.#kinds.size < KINDS) {
      // The lines are held by number, not by text.
      for (const raised of trace.chain) raised.text = ''
      this.#kinds.set(own(key), { count: 1, first: trace })
    } else this.#count.further++
  }

  end(): Reading | undefined {
    if (this.#held !== undefined) this.#read(this.#held, undefined)
    this.#end()
    const { traces, exceptions, further } = this.#count
    if (traces === 0) return undefined
    const kinds = [...this.#kinds.values()]
    const facts: Fact[] = [
      counted(traces, 'stack trace') +
        (traces > kinds.length ? ` of ${further > 0 ? 'more than ' : ''}${counted(kinds.length, 'kind')}` : '') +
        (exceptions > traces ? `, ${exceptions} exceptions in their chains` : ''),
    ]
    const items: Item[] = []
    kinds.forEach((kind, at) => items.push(...itemsOf(kind, kinds.length - at)))
    return { parsed: this.#parsed, other: this.#other, facts, items }
  }
}

/** An exception without what differs each time: numbers and addresses. */
const kindOf = (text: string): string => text.slice(0, 300).replace(/0x[0-9a-f]+|\d+/giu, '0')

/** Cause first, then the outermost exception, then what lies between them. */
function itemsOf({ count, first }: Kind, weight: number): Item[] {
  const chain = first.chain.filter(({ span }) => span !== undefined)
  if (chain.length === 0) return []
  const outward = first.python ? chain : [...chain].reverse()
  const items: Item[] = []
  outward.forEach((raised, at) => {
    const root = at === 0
    const outermost = at === outward.length - 1
    // Of a long chain what lies in the middle says little.
    if (!root && !outermost && outward.length > MIDDLE) return
    const kind = root ? 'cause' : outermost ? 'verdict' : 'detail'
    const base = root ? 100 + Math.min(weight, 50) : outermost ? 50 : 10
    // How often stands beside the cause alone: the rest comes with it.
    const often = root && count > 1 ? { times: count } : {}
    items.push({ kind, span: raised.span!, weight: base, ...often })
    if (raised.frame !== undefined && (root || outermost))
      items.push({ kind: root ? 'cause' : 'detail', span: raised.frame, weight: base - 1 })
  })
  return items
}

const SIGN = [
  /^[\s|+]*(?:Exception Group )?Traceback \(most recent call last\):/u,
  /^\s+at \S.*(?:\(|:\d+)/u,
  /^Exception in thread "/u,
  /^panic: |^goroutine \d+ \[/u,
  /^thread '[^']*'(?: \(\d+\))? panicked at /u,
  /^\s+File "[^"]*", line \d+, in /u,
]

export const stack: Family = {
  id: 'stack',
  detect: ({ head, tail }: Probe) =>
    [...head, ...tail].some(({ text }) => SIGN.some((sign) => sign.test(text.slice(0, 300)))),
  reader: () => new Stack(),
}
