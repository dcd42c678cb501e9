/**
 * Reads what search programs print, line by line: which file a match is in, and which lines are only context. A path and
 * what follows it are told apart by the lines beside them, since both may contain colons, dashes and numbers.
 */
import { own } from './words.ts'

export type GrepForm =
  /** `path:12:text`, and `path-12-text` around it. */
  | 'numbered'
  /** `12:text`: one file, which is not named. */
  | 'bare'
  /** `path:text`. */
  | 'flat'
  /** A line with the path, then its matches. */
  | 'heading'
  /** `path:12`: how many matches. */
  | 'count'
  /** Matches alone, or the only file's number of matches. */
  | 'text'

export type GrepLine =
  /** `path` undefined: the file is not named. `at`: where the match's own text begins. */
  | { readonly is: 'match'; readonly path: string | undefined; readonly at: number }
  | { readonly is: 'count'; readonly path: string; readonly count: number }
  | { readonly is: 'path'; readonly path: string }
  | { readonly is: 'context' }
  | { readonly is: 'separator' }
  /** What the program says on its own account. `trouble`: something could not be searched. */
  | { readonly is: 'word'; readonly trouble: boolean }

const WORD =
  /^(?:(?:grep|[ef]grep|rg|ag|ack|zgrep|fatal|error|warning|ERR): .+|Binary file .+ matches\.?|.+: binary file matches(?: \(.*\))?|No files were searched.*)$/u
const BINARY = /binary file matches|^Binary file /iu

/** Words of a search program about a file. */
export const isWord = (text: string): boolean => WORD.test(text)

/** A line of this form as `[separator, number, end of the prefix]`, from `from` on; undefined where there is none. */
function* prefixes(
  text: string,
  from: number,
  marks: string,
): Generator<{ path: string; n: number; at: number; match: boolean }> {
  const last = Math.min(text.length, 600)
  for (let i = from; i < last; i++) {
    const mark = text[i]!
    if (!marks.includes(mark) || i === 0) continue
    let end = i + 1
    while (end < text.length && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++
    if (end > i + 1 && end - i <= 10 && text[end] === mark)
      yield { path: text.slice(0, i), n: Number(text.slice(i + 1, end)), at: end + 1, match: mark === ':' }
  }
}

export class GrepLines {
  readonly #form: GrepForm
  readonly #context: boolean
  readonly #known = new Set<string>()
  #path: string | undefined
  #n = 0
  #fresh = true

  constructor(form: GrepForm, context: boolean) {
    this.#form = form
    this.#context = context
  }

  /** Forgets what came before: lines are missing. */
  reset(): void {
    this.#path = undefined
    this.#fresh = true
  }

  /** `next`: the line behind it, where there is one. Undefined: not a line of this form. */
  read(text: string, next: string | undefined): GrepLine | undefined {
    if (WORD.test(text)) return { is: 'word', trouble: !BINARY.test(text) }
    switch (this.#form) {
      case 'numbered':
        return this.#numbered(text, next)
      case 'bare': {
        const prefix = /^(\d+)([:-])/u.exec(text)
        if (text === '--') return { is: 'separator' }
        if (prefix === null) return undefined
        return prefix[2] === ':' ? { is: 'match', path: undefined, at: prefix[0].length } : { is: 'context' }
      }
      case 'flat': {
        const known = this.#path !== undefined && text.startsWith(`${this.#path}:`)
        const end = known ? this.#path!.length : text.indexOf(':')
        if (end <= 0 || end > 400) return undefined
        this.#path = text.slice(0, end)
        return { is: 'match', path: this.#path, at: end + 1 }
      }
      case 'heading':
        return this.#heading(text)
      case 'count': {
        const match = /^(.+):(\d+)$/u.exec(text)
        return match === null ? undefined : { is: 'count', path: match[1]!, count: Number(match[2]) }
      }
      case 'text':
        return text === '--' ? { is: 'separator' } : { is: 'match', path: undefined, at: 0 }
    }
  }

  #heading(text: string): GrepLine | undefined {
    if (text === '') {
      this.#fresh = true
      return { is: 'separator' }
    }
    if (text === '--') return { is: 'separator' }
    if (this.#fresh) {
      this.#fresh = false
      this.#path = text
      return { is: 'path', path: text }
    }
    const prefix = /^(\d+)([:-])/u.exec(text)
    if (prefix === null) return undefined
    return prefix[2] === ':' ? { is: 'match', path: this.#path, at: prefix[0].length } : { is: 'context' }
  }

  #numbered(text: string, next: string | undefined): GrepLine | undefined {
    if (text === '--') {
      this.#path = undefined
      return { is: 'separator' }
    }
    const marks = this.#context ? ':-' : ':'
    const path = this.#path
    if (path !== undefined && text.startsWith(path)) {
      const [here] = prefixes(text, path.length, marks)
      if (here !== undefined && here.path === path && here.n >= this.#n) return this.#take(here)
    }
    const all = [...prefixes(text, 0, marks)]
    if (all.length === 0) return undefined
    return this.#take(all.length === 1 ? all[0]! : this.#choose(all, next))
  }

  #choose(
    all: readonly { path: string; n: number; at: number; match: boolean }[],
    next: string | undefined,
  ): { path: string; n: number; at: number; match: boolean } {
    if (next !== undefined) {
      const follows = all.find(({ path, n }) => {
        if (!next.startsWith(path)) return false
        const [there] = prefixes(next, path.length, this.#context ? ':-' : ':')
        return there !== undefined && there.path === path && (this.#context ? there.n === n + 1 : there.n > n)
      })
      if (follows !== undefined) return follows
    }
    // A group of one line is a match: context stands beside one.
    return all.find(({ path }) => this.#known.has(path)) ?? all.find(({ match }) => match) ?? all[0]!
  }

  #take({ path, n, at, match }: { path: string; n: number; at: number; match: boolean }): GrepLine {
    this.#path = path
    this.#n = n
    if (match && this.#known.size < 4096 && !this.#known.has(path)) this.#known.add(own(path))
    return match ? { is: 'match', path, at } : { is: 'context' }
  }
}
