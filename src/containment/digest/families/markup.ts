/** Reads HTML and XML as they come: tags and pieces of text with their places. It holds one tag and one piece of text. */

export interface Tag {
  readonly name: string
  readonly is: 'open' | 'close' | 'empty'
  /** What is written between the name and the end, cut to `KEPT` bytes. */
  readonly attributes: string
  /** Where they begin; undefined where their bytes are not those of the text. */
  readonly attributesFrom: number | undefined
  readonly from: number
  readonly to: number
  readonly line: number
  /** The line in which it ends. */
  readonly last: number
}

/** Text between tags, as far as one line goes, without blanks at its ends. */
export interface Piece {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly line: number
}

export interface Watcher {
  tag(tag: Tag): void
  text(piece: Piece): void
}

/** Bytes of one tag and of one piece of text that are kept. */
const KEPT = 2000
/** Elements of HTML whose content is no markup. */
const RAW = new Set(['script', 'style'])

const LT = 0x3c
const GT = 0x3e

type State = 'text' | 'tag' | 'comment' | 'cdata' | 'raw'

export class Markup {
  readonly #watcher: Watcher
  readonly #html: boolean
  #state: State = 'text'
  #raw = ''
  #quote = 0
  readonly #held = Buffer.alloc(KEPT)
  #length = 0
  #from = 0
  #line = 0
  /** Behind the last byte of a piece of text that is no blank. */
  #to = 0
  #tail = ''
  tags = 0
  /** Bytes of tags, of text, and of scripts, styles and comments. */
  readonly bytes = { tag: 0, text: 0, raw: 0 }

  /** `html`: names in any case, and scripts and styles are no markup. */
  constructor(watcher: Watcher, html: boolean) {
    this.#watcher = watcher
    this.#html = html
  }

  /** Inside a tag, a comment or a script. */
  get open(): boolean {
    return this.#state !== 'text'
  }

  read(bytes: Uint8Array, at: number, line: number): void {
    for (let i = 0; i < bytes.length; i++) {
      const c = bytes[i]!
      if (this.#state === 'text') i = this.#inText(bytes, i, at, line)
      else if (this.#state === 'tag') this.#inTag(c, at + i, line)
      else this.#inRaw(c, at + i, line)
    }
  }

  /** The line is over. */
  endLine(): void {
    if (this.#state === 'text' || this.#state === 'cdata') this.#endText()
    else if (this.#state === 'tag') this.#keep(0x20)
    this.#tail = ''
  }

  /** Goes on in text; gives the index of the last byte that was read. */
  #inText(bytes: Uint8Array, start: number, at: number, line: number): number {
    const next = bytes.indexOf(LT, start)
    const end = next < 0 ? bytes.length : next
    let i = start
    if (this.#length === 0) {
      while (i < end && isBlank(bytes[i]!)) i++
      if (i < end) this.#begin(at + i, line)
    }
    if (i < end) {
      let last = end
      while (last > i && isBlank(bytes[last - 1]!)) last--
      if (last > i) this.#to = at + last
      this.bytes.text += end - i
      for (; i < end && this.#length < KEPT; i++) this.#held[this.#length++] = bytes[i]!
    }
    if (next < 0) return end - 1
    this.#endText()
    this.#state = 'tag'
    this.#begin(at + next, line)
    return next
  }

  #piece(c: number, at: number, line: number): void {
    const blank = isBlank(c)
    if (this.#length === 0) {
      if (blank) return
      this.#begin(at, line)
    }
    this.#keep(c)
    this.bytes.text++
    if (!blank) this.#to = at + 1
  }

  #begin(at: number, line: number): void {
    this.#length = 0
    this.#from = at
    this.#line = line
    this.#quote = 0
  }

  #keep(c: number): void {
    if (this.#length < KEPT) this.#held[this.#length++] = c
  }

  #endText(): void {
    if (this.#length > 0) {
      const text = this.#written(Math.min(this.#length, this.#to - this.#from))
      this.#watcher.text({ text, from: this.#from, to: this.#to, line: this.#line })
    }
    this.#length = 0
  }

  #inTag(c: number, at: number, line: number): void {
    this.bytes.tag++
    if (this.#quote !== 0) {
      if (c === this.#quote) this.#quote = 0
      this.#keep(c)
      return
    }
    if (c === GT) {
      this.#endTag(at + 1, line)
      return
    }
    // Quotes count behind a name; `<` that begins no tag is text.
    if ((c === 0x22 || c === 0x27) && this.#length > 0 && this.#held[this.#length - 1] === 0x3d) this.#quote = c
    if (this.#length === 0 && !isNameStart(c)) {
      this.#state = 'text'
      this.#piece(LT, at - 1, line)
      this.#piece(c, at, line)
      return
    }
    this.#keep(c)
    if (this.#length === 3 && this.#starts('!--')) this.#special('comment')
    else if (this.#length === 8 && this.#starts('![CDATA[')) this.#special('cdata')
  }

  #starts(text: string): boolean {
    return this.#held.toString('latin1', 0, text.length) === text
  }

  /** What is held, as text. */
  #written(length = this.#length): string {
    for (let i = 0; i < length; i++) if (this.#held[i]! >= 0x80) return this.#held.toString('utf8', 0, length)
    return this.#held.toString('latin1', 0, length)
  }

  #special(state: 'comment' | 'cdata'): void {
    this.#state = state
    this.#length = 0
    this.#tail = ''
  }

  #endTag(to: number, line: number): void {
    const written = this.#written()
    const start = written.startsWith('/') ? 1 : 0
    let end = start
    while (end < written.length && !' \t\r\n/'.includes(written[end]!)) end++
    const name = this.#html ? written.slice(start, end).toLowerCase() : written.slice(start, end)
    const rest = written.slice(end).trim()
    const skipped = written.length - written.slice(end).trimStart().length
    const attributesFrom = written.length === this.#length ? this.#from + 1 + skipped : undefined
    const empty = rest.endsWith('/')
    const is = start === 1 ? 'close' : empty ? 'empty' : 'open'
    this.#state = 'text'
    this.#length = 0
    if (name.startsWith('!') || name.startsWith('?')) return
    this.tags++
    this.#watcher.tag({
      name,
      is,
      attributes: empty ? rest.slice(0, -1).trim() : rest,
      attributesFrom,
      from: this.#from,
      to,
      line: this.#line,
      last: line,
    })
    if (this.#html && is === 'open' && RAW.has(name)) {
      this.#state = 'raw'
      this.#raw = `</${name}`
      this.#tail = ''
    }
  }

  /** Comments, character data and scripts: up to what ends them. */
  #inRaw(c: number, at: number, line: number): void {
    const end = this.#state === 'comment' ? '-->' : this.#state === 'cdata' ? ']]>' : this.#raw
    if (this.#state === 'cdata') this.#piece(c, at, line)
    else this.bytes.raw++
    this.#tail = (this.#tail + String.fromCharCode(c)).slice(-end.length)
    if (this.#tail.toLowerCase() !== end) return
    if (this.#state === 'cdata') {
      // Without the brackets, and the blanks in front of them.
      this.#to = Math.min(this.#to, at + 1 - end.length)
      this.#length = Math.max(0, Math.min(this.#length, this.#to - this.#from))
      while (this.#length > 0 && isBlank(this.#held[this.#length - 1]!)) {
        this.#length--
        this.#to--
      }
      this.#endText()
    }
    if (this.#state === 'raw') {
      this.#begin(at + 1 - end.length, line)
      for (const char of end.slice(1)) this.#keep(char.charCodeAt(0))
      this.#state = 'tag'
    } else this.#state = 'text'
    this.#tail = ''
  }
}

const isBlank = (c: number): boolean => c === 0x20 || c === 0x09 || c === 0x0d || c === 0x0a

const isNameStart = (c: number): boolean =>
  (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x2f || c === 0x21 || c === 0x3f || c === 0x5f

/** Expressions by the name of the attribute. */
const LIKE = new Map<string, RegExp>()

/** The value of an attribute; undefined where it is not there. */
export function attribute(attributes: string, name: string): string | undefined {
  let like = LIKE.get(name)
  if (like === undefined) {
    like = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'iu')
    LIKE.set(name, like)
  }
  const match = like.exec(attributes)
  return match === null ? undefined : (match[1] ?? match[2] ?? match[3])
}
