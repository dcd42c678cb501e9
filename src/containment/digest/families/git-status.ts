/**
 * `git status` in its long, short and porcelain forms. Conflicts first, then every changed file; untracked files are
 * counted, with those that are unlike the others.
 */
import type { Fact, Family, Item, Line, Probe, Reader, Reading } from '../family.ts'
import { isGit } from './commands.ts'
import { Rarity } from './rarity.ts'

const FIRST =
  /^(?:On branch |HEAD detached |Not currently on any branch|# branch\.|## |interactive rebase in progress|No commits yet)/u

const SECTION =
  /^(?:Changes to be committed|Changes not staged for commit|Changed but not updated|Unmerged paths|Untracked files|Ignored files|Submodules? changed.*|Submodule changes to be committed|Untracked files not listed.*):?/u

/** What git says in whole lines about the state of the tree. */
const STATE =
  /^(?:On branch |HEAD detached |Not currently on any branch|Your branch |and have \d|Initial commit|No commits yet|You (?:have|are) |All conflicts |interactive rebase |Last commands? done|Next commands? to do|No commands |rebase in progress|Cherry-pick |Revert |nothing (?:to commit|added)|no changes added|It took |may speed |Your stash |Untracked files not listed|\s+(?:pick|edit|reword|squash|fixup|drop|exec) )/u

const HINT = /^\s+\((?:use|see|all conflicts|fix|commit|working tree) /u
const ENTRY =
  /^\t(?:(both modified|both added|both deleted|added by us|added by them|deleted by us|deleted by them|modified|new file|deleted|renamed|copied|typechange|unknown|unmerged):\s+)?(\S.*)$/u

/** `XY path`, both forms of porcelain; `u` and the pairs with U, AA and DD are conflicts. */
const SHORT = /^(?:([ MTADRCU!?]{2}) (\S.*)|([12u]) ([.MTADRCU]{2}) \S.*|([?!]) (\S.*)|(?:#|##) .*)$/u
const CONFLICT = /U|^AA$|^DD$/u

/** Kinds of entries that are told, in this order. */
const KINDS = ['conflict', 'staged', 'changed', 'untracked', 'ignored'] as const
type Kind = (typeof KINDS)[number]

const WORDS: Readonly<Record<Kind, string>> = {
  conflict: 'with conflicts',
  staged: 'staged',
  changed: 'changed but not staged',
  untracked: 'untracked',
  ignored: 'ignored',
}

interface Count {
  count: number
  first: number
  last: number
}

class Status implements Reader {
  #parsed = 0
  #other = 0
  #section: Kind | undefined
  readonly #counts = new Map<Kind, Count>()
  readonly #items: Item[] = []
  readonly #loose = new Rarity()
  #loosest: number[] = []

  line(line: Line): void {
    const { text, n } = line
    const short = this.#section === undefined ? SHORT.exec(text) : null
    if (text.trim() === '') this.#parsed++
    else if (short !== null) this.#short(line, short)
    else if (SECTION.test(text)) {
      this.#parsed++
      this.#section = sectionOf(text)
      this.#put({ kind: 'total', span: { from: n, to: n }, weight: this.#section === 'conflict' ? 2 : 1 })
    } else if (HINT.test(text)) this.#parsed++
    else if (STATE.test(text)) {
      this.#parsed++
      const loud = /conflict|unmerged|rebas|diverged|have \d/u.test(text)
      this.#put({ kind: loud ? 'cause' : 'total', span: { from: n, to: n }, weight: 3 })
    } else {
      const entry = ENTRY.exec(text)
      if (entry === null || this.#section === undefined) {
        this.#other++
        this.#put({ kind: 'rare', span: { from: n, to: n }, weight: 10 })
        return
      }
      this.#parsed++
      this.#entry(line, this.#section, entry[2]!)
    }
  }

  #short(line: Line, match: RegExpExecArray): void {
    this.#parsed++
    const code = match[1] ?? match[4] ?? match[5]
    if (code === undefined) {
      this.#put({ kind: 'total', span: { from: line.n, to: line.n }, weight: 3 })
      return
    }
    const name = match[2] ?? match[6] ?? line.text
    if (code.includes('?')) this.#entry(line, 'untracked', name)
    else if (code.includes('!')) this.#entry(line, 'ignored', name)
    else if (match[3] === 'u' || CONFLICT.test(code)) this.#entry(line, 'conflict', name)
    else this.#entry(line, code[0] === ' ' || code[0] === '.' ? 'changed' : 'staged', name)
  }

  #entry({ n, from, to }: Line, kind: Kind, name: string): void {
    const count = this.#counts.get(kind)
    if (count === undefined) this.#counts.set(kind, { count: 1, first: n, last: n })
    else {
      count.count++
      count.last = n
    }
    if (kind === 'untracked' || kind === 'ignored') {
      this.#loose.add(name, { n, from, to })
      if (this.#loosest.length < 3) this.#loosest.push(n)
    } else this.#put({ kind: kind === 'conflict' ? 'cause' : 'rare', span: { from: n, to: n }, weight: 5 })
  }

  /** Items beyond this many are counted alone. */
  #put(item: Item): void {
    if (this.#items.length < 600) this.#items.push(item)
  }

  end(): Reading | undefined {
    if (this.#other > this.#parsed / 4 + 2) return undefined
    const facts: Fact[] = []
    for (const kind of KINDS) {
      const count = this.#counts.get(kind)
      if (count === undefined) continue
      facts.push({ text: `${count.count} ${WORDS[kind]}`, at: { by: 'lines', from: count.first, to: count.last } })
    }
    const rare = this.#loose.rare(12).map(
      ({ place, weight }): Item => ({
        kind: 'rare',
        span: { from: place.n, to: place.n },
        weight: Math.min(4, weight / 4),
      }),
    )
    const examples = this.#loosest.map((n): Item => ({ kind: 'example', span: { from: n, to: n } }))
    return {
      parsed: this.#parsed,
      other: this.#other,
      facts,
      items: [...this.#items, ...rare, ...examples],
      ends: { head: 1, tail: 1 },
    }
  }
}

function sectionOf(text: string): Kind | undefined {
  if (text.startsWith('Unmerged')) return 'conflict'
  if (text.startsWith('Untracked files not')) return undefined
  if (text.startsWith('Untracked')) return 'untracked'
  if (text.startsWith('Ignored')) return 'ignored'
  return text.includes('to be committed') ? 'staged' : 'changed'
}

export const gitStatus: Family = {
  id: 'git-status',
  detect: (probe: Probe) => isGit(probe, 'status') || FIRST.test(probe.head[0]?.text ?? ''),
  reader: () => new Status(),
}
