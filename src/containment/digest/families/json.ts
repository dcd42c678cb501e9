/**
 * JSON documents. Arrays are counted and addressed; shown are values beside them, one whole element, and the elements with
 * a value or a field that few have: each a whole value, never cut. A document that ends in the middle is said to.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { Blocks, BOUND } from './blocks.ts'
import { type At, oddRecords } from './census.ts'
import { type Group, JsonOutline } from './json-outline.ts'
import { JsonScan } from './json-scan.ts'
import { once } from './jsonl.ts'
import { counted } from './words.ts'

/** Bytes of an element that is shown whole. */
const WHOLE = 700
/** Bytes of a line up to which it is shown as it is. */
const WIDE = 300
/** Lines of other text in front of the document and behind it. */
const AROUND = 12
/** Elements from which an array is worth a fact. */
const MANY = 5

/** A pointer that may stand in a line of ours: it is made of names that the output chose. */
const isPlain = (pointer: string): boolean => /^[\w~./@:+$-]{0,120}$/u.test(pointer)

class Document implements Reader {
  readonly #blocks: Blocks
  readonly #outline = new JsonOutline()
  readonly #scan = new JsonScan(this.#outline)
  readonly #around: number[] = []
  /** Lines that are too long to be shown whole. */
  readonly #wide = new Set<number>()
  #begun = false
  #parsed = 0
  #other = 0
  #last = 0
  /** The rest was not read. */
  #stopped = false
  #unread = 0
  /** Where reading of a line that is too long ended. */
  #bound: number | undefined

  constructor(probe: Probe) {
    this.#blocks = new Blocks(probe.bytes)
  }

  line(line: Line): void {
    const { text, n } = line
    // Lines are missing: what comes now does not follow what came.
    if (this.#last !== 0 && n !== this.#last + 1) this.#stopped = true
    this.#last = n
    if (this.#stopped || (!this.#scan.open && !/^\s*[[{]/u.test(text))) {
      if (text.trim() === '') this.#parsed++
      else {
        this.#other++
        if (this.#stopped) this.#unread++
        else if (this.#around.length < AROUND) this.#around.push(n)
      }
      return
    }
    this.#begun = true
    this.#parsed++
    if (line.to - line.from > WIDE && this.#wide.size < 100_000) this.#wide.add(n)
    const to = Math.min(line.to, line.from + BOUND)
    for (const { bytes, at } of this.#blocks.parts(line.from, to)) this.#scan.read(bytes, at, n)
    if (to === line.to) this.#scan.endLine(to)
    else {
      this.#stopped = true
      this.#bound = to
    }
  }

  end(): Reading | undefined {
    const outline = this.#outline
    const { documents } = this.#scan
    if (!this.#begun || this.#scan.wrong || outline.values === 0) return undefined
    if (this.#other - this.#unread > AROUND || (documents === 0 && !this.#scan.open)) return undefined
    const groups = [...outline.groups.values()].sort(
      (a, b) => Number(a.inner) - Number(b.inner) || b.elements - a.elements,
    )
    const facts: Fact[] = []
    if (this.#stopped) facts.push('only the beginning of the JSON document was read: counts are of that')
    else if (this.#scan.open) facts.push('the JSON document ends in the middle: counts are of what came')
    // A pointer leads into one document that fills the whole output.
    const pointed = documents === 1 && !this.#scan.open && this.#other === 0
    for (const group of groups.filter(({ elements }) => elements >= MANY).slice(0, 6)) {
      const text = counted(group.elements, 'element') + (group.arrays > 1 ? ` in ${group.arrays} arrays` : '')
      facts.push(
        pointed && !group.inner && group.arrays === 1 && isPlain(group.pointer) && group.pointer !== ''
          ? { text, at: { by: 'pointer', pointer: group.pointer } }
          : text,
      )
    }
    for (const group of pointed ? groups : []) {
      const [odd] = group.inner || group.arrays > 1 || !isPlain(group.pointer) ? [] : oddRecords(group.census.odd(8), 1)
      if (odd?.at.index !== undefined)
        facts.push({
          text: 'an element unlike the others',
          at: { by: 'pointer', pointer: `${group.pointer}/${odd.at.index}` },
        })
    }
    for (const { pointer, members } of outline.objects.slice(0, 4)) {
      const text = counted(members, 'member')
      facts.push(pointed && pointer !== '' && isPlain(pointer) ? { text, at: { by: 'pointer', pointer } } : text)
    }
    if (documents > 1) facts.unshift(counted(documents, 'JSON document'))
    return {
      parsed: this.#parsed,
      other: this.#other,
      facts: facts.length > 0 ? facts : [counted(outline.values, 'value')],
      items: once(this.#items(documents > 1 ? [outline.roots, ...groups] : groups)),
      ends: { head: 6, tail: 1 },
      ...(this.#bound === undefined ? {} : { unread: this.#bound }),
    }
  }

  #items(groups: readonly Group[]): Item[] {
    const items: Item[] = this.#around.map((n) => ({ kind: 'cause', span: { from: n, to: n }, weight: 5 }))
    // In a list with names the values of its members are many of a kind.
    const levels = this.#outline.objects.some(({ pointer }) => pointer === '') ? 1 : 2
    for (const { at, depth, value } of this.#outline.beside)
      if (depth <= levels && value.to - value.from <= WHOLE)
        items.push({ kind: 'total', ...this.#part(at), weight: 4 - depth })
    for (const group of groups) {
      const odd = group.census.odd(24)
      const share = group.inner ? 2 : 0
      for (const { column, value, weight } of odd) {
        // The field itself, where it stands; its whole element below, where that is not large.
        const cell = value.cells[0] ?? value.at
        // In a line without end a small element says it all.
        const element = value.at.bytes
        const small = element !== undefined && element.to - element.from <= WIDE && this.#wide.has(value.at.span.from)
        if (column !== '' && cell.bytes !== undefined && !(small && !group.inner))
          items.push({ kind: 'rare', ...this.#part(cell), weight: weight + 1 - share })
      }
      for (const { at, weight } of oddRecords(odd, 12)) {
        const { from, to } = at.bytes!
        if (!group.inner && to - from <= WHOLE)
          items.push({ kind: 'rare', ...this.#part(at), weight: weight - 4 - share })
      }
      const first = group.first
      if (!group.inner && first?.bytes !== undefined && first.bytes.to - first.bytes.from <= WHOLE)
        items.push({ kind: 'example', ...this.#part(first), weight: 1 })
    }
    return items
  }

  /** Whole lines, but of a long line only the part. */
  #part({ span, bytes }: At): Pick<Item, 'span' | 'bytes'> {
    return bytes !== undefined && this.#wide.has(span.from) ? { span, bytes } : { span }
  }
}

export const json: Family = {
  id: 'json',
  detect: (probe: Probe) => {
    const first = probe.head.findIndex(({ text }) => /^\s*[[{]/u.test(text))
    if (first < 0 || first > AROUND) return false
    const text = probe.head[first]!.text.trim()
    // The first line of a document: nothing but JSON can follow a brace like this.
    return /^(?:\{|\[)\s*$|^\{\s*"(?:[^"\\]|\\.)*"\s*:|^\[\s*(?:[{["\d]|-\d|true|false|null)|^\[\]|^\{\}/u.test(text)
  },
  reader: (probe: Probe) => new Document(probe),
}
