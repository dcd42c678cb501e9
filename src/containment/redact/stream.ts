/** Masks secrets in bytes that come in pieces: captures that are written masked (`store.seal`), and what is passed on. */
import { openAtEnd } from './blocks.ts'
import { marker, secretsIn } from './redact.ts'

/** Bytes looked at in one go; below it nothing is handed on before the end. */
const PIECE = 64 * 1024
/** Bytes held back for a line, a private key or a token that goes on; beyond them it is cut where words end. */
const MOST_HELD = 1024 * 1024

/** Lines of the body of a key. */
const BODY = /^[ \t]*[A-Za-z0-9+/=]{16,}[ \t]*\r?\n$/
const SHORT = /^[ \t]*[A-Za-z0-9+/=]{1,15}[ \t]*\r?\n$/

/** Of a line that was handed on, no more is looked at. */
const MOST_LINE = 4096

/**
 * Takes the bytes of one stream in pieces and gives them back with their secrets masked. However the stream is cut into
 * pieces, the result is the same, as long as no line and no key is longer than what is held back. Bytes that are no text
 * stay as they are.
 */
export class StreamMask {
  /** Values masked so far, and their kinds. */
  masked = 0
  readonly names = new Set<string>()
  private readonly key: Uint8Array | string
  /** Not handed on yet, one character a byte. */
  private held = ''
  /** Bytes held from which on it is worth looking for a place to cut. */
  private enough = PIECE
  /** The line before it, which was handed on: it decides whether a line is one of encoded data. */
  private before = ''

  /** `key`: the user's own, as for `mask`. */
  constructor(key: Uint8Array | string) {
    this.key = key
  }

  /** What can be handed on after `chunk`; empty where more is needed. */
  push(chunk: Uint8Array): Uint8Array {
    this.held += latin1(chunk)
    if (this.held.length < this.enough) return new Uint8Array()
    const cut = this.cut()
    // What goes on is looked at again when there is a good deal more of it, not at every byte.
    this.enough = cut === 0 ? this.held.length + PIECE : PIECE
    return cut === 0 ? new Uint8Array() : this.release(cut)
  }

  /** The lines that are whole and belong to no key that goes on, also where few bytes are held. */
  lines(): Uint8Array {
    const cut = this.outside(this.held.lastIndexOf('\n') + 1)
    return cut === 0 ? new Uint8Array() : this.release(cut)
  }

  /** What is left at the end of the stream. */
  end(): Uint8Array {
    return this.release(this.held.length)
  }

  /** Where the held text may be cut: behind a line whose next line is here, and outside every secret. 0: nowhere yet. */
  private cut(): number {
    const { held } = this
    const last = held.lastIndexOf('\n')
    const cut = this.outside(last <= 0 ? 0 : held.lastIndexOf('\n', last - 1) + 1)
    if (cut > 0 || held.length < MOST_HELD) return cut
    // A line without an end: cut at the last place where no token stands.
    const word = /[^A-Za-z0-9+/_=.:@-][A-Za-z0-9+/_=.:@-]{0,8192}$/.exec(held)
    return word === null ? held.length - 1 : word.index + 1
  }

  /** `end`, or where the private key begins that it would cut. */
  private outside(end: number): number {
    const open = end === 0 ? undefined : openAtEnd(this.held.slice(0, this.held.lastIndexOf('\n') + 1))
    return this.beforeBody(open !== undefined && open < end ? this.held.lastIndexOf('\n', open) + 1 : end)
  }

  /** Before the lines in front of `cut` that may be the body of a key whose last line has not come yet. */
  private beforeBody(cut: number): number {
    let at = cut
    // The last line of a body may be short.
    const short = this.lineBefore(cut)
    if (SHORT.test(short) && BODY.test(this.lineBefore(cut - short.length))) at -= short.length
    while (at > 0) {
      const line = this.lineBefore(at)
      if (!BODY.test(line)) break
      at -= line.length
    }
    return at > 0 || this.held.length < MOST_HELD ? at : cut
  }

  /** The line of which `at` is the end, with its line end. */
  private lineBefore(at: number): string {
    return at === 0 ? '' : this.held.slice(this.held.lastIndexOf('\n', at - 2) + 1, at)
  }

  private release(cut: number): Uint8Array {
    const whole = this.before + this.held
    const from = this.before.length
    let end = from + cut
    const out: string[] = []
    let at = from
    for (const secret of secretsIn(whole)) {
      if (secret.to <= from) continue
      if (secret.from >= end) break
      out.push(
        whole.slice(at, Math.max(at, secret.from)),
        marker(secret.name, utf8(whole.slice(secret.from, secret.to)), this.key),
      )
      at = secret.to
      end = Math.max(end, at)
      this.masked++
      this.names.add(secret.name)
    }
    out.push(whole.slice(at, end))
    this.held = whole.slice(end)
    this.before = lastLine(whole.slice(0, end))
    return bytes(out.join(''))
  }
}

const buffer = (all: Uint8Array): Buffer => Buffer.from(all.buffer, all.byteOffset, all.length)

/** One character a byte: forms of secrets are ASCII, and what is no text survives. */
const latin1 = (all: Uint8Array): string => buffer(all).toString('latin1')
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')
/** A secret as text has it, so that its mask is the same as in what is shown. */
const utf8 = (text: string): string => Buffer.from(text, 'latin1').toString('utf8')

const lastLine = (text: string): string => {
  const end = text.endsWith('\n') ? text.length - 1 : text.length
  return text.slice(text.lastIndexOf('\n', end - 1) + 1).slice(-MOST_LINE)
}
