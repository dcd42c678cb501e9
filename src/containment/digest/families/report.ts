/** What the reader of a test runner or a compiler gathers: bounded, whatever the output is. */
import { byteLength } from '../../../core/utf8.ts'
import type { Fact, Item, ItemKind, Line, Probe, Reading, Span } from '../family.ts'

/** Failures whose names are held. The digest counts these; beyond them only their number is known. */
const FAILURES = 2000
/** Items of any other kind. */
const OTHERS = 200
/** Failures up to which their whole line is shown, with the message behind the name. */
const WHOLE = 8
/** Characters above which a line is a long one, and of a name that are held. */
const LONG = 4096
const NAME = 400
/** Lines that the message of one failure is shown with: of the first failure, and of those after it. */
const FIRST_MESSAGE = 8
const MESSAGE = 2

/** One failure's own report: where its message stands, and which line names the place in the tested code. */
export class Block {
  #said: { from: number; to: number } | undefined
  readonly #places: number[] = []
  /** The first line of the message, where one such line says all: of failures that say the same one is shown. */
  message: string | undefined

  /** A line of the message: the first lines that follow each other, a blank one between them at most. */
  say(n: number, message?: string): void {
    if (this.#said === undefined) this.again(n, message)
    else if (n <= this.#said.to + 2) this.#said.to = n
  }

  /** The message begins anew: what was said before led to it. */
  again(n: number, message?: string): void {
    this.#said = { from: n, to: n }
    this.message = message?.slice(0, 300)
  }

  /** A line that names a place in the code. The first and the last are kept. */
  at(n: number): void {
    if (this.#places.length < 2) this.#places.push(n)
    else this.#places[1] = n
  }

  /** The lines of the message. */
  get said(): { readonly from: number; readonly to: number } | undefined {
    return this.#said
  }

  /** The first and the last place, or fewer. */
  get places(): readonly number[] {
    return this.#places
  }
}

/** Where a failure is named: the line, and its bytes up to the end of the name where they are known. No text. */
export interface Mark {
  readonly n: number
  readonly bytes: { readonly from: number; readonly to: number } | undefined
}

/** Marks a line up to its character `end`. Bytes are unknown of a line with control sequences. */
export function markOf({ n, text, from, to }: Line, end = text.length): Mark {
  const plain = text.length <= LONG && byteLength(text) === to - from
  return { n, bytes: plain && end > 0 ? { from, to: from + byteLength(text.slice(0, end)) } : undefined }
}

/** A part of a line that is held for long, without the line. */
const kept = (part: string, { text }: Line): string => {
  const short = part.length > NAME ? part.slice(0, NAME) : part
  return text.length > LONG ? Buffer.from(short).toString() : short
}

interface Failure extends Mark {
  readonly more: number
  readonly weight: number
  readonly name: string
  readonly called: string | undefined
}

/** What a reader counts and finds. */
export class Report {
  /** Lines that the reader understood, and the others. */
  parsed = 0
  other = 0
  readonly #failures: Failure[] = []
  readonly #names = new Set<string>()
  readonly #items: Item[] = []
  readonly #counts = new Map<ItemKind, number>()
  readonly #facts: Fact[] = []
  readonly #often = new Map<string, { readonly n: number; times: number; readonly weight: number }>()
  readonly #messages = new Map<
    string,
    { readonly kind: ItemKind; readonly from: number; readonly to: number; times: number; readonly weight: number }
  >()
  #blocks = 0
  #verdict: Span | undefined

  /**
   * Names one failure: where, and what it is called. A failure that the output names twice counts once. `more`: lines
   * behind it that belong to the name. `weight`: above others. `called`: the name in another run, where `name` holds what only tells it apart in this one.
   */
  failure({ n, bytes }: Mark, name: string, more = 0, weight = 0, called?: string): void {
    if (this.#names.has(name)) return
    if (this.#failures.length >= FAILURES) {
      this.beyond++
      this.#beyondTo = Math.max(this.#beyondTo, n + more)
      return
    }
    this.#names.add(name)
    this.#failures.push({ n, more, weight, bytes: more > 0 || weight > 0 ? undefined : bytes, name, called })
  }

  /** Failures beyond those that are held. */
  beyond = 0
  /** The last line of them, as far as it is known. */
  #beyondTo = 0
  /** Whether there may be failures that the output does not show, for it was cut or the run was stopped. */
  partial = false
  /** Test runs that have a result. */
  ran = 0

  /** Counts failures that are not told apart; `to`: the line of the last. */
  more(count: number, to: number): void {
    this.beyond += count
    this.#beyondTo = Math.max(this.#beyondTo, to)
  }

  /** How many failures were named. */
  get failures(): number {
    return this.#failures.length + this.beyond
  }

  /** Whether a failure of this name was told before. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /**
   * A failure's own report. Of reports with one message the first stands for all. The first of all is the cause;
   * `weight` puts what stopped the run before it.
   */
  block(block: Block, weight = 0): void {
    const { said, places, message } = block
    if (said === undefined && places.length === 0) return
    const same = message === undefined ? undefined : this.#messages.get(message)
    if (same !== undefined) {
      same.times++
      return
    }
    const first = this.#blocks++ === 0 || weight > 0
    const kind = first ? 'cause' : 'detail'
    if (said !== undefined) {
      const most = first ? FIRST_MESSAGE : MESSAGE
      const to = Math.min(said.to, said.from + most - 1)
      if (message === undefined || this.#messages.size >= OTHERS)
        this.item(kind, said.from, to, weight + (first ? 2 : 0))
      else this.#messages.set(message, { kind, from: said.from, to, times: 1, weight: weight + (first ? 2 : 0) })
    }
    for (const n of first ? places : places.slice(-1)) this.item(kind, n, n, weight + (first ? 1 : 0))
  }

  /** Lines that may be shown; beyond a number of one kind they are not kept. */
  item(kind: ItemKind, from: number, to = from, weight = 0): void {
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    if (count <= OTHERS) this.#items.push({ kind, span: { from, to }, weight })
  }

  /** A message that comes often: one line stands for all that say the same. */
  often(key: string, n: number, weight = 0): void {
    const there = this.#often.get(key)
    if (there !== undefined) there.times++
    else if (this.#often.size < OTHERS) this.#often.set(key, { n, times: 1, weight })
  }

  /** The runner's last word; a later one takes its place. */
  verdict(from: number, to = from): void {
    this.#verdict = { from, to }
  }

  /** Whether the runner had its last word. */
  get ended(): boolean {
    return this.#verdict !== undefined
  }

  /** A sentence of the frame. */
  fact(fact: Fact): void {
    this.#facts.push(fact)
  }

  /** A sentence of the frame that says why failures may be missing. */
  partly(fact: Fact): void {
    this.partial = true
    this.fact(fact)
  }

  /** Ends the report. `failed`: what the output itself says. */
  reading(failed: boolean | undefined, ends: Reading['ends']): Reading {
    const items: Item[] = []
    if (this.#verdict !== undefined) items.push({ kind: 'verdict', span: this.#verdict, weight: 200 })
    const whole = this.#failures.length <= WHOLE
    for (const { n, more, weight, bytes, name, called } of this.#failures)
      items.push({
        kind: 'failure',
        span: { from: n, to: n + more },
        // What the shares leave goes to further names before it goes to further messages.
        weight: 100 + weight,
        name,
        ...(called === undefined ? {} : { called }),
        ...(whole || bytes === undefined ? {} : { bytes }),
      })
    for (const { kind, from, to, times, weight } of this.#messages.values())
      items.push({ kind, span: { from, to }, weight, ...(times > 1 ? { times } : {}) })
    for (const { n, times, weight } of this.#often.values())
      items.push({ kind: 'rare', span: { from: n, to: n }, weight, ...(times > 1 ? { times } : {}) })
    const facts = [...this.#facts]
    if (this.beyond > 0) facts.push(`${this.failures} failures in all, of which the first ${FAILURES} are told apart`)
    return {
      parsed: this.parsed,
      other: this.other,
      ...(failed === undefined ? {} : { failed }),
      ...(this.ran > 0 ? { ran: this.ran } : {}),
      ...(this.partial ? { partial: true } : {}),
      ...(this.beyond > 0 ? { beyond: { count: this.beyond, to: this.#beyondTo } } : {}),
      facts,
      items: [...items, ...this.#items],
      ...(ends === undefined ? {} : { ends }),
    }
  }
}

/** Failures that are told only where nothing better tells them: by the progress, or by headers. Marks, no lines. */
export class Spare {
  readonly #held: { readonly mark: Mark; readonly name: string }[] = []
  #beyond = 0
  #beyondTo = 0

  get size(): number {
    return this.#held.length
  }

  /** Holds one; of those beyond what a report holds only the number is. */
  add(line: Line, name: string): void {
    if (this.#held.length >= FAILURES) {
      this.#beyond++
      this.#beyondTo = line.n
    } else this.#held.push({ mark: markOf(line), name: kept(name, line) })
  }

  /** Names them all as failures; a failure that is known already counts once. */
  tell(report: Report): void {
    for (const { mark, name } of this.#held) report.failure(mark, name)
    const missing = this.#held.length + this.#beyond - report.failures
    if (this.#beyond > 0 && missing > 0) report.more(missing, this.#beyondTo)
  }
}

/** Whether a path is code that the tools brought, not the project's own. */
export const foreign = (path: string): boolean =>
  /(?:^|[\\/])(?:node_modules|site-packages|dist-packages|\.venv|\.cargo|\.rustup|rustc|vendor|gems)[\\/]|(?:^|[\\/])(?:usr|opt)[\\/](?:local[\\/])?(?:lib|share|go)|[\\/]lib[\\/]python\d|^(?:node|internal|java|jdk|sun|org\.junit|<frozen)\b|^<|^\/rustc\//u.test(
    path,
  )

/** Programs whose output quotes other outputs and files: what looks like a runner's line in it is none. */
const QUOTES = /^(?:[efz]?grep|rg|ag|ack|git|find|fd|ls|tree|diff|jq)$/u

/** Whether one of the first or last lines is like `like`, in an output that is not only a search or a listing. */
export const anyLine = (probe: Probe, like: RegExp): boolean =>
  !(probe.commands.length > 0 && probe.commands.every(({ program }) => QUOTES.test(program))) &&
  (probe.head.some(({ text }) => like.test(text)) || probe.tail.some(({ text }) => like.test(text)))

/** Whether a command is `program`, or hands its words to it: `npx jest`, `python3 -m pytest`, `bundle exec rspec`. */
export const calls = (probe: Probe, ...programs: readonly string[]): boolean =>
  probe.commands.some(
    ({ program, args }) =>
      programs.includes(program) ||
      args.slice(0, 3).some((arg) => programs.includes(arg.slice(arg.lastIndexOf('/') + 1))),
  )
