/** Which candidates are shown: by worth for their tokens, with a share of the budget kept for each kind. */
import { tokensOf } from '../tokens.ts'
import type { Document, Row } from './document.ts'
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

  constructor(document: Document) {
    this.#document = document
  }

  #cost(row: Row, times: number | undefined): number {
    const cut = row.cut === undefined ? 0 : CUT + tokensOf(row.cut.rest)
    const joined = times === undefined && this.#lines.has(row.n - 1)
    return tokensOf(row.text) + 1 + (joined ? 0 : PREFIX) + cut
  }

  /** Adds a candidate as far as `budget` goes. False where not even its first line fits. */
  add(candidate: Candidate, budget: number): boolean {
    const row = this.#document.row(candidate.place)
    const times = candidate.times
    if (!this.rows.has(row.from)) {
      const cost = this.#cost(row, times)
      if (cost > budget) return false
      this.#put(times === undefined ? row : { ...row, times }, cost)
    }
    let left = budget
    for (const place of candidate.more) {
      const next = this.#document.row(place)
      if (this.rows.has(next.from)) continue
      const cost = this.#cost(next, undefined)
      left -= cost
      if (left < 0) break
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
  const taken = new Set<Candidate>()
  if (parts.shares)
    for (const [kinds, share] of failed ? FAILED : PASSED) {
      const limit = Math.min(selection.spent + budget * share, budget)
      for (const candidate of ordered) {
        if (!kinds.includes(candidate.kind)) continue
        if (selection.add(candidate, limit - selection.spent)) taken.add(candidate)
      }
    }
  for (const candidate of ordered)
    if (!taken.has(candidate) && selection.spent < budget) selection.add(candidate, budget - selection.spent)
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
    const cost = between.reduce((sum, place) => sum + tokensOf(document.row(place).text) + 1, 0)
    if (cost > PREFIX + 3 || selection.spent + cost > budget) continue
    for (const place of between) selection.add({ kind: 'end', place, more: [], score: 0 }, budget)
  }
}
