/**
 * HTML pages. Tags, scripts and styles are left out; shown are the title, headings, and pieces of text that are unlike the
 * others, each with its place in the bytes, since a page is often a single line.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { Blocks, BOUND } from './blocks.ts'
import { attribute, Markup, type Piece, type Tag, type Watcher } from './markup.ts'
import { Rarity } from './rarity.ts'
import { counted } from './words.ts'

/** Headings and warnings that are shown. */
const HEADINGS = 24
const ALERTS = 12
/** Bytes of a line that is shown whole. */
const SHORT = 240
/** Bytes of a piece of text. */
const PIECE = 400

const ALERT =
  /(?:^|[\s_-])(?:error|alert|danger|warning|exception|flash|message|notice|traceback|fail\w*)(?:$|[\s_-])/iu
/** The same words anywhere: asked first, of every tag. */
const LOUD = /error|alert|danger|warning|exception|flash|message|notice|traceback|fail/iu
/** Elements that never have an end tag. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/u

class Page implements Watcher {
  readonly rare = new Rarity(true)
  readonly items: Item[] = []
  /** Bytes of the line that is read: a short one is shown whole. */
  width = 0
  pieces = 0
  links = 0
  #headings = 0
  #alerts = 0
  #in = ''
  /** Elements that are open in one that warns. */
  #alert = 0

  tag({ name, is, attributes }: Tag): void {
    if (is === 'open' && /^(?:title|h[1-6])$/u.test(name)) this.#in = name
    else if (is === 'close' && name === this.#in) this.#in = ''
    if (name === 'a' && is === 'open') this.links++
    if (this.#alert > 0) {
      if (is === 'open' && !VOID.test(name)) this.#alert++
      else if (is === 'close') this.#alert--
    } else if (is === 'open' && LOUD.test(attributes) && !VOID.test(name)) {
      const words = `${attribute(attributes, 'id') ?? ''} ${attribute(attributes, 'class') ?? ''} ${attribute(attributes, 'role') ?? ''}`
      if (ALERT.test(words) && name !== 'body' && name !== 'html') this.#alert = 1
    }
  }

  text({ text, from, to, line }: Piece): void {
    this.pieces++
    const span = { from: line, to: line }
    const part = this.width > SHORT ? { bytes: { from, to: Math.min(to, from + PIECE) } } : {}
    if (this.#in !== '') {
      this.#headings++
      if (this.#headings <= HEADINGS)
        this.items.push({ kind: 'total', span, ...part, weight: this.#in === 'title' ? 9 : 9 - Number(this.#in[1]) })
    } else if (this.#alert > 0) {
      this.#alerts++
      if (this.#alerts <= ALERTS) this.items.push({ kind: 'cause', span, ...part, weight: 9 })
    }
    this.rare.add(text, { n: line, from, to })
  }
}

class Html implements Reader {
  readonly #blocks: Blocks
  readonly #page = new Page()
  readonly #markup = new Markup(this.#page, true)
  #begun = false
  #cut = false
  #unread: number | undefined
  #parsed = 0
  #other = 0
  readonly #before: number[] = []
  /** Lines that are too long to be shown whole. */
  readonly #wide = new Set<number>()

  constructor(probe: Probe) {
    this.#blocks = new Blocks(probe.bytes)
  }

  line({ text, n, from, to }: Line): void {
    // Headers of the answer may come first.
    if (!this.#begun && !/^\s*</u.test(text)) {
      this.#other++
      if (this.#before.length < 40) this.#before.push(n)
      return
    }
    this.#begun = true
    this.#parsed++
    this.#page.width = to - from
    if (to - from > SHORT && this.#wide.size < 100_000) this.#wide.add(n)
    if (to - from > BOUND) {
      this.#cut = true
      this.#unread ??= from + BOUND
    }
    for (const { bytes, at } of this.#blocks.parts(from, Math.min(to, from + BOUND))) this.#markup.read(bytes, at, n)
    this.#markup.endLine()
  }

  end(): Reading | undefined {
    const { pieces, links, items, rare } = this.#page
    const { tags, bytes } = this.#markup
    if (tags < 4 || this.#other > 40 || this.#other > this.#parsed + 12) return undefined
    const facts: Fact[] = [
      `HTML: ${counted(pieces, 'piece')} of text, ${counted(bytes.text, 'byte')}; ${counted(tags, 'tag')}, ${counted(links, 'link')}` +
        (bytes.raw > 0 ? `, ${counted(bytes.raw, 'byte')} of scripts, styles and comments` : ''),
    ]
    if (this.#cut) facts.push(`of a longer line only the first ${BOUND} bytes were read`)
    const shown = [...items]
    for (const [at, n] of this.#before.entries())
      shown.push({ kind: at === 0 ? 'verdict' : 'rare', span: { from: n, to: n }, weight: at === 0 ? 9 : 1 })
    const [alert] = shown.filter((item) => item.kind === 'cause' && item.bytes !== undefined)
    const rarest = rare.rare(1)[0]?.place
    const part = alert?.bytes ?? (rarest !== undefined && this.#wide.has(rarest.n) ? rarest : undefined)
    if (part !== undefined)
      facts.push({ text: 'text unlike the rest', at: { by: 'bytes', from: part.from, to: part.to - 1 } })
    const told = new Set(shown.map((item) => item.bytes?.from ?? -item.span.from))
    for (const { place, weight } of rare.rare(24)) {
      const { n, from, to } = place
      if (told.has(from) || told.has(-n)) continue
      const part = this.#wide.has(n) ? { bytes: { from, to: Math.min(to, from + PIECE) } } : {}
      shown.push({ kind: 'rare', span: { from: n, to: n }, ...part, weight })
    }
    const unread = this.#unread === undefined ? {} : { unread: this.#unread }
    return { parsed: this.#parsed, other: this.#other, facts, items: shown, ends: { head: 0, tail: 0 }, ...unread }
  }
}

export const html: Family = {
  id: 'html',
  detect: (probe: Probe) => {
    const first = probe.head.find(({ text }) => /^\s*</u.test(text))
    if (first === undefined) return false
    return /^\s*<(?:!doctype html|html[\s>]|head[\s>]|body[\s>])/iu.test(first.text)
  },
  reader: (probe: Probe) => new Html(probe),
}
