/** Text of a digest: the verdict line, facts, what is left out with its address, and the chosen lines in their order. */
import { counted } from '../../core/count.ts'
import { formatAddress, type Handle, parseHandle, type Selector, shellAddress } from '../address.ts'
import { looksFramed } from '../frame.ts'
import type { Analysis } from './analysis.ts'
import type { Mask } from './document.ts'
import type { Fact } from './family.ts'
import type { Chosen } from './select.ts'

/** Formats addresses of one capture, and remembers which. */
export class Addresses {
  readonly printed: string[] = []
  readonly #handle: Handle | undefined
  readonly #mask: Mask
  readonly #by: ReadonlySet<Selector['by']> | undefined
  /** Bytes of the capture that a part of what was read of it stands for. */
  readonly sizeOf: (from: number, to: number) => number

  /** `by`: selectors that fit the capture, where not all do; in place of another the whole of it is named. */
  constructor(handle: string | undefined, mask: Mask, by?: ReadonlySet<Selector['by']>, sizeOf?: Addresses['sizeOf']) {
    const parsed = handle === undefined ? undefined : parseHandle(handle)
    this.#handle = parsed === undefined || 'refused' in parsed ? undefined : parsed
    this.#mask = mask
    this.#by = by
    this.sizeOf = sizeOf ?? ((from, to) => to - from)
  }

  /** The address as words of a shell line; empty where the capture has none. */
  of(selector?: Selector): string {
    if (this.#handle === undefined) return ''
    const fits = selector !== undefined && (this.#by?.has(selector.by) ?? true) && this.#printable(selector)
    const address = { handle: this.#handle, ...(fits ? { selector } : {}) }
    const text = formatAddress(address)
    if (!this.printed.includes(text)) this.printed.push(text)
    return shellAddress(address)
  }

  /** A pointer is made of names that the capture brought along. */
  #printable(selector: Selector): boolean {
    if (selector.by !== 'pointer') return true
    return !/[\p{Cc}\u2028\u2029]/u.test(selector.pointer) && this.#mask(selector.pointer).masked === 0
  }
}

export interface Verdict {
  /** Bytes of the capture. */
  readonly size: number
  readonly exit: number | undefined
  readonly signal: string | undefined
  readonly label: string
  readonly rawTokens: number
  /** Whether tokens mean anything for it: false for binary data. */
  readonly priced: boolean
  /** Bytes that were kept where the capture stopped before the child did. */
  readonly stopped: number | undefined
}

/** Signals that programs die of, by number, as shells report them: 128 and the number. */
const SIGNALS: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  131: 'SIGQUIT',
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  141: 'SIGPIPE',
  143: 'SIGTERM',
}

/** How the run ended, in words. `exit N` wherever there is a code. */
export function endWords(exit: number | undefined, signal: string | undefined): string {
  const named = exit === undefined || signal !== undefined ? undefined : SIGNALS[exit]
  const code = exit === undefined ? '' : `exit ${exit}${named === undefined ? '' : ` (${named})`}`
  if (signal === undefined) return code === '' ? 'exit unknown' : code
  return `killed by ${signal}${code === '' ? '' : `, ${code}`}`
}

/** The first line of a digest, without its line end. */
export function verdictLine(verdict: Verdict, analysis: Analysis, shown: number, addresses: Addresses): string {
  const { lines } = analysis
  const where = addresses.of()
  const parts = [
    endWords(verdict.exit, verdict.signal),
    `${counted(lines, 'line')}, ${verdict.size} bytes, ${verdict.priced ? `≈${verdict.rawTokens} tokens, ` : ''}${shown} shown`,
    ...(verdict.stopped === undefined ? [] : [`capture stopped at ${verdict.stopped} bytes`]),
    ...(where === '' ? [] : [where]),
    ...(verdict.label === '' ? [] : [labelText(verdict.label)]),
  ]
  return `[ctx ${parts.join(' | ')}]`
}

/** Characters of a command line that are shown. */
const LABEL = 100

/** A command line on one line, cut where it is long. */
function labelText(label: string): string {
  const line = oneLine(label)
  return line.length <= LABEL ? line : `${line.slice(0, LABEL).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A fact as a line. */
export function factLine(fact: Fact, addresses: Addresses): string {
  if (typeof fact === 'string') return `[ctx ${oneLine(fact)}]`
  const where = addresses.of(fact.at)
  return `[ctx ${oneLine(fact.text)}${where === '' ? '' : `: ctx get ${where}`}]`
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

/** The chosen lines with what is left out between them. */
export function bodyLines(rows: readonly Chosen[], analysis: Analysis, addresses: Addresses): string[] {
  const out: string[] = []
  let before = 0
  let named = false
  const name = () => {
    if (named) return
    named = true
    const line = leftOut(rows, analysis, addresses)
    if (line !== '') out.push(line)
  }
  let end = 0
  for (const row of rows) {
    const joined = row.n === before + 1 || (row.n === before && row.from === end)
    if (!joined) name()
    const prefix = row.times !== undefined ? `${row.times}× ` : joined && !looksFramed(row.text) ? '' : `L${row.n}: `
    out.push(prefix + row.text)
    if (row.cut !== undefined) {
      const { from, to, rest } = row.cut
      const where = addresses.of({ by: 'bytes', from, to })
      out.push(
        `[ctx ${addresses.sizeOf(from, to + 1)} bytes of this line left out${where === '' ? '' : `: ctx get ${where}`}]`,
      )
      if (rest !== '') out.push(`L${row.n}: ${rest}`)
    }
    before = row.n
    end = row.to
  }
  if (before < analysis.lines || isPartial(rows, analysis)) name()
  return out
}

/** Whether of lines that were parted not all parts are shown. */
function isPartial(rows: readonly Chosen[], { parted, size, lines }: Analysis): boolean {
  if (parted === 0 || rows.length === 0) return false
  const shown = rows.reduce((sum, { from, to }) => sum + to - from, 0)
  // Each line has an end of at most two bytes.
  return shown + 2 * lines < size
}

/** One line for all that is left out: how much, and from where to where it lies. */
function leftOut(rows: readonly Chosen[], analysis: Analysis, addresses: Addresses): string {
  const shown = new Set(rows.map((row) => row.n))
  const { lines, size } = analysis
  if (lines <= 1 || (shown.size >= lines && analysis.parted > 0)) {
    const where = addresses.of({ by: 'bytes', from: 0, to: size - 1 })
    return `[ctx parts of ${addresses.sizeOf(0, size)} bytes${where === '' ? '' : `; all: ctx get ${where}`}]`
  }
  const omitted = lines - shown.size
  if (omitted === 0) return ''
  let from = 1
  while (shown.has(from)) from++
  let to = lines
  while (shown.has(to)) to--
  const where = addresses.of({ by: 'lines', from, to })
  const of = omitted === to - from + 1 ? '' : ` of ${to - from + 1}`
  return `[ctx ${omitted}${of} lines left out${where === '' ? '' : `: ctx get ${where}`}]`
}
