/**
 * Errors and warnings of compilers and linters. Every error is a failure; the first of each kind is shown before the
 * rest, the seldom kinds first, since one message that differs is more often the cause than the tenth of its like.
 */
import type { Line } from '../family.ts'
import { type Mark, markOf, type Report } from './report.ts'
import { counted } from './words.ts'

type Severity = 'error' | 'warning' | 'note'

export interface Diagnostic {
  readonly severity: Severity
  /** Undefined where it is about no file. */
  readonly file: string | undefined
  /** What the tool calls this kind of error; undefined where it has no name for it. */
  readonly code: string | undefined
  readonly message: string
  /** Up to which character of the line place and kind go. */
  readonly end: number
  /** The line that names the file, where it stands above its errors. */
  readonly above?: number
}

interface Kind {
  count: number
  readonly first: Mark
  readonly name: string
  more: number
  readonly above: number | undefined
}

/** An error of a kind that was told before. */
interface Rest {
  mark: Mark
  readonly name: string
}

/** Kinds of errors that are told apart, and messages within one of them. */
const KINDS = 200
const MESSAGES = 12
/** Errors that are held one by one. */
const ERRORS = 2000
/** Files that are told apart. */
const FILES = 4096
/** Lines of the first error that are shown. */
const CAUSE = 10
/** Errors of a kind up to which it is a seldom one. */
const SELDOM = 3
/** Continuation lines of an error. */
const MORE = 2

export class Diagnostics {
  readonly #report: Report
  readonly #kinds = new Map<string, Map<string, Kind>>()
  readonly #rest: Rest[] = []
  readonly #errorFiles = new Set<string>()
  readonly #warningFiles = new Set<string>()
  #open: { kind: Kind | undefined; rest: Rest | undefined; first: boolean; line: number; last: number } | undefined
  #cause: { from: number; to: number } | undefined
  /** Errors that are only counted. */
  #unheld = 0
  #unheldTo = 0
  /** All of them, also those that are not held. */
  errors = 0
  warnings = 0

  constructor(report: Report) {
    this.#report = report
  }

  /** An error or a warning that begins at this line. Notes belong to what stands before them. */
  add(line: Line, { severity, file, code, message, end, above }: Diagnostic): void {
    this.close()
    if (severity === 'note') return
    const masked = `${code ?? ''} ${message
      .slice(0, 300)
      .replace(/(['"`‘“]).*?['"`’”]/gu, '$1')
      .replace(/\d+/gu, '0')}`
    if (severity === 'warning') {
      this.warnings++
      if (file !== undefined && this.#warningFiles.size < FILES) this.#warningFiles.add(file)
      this.#report.often(`warning ${code ?? masked}`, line.n, 2)
      this.#open = { kind: undefined, rest: undefined, first: false, line: line.n, last: line.n }
      return
    }
    this.errors++
    if (file !== undefined && this.#errorFiles.size < FILES) this.#errorFiles.add(file)
    const kind = this.#kind(masked, message, line, end, above)
    const rest =
      kind === undefined && this.#rest.length < ERRORS
        ? { mark: markOf(line, end), name: nameOf(line, end, message) }
        : undefined
    if (rest !== undefined) this.#rest.push(rest)
    else if (kind === undefined) {
      this.#unheld++
      this.#unheldTo = line.n
    }
    const first = this.errors === 1
    if (first) this.#cause = { from: line.n, to: line.n }
    this.#open = { kind, rest, first, line: line.n, last: line.n }
  }

  /** The kind of which this error is the first; undefined for those that follow. */
  #kind(masked: string, message: string, line: Line, end: number, above: number | undefined): Kind | undefined {
    let messages = this.#kinds.get(masked)
    if (messages === undefined) {
      if (this.#kinds.size >= KINDS) return undefined
      messages = new Map()
      this.#kinds.set(masked, messages)
    }
    const key = messages.size < MESSAGES || messages.has(message) ? message : ''
    const there = messages.get(key)
    if (there !== undefined) {
      there.count++
      return undefined
    }
    const kind = { count: 1, first: markOf(line), name: nameOf(line, end, message), more: 0, above }
    messages.set(key, kind)
    return kind
  }

  /** A line that belongs to the error before it: its place, its source text, a hint. */
  goesOn(n: number): void {
    const open = this.#open
    if (open === undefined || n !== open.last + 1) return
    open.last = n
    if (open.first && n < open.line + CAUSE) this.#cause!.to = n
    if (open.kind !== undefined && n <= open.line + MORE) open.kind.more = n - open.line
  }

  /** The line that names the place of an error whose kind was told before: the place is what is new about it. */
  placed(line: Line): void {
    const open = this.#open
    if (open !== undefined && line.n === open.last + 1 && open.rest !== undefined) {
      open.rest.mark = markOf(line)
    }
    this.goesOn(line.n)
  }

  /** Whether a line may belong to an error. */
  get open(): boolean {
    return this.#open !== undefined
  }

  /** What follows belongs to no error. */
  close(): void {
    this.#open = undefined
  }

  /** Puts all that was found into the report. `more`: lines behind an error's first that belong to its name. */
  end(more = 0): void {
    const report = this.#report
    if (this.#cause !== undefined) report.item('cause', this.#cause.from, this.#cause.to, 10)
    for (const messages of this.#kinds.values()) {
      const all = [...messages.values()]
      const seldom = all.reduce((sum, { count }) => sum + count, 0) <= SELDOM
      for (const { first, name, count, more: behind, above } of all) {
        const weight = (seldom ? 100 : 90) - Math.min(80, count)
        report.failure(first, name, Math.min(more, behind), weight)
        if (above !== undefined) report.item('cause', above, above, seldom ? 9 : 0)
      }
    }
    for (const { mark, name } of this.#rest) report.failure(mark, `${name} ${mark.n}`, 0, 0, name)
    if (this.#unheld > 0) report.more(this.#unheld, this.#unheldTo)
    const said: string[] = []
    const inFiles = (files: ReadonlySet<string>) =>
      files.size === 0 ? '' : ` in ${files.size < FILES ? '' : 'more than '}${counted(files.size, 'file')}`
    if (this.errors > 0) said.push(counted(this.errors, 'error') + inFiles(this.#errorFiles))
    if (this.warnings > 0) said.push(counted(this.warnings, 'warning') + inFiles(this.#warningFiles))
    if (this.errors + this.warnings > 1) report.fact(said.join(', '))
  }
}

/** A copy, so that no name keeps its line. */
const nameOf = ({ text }: Line, end: number, message: string): string =>
  Buffer.from(`${text.slice(0, end)} ${message}`.slice(0, 400)).toString()
