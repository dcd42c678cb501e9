/** A place in a run of tokens, with the looking ahead that readers of loose grammars need. */
import type { Token } from './lexer.ts'

const OPEN: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const CLOSE = new Set([')', ']', '}'])

const known = new WeakMap<readonly Token[], readonly number[]>()

/** For each opening bracket the index of the closing one; kinds are not compared, as in a text that is half written. */
function matches(tokens: readonly Token[]): readonly number[] {
  let found = known.get(tokens)
  if (found === undefined) {
    const pairs: number[] = new Array(tokens.length).fill(tokens.length)
    const open: number[] = []
    tokens.forEach((token, i) => {
      if (token.t !== 'punct') return
      if (token.text in OPEN) open.push(i)
      else if (CLOSE.has(token.text)) {
        const start = open.pop()
        if (start !== undefined) pairs[start] = i
      }
    })
    found = pairs
    known.set(tokens, found)
  }
  return found
}

const ends = new WeakMap<readonly Token[], readonly number[]>()

/** For each token the next newline that is outside brackets that open behind it. */
function lines(tokens: readonly Token[]): readonly number[] {
  let found = ends.get(tokens)
  if (found === undefined) {
    const pairs = matches(tokens)
    const next: number[] = new Array(tokens.length + 1).fill(tokens.length)
    for (let i = tokens.length - 1; i >= 0; i--) {
      const token = tokens[i]!
      const opens = token.t === 'punct' && token.text in OPEN
      next[i] = token.t === 'newline' ? i : next[opens ? Math.min(pairs[i]! + 1, tokens.length) : i + 1]!
    }
    found = next
    ends.set(tokens, found)
  }
  return found
}

/** How far ahead a mark is looked for: a head of a loop or function is no longer. */
const FAR = 2_000

export class Cursor {
  readonly tokens: readonly Token[]
  at = 0
  end: number
  /** Brackets that are open: newlines within are blanks. */
  nest = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
    this.end = tokens.length
  }

  /** The next token; newlines are passed over within brackets. */
  peek(): Token | undefined {
    if (this.nest > 0) while (this.at < this.end && this.tokens[this.at]!.t === 'newline') this.at++
    return this.at < this.end ? this.tokens[this.at] : undefined
  }

  /** The token `ahead` places behind the next one, newlines counted. */
  after(ahead: number): Token | undefined {
    const i = this.at + ahead
    return i < this.end ? this.tokens[i] : undefined
  }

  is(text: string): boolean {
    const token = this.peek()
    return token !== undefined && token.text === text && (token.t === 'punct' || token.t === 'name')
  }

  isOne(texts: readonly string[]): boolean {
    const token = this.peek()
    return token !== undefined && (token.t === 'punct' || token.t === 'name') && texts.includes(token.text)
  }

  take(text: string): boolean {
    if (!this.is(text)) return false
    this.at++
    return true
  }

  next(): Token | undefined {
    const token = this.peek()
    if (token) this.at++
    return token
  }

  /** The index of the bracket that closes the one at `from`; the end where it is missing. */
  closing(from: number): number {
    return Math.min(matches(this.tokens)[from] ?? this.end, this.end)
  }

  /** The index of the next newline that is outside brackets, from `from`. */
  lineEnd(from: number): number {
    return Math.min(lines(this.tokens)[from] ?? this.end, this.end)
  }

  /** The index of a token with this text on the level of `from`, before `to`; -1 where there is none. */
  find(text: string, from: number, to: number): number {
    let depth = 0
    for (let i = from; i < Math.min(to, from + FAR); i++) {
      const token = this.tokens[i]!
      if (depth === 0 && token.text === text && (token.t === 'name' || token.t === 'punct')) return i
      if (token.t !== 'punct') continue
      if (token.text in OPEN) depth++
      else if (CLOSE.has(token.text)) depth--
    }
    return -1
  }

  /** The end of the block by indentation that begins behind the colon at `from`: first line that is not deeper. */
  indentEnd(from: number, indent: number): number {
    const line = this.lineEnd(from)
    // `def f(): return 1` on one line.
    if (this.tokens.slice(from, line).some((token) => token.t !== 'newline')) return line
    let i = line
    while (i < this.end) {
      let next = i
      while (this.tokens[next + 1]?.t === 'newline') next++
      const newline = this.tokens[next]
      if (newline === undefined || next + 1 >= this.end) return this.end
      if ((newline.indent ?? 0) <= indent) return i
      i = this.lineEnd(next + 1)
    }
    return this.end
  }

  /** The column of the line that a token stands on. */
  columnOf(index: number): number {
    for (let i = index - 1; i >= 0; i--) if (this.tokens[i]!.t === 'newline') return this.tokens[i]!.indent ?? 0
    return 0
  }
}
