/** Tells what there is behind a handle without showing it: sizes, kinds, shapes. */

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { counted } from '../../core/count.ts'
import { type Address, formatAddress, type Handle, shellAddress } from '../address.ts'
import { analyse } from '../digest/analysis.ts'
import { RUN_WINDOWS } from '../digest/digest.ts'
import type { Shape } from '../digest/shapes.ts'
import type { Lines, Manifest, Occurrence } from '../store/types.ts'
import { tokensOf } from '../tokens.ts'
import { describe } from './describe.ts'
import { filesBelow } from './files.ts'
import { type MaskSlice, oneLine, Page, plain } from './page.ts'
import { type Asker, insideWorkspace, type Opened, openHandle, type Refusal, workspaceOf } from './source.ts'

export interface StatsOptions {
  readonly budget: number
  readonly mask: MaskSlice
  /** Counts tokens as a model does; absent: estimated. */
  readonly exact?: ((text: string) => number) | undefined
  /** Of a run: when and where it was made. */
  readonly occurrences?: (id: string) => readonly Occurrence[]
  readonly glob?: string
}

const RESERVE = 20
/** Bytes that are read to count tokens; of a longer capture both ends are taken for the rest. */
const SAMPLE = 1 << 20
/** Kinds of files, and largest files, that are told of a directory. */
const MOST_KINDS = 12
const LARGEST = 5

/** Sizes and kinds of what an address names, as lines of the frame. */
export function statsAnswer(
  address: Address,
  asker: Asker,
  options: StatsOptions,
): { readonly text: string } | Refusal {
  const { handle } = address
  if (address.selector !== undefined) return { refused: 'stats takes a handle without a selector' }
  if (handle.is === 'repo') {
    const workspace = workspaceOf(asker.cwd)
    const real = insideWorkspace(handle.path, workspace)
    if (typeof real !== 'string') return real
    if (lstatSync(real).isDirectory()) return { text: ofDirectory(handle, workspace, asker.hides, options) }
  }
  const opened = openHandle(handle, asker)
  return 'refused' in opened ? opened : { text: ofCapture(opened, options) }
}

function ofCapture({ handle, bytes, manifest }: Opened, options: StatsOptions): string {
  const page = new Page(options.budget, RESERVE, options.mask)
  const { mask, occurrences } = options
  page.push(`[ctx stats ${formatAddress({ handle })}${manifest === undefined ? '' : ` | ${endOf(manifest, mask)}`}]`)
  page.push(`[ctx ${sizeOf(bytes, options.exact)}, ${masked(describe(bytes), mask)}]`)
  if (manifest !== undefined && (handle.is === 'repo' || handle.stream === undefined || handle.stream === 'merged'))
    for (const name of ['stdout', 'stderr'] as const)
      page.push(
        `[ctx ${name}: ${counted(manifest.streams[name].lines, 'line')}, ${manifest.streams[name].bytes} bytes]`,
      )
  if (manifest?.stopped !== undefined)
    page.push(`[ctx capture stopped at ${manifest.stopped.at} of ${manifest.stopped.seen} bytes]`)
  const seen = manifest === undefined ? [] : (occurrences?.(manifest.id) ?? [])
  const last = seen.at(-1)
  if (last !== undefined) {
    const ms = last.ms === undefined ? '' : `, ${(last.ms / 1000).toFixed(1)} s`
    page.push(`[ctx made ${counted(seen.length, 'time')}, last ${last.ts} in ${oneLine(last.cwd)}${ms}]`)
  }
  addShapes(page, handle, bytes, mask)
  return page.text
}

/** Shapes by how often they occur, each with one of its lines; how a rare one is fetched is told at the end. */
function addShapes(page: Page, handle: Handle, bytes: Lines, mask: MaskSlice): void {
  const { shapes } = analyse(bytes, RUN_WINDOWS)
  const told = shapes.filter(({ sample, garbled }) => !garbled && sample.trim() !== '')
  if (told.length === 0) return
  const example = shellAddress({ handle, selector: { by: 'shape', shape: told[0]!.id } })
  page.push(`[ctx ${counted(told.length, 'shape')} of lines, by how often they occur; one of them: ctx get ${example}]`)
  let shown = 0
  for (const shape of [...told].sort((a, b) => b.count - a.count || a.id - b.id)) {
    if (
      !page.add(`[ctx shape ${shape.id}, first at line ${shape.first.n}]`) ||
      !page.add(sampleLine(bytes, shape, mask))
    )
      break
    shown++
  }
  if (shown < told.length) page.push(`[ctx ${counted(told.length - shown, 'more shape')}]`)
}

/** Characters of a sample. */
const MOST_SAMPLE = 160

/** `n× ` and a line of the shape, as it is in the capture. */
export function sampleLine(bytes: Lines, shape: Shape, mask: MaskSlice): string {
  const { from, to } = shape.best
  const text = masked(plain(bytes, from, Math.min(to, from + 4 * MOST_SAMPLE)), mask)
  return `${shape.count}× ${text.slice(0, MOST_SAMPLE).replace(/[\ud800-\udbff]$/, '')}`
}

function ofDirectory(
  handle: Handle & { is: 'repo' },
  workspace: string,
  hides: Asker['hides'],
  options: StatsOptions,
): string {
  const { paths, hidden, cut } = filesBelow(workspace, handle.path, options.glob, hides)
  const kinds = new Map<string, { files: number; bytes: number }>()
  const files = paths.map((path) => ({ path, bytes: lstatSync(join(workspace, path)).size }))
  for (const { path, bytes } of files) {
    const kind = /[^/]\.([^./]{1,12})$/.exec(path)?.[1] ?? 'other'
    const sum = kinds.get(kind) ?? { files: 0, bytes: 0 }
    kinds.set(kind, { files: sum.files + 1, bytes: sum.bytes + bytes })
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const page = new Page(options.budget, RESERVE, options.mask)
  page.push(
    `[ctx stats repo:${handle.path} | ${counted(files.length, 'file')}${cut ? ' and more' : ''}, ${total} bytes]`,
  )
  const sorted = [...kinds].sort((a, b) => b[1].bytes - a[1].bytes || (a[0] < b[0] ? -1 : 1))
  for (const [kind, sum] of sorted.slice(0, MOST_KINDS))
    page.add(`[ctx ${kind}: ${counted(sum.files, 'file')}, ${sum.bytes} bytes]`)
  if (sorted.length > MOST_KINDS) page.add(`[ctx ${counted(sorted.length - MOST_KINDS, 'more kind')}]`)
  const largest = files.sort((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1)).slice(0, LARGEST)
  for (const { path, bytes } of largest)
    page.add(`[ctx large: ${shellAddress({ handle: { is: 'repo', path } })} ${bytes} bytes]`)
  if (hidden > 0) page.add(`[ctx ${counted(hidden, 'file')} left out: by the name a secret, or closed by the policy]`)
  return page.text
}

const masked = (text: string, mask: MaskSlice): string => mask('', text, '').text

const MOST_COMMAND = 120

/** How a run ended, and its command line. */
export function endOf({ exit, signal, argv, partial }: Manifest, mask: MaskSlice): string {
  const end = signal !== null ? `killed by ${signal}` : exit !== null ? `exit ${exit}` : 'end unknown'
  const command = masked(oneLine(argv.join(' ')), mask)
  const cut = command.length > MOST_COMMAND ? `${command.slice(0, MOST_COMMAND)}…` : command
  return `${end}${partial ? ', cut off' : ''} | ${cut}`
}

function sizeOf(bytes: Lines, exact: StatsOptions['exact']): string {
  const count = exact ?? tokensOf
  const text = (from: number, to: number) => Buffer.from(bytes.read(from, to)).toString('utf8')
  const tokens =
    bytes.size <= 2 * SAMPLE || exact !== undefined
      ? whole(bytes, count)
      : Math.round(
          ((count(text(0, SAMPLE)) + count(text(bytes.size - SAMPLE, bytes.size))) * bytes.size) / (2 * SAMPLE),
        )
  return `${counted(bytes.lines, 'line')}, ${bytes.size} bytes, ${exact === undefined ? '≈' : ''}${counted(tokens, 'token')}${exact === undefined ? '' : ' (o200k)'}`
}

/** Tokens of all, piece by piece: cut where lines end, so that hardly a token is cut. */
function whole(bytes: Lines, count: (text: string) => number): number {
  let sum = 0
  for (let at = 0; at < bytes.size; ) {
    const part = Buffer.from(bytes.read(at, at + SAMPLE))
    const end = at + part.length < bytes.size ? part.lastIndexOf(0x0a) + 1 : part.length
    const piece = end > 0 ? part.subarray(0, end) : part
    sum += count(piece.toString('utf8'))
    at += piece.length
  }
  return sum
}
