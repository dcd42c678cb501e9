/**
 * Diffs: `git diff`, `git show`, `diff -u`, and their summaries (`--stat`, `--numstat`, `--name-status`). Every file and
 * every hunk is named by its own line; changed lines are counted, and those that are unlike the others are shown. Of
 * a summary the files are shown that changed most.
 */
import { byteLength } from '../../../core/utf8.ts'
import type { Fact, Family, Item, Line, Probe, Reader, Reading, Span } from '../family.ts'
import { isGit, runs } from './commands.ts'
import { Hunks } from './hunks.ts'
import { Rarity } from './rarity.ts'
import { Rest } from './rest.ts'
import { counted } from './words.ts'

/** Characters of a line between files that are looked at. */
const CUT = 1000
/** Files and hunks of which places are held. */
const FILES = 1024
const HUNKS = 2048
/** Beginnings of commits that are held. */
const COMMITS = 64

export const STAT =
  /^ (?:.+ \| +(?:\d+ ?[+-]*|Bin(?: \d+ -> \d+ bytes)?|Unmerged)\s*$|\.{3}\S.* \| )|^ (?:create|delete) mode \d+ |^ (?:rename|copy) .+ \(\d+%\)$|^ mode change \d+ => \d+ |^ rewrite .+ \(\d+%\)$/u
export const SUMMARY = /^ \d+ files? changed(?:, \d+ insertions?\(\+\))?(?:, \d+ deletions?\(-\))?$/u
const MOVED = /^ (?:create|delete|rename|copy|mode|rewrite) /u
const NUMSTAT = /^(?:\d+|-)\t(?:\d+|-)\t\S/u
const NAME_STATUS = /^(?:[AMDTUX]|[RC]\d{3})\t\S/u
/** Of a commit or tag that is shown with its diff. */
const COMMIT = /^(?:commit|tag|tree|Author|AuthorDate|Commit|CommitDate|Date|Merge|Tagger|Parent):? +\S|^ {4}|^$/u

interface File {
  readonly line: number
  to: number
  /** The shortest line that names it. */
  named: number | undefined
  /** The part of that line that does, where it says more. */
  name: { readonly from: number; readonly to: number } | undefined
  added: number
  removed: number
}

class Diff implements Reader {
  readonly #hunks = new Hunks()
  readonly #rare = new Rarity()
  readonly #rest = new Rest()
  readonly #files: File[] = []
  readonly #items: Item[] = []
  readonly #summary: number[] = []
  #file: File | undefined
  #count = { files: 0, hunks: 0, added: 0, removed: 0, whole: 0, commits: 0, listed: 0 }
  #parsed = 0
  #other = 0
  #last = 0
  /** The list that a summary format prints, from its first to its last line. */
  #list: Span | undefined
  readonly #listed: { readonly n: number; readonly weight: number }[] = []
  #message = false

  line(line: Line): void {
    const { text, n } = line
    if (this.#last !== 0 && n !== this.#last + 1) this.#hunks.reset()
    this.#last = n
    const is = this.#hunks.read(text)
    if (is === undefined) {
      this.#between(line)
      return
    }
    this.#parsed++
    const count = this.#count
    if (is === 'file') {
      count.files++
      this.#file = { line: n, to: n, named: undefined, name: undefined, added: 0, removed: 0 }
      if (this.#files.length < FILES) this.#files.push(this.#file)
    } else if (is === 'header') this.#header(line)
    else if (is === 'hunk') {
      count.hunks++
      if (count.hunks <= HUNKS) this.#items.push({ kind: 'rare', span: { from: n, to: n }, weight: 4 })
    } else if (is === 'whole') {
      count.whole++
      if (count.whole <= HUNKS) this.#items.push({ kind: 'rare', span: { from: n, to: n }, weight: 19 })
    } else if (is === 'added' || is === 'removed') {
      count[is]++
      if (this.#file !== undefined) this.#file[is]++
      this.#rare.add(text, { n, from: line.from, to: line.to })
    }
    if (is !== 'file' && is !== 'header') this.#rest.add(line)
    if (this.#file !== undefined) this.#file.to = n
  }

  #header({ text, n, from, to }: Line): void {
    if (this.#file === undefined) return
    if (text.startsWith('+++ ') && !text.startsWith('+++ /dev/null')) {
      this.#file.named ??= n
      // `diff -u` writes the time behind the name.
      const tab = text.indexOf('\t')
      if (tab > 0 && byteLength(text) === to - from)
        this.#file.name = { from, to: from + byteLength(text.slice(0, tab)) }
    } else if (
      /^(?:new|deleted) file mode |^(?:rename|copy) from |^(?:old|new) mode /u.test(text) &&
      this.#items.length < HUNKS
    ) {
      // What happened to the file as a whole: then its first line tells both names.
      this.#file.named = this.#file.line
      this.#items.push({ kind: 'rare', span: { from: n, to: n }, weight: 19 })
    }
  }

  /** A line that belongs to no file's diff. */
  #between({ text: line, n }: Line): void {
    const text = line.length > CUT ? line.slice(0, CUT) : line
    if (SUMMARY.test(text)) {
      this.#parsed++
      if (this.#summary.length < COMMITS) this.#summary.push(n)
    } else if (STAT.test(text) || NUMSTAT.test(text) || NAME_STATUS.test(text)) {
      this.#parsed++
      // What was created, removed or moved is told in lines of its own below the list.
      if (!MOVED.test(text)) this.#count.listed++
      this.#list = { from: this.#list?.from ?? n, to: n }
      if (this.#listed.length < FILES) this.#listed.push({ n, weight: weightOf(text) })
    } else if (COMMIT.test(text)) {
      this.#parsed++
      this.#file = undefined
      if (text.startsWith('commit ')) {
        this.#count.commits++
        this.#message = true
        if (this.#count.commits <= COMMITS) this.#items.push({ kind: 'total', span: { from: n, to: n }, weight: 6 })
      } else if (this.#message && text.startsWith('    ') && text.trim() !== '') {
        this.#message = false
        if (this.#count.commits <= COMMITS) this.#items.push({ kind: 'total', span: { from: n, to: n }, weight: 6 })
      }
    } else {
      this.#other++
      if (this.#other <= 20) this.#items.push({ kind: 'rare', span: { from: n, to: n }, weight: 10 })
    }
  }

  end(): Reading | undefined {
    const { files, hunks, added, removed, whole, commits, listed } = this.#count
    if (files + listed + whole === 0 || this.#other > this.#parsed / 10 + 3) return undefined
    const facts: Fact[] = []
    if (files > 0) {
      facts.push(
        `${counted(files, 'file')}, ${added} added, ${removed} removed, ${counted(hunks, 'hunk')}` +
          (whole > 0 ? `, ${whole} without lines` : '') +
          (commits > 0 ? `, ${counted(commits, 'commit')}` : ''),
      )
      for (const file of files > 1 ? largest(this.#files, (added + removed) / 8) : [])
        facts.push({
          text: `${file.added} added, ${file.removed} removed in the file of line ${file.named ?? file.line}`,
          at: { by: 'lines', from: file.line, to: file.to },
        })
    }
    const items = [...this.#items]
    for (const { named, line, name } of this.#files)
      items.push({
        kind: 'rare',
        span: { from: named ?? line, to: named ?? line },
        ...(name === undefined || named === line ? {} : { bytes: name }),
        weight: 20,
      })
    for (const { place, weight } of this.#rare.rare(24))
      items.push({ kind: 'rare', span: { from: place.n, to: place.n }, weight: weight + 4 })
    for (const n of this.#summary) items.push({ kind: 'verdict', span: { from: n, to: n } })
    if (this.#list !== undefined) {
      for (const { n, weight } of this.#listed) items.push({ kind: 'rare', span: { from: n, to: n }, weight })
      if (files === 0) facts.push({ text: counted(listed, 'file'), at: { by: 'lines', ...this.#list } })
    }
    items.push(...this.#rest.items(new Set(items.map(({ span }) => span.from))))
    return { parsed: this.#parsed, other: this.#other, facts, items, ends: { head: 0, tail: 0 } }
  }
}

/** Files in which many of the lines changed, in the order of the diff. */
const largest = (files: readonly File[], least: number): readonly File[] =>
  files
    .filter(({ added, removed }) => added + removed > least && added + removed >= 12)
    .sort((a, b) => b.added + b.removed - a.added - a.removed || a.line - b.line)
    .slice(0, 3)
    .sort((a, b) => a.line - b.line)

/** How much a line of a summary says: by the lines that changed, and a file that came, went or moved before one that changed. */
function weightOf(text: string): number {
  const stat = / \| +(\d+)/u.exec(text)
  if (stat !== null) return Math.min(400, Number(stat[1]))
  const numbers = /^(\d+)\t(\d+)\t/u.exec(text)
  if (numbers !== null) return Math.min(400, Number(numbers[1]) + Number(numbers[2]))
  return /^M\t/u.test(text) ? 1 : 400
}

const BEGINS = /^(?:diff (?:--git|--cc|--combined) |--- \S|Index: \S)/u

export const gitDiff: Family = {
  id: 'git-diff',
  detect: (probe: Probe) =>
    isGit(probe, 'diff', 'show', 'format-patch', 'stash') ||
    runs(probe, 'diff', 'colordiff', 'interdiff') ||
    (probe.head.some(({ text }) => BEGINS.test(text)) && probe.head.some(({ text }) => /^@@+ -\d/u.test(text))),
  reader: () => new Diff(),
}
