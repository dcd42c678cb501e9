/** What differs between two runs: how they ended, how much they said, and what only one of them says. */
import { counted } from '../../core/count.ts'
import { formatAddress } from '../address.ts'
import { type Analysis, analyse } from '../digest/analysis.ts'
import { digestOf, RUN_WINDOWS } from '../digest/digest.ts'
import type { Probe } from '../digest/family.ts'
import type { Shape } from '../digest/shapes.ts'
import type { Lines, Manifest } from '../store/types.ts'
import { type MaskSlice, Page } from './page.ts'
import type { Opened, Refusal } from './source.ts'
import { endOf, sampleLine } from './stats.ts'

export interface DiffOptions {
  readonly budget: number
  readonly mask: MaskSlice
  /** The commands of a run, for the digest's families. */
  readonly commandsOf: (manifest: Manifest) => Probe['commands']
}

const RESERVE = 20

/** How `b` differs from `a`, the earlier one, as text. Both are runs that have ended. */
export function diffAnswer(a: Opened, b: Opened, options: DiffOptions): { readonly text: string } | Refusal {
  const [one, other] = [a.manifest, b.manifest]
  if (one === undefined || other === undefined) return { refused: 'diff compares two runs that have ended' }
  const { mask } = options
  const page = new Page(options.budget, RESERVE, options.mask)
  const [was, is] = [formatAddress({ handle: a.handle }), formatAddress({ handle: b.handle })]
  page.push(`[ctx diff ${was} ${is}]`)
  page.push(`[ctx was: ${endOf(one, mask)}]`)
  page.push(`[ctx is: ${endOf(other, mask)}]`)
  for (const name of ['stdout', 'stderr'] as const) {
    const [from, to] = [one.streams[name], other.streams[name]]
    const same = from.sha256 === to.sha256
    page.push(
      same
        ? `[ctx ${name}: the same ${counted(to.lines, 'line')}]`
        : `[ctx ${name}: ${from.lines} → ${counted(to.lines, 'line')}, ${from.bytes} → ${to.bytes} bytes]`,
    )
  }
  if (one.streams.merged.sha256 === other.streams.merged.sha256) return { text: page.text }
  for (const fact of failures(a, b, one, other, options)) page.add(fact)
  const [before, after] = [analyse(a.bytes, RUN_WINDOWS), analyse(b.bytes, RUN_WINDOWS)]
  // What is new gets the larger half of what is left.
  addNew(page, `new in ${is}`, b.bytes, newIn(after, before), mask, page.left * 0.6)
  addNew(page, `gone since ${was}`, a.bytes, newIn(before, after), mask, page.left)
  return { text: page.text }
}

/** What the digest says of failures that are fixed, new and the same. */
function failures(a: Opened, b: Opened, one: Manifest, other: Manifest, options: DiffOptions): readonly string[] {
  const was = formatAddress({ handle: a.handle })
  const { text } = digestOf({
    bytes: b.bytes,
    commands: options.commandsOf(other),
    label: '',
    ...(other.exit === null ? {} : { exit: other.exit }),
    ...(other.signal === null ? {} : { signal: other.signal }),
    earlier: {
      bytes: a.bytes,
      ...(one.exit === null ? {} : { exit: one.exit }),
      ...(one.signal === null ? {} : { signal: one.signal }),
      handle: was,
    },
    budget: options.budget,
    windows: RUN_WINDOWS,
    mask: (given) => options.mask('', given, ''),
  })
  return text.split('\n').filter((line) => /^\[ctx (?:since |fixed: |new: )/.test(line))
}

/** A line without its numbers. */
const withoutNumbers = (text: string): string =>
  text
    .replace(/0x[0-9a-f]+|\d+(?:[.,:/-]\d+)*/gi, '0')
    .replace(/\s+/g, ' ')
    .trim()

function newIn(after: Analysis, before: Analysis): readonly Shape[] {
  const known = new Set(before.shapes.map(({ sample }) => withoutNumbers(sample)))
  return after.shapes
    .filter(({ sample, garbled }) => !garbled && sample.trim() !== '' && !known.has(withoutNumbers(sample)))
    .toSorted((x, y) => y.voice.loud - x.voice.loud || x.id - y.id)
}

function addNew(
  page: Page,
  name: string,
  bytes: Lines,
  shapes: readonly Shape[],
  mask: MaskSlice,
  tokens: number,
): void {
  page.add(`[ctx ${name}: ${shapes.length === 0 ? 'no kind of line' : counted(shapes.length, 'kind') + ' of lines'}]`)
  const floor = page.left - tokens
  let shown = 0
  for (const shape of shapes) {
    if (page.left <= floor || !page.add(sampleLine(bytes, shape, mask))) break
    shown++
  }
  if (shown > 0 && shown < shapes.length) page.add(`[ctx ${shapes.length - shown} more]`)
}
