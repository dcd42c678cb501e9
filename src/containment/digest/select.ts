/** Which candidates are shown: by worth for their tokens, with a share of the budget kept for each kind. */
import type { Document, Row } from './document.ts'
import { FailureNames } from './failures.ts'
import type { Candidate, Parts } from './generic.ts'

/** A row that is shown. */
export interface Chosen extends Row {
  readonly times?: number
}

/** Tokens of a line number in front of a line, and of the address behind a line that is cut. */
const PREFIX = 5
const CUT = 24

type Kind = Candidate['kind']

/** Shares of the budget in the order in which they are given out. What a share leaves goes to whatever is worth most. */
const FAILED: readonly (readonly [readonly Kind[], number])[] = [
  [['focus'], 0.5],
  [['verdict', 'total'], 0.14],
  [['cause'], 0.3],
  [['failure'], 0.35],
  [['detail'], 0.12],
  [['rare'], 0.18],
  [['end'], 0.12],
  [['example'], 0.1],
]
const PASSED: readonly (readonly [readonly Kind[], number])[] = [
  [['focus'], 0.6],
  [['verdict', 'total'], 0.14],
  [['cause', 'failure'], 0.28],
  [['rare'], 0.4],
  [['detail'], 0.1],
  [['end'], 0.14],
  [['example'], 0.15],
]

class Selection {
  readonly rows = new Map<number, Chosen>()
  spent = 0
  readonly #document: Document
  readonly #lines = new Set<number>()
  /** Rows that belong to one before them: how often their like occurred says nothing there. */
  readonly #following = new Set<number>()

  constructor(document: Document) {
    this.#document = document
  }

  #cost(row: Row, times: number | undefined): number {
    const cut = row.cut === undefined ? 0 : CUT
    const joined = times === undefined && this.#lines.has(row.n - 1)
    return row.tokens + 1 + (joined ? 0 : PREFIX) + cut
  }

  /** Adds a candidate, and at most `most` lines that belong to it, as far as `budget` goes. False where it does not fit. */
  add(candidate: Candidate, budget: number, most: number): boolean {
    const row = this.#document.row(candidate.place)
    const times = candidate.times
    let left = budget
    const there = this.rows.get(row.from)
    if (there !== undefined) {
      if (times !== undefined && there.times === undefined && !this.#following.has(row.from))
        this.rows.set(row.from, { ...there, times })
    } else {
      const cost = this.#cost(row, times)
      if (cost > left) return false
      left -= cost
      this.#put(times === undefined ? row : { ...row, times }, cost)
    }
    for (const place of candidate.more.slice(0, most)) {
      const next = this.#document.row(place)
      if (this.rows.has(next.from)) continue
      const cost = this.#cost(next, undefined)
      left -= cost
      if (left < 0) break
      this.#following.add(next.from)
      this.#put(next, cost)
    }
    return true
  }

  #put(row: Chosen, cost: number): void {
    if (this.#document.analysis.secrets.some(({ from, to }) => row.n >= from && row.n <= to)) return
    this.rows.set(row.from, row)
    this.#lines.add(row.n)
    this.spent += cost
  }

  /** Rows in the order of the capture. */
  list(): Chosen[] {
    return [...this.rows.values()].sort((a, b) => a.from - b.from)
  }
}

/** Lines that come with a candidate before all others had their turn. */
const FIRST_LINES = 4
/** Share of the budget that one cause may take alone, and all failures together. */
const ONE_CAUSE = 0.6
const ALL_FAILURES = 0.75

/** Chooses for `budget` tokens. The same candidates give the same choice. */
export function choose(
  document: Document,
  candidates: readonly Candidate[],
  budget: number,
  failed: boolean,
  parts: Parts,
): Chosen[] {
  const selection = new Selection(document)
  const ordered = [...candidates].sort((a, b) => b.score - a.score || a.place.from - b.place.from)
  const names = new FailureNames()
  const taken = new Set<Candidate>()
  const offer = (candidate: Candidate, limit: number, most: number): boolean => {
    const { name } = candidate
    if (name !== undefined && !taken.has(candidate) && names.has(name, candidate.own === true)) return false
    if (!selection.add(candidate, limit - selection.spent, most)) return false
    taken.add(candidate)
    if (name !== undefined) names.add(name)
    return true
  }
  const failures = ordered.filter(({ kind }) => kind === 'failure')
  if (parts.shares)
    for (const [kinds, share] of failed ? FAILED : PASSED) {
      const limit = Math.min(selection.spent + budget * share, budget)
      // All that failed is named before anything is told of one.
      if (kinds.includes('failure')) {
        const most = Math.max(selection.spent, Math.min(budget * ALL_FAILURES, budget))
        for (const candidate of failures) offer(candidate, most, 0)
      }
      let none = kinds.includes('cause')
      for (const candidate of ordered) {
        if (!kinds.includes(candidate.kind)) continue
        const added = offer(candidate, limit, FIRST_LINES)
        // A long line must not keep the only cause out.
        if (!added && none) offer(candidate, selection.spent + budget * ONE_CAUSE, 0)
        none = false
      }
    }
  for (const candidate of ordered) if (selection.spent < budget) offer(candidate, budget, Number.POSITIVE_INFINITY)
  fillGaps(document, selection, budget)
  return selection.list()
}

/** A gap that costs less to fill than to name is filled. */
function fillGaps(document: Document, selection: Selection, budget: number): void {
  const rows = selection.list()
  for (let at = 1; at < rows.length; at++) {
    const before = rows[at - 1]!
    const row = rows[at]!
    const gap = row.n - before.n - 1
    if (gap < 1 || gap > 2) continue
    const between = document.places(before.n + 1, row.n - 1)
    const cost = between.reduce((sum, place) => sum + document.row(place).tokens + 1, 0)
    if (cost > PREFIX + 3 || selection.spent + cost > budget) continue
    for (const place of between) selection.add({ kind: 'end', place, more: [], score: 0 }, budget, 0)
  }
}
