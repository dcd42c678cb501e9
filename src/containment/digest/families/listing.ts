/**
 * Listings: find, fd, `rg --files`, `git ls-files`, `grep -l`, ls, tree, du. Entries are counted by folder; names that are
 * unlike the others and the largest files are shown by their own lines, with the folder that they stand under.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import type { Place } from '../lines.ts'
import { Census, oddRecords } from './census.ts'
import { gitVerb, hasOption, isAlone } from './commands.ts'
import { type ListingForm, ListingLines } from './listing-lines.ts'
import { type Named, named, naming, PLACES } from './names.ts'
import { Rarity } from './rarity.ts'
import { Rest } from './rest.ts'
import { counted, own } from './words.ts'

/** Levels of folders that entries are counted by, and folders of one level. */
const LEVELS = 6
const FOLDERS = 2048
/** Folders that are named. */
const NAMED = 16
/** Places of sections and of levels of a tree are held for so many rare names. */
const HELD = 4096

interface Folder {
  count: number
  /** The first lines that name it. */
  readonly at: Named[]
}

interface Largest {
  readonly place: Place
  readonly size: number
}

class Listing implements Reader {
  readonly #lines: ListingLines
  readonly #form: ListingForm
  readonly #rare = new Rarity()
  readonly #rest = new Rest()
  readonly #levels: (Map<string, Folder> | undefined)[] = Array.from({ length: LEVELS }, () => new Map())
  readonly #trouble: Item[] = []
  readonly #totals: number[] = []
  /** First line of each section, and of a tree the lines above an entry. */
  readonly #sections: number[] = []
  readonly #above = new Map<number, readonly number[]>()
  #branch: number[] = []
  #largest: Largest[] = []
  /** Modes that few entries have: programs that run as somebody else, folders that anyone may write. */
  readonly #modes = new Census()
  #count = { entries: 0, file: 0, folder: 0, link: 0, other: 0, size: 0, sections: 0, trouble: 0, columns: 0 }
  /** Sizes are written with units: their sum would be no count. */
  #rounded = false
  #parsed = 0
  #other = 0
  #firsts: number[] = []

  constructor(form: ListingForm) {
    this.#form = form
    this.#lines = new ListingLines(form)
  }

  line(line: Line): void {
    const read = this.#lines.read(line.text)
    const { n } = line
    if (read === undefined) {
      this.#other++
      return
    }
    this.#parsed++
    const count = this.#count
    if (read.is === 'total') {
      this.#totals.push(n)
      if (this.#totals.length > 64) this.#totals.splice(1, 1)
    } else if (read.is === 'trouble') {
      count.trouble++
      if (count.trouble <= 64) this.#trouble.push({ kind: 'cause', span: { from: n, to: n }, weight: 9 })
    } else if (read.is === 'section') {
      count.sections++
      this.#branch = [n]
      if (this.#sections.length < HELD) this.#sections.push(n)
    } else if (read.is === 'entry') {
      // Of `ls -a`: neither is an entry of its own.
      if (this.#form === 'long' && (read.name === '.' || read.name === '..')) return
      count.entries++
      if (this.#form === 'names' && /\S(?: {2,}|\t)\S/u.test(read.name)) count.columns++
      if (read.kind !== undefined) count[read.kind]++
      if (read.size !== undefined) this.#size(read.kind, read.size, line)
      if (this.#form === 'paths' || this.#form === 'sizes') this.#folders(read.name, read.at, line)
      const slash = this.#form === 'tree' ? -1 : read.name.replace(/\/$/u, '').lastIndexOf('/')
      this.#rare.add(slash < 0 ? read.name : read.name.slice(slash + 1), line)
      if (read.mode !== undefined) this.#modes.add([{ column: '', text: read.mode }], { span: { from: n, to: n } })
      this.#rest.add(line)
      if (this.#form === 'tree') this.#tree(read.depth, line)
      if (this.#firsts.length < 4) this.#firsts.push(n)
    }
  }

  #size(kind: string | undefined, size: number, { n, text, from, to }: Line): void {
    if (size === 0 || (kind !== undefined && kind !== 'file')) return
    this.#count.size += size
    if (!Number.isInteger(size) || (size >= 1024 && size % 1024 === 0)) this.#rounded ||= /\d[KMGTP]\s/u.test(text)
    const least = this.#largest.at(-1)
    if (this.#largest.length >= 3 && least !== undefined && size <= least.size) return
    this.#largest.push({ place: { n, from, to }, size })
    this.#largest.sort((a, b) => b.size - a.size || a.place.n - b.place.n)
    this.#largest.length = Math.min(3, this.#largest.length)
  }

  #tree(depth: number, { n }: Line): void {
    this.#branch.length = Math.min(this.#branch.length, depth)
    if (this.#above.size < HELD) this.#above.set(n, [...this.#branch])
    this.#branch.push(n)
  }

  /** Counts a path to each of the folders that it lies in. */
  #folders(name: string, at: number, line: Line): void {
    let slash = name.startsWith('/') ? name.indexOf('/', 1) : name.indexOf('/')
    for (let level = 0; level < LEVELS && slash > 0; level++, slash = name.indexOf('/', slash + 1)) {
      const folders = this.#levels[level]
      if (folders === undefined || slash === name.length - 1) continue
      const folder = name.slice(0, slash + 1)
      const there = folders.get(folder)
      if (there !== undefined) {
        there.count++
        if (there.at.length < PLACES) there.at.push(named(line, at, folder))
      } else if (folders.size >= FOLDERS) this.#levels[level] = undefined
      else folders.set(own(folder), { count: 1, at: [named(line, at, folder)] })
    }
  }

  end(): Reading | undefined {
    const { entries, file, folder, link, size, sections } = this.#count
    // Names in columns cannot be told apart.
    if (this.#form === 'names' && this.#count.columns > entries / 20) return undefined
    if (entries < 2 || this.#other > this.#parsed / 50) return undefined
    const kinds = [
      ...(file > 0 ? [counted(file, 'file')] : []),
      ...(folder > 0 ? [counted(folder, 'folder')] : []),
      ...(link > 0 ? [counted(link, 'link')] : []),
    ]
    const facts: Fact[] = [
      counted(entries, 'entry', 'entries') +
        (sections > 1 ? ` in ${counted(sections, 'section')}` : '') +
        (kinds.length > 0 ? `: ${kinds.join(', ')}` : ''),
    ]
    if (this.#form === 'long' && size > 0 && !this.#rounded) facts.push(`${size} bytes in files`)
    const items: Item[] = [...this.#trouble]
    if (this.#form === 'tree' || this.#form === 'sizes')
      for (const n of this.#totals.slice(-1)) items.push({ kind: 'verdict', span: { from: n, to: n } })
    const shown: Item[] = []
    for (const { place, weight } of this.#rare.rare(16)) shown.push(...this.#with(place.n, weight))
    for (const { at, weight } of oddRecords(this.#modes.odd(8), 6)) shown.push(...this.#with(at.span.from, weight))
    this.#largest.forEach(({ place }, at) => shown.push(...this.#with(place.n, at === 0 ? 30 : 6)))
    const names = naming(this.#named(), new Set(shown.map(({ span }) => span.from)))
    for (const name of names.items) items.push({ kind: 'total', ...name })
    for (const n of this.#firsts) shown.push({ kind: 'example', span: { from: n, to: n } })
    items.push(...shown.filter(({ span }) => !names.lines.has(span.from)))
    items.push(...this.#rest.items(new Set(items.map(({ span }) => span.from))))
    return { parsed: this.#parsed, other: this.#other, facts, items, ends: { head: 1, tail: 1 } }
  }

  /** An entry's line, and those of the folders that it stands under. */
  #with(n: number, weight: number): Item[] {
    const section = this.#form === 'tree' ? undefined : this.#sections.findLast((from) => from < n)
    const above = this.#above.get(n) ?? (section === undefined ? [] : [section])
    return [...above, n].map((line): Item => ({ kind: 'rare', span: { from: line, to: line }, weight }))
  }

  /** The folders of the deepest level that can be named; else of the first level that branches those with most entries. */
  #named(): readonly Folder[] {
    let best: readonly Folder[] = []
    for (const level of this.#levels) {
      if (level === undefined) break
      const folders = [...level.values()]
      if (folders.length > NAMED) {
        if (best.length <= 1)
          best = folders.sort((a, b) => b.count - a.count || a.at[0]!.n - b.at[0]!.n).slice(0, NAMED)
        break
      }
      if (folders.length > best.length) best = folders
    }
    return best.length > 1 ? best : []
  }
}

/** The form in which a command lists; undefined: it lists nothing, or in a form of its own. */
function formOf(command: Probe['commands'][number]): ListingForm | undefined {
  const { program, args } = command
  if (program === 'tree') return 'tree'
  if (program === 'du') return 'sizes'
  if (program === 'find' || program === 'fd' || program === 'fdfind') {
    if (args.includes('-ls') || hasOption(command, '', '--list-details')) return 'long'
    return args.some((arg) => /^-(?:printf|fprintf|exec|execdir|delete|ok|print0)$/u.test(arg)) ? undefined : 'paths'
  }
  if (program === 'ls') return hasOption(command, 'l', '--format=long') || hasOption(command, 'o') ? 'long' : 'names'
  if (program === 'rg' && args.includes('--files')) return 'paths'
  if (/^(?:[ef]?grep|rg|ag|ack)$/u.test(program) || gitVerb(command) === 'grep')
    return hasOption(command, 'l', '--files-with-matches', '--name-only', '--files-without-match') ? 'paths' : undefined
  if (gitVerb(command) === 'ls-files') return /^-[a-z]*[ste]/u.test(args[1] ?? '') ? undefined : 'paths'
  return undefined
}

/** Forms that any text would fit: they need a command that prints nothing else. */
const LOOSE: ReadonlySet<ListingForm> = new Set(['paths', 'names', 'sizes'])

/** The form of the output, by its command or, where only such a listing looks like this, by its lines. */
function formIn(probe: Probe): ListingForm | undefined {
  for (const command of probe.commands) {
    const form = formOf(command)
    if (form !== undefined && (!LOOSE.has(form) || isAlone(probe, command))) return form
  }
  return byLines(probe)
}

export const listing: Family = {
  id: 'listing',
  detect: (probe: Probe) => formIn(probe) !== undefined,
  reader: (probe: Probe) => new Listing(formIn(probe) ?? 'paths'),
}

/** Forms that nothing else looks like. */
function byLines(probe: Probe): ListingForm | undefined {
  const lines = probe.head.slice(0, 20)
  for (const form of ['long', 'tree'] as const) {
    const reader = new ListingLines(form)
    const entries = lines.filter(({ text }) => reader.read(text)?.is === 'entry').length
    if (entries >= 5 && entries >= lines.length * 0.7) return form
  }
  return undefined
}
