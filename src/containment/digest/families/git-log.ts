/**
 * `git log`, one line or more a commit, with or without its stat and patch, with or without a graph. Commits are counted;
 * shown are the newest and the oldest subjects and every line of a message that is unlike the others, each with its commit.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import type { Place } from '../lines.ts'
import { gitVerb, isGit } from './commands.ts'
import { STAT, SUMMARY } from './git-diff.ts'
import { Hunks } from './hunks.ts'
import { Rarity } from './rarity.ts'
import { Rest } from './rest.ts'
import { counted, own } from './words.ts'

/** The columns that `--graph` draws in front of a line. */
const GRAPH = /^(?:(?:[|\\/_*.-] ?| (?=[|\\/*]))+| {2})/u
const COMMIT = /^commit (?:[<>^-] ?)?[0-9a-f]{7,64}(?: [0-9a-f]{7,64})*(?: \(.*\))?$/u
const ONE = /^(?:[<>^-] ?)?[0-9a-f]{7,40} (?:\([^)]*\) )?\S/u
const FIELD = /^(?:Author|AuthorDate|Commit|CommitDate|Date|Merge|Reflog|Reflog message|Notes|gpg)(?: \(.*\))?: ?/u
const COUNTS = /^ (\d+) files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?$/u
const NAMES = /^(?:(?:[AMDTUX]|[RC]\d{3})\t|(?:\d+|-)\t(?:\d+|-)\t|:\d{6} \d{6} )\S/u

/** Characters of a line that are looked at. */
const CUT = 2000
/** Newest subjects that are shown. */
const NEWEST = 8
/** Commits of which places are held, for rare lines to be shown with theirs. */
const HELD = 4096

class Log implements Reader {
  readonly #graph: boolean
  readonly #names: boolean
  readonly #hunks = new Hunks()
  readonly #subjects = new Rarity()
  readonly #bodies = new Rarity()
  readonly #changes = new Rarity()
  /** Lines that are neither a commit's nor its message's. */
  readonly #rest = new Rest()
  readonly #patches = { files: 0, added: 0, removed: 0 }
  readonly #commits: number[] = []
  readonly #newest: Item[] = []
  #oldest: Item[] = []
  #commit: Line | undefined
  #one = false
  /** In a message: its next line is the subject, or one behind it. */
  #at: 'head' | 'subject' | 'body' = 'head'
  #count = { commits: 0, files: 0, added: 0, removed: 0, stats: 0, authors: new Set<string>(), body: 0 }
  #parsed = 0
  #other = 0
  #strange: number[] = []
  #last = 0

  /** `names`: the files of a commit stand below it, one a line, without a mark. */
  constructor(graph: boolean, names: boolean) {
    this.#graph = graph
    this.#names = names
  }

  line(line: Line): void {
    if (this.#last !== 0 && line.n !== this.#last + 1) this.#hunks.reset()
    this.#last = line.n
    const bare = line.text.length > CUT ? line.text.slice(0, CUT) : line.text
    const text = this.#graph ? ungraphed(bare) : bare
    if (this.#read(text, line)) this.#parsed++
    else {
      this.#other++
      if (this.#strange.length < 16) this.#strange.push(line.n)
    }
  }

  /** False: not a line of a log. */
  #read(text: string, line: Line): boolean {
    const count = this.#count
    if (this.#hunks.open) return this.#patch(text, line)
    if (COMMIT.test(text)) {
      this.#begin(line, false)
      return true
    }
    if (this.#commit !== undefined && !this.#one) {
      if (/^ {4}/u.test(text)) {
        this.#message(text, line)
        return true
      }
      if (FIELD.test(text)) {
        this.#rest.add(line)
        if (text.startsWith('Author:') && count.authors.size < 1024) count.authors.add(own(text))
        return true
      }
    }
    if (this.#names && this.#commit !== undefined && /^\S/u.test(text)) return true
    if (text.trim() === '' || STAT.test(text) || NAMES.test(text) || text === '---') {
      this.#rest.add(line)
      return true
    }
    if (SUMMARY.test(text)) {
      this.#rest.add(line)
      const [, files, added, removed] = COUNTS.exec(text) ?? []
      count.stats++
      count.files += Number(files ?? 0)
      count.added += Number(added ?? 0)
      count.removed += Number(removed ?? 0)
      return true
    }
    if (this.#patch(text, line)) return true
    if ((this.#commit === undefined || this.#one) && ONE.test(text)) {
      this.#begin(line, true)
      this.#subjects.add(text.slice(text.indexOf(' ') + 1), place(line))
      return true
    }
    return false
  }

  #patch(text: string, line: Line): boolean {
    const is = this.#hunks.read(text)
    if (is === 'file') this.#patches.files++
    else if (is === 'added' || is === 'removed') {
      this.#patches[is]++
      this.#changes.add(text, place(line))
    }
    return is !== undefined
  }

  #begin(line: Line, one: boolean): void {
    this.#hunks.reset()
    this.#count.commits++
    this.#commit = line
    this.#one = one
    this.#at = 'subject'
    if (this.#commits.length < HELD) this.#commits.push(line.n)
    if (one) this.#ends([line])
  }

  #message(text: string, line: Line): void {
    if (text.trim() === '') return
    if (this.#at === 'subject') {
      this.#at = 'body'
      this.#subjects.add(text, place(line))
      this.#ends([this.#commit!, line])
    } else {
      this.#count.body++
      this.#bodies.add(text, place(line))
    }
  }

  /** Keeps the lines that name a commit as one of the newest, and as the oldest so far. */
  #ends(lines: readonly Line[]): void {
    const items = lines.map(({ n }): Item => ({ kind: 'example', span: { from: n, to: n }, weight: 1 }))
    if (this.#count.commits <= NEWEST) this.#newest.push(...items)
    this.#oldest = items.map((item) => ({ ...item, weight: 2 }))
  }

  end(): Reading | undefined {
    const { commits, files, added, removed, stats, authors, body } = this.#count
    if (commits === 0 || this.#other > this.#parsed / 20 + 2) return undefined
    const facts: Fact[] = [
      counted(commits, 'commit') + (authors.size > 0 ? ` by ${counted(authors.size, 'author')}` : ''),
    ]
    if (stats > 0) facts.push(`${counted(files, 'file change')}, ${added} added, ${removed} removed`)
    const patches = this.#patches
    if (patches.files > 0)
      facts.push(
        `${counted(patches.files, 'file patch', 'file patches')}, ${patches.added} added, ${patches.removed} removed`,
      )
    if (body > 0) facts.push(`${counted(body, 'line')} of messages below their subjects`)
    const items: Item[] = []
    for (const { place, weight } of [...this.#bodies.rare(12), ...this.#subjects.rare(8), ...this.#changes.rare(8)]) {
      const commit = this.#one ? undefined : this.#commits.findLast((n) => n <= place.n)
      // The commit's line stands beside its rare line: a message under the wrong commit is worse than none.
      if (commit !== undefined) items.push({ kind: 'rare', span: { from: commit, to: commit }, weight })
      items.push({ kind: 'rare', span: { from: place.n, to: place.n }, weight })
    }
    for (const n of this.#strange) items.push({ kind: 'rare', span: { from: n, to: n }, weight: 9 })
    const shown = new Set<number>()
    return {
      parsed: this.#parsed,
      other: this.#other,
      facts,
      items: [...items, ...this.#newest, ...this.#oldest, ...this.#rest.items(new Set())].filter(({ span }) => {
        const fresh = !shown.has(span.from)
        shown.add(span.from)
        return fresh
      }),
      ends: { head: 0, tail: 0 },
    }
  }
}

/** A line without the columns of a graph, and without the blanks beside a merge. */
function ungraphed(text: string): string {
  const bare = text.replace(GRAPH, '')
  const words = bare.trimStart()
  if (COMMIT.test(words) || FIELD.test(words)) return words
  return SUMMARY.test(` ${words}`) || STAT.test(` ${words}`) ? ` ${words}` : bare
}

const place = ({ n, from, to }: Line): Place => ({ n, from, to })

export const gitLog: Family = {
  id: 'git-log',
  detect: (probe: Probe) =>
    isGit(probe, 'log', 'reflog', 'shortlog', 'whatchanged') || (!isGit(probe, 'show') && COMMIT.test(bare(probe))),
  reader: (probe: Probe) =>
    new Log(
      /^[*|]/u.test(probe.head[0]?.text ?? ''),
      probe.commands.some((command) => gitVerb(command) !== undefined && command.args.includes('--name-only')),
    ),
}

const bare = (probe: Probe): string => (probe.head[0]?.text ?? '').replace(/^\* /u, '')
