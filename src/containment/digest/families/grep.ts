/**
 * Searches: grep, ripgrep, ag, ack and `git grep`. Files are named with the number of their matches; every number is
 * counted from lines that were told apart, or nothing is said.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { gitVerb, hasOption, isAlone } from './commands.ts'
import { type GrepForm, GrepLines, isWord } from './grep-lines.ts'
import { type Named, named, naming, PLACES } from './names.ts'
import { Rarity } from './rarity.ts'
import { LAST, Rest } from './rest.ts'
import { counted, own } from './words.ts'

const PROGRAMS = new Set(['grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'ag', 'ack'])
/** Files that are told apart. */
const FILES = 4096

interface File {
  count: number
  /** The first lines that name it. */
  readonly at: Named[]
  /** Its last line so far, context included. */
  last: number
  /** Lines of other files stand between its own. */
  split: boolean
}

class Search implements Reader {
  readonly #form: GrepForm
  readonly #lines: GrepLines
  readonly #files = new Map<string, File>()
  /** The file of the last match. */
  #current: File | undefined
  readonly #rare = new Rarity()
  readonly #rest = new Rest()
  /** Lines of context. */
  readonly #beside = new Rest()
  readonly #words: Item[] = []
  #held: Line | undefined
  #count = { matches: 0, context: 0, words: 0, empty: 0, further: 0 }
  #parsed = 0
  #other = 0
  #firsts: number[] = []

  constructor(form: GrepForm, context: boolean) {
    this.#form = form
    this.#lines = new GrepLines(form, context)
  }

  line(line: Line): void {
    const held = this.#held
    this.#held = line
    if (held === undefined) return
    const follows = line.n === held.n + 1
    this.#read(held, follows ? line.text : undefined)
    if (!follows) this.#lines.reset()
  }

  #read(line: Line, next: string | undefined): void {
    const read = this.#lines.read(line.text, next)
    if (read === undefined) {
      this.#other++
      if (this.#other <= 16) this.#words.push({ kind: 'rare', span: { from: line.n, to: line.n }, weight: 9 })
      return
    }
    this.#parsed++
    const count = this.#count
    if (read.is === 'match') {
      count.matches++
      if (read.path !== undefined) this.#file(read.path, line, 1)
      this.#rare.add(line.text.slice(read.at), line)
      this.#rest.add(line)
      if (this.#current !== undefined) this.#current.last = line.n
      if (this.#firsts.length < 6) this.#firsts.push(line.n)
    } else if (read.is === 'path') this.#file(read.path, line, 0)
    else if (read.is === 'count') {
      count.matches += read.count
      if (read.count === 0) count.empty++
      else this.#file(read.path, line, read.count)
    } else if (read.is === 'context') {
      count.context++
      this.#beside.add(line)
    } else if (read.is === 'word') {
      count.words++
      if (count.words <= 64)
        this.#words.push({ kind: read.trouble ? 'cause' : 'rare', span: { from: line.n, to: line.n }, weight: 9 })
    }
  }

  #file(path: string, line: Line, matches: number): void {
    const file = this.#files.get(path)
    if (file !== undefined) {
      file.count += matches
      if (file !== this.#current) file.split = true
      this.#current = file
      file.last = line.n
      if (file.at.length < PLACES) file.at.push(named(line, 0, path))
      return
    }
    if (this.#files.size >= FILES) {
      this.#count.further++
      return
    }
    this.#current = { count: matches, at: [named(line, 0, path)], last: line.n, split: false }
    this.#files.set(own(path), this.#current)
  }

  end(): Reading | undefined {
    if (this.#held !== undefined) this.#read(this.#held, undefined)
    this.#held = undefined
    const { matches, context, empty, words, further } = this.#count
    if (this.#parsed - words === 0 || this.#other > this.#parsed / 50) return undefined
    const where =
      this.#files.size > 0 ? ` in ${further > 0 ? 'more than ' : ''}${counted(this.#files.size, 'file')}` : ''
    const facts: Fact[] = [counted(matches, 'match', 'matches') + where]
    if (context > 0) facts.push(`${counted(context, 'line')} of context around them`)
    if (empty > 0) facts.push(`${counted(empty, 'file')} without a match`)
    const items = [...this.#words]
    const files = [...this.#files.values()].filter(({ count }) => count > 0)
    const alone = ({ count, at }: File) =>
      this.#form === 'count' || (count === 1 && this.#form !== 'heading' && at[0]!.short)
    for (const { count, at } of files.filter(alone))
      items.push({ kind: 'rare', span: { from: at[0]!.n, to: at[0]!.n }, weight: count })
    const rare = this.#rare.rare(12)
    const whole = new Set(rare.map(({ place }) => place.n))
    const large = this.#large(files, matches)
    for (const file of large) {
      const [name] = naming([file], whole).items
      if (name === undefined) continue
      const { times, ...row } = name
      items.push({ kind: 'rare', ...row })
      whole.add(row.span.from)
      facts.push({
        text: `${times ?? file.count} matches in the file of line ${row.span.from}`,
        at: { by: 'lines', from: file.at[0]!.n, to: file.last },
      })
    }
    const names = naming(
      files.filter((file) => !alone(file) && !large.includes(file)),
      whole,
    )
    for (const name of names.items) items.push({ kind: 'rare', ...name })
    const examples = [
      ...rare.map(({ place, weight }) => ({ n: place.n, weight })),
      ...this.#firsts.map((n) => ({ n, weight: 0 })),
    ]
    for (const { n, weight } of examples)
      if (!names.lines.has(n) && !large.some(({ at }) => at.some((place) => place.n === n)))
        items.push({ kind: 'example', span: { from: n, to: n }, weight })
    const shown = new Set(items.map(({ span }) => span.from))
    items.push(...this.#rest.items(shown), ...this.#beside.items(shown, 2 * LAST))
    return { parsed: this.#parsed, other: this.#other, facts, items, ends: { head: 0, tail: 0 } }
  }

  /** Files with many of the matches, whose lines stand together: each gets an address of its own. */
  #large(files: readonly File[], matches: number): readonly File[] {
    if (this.#form === 'count') return []
    return files
      .filter(({ count, split }) => !split && count >= 20 && count >= matches / 10)
      .sort((a, b) => b.count - a.count || a.at[0]!.n - b.at[0]!.n)
      .slice(0, 3)
      .sort((a, b) => a.at[0]!.n - b.at[0]!.n)
  }
}

interface Asked {
  readonly form?: GrepForm
  readonly context: boolean
}

/** What the command says about the form of its output; undefined: it is no search, or its answer is a plain list. */
function asked(probe: Probe): Asked | undefined {
  const command = probe.commands.find((it) => PROGRAMS.has(it.program) || gitVerb(it) === 'grep')
  if (command === undefined || !isAlone(probe, command)) return undefined
  const args = command.args
  if (hasOption(command, 'l', '--files-with-matches', '--files', '--name-only', '--json')) return undefined
  if (hasOption(command, 'L', '--files-without-match') && command.program !== 'rg') return undefined
  const context =
    hasOption(command, '', '--context', '--after-context', '--before-context') ||
    args.some((arg) => /^-[A-Za-z]*[ABC]\d*$/u.test(arg) || /^-\d+$/u.test(arg))
  if (hasOption(command, 'c', '--count', '--count-matches')) return { form: 'count', context }
  if (hasOption(command, '', '--heading', '--group')) return { form: 'heading', context }
  return { context }
}

/** The form of the lines, told from the first of them. */
function formOf(probe: Probe, command: Asked | undefined): GrepForm | undefined {
  const lines = probe.head.map(({ text }) => text.slice(0, 500)).filter((text) => text !== '--' && !isWord(text))
  const count = (like: RegExp) => lines.filter((text) => like.test(text)).length
  const most = (like: RegExp) => lines.length > 0 && count(like) >= lines.length * 0.9
  if (lines.length === 0) return undefined
  if (command?.form !== undefined) return command.form
  if (most(/^\d+[:-]/u)) return 'bare'
  if (lines.includes('') && most(/^\d+[:-]|^$|^[^\s\d]\S*$/u) && count(/^\d+[:-]/u) > 0) return 'heading'
  if (most(command?.context === true ? /^[^\s].*?([:-])\d+\1/u : /^[^\s:][^:]*:\d+:/u)) return 'numbered'
  // Without numbers a line of context cannot be told from a match.
  if (command === undefined || command.context) return undefined
  return most(/^[^\s:][^:]*[./][^:]*:/u) ? 'flat' : undefined
}

/** Whether a command searches, or has another one do it. */
const searches = (command: Probe['commands'][number]): boolean =>
  PROGRAMS.has(command.program) ||
  gitVerb(command) === 'grep' ||
  (/^(?:xargs|parallel|find)$/u.test(command.program) && command.args.some((arg) => PROGRAMS.has(arg)))

/** Compilers and linters name places the same way. */
const DIAGNOSTIC = /:\d+:\d+:? |: (?:error|warning|note|fatal error)[: [(]/u

export const grep: Family = {
  id: 'grep',
  detect: (probe: Probe) => {
    const command = asked(probe)
    if (command !== undefined) return formOf(probe, command) !== undefined
    if (probe.commands.length > 0 && !probe.commands.some(searches)) return false
    return formOf(probe, undefined) === 'numbered' && !probe.head.some(({ text }) => DIAGNOSTIC.test(text))
  },
  reader: (probe: Probe) => {
    const command = asked(probe)
    const context = command?.context ?? probe.head.some(({ text }) => text === '--')
    return new Search(formOf(probe, command) ?? 'text', context)
  },
}
