/** Searches captures and files of the workspace: bounded answers that say what was looked through and how to go on. */

import { lstatSync } from 'node:fs'
import { counted } from '../../core/count.ts'
import { type Address, formatAddress, type Handle, quoted } from '../address.ts'
import { wideOf } from '../digest/magic.ts'
import type { Lines } from '../store/types.ts'
import { tokensOf } from '../tokens.ts'
import { filesBelow } from './files.ts'
import { getRange, wideText } from './get.ts'
import type { Hit, Spec } from './match.ts'
import { LONG } from './match.ts'
import { type Matcher, matcherOf, wrongPattern } from './matcher.ts'
import { fitting, Masker, type MaskSlice, numbered, Page } from './page.ts'
import { ranked, termsOf } from './rank.ts'
import { scanBytes } from './scan.ts'
import { type Asker, insideWorkspace, openHandle, type Refusal, workspaceFile, workspaceOf } from './source.ts'

export interface SearchOptions {
  readonly patterns: readonly string[]
  readonly fixed?: boolean
  readonly all?: boolean
  /** Lines shown on either side of a match. */
  readonly context: number
  readonly glob?: string
  readonly mostMatches: number
  readonly query?: string
  /** Matches that earlier answers have shown. */
  readonly skip: number
  readonly budget: number
  readonly mask: MaskSlice
  /** Milliseconds that expressions may take; 2 s where it is absent. */
  readonly limitMs?: number
}

export interface Found {
  readonly text: string
  /** Matches in all, and of them shown. */
  readonly matches: number
  readonly shown: number
  readonly masked: number
  /** Expressions took too long: not all was looked through. */
  readonly stopped: boolean
}

interface Part {
  readonly name: string | undefined
  readonly bytes: Lines
  readonly from: number
  readonly to: number
  /** Where a byte of it lies in the capture, where that is another one. */
  readonly placeOf?: (place: number) => number
}

/** A match and where it lies. */
interface Place extends Hit {
  readonly part: Part
}

const PLAIN = /^[^\\^$.*+?()[\]{}|\n\r]+$/

/** Matches that are held to be ranked. */
const MOST_RANKED = 200_000
/** Of UTF-16 that is not read as text: by another selector than lines, or because it is too long. */
const NOT_AS_TEXT = 'this is UTF-16 and was not searched as text; a capture of up to 1 GiB is, as a whole or by --lines'
/** Tokens for the last lines of an answer. */
const RESERVE = 100
/** Tokens of the first match, however small the budget is. */
const LITTLE = 24

/** What was found, as text; or a clause that says why nothing could be looked for. */
export async function searchAnswer(address: Address, asker: Asker, options: SearchOptions): Promise<Found | Refusal> {
  const spec: Spec = {
    patterns: options.patterns,
    // A text without signs of expressions is found the quick way, too.
    fixed: options.fixed === true || options.patterns.every((pattern) => PLAIN.test(pattern)),
    all: options.all === true,
    terms: options.query === undefined ? [] : termsOf(options.query),
  }
  if (spec.patterns.length === 0 && spec.terms.length === 0)
    return { refused: 'there is nothing to look for; give a pattern, or words with --query' }
  const wrong = wrongPattern(spec)
  if (wrong !== undefined) return { refused: wrong }
  const source = sourceOf(address, asker, options)
  if ('refused' in source) return source
  const matcher = matcherOf(spec, options.limitMs)
  try {
    const looked = await lookThrough(source.parts, spec, matcher, options)
    return answer({ ...source, ...looked }, spec, options)
  } finally {
    matcher.end()
  }
}

interface Source {
  readonly handle: Handle
  readonly address: Address
  readonly parts: Iterable<Part>
  readonly notes: readonly string[]
}

function sourceOf(address: Address, asker: Asker, options: SearchOptions): Source | Refusal {
  const { handle, selector } = address
  if (handle.is === 'repo') {
    const workspace = workspaceOf(asker.cwd)
    const real = insideWorkspace(handle.path, workspace)
    if (typeof real !== 'string') return real
    if (lstatSync(real).isDirectory()) {
      if (selector !== undefined) return { refused: `repo:${handle.path} is a directory, which has no ${selector.by}` }
      const { paths, hidden, large, cut } = filesBelow(workspace, handle.path, options.glob, asker.hides)
      const notes: string[] = [
        ...(hidden > 0 ? [`${counted(hidden, 'file')} left out: by the name a secret, or closed by the policy`] : []),
        ...(large > 0 ? [`${counted(large, 'file')} left out: above 64 MiB; search one by its own path`] : []),
        ...(cut ? [`only the first ${paths.length} files; narrow it with --glob or a path`] : []),
      ]
      return { handle, address, parts: filesOf(paths, workspace, asker.hides, notes), notes }
    }
  }
  if (options.glob !== undefined) return { refused: '--glob picks files of a directory, as in repo: or repo:src' }
  const opened = openHandle(handle, asker)
  if ('refused' in opened) return opened
  const wide = wideText(opened.bytes)
  const text = selector === undefined || selector.by === 'lines' ? wide : undefined
  const bytes = text?.bytes ?? opened.bytes
  const range = getRange(bytes, opened.handle, selector)
  if ('refused' in range) return range
  const shown = { handle: opened.handle, ...(selector === undefined ? {} : { selector }) }
  return {
    handle: opened.handle,
    address: shown,
    parts: [{ name: undefined, bytes, ...range, ...(text === undefined ? {} : { placeOf: text.placeOf }) }],
    notes: text !== undefined ? ['UTF-16 searched as UTF-8'] : wideOf(opened.bytes.read(0, 4096)) ? [NOT_AS_TEXT] : [],
  }
}

/** Files as text; at its end it notes how many are none. */
function* filesOf(
  paths: readonly string[],
  workspace: string,
  hides: Asker['hides'],
  notes: string[],
): Generator<Part> {
  let binary = 0
  for (const name of paths) {
    const file = workspaceFile(name, workspace, hides)
    if ('refused' in file) continue
    const head = file.bytes.read(0, 8192)
    const wide = wideOf(head.subarray(0, 4096)) === undefined ? undefined : wideText(file.bytes)
    if (wide !== undefined) yield { name, ...wide, from: 0, to: wide.bytes.size }
    else if (head.includes(0)) binary++
    else yield { name, bytes: file.bytes, from: 0, to: file.bytes.size }
  }
  if (binary > 0) notes.push(`${counted(binary, 'file')} left out: no text`)
}

interface Looked {
  readonly places: readonly Place[]
  readonly count: number
  readonly by: readonly number[]
  readonly bytes: number
  readonly lines: number
  readonly files: number
  /** Where the time was up. */
  readonly stopped?: { readonly part: Part; readonly at: number }
}

async function lookThrough(
  parts: Iterable<Part>,
  spec: Spec,
  matcher: Matcher,
  { skip, mostMatches }: SearchOptions,
): Promise<Looked> {
  const most = spec.terms.length > 0 ? MOST_RANKED : skip + mostMatches
  const places: Place[] = []
  const by = spec.patterns.map(() => 0)
  let [count, bytes, lines, files] = [0, 0, 0, 0]
  for (const part of parts) {
    const found = await scanBytes(part.bytes, part.from, part.to, most - places.length, matcher)
    count += found.count
    for (const [p, number] of found.by.entries()) by[p] = by[p]! + number
    for (const hit of found.hits) places.push({ ...hit, part })
    bytes += found.to - part.from
    lines += part.bytes.lines
    files++
    if (found.to < part.to) return { places, count, by, bytes, lines, files, stopped: { part, at: found.to } }
  }
  return { places, count, by, bytes, lines, files }
}

function answer(found: Source & Looked, spec: Spec, options: SearchOptions): Found {
  const { skip, mostMatches } = options
  const order = spec.terms.length > 0 ? ranked(found.places, spec.terms.length, found.lines) : found.places
  const chosen = order.slice(skip, skip + mostMatches)
  const page = new Page(options.budget, RESERVE, options.mask)
  const what = [...spec.patterns, ...(options.query === undefined ? [] : [options.query])].map((one) =>
    quote(one, options),
  )
  page.push(
    `[ctx search ${formatAddress(found.address)} | ${cutTo(what.join(' '), 120)} | ${counted(found.count, 'match', 'matches')}]`,
  )
  const shower = new Shower(page, options)
  let shown = 0
  for (const place of chosen) {
    if (!shower.show(place, shown === 0)) break
    shown++
  }
  for (const line of lastLines(found, spec, options, shown)) page.push(line)
  return { text: page.text, matches: found.count, shown, masked: shower.masked, stopped: found.stopped !== undefined }
}

/** What was asked for, masked before any of it is cut off. */
const quote = (asked: string, { mask }: SearchOptions): string => JSON.stringify(mask('', asked, '').text)
const cutTo = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

function lastLines(found: Source & Looked, spec: Spec, options: SearchOptions, shown: number): readonly string[] {
  const { stopped, address, handle } = found
  const lines: string[] = []
  const each =
    spec.patterns.length > 1
      ? found.by.map((count, p) => `${cutTo(quote(spec.patterns[p] ?? '', options), 30)} ${count}`)
      : []
  const where = handle.is === 'repo' && found.files !== 1 ? ` in ${found.files} files` : ''
  const from = options.skip === 0 ? '' : `, from ${options.skip + 1}`
  lines.push(
    `[ctx coverage: ${found.bytes} bytes, ${counted(found.lines, 'line')}${where}${stopped === undefined ? '' : ' looked through before the time was up'}; ${[...each, `${shown} of ${found.count} shown${from}`].join(', ')}]`,
  )
  for (const note of found.notes) lines.push(`[ctx ${note}]`)
  const done = options.skip + shown
  if (shown > 0 && done < found.count && (spec.terms.length === 0 || done < found.places.length))
    lines.push(`[ctx more: ctx search ${commandOf(address, options, done)}]`)
  if (stopped !== undefined) {
    const { part, at } = stopped
    const rest: Address | undefined =
      part.name === undefined && part.placeOf === undefined && at > part.from
        ? { handle, selector: { by: 'bytes', from: at, to: part.to - 1 } }
        : undefined
    const on = rest === undefined ? '' : `, or go on: ctx search ${commandOf(rest, options, 0)}`
    lines.push(`[ctx the expression took too long; simplify it, use --fixed or narrow the range${on}]`)
  }
  return lines
}

/** The words that ask for the answer that comes next. */
function commandOf(address: Address, options: SearchOptions, skip: number): string {
  const flags: string[] = []
  if (options.fixed) flags.push('--fixed')
  if (options.all) flags.push('--all')
  if (options.context > 0) flags.push('--context', String(options.context))
  if (options.glob !== undefined) flags.push('--glob', options.glob)
  if (options.query !== undefined) flags.push('--query', options.query)
  if (skip > 0) flags.push('--skip', String(skip))
  const words = [...flags, ...(options.patterns.some((one) => one.startsWith('-')) ? ['--'] : []), ...options.patterns]
  // An address with a selector is one word here.
  return [formatAddress(address), ...words].map(quoted).join(' ')
}

/** Names a part of a line by its bytes in the capture. */
function bytesWords({ placeOf = (place) => place }: Part, from: number, to: number, n: number): string {
  return `[ctx bytes ${placeOf(from)}:${placeOf(to) - 1} of line ${n}]`
}

/** Writes matches with the lines around them, each line once. */
class Shower {
  readonly #page: Page
  readonly #options: SearchOptions
  readonly #maskers = new Map<Part, Masker>()
  readonly #done = new Map<Part, Set<number>>()
  #last: Part | undefined

  constructor(page: Page, options: SearchOptions) {
    this.#page = page
    this.#options = options
  }

  get masked(): number {
    return [...this.#maskers.values()].reduce((all, { masked }) => all + masked, 0)
  }

  /** Shows one match, whole or not at all. `first`: it is shown in any case, cut where it must be. */
  show(place: Place, first: boolean): boolean {
    const { part } = place
    const masker = this.#maskers.get(part) ?? new Masker(part.bytes, this.#options.mask)
    this.#maskers.set(part, masker)
    const lines: string[] = []
    if (part !== this.#last && part.name !== undefined) lines.push(`[ctx repo:${part.name}]`)
    const numbers = new Set(this.#done.get(part))
    for (const line of this.#linesOf(place, masker, numbers)) lines.push(line)
    const cost = tokensOf(`${lines.join('\n')}\n`)
    if (cost > this.#page.left) {
      if (!first) return false
      if (part.name !== undefined) this.#page.push(lines[0]!)
      this.#showCut(place, masker)
      return true
    }
    for (const line of lines) this.#page.push(line, 0)
    this.#page.spend(cost)
    this.#last = part
    this.#done.set(part, numbers)
    return true
  }

  /** As much of one match as fits, and at least a little. */
  #showCut({ part, from, to }: Place, masker: Masker): void {
    const n = part.bytes.lineAt(from)
    const show = (start: number, end: number): string => numbered(n, masker.slice(start, end))
    const cut = fitting(part.bytes, { n, from, to, whole: true }, Math.max(LITTLE, this.#page.left - 16), show)
    if (cut < to) this.#page.push(bytesWords(part, from, cut, n))
    this.#page.push(show(from, cut))
  }

  *#matchOf({ part, from, to }: Place, masker: Masker): Generator<string> {
    const n = part.bytes.lineAt(from)
    const whole = part.bytes.lineStart(n) === from && to - from <= LONG
    if (!whole) yield bytesWords(part, from, to, n)
    yield numbered(n, masker.slice(from, to))
  }

  *#linesOf(place: Place, masker: Masker, done: Set<number>): Generator<string> {
    const { bytes } = place.part
    const n = bytes.lineAt(place.from)
    const { context } = this.#options
    const own = bytes.lineStart(n) === place.from
    if (!own || context === 0) {
      if (own && done.has(n)) return
      if (own) done.add(n)
      yield* this.#matchOf(place, masker)
      return
    }
    for (let line = Math.max(1, n - context); line <= Math.min(bytes.lines, n + context); line++) {
      if (done.has(line)) continue
      done.add(line)
      const from = bytes.lineStart(line)
      const to = Math.min(bytes.lineStart(line + 1), from + LONG)
      yield numbered(line, masker.slice(from, to))
    }
  }
}
