/**
 * JUnit's XML report, as many runners write it. Test cases are counted one by one; each that failed is named by its own
 * tag, with the beginning of its message.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { Blocks, BOUND } from './blocks.ts'
import { attribute, Markup, type Piece, type Tag, type Watcher } from './markup.ts'
import { counted } from './words.ts'

/** Failures that are named. */
const NAMED = 512
/** Failures whose messages are shown. */
const WHOLE = 8
/** Lines of a message. */
const MESSAGE = 6
/** Bytes of a tag that is shown. */
const TAG = 400

const SUITES = new Set(['testsuites', 'testsuite'])
const BAD: Readonly<Record<string, 'failed' | 'error' | 'skipped'>> = {
  failure: 'failed',
  error: 'error',
  skipped: 'skipped',
}

class Cases implements Watcher {
  readonly items: Item[] = []
  readonly count = { tests: 0, failed: 0, error: 0, skipped: 0, suites: 0 }
  root: string | undefined
  /** The root is closed. */
  closed = false
  #case: Tag | undefined
  #outcome: 'failed' | 'error' | 'skipped' | undefined
  #message = 0
  #inside = ''
  #named = 0

  tag(tag: Tag): void {
    const { name, is } = tag
    this.root ??= name
    if (name === this.root && is !== 'open') this.closed = true
    if (name === 'testsuite' && is !== 'close') this.count.suites++
    if (name === 'testcase') {
      if (is === 'close') this.#end()
      else {
        this.#end()
        this.count.tests++
        this.#case = tag
        this.#outcome = undefined
        if (is === 'empty') this.#case = undefined
      }
      return
    }
    if (is === 'close') {
      if (name === this.#inside) this.#inside = ''
      return
    }
    const bad = BAD[name]
    if (bad === undefined || this.#case === undefined) return
    if (is === 'open') this.#inside = name
    if (this.#outcome !== undefined) return
    this.#outcome = bad
    this.count[bad]++
    if (bad === 'skipped' || this.count.failed + this.count.error > NAMED) return
    this.#name(this.#case)
    // Of many failures the names matter more than all their messages.
    if (this.#named > WHOLE) return
    this.#show(tag)
    this.#message = MESSAGE
  }

  #name(tag: Tag): void {
    const of = attribute(tag.attributes, 'classname')
    const name = attribute(tag.attributes, 'name') ?? ''
    this.#named++
    this.items.push({
      kind: 'failure',
      span: { from: tag.line, to: tag.last },
      ...slice(tag, NAMES),
      name: of === undefined ? name : `${of}.${name}`,
    })
  }

  #show(tag: Tag): void {
    this.items.push({ kind: 'detail', span: { from: tag.line, to: tag.last }, ...slice(tag, WORDS), weight: 2 })
  }

  text({ line, from, to }: Piece): void {
    if (this.#inside === '' || this.#message === 0) return
    this.#message--
    this.items.push({ kind: 'detail', span: { from: line, to: line }, bytes: { from, to } })
  }

  #end(): void {
    this.#case = undefined
    this.#message = 0
    this.#inside = ''
  }
}

/** The attributes that name a test, where they stand side by side, and the one that says what went wrong. */
const NAMES = /(?:\bclassname="[^"]*"\s+)?\bname="[^"]*"/u
const WORDS = /\bmessage="[^"]+"/u

/** A part of a tag's attributes; the tag where it has no such part. */
function slice(tag: Tag, part: RegExp): { bytes?: { from: number; to: number } } {
  const match = part.exec(tag.attributes)
  if (match === null || tag.attributesFrom === undefined || tag.line !== tag.last) return partOf(tag)
  const from = tag.attributesFrom + match.index
  return { bytes: { from, to: from + Math.min(match[0].length, TAG) } }
}

/** A tag that stands in one line, as that part of it. */
const partOf = ({ from, to, line, last }: Tag) =>
  line === last ? { bytes: { from, to: Math.min(to, from + TAG) } } : {}

class JUnit implements Reader {
  readonly #blocks: Blocks
  readonly #cases = new Cases()
  readonly #markup = new Markup(this.#cases, false)
  #parsed = 0
  #other = 0
  #begun = false
  readonly #around: number[] = []
  #last = 0
  #broken = false

  constructor(probe: Probe) {
    this.#blocks = new Blocks(probe.bytes)
  }

  line({ text, n, from, to }: Line): void {
    if ((this.#last !== 0 && n !== this.#last + 1) || to - from > BOUND) this.#broken = true
    this.#last = n
    if (!this.#begun && !/^\s*<(?:\?xml|testsuites?\b|!--)/u.test(text)) {
      this.#other++
      if (this.#around.length < 16) this.#around.push(n)
      return
    }
    this.#begun = true
    this.#parsed++
    if (this.#broken) return
    for (const { bytes, at } of this.#blocks.parts(from, to)) this.#markup.read(bytes, at, n)
    this.#markup.endLine()
  }

  end(): Reading | undefined {
    const { count, items, root, closed } = this.#cases
    if (root === undefined || !SUITES.has(root) || this.#broken || (closed && this.#markup.open)) return undefined
    const { tests, failed, error, skipped, suites } = count
    if (tests === 0) return undefined
    const told = [
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(error > 0 ? [counted(error, 'error')] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ]
    const facts: Fact[] = [
      `${counted(tests, 'test')}${suites > 1 ? ` in ${counted(suites, 'suite')}` : ''}: ${told.length > 0 ? told.join(', ') : 'none failed'}`,
    ]
    if (!closed) facts.push('the report ends within an element: it is not complete')
    return {
      parsed: this.#parsed,
      other: this.#other,
      ...(closed || failed + error > 0 ? { failed: failed + error > 0 } : {}),
      ...(closed ? {} : { partial: true }),
      facts,
      items: [...items, ...this.#around.map((n): Item => ({ kind: 'rare', span: { from: n, to: n }, weight: 5 }))],
      ends: { head: 1, tail: 1 },
    }
  }
}

export const junit: Family = {
  id: 'junit',
  detect: (probe: Probe) => {
    const start = new TextDecoder().decode(probe.bytes.read(0, 4096))
    return /<testsuites?[\s>]/u.test(start)
  },
  reader: (probe: Probe) => new JUnit(probe),
}
