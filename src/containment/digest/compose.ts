/** Makes the text of a digest fit: its budget, and what it stands for. */
import { counted } from '../../core/count.ts'
import type { Selector } from '../address.ts'
import { tokensOf } from '../tokens.ts'
import type { Document, Mask } from './document.ts'
import { FailureNames } from './failures.ts'
import type { Fact } from './family.ts'
import type { Candidate, Parts } from './generic.ts'
import { Addresses, bodyLines, factLine, type Verdict, verdictLine } from './render.ts'
import { type Chosen, choose } from './select.ts'

export interface Composed {
  readonly text: string
  readonly addresses: readonly string[]
  readonly rows: readonly Chosen[]
  readonly tokens: number
  /** Of what stands under the verdict line. */
  readonly body: { readonly tokens: number; readonly bytes: number }
}

export interface Composition {
  readonly document: Document
  readonly candidates: readonly Candidate[]
  /** Sentences of the frame, the most important first. */
  readonly facts: readonly Fact[]
  readonly verdict: Verdict
  readonly handle: string | undefined
  readonly mask: Mask
  /** Selectors that fit the capture; all where absent. */
  readonly by: ReadonlySet<Selector['by']> | undefined
  /** Bytes of the capture that a part of what was read of it stands for; the same where absent. */
  readonly sizeOf: Addresses['sizeOf'] | undefined
  readonly failed: boolean
  readonly parts: Parts
  /** Tokens of the whole text. */
  readonly budget: number
}

/** Tokens that the verdict line and the line of what is left out take, about. */
const FRAME_TOKENS = 70
/** Tokens that need not be used up, and tries to use them. */
const SLACK = 12
const TRIES = 5
/** Facts that stay as long as there is room for a few lines beside them. */
const FACTS = 3
/** Shares of a capture's own tokens that are tried where a digest came out larger than the capture. */
const SMALLER = [0.7, 0.4, 0.1]

/** The fullest text that fits the budget, and whose body is no larger than the capture. */
export function compose(composition: Composition): Composed {
  const { document, candidates, facts, verdict, failed, parts, budget } = composition
  const { analysis } = document
  const text = analysis.binary === undefined
  const hidden = (n: number) => analysis.secrets.some(({ from, to }) => n >= from && n <= to)
  const all = () =>
    document
      .places(1, analysis.lines)
      .filter(({ n }) => !hidden(n))
      .map((place) => document.wholeRow(place))
  const fits = ({ body }: Composed) => body.tokens <= verdict.rawTokens && body.bytes <= verdict.size

  if (text && verdict.rawTokens + FRAME_TOKENS <= budget) {
    const whole = made(composition, all(), facts)
    if (whole.tokens <= budget && fits(whole)) return whole
  }
  const attempt = (room: number, kept: number): Composed => {
    const words = facts.slice(0, kept)
    const spent = words.reduce((sum, fact) => sum + tokensOf(typeof fact === 'string' ? fact : fact.text) + 6, 0)
    const rows = choose(document, candidates, Math.max(0, room - spent), failed, parts)
    return made(composition, rows, [...words, ...unshown(candidates, rows)])
  }
  const full = fitted(budget, facts.length, attempt)
  if (fits(full)) return full
  const whole = text ? made(composition, all(), []) : full
  if (fits(whole)) return whole
  for (const part of SMALLER) {
    const some = attempt(verdict.rawTokens * part, 0)
    if (fits(some)) return some
  }
  return made(composition, undefined, [])
}

/** The text with these rows; without any, the verdict line alone. */
function made(
  { document, verdict, handle, by, mask, sizeOf }: Composition,
  rows: readonly Chosen[] | undefined,
  facts: readonly Fact[],
): Composed {
  const { analysis } = document
  const addresses = new Addresses(handle, mask, by, sizeOf)
  const shown = new Set(rows?.map((row) => row.n)).size
  const first = verdictLine(verdict, analysis, shown, addresses)
  const lines =
    rows === undefined
      ? []
      : [...facts.map((fact) => mask(factLine(fact, addresses)).text), ...bodyLines(rows, analysis, addresses)]
  const text = `${[first, ...lines].join('\n')}\n`
  const under = lines.join('\n')
  return {
    text,
    addresses: addresses.printed,
    rows: rows ?? [],
    tokens: tokensOf(text),
    body: { tokens: tokensOf(under), bytes: Buffer.byteLength(under) },
  }
}

/**
 * The fullest text of at most `budget` tokens. `make` is told tokens for lines and how many facts to keep. What does not
 * fit goes in this order: facts but the first, lines, the other facts. The verdict line is always there.
 */
function fitted(budget: number, facts: number, make: (room: number, kept: number) => Composed): Composed {
  let kept = facts
  let room = budget - FRAME_TOKENS
  let best: Composed | undefined
  for (let tries = 0; ; ) {
    const attempt = make(room, kept)
    const over = attempt.tokens - budget
    if (over <= 0) {
      if (best === undefined || attempt.tokens > best.tokens) best = attempt
      if (-over <= SLACK || ++tries >= TRIES) return best
      room -= over
    } else if (best !== undefined) {
      if (++tries >= TRIES) return best
      room -= Math.max(SLACK / 2, over)
    } else if (room <= 0 && kept === 0) return attempt
    else if (kept > FACTS || (kept > 0 && room < 40)) kept--
    else room -= Math.max(8, over)
  }
}

/** Failures that no line was left for: how many, and where they are. */
function unshown(candidates: readonly Candidate[], rows: readonly Chosen[]): Fact[] {
  const shown = new Set(rows.map((row) => row.n))
  const names = new FailureNames()
  const failures = candidates.filter(({ kind, name }) => kind === 'failure' && name !== undefined)
  for (const { place, name } of failures) if (shown.has(place.n)) names.add(name!)
  const lines: number[] = []
  let count = 0
  for (const { place, name, own, beyond } of failures) {
    if (beyond !== undefined) {
      count += beyond.count
      lines.push(Math.max(beyond.to, place.n))
    }
    if (names.has(name!, own === true)) continue
    names.add(name!)
    lines.push(place.n)
    count++
  }
  if (lines.length === 0) return []
  const at = { by: 'lines', from: Math.min(...lines), to: Math.max(...lines) } as const
  return [{ text: `${counted(count, 'more failure')} not shown`, at }]
}
