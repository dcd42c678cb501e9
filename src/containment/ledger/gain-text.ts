/** `ctx gain` in words: two lines in the published format, then what they are made of. */
import { type Entry, entryNet, type Gain, type Part } from './gain.ts'
import type { Price } from './prices.ts'

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `273.4 KiB`: the published form of a size. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(1)} ${UNITS[unit]}`
}

const number = (value: number): string => {
  const digits = String(Math.abs(value)).replace(/\B(?=(?:[0-9]{3})+$)/g, ',')
  return value < 0 ? `-${digits}` : digits
}

const some = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`

/** The two lines that are published. Byte for byte: other programs read them. */
export function publishedLines({ contained: { raw, emitted }, tokens }: Gain): readonly [string, string] {
  const ratio = raw === emitted ? 1 : emitted === 0 ? raw : raw / emitted
  return [
    `contained: ${sizeText(raw)} raw -> ${sizeText(emitted)} emitted (${ratio.toFixed(1)}x)`,
    `est tokens kept out of context: ${tokens.net}`,
  ]
}

/** The whole report. `width`: columns of the terminal. */
export function gainText(gain: Gain, price: Price & { readonly model: string }, width: number): string {
  const { tokens, share } = gain
  const money = (Math.abs(tokens.net) / 1e6) * price.input
  const lines = [
    `[ctx gain · ${some(gain.events, 'event')}, ${some(gain.retrievals, 'retrieval')}, ${some(gain.sessions, 'session')}, ${gain.since.slice(0, 10)} to ${gain.until.slice(0, 10)}]`,
    ...publishedLines(gain),
    `est spend avoided (input-priced): ~${tokens.net < 0 ? '-' : ''}$${money.toFixed(2)} (${price.model} @ $${price.input.toFixed(2)}/Mtok in)`,
    '',
    `captured  ${sizeText(gain.captured)}; raw above is what the hosts would have shown of it`,
    `tokens    ≈${number(tokens.shown)} would have been shown; ≈${number(tokens.delivered)} delivered, ≈${number(tokens.retrieved)} fetched later, ≈${number(tokens.overhead)} of our own words`,
    `share     ${share === undefined ? 'none' : `${(share * 100).toFixed(1)} % of that`}; half of the events spare ≈${number(gain.median)} or more`,
    ...gain.caps.map(
      ({ host, bytes, kind, events }) =>
        `cap       ${host === 'none' ? 'without a host' : host} shows ${number(bytes)} B of a result at most (${kind}; ${some(events, 'event')})`,
    ),
    `price     dollars for a million tokens that are read once and not from a cache: ${price.source}, ${price.date}`,
    '',
    ...bars('family', gain.families, width),
    ...(gain.days.length > 1
      ? ['', `per day   ${spark(gain.days)}  ${gain.days[0]!.name} to ${gain.days.at(-1)!.name}`]
      : []),
    '',
    ...lists(gain, width),
  ]
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

const BAR = 24
const MOST_BARS = 12

/** One bar a part; what costs more than it spares points to the other side. */
function bars(title: string, given: readonly Part[], width: number): string[] {
  const all = given.length <= MOST_BARS ? given : [...given.slice(0, MOST_BARS - 3), ...given.slice(-3)]
  const most = Math.max(1, ...all.map(({ net }) => Math.abs(net)))
  const room = Math.max(8, Math.min(BAR, width - 52))
  const out = [`${title.padEnd(26)} ${'events'.padStart(7)} ${'net tokens'.padStart(12)}`]
  for (const { name, events, net } of all) {
    const length = Math.round((Math.abs(net) / most) * room)
    const bar = net < 0 ? '░'.repeat(length) : '█'.repeat(length)
    out.push(`${name.padEnd(26)} ${number(events).padStart(7)} ${number(net).padStart(12)}  ${bar}`)
  }
  if (all.length < given.length) out.push(`and ${given.length - all.length} more`)
  return out
}

const STEPS = '▁▂▃▄▅▆▇█'
const MOST_DAYS = 30

/** The last days, the best of them full. A day that cost more than it spared is a dot. */
function spark(days: readonly Part[]): string {
  const last = days.slice(-MOST_DAYS)
  const most = Math.max(1, ...last.map(({ net }) => net))
  return last
    .map(({ net }) => (net < 0 ? '·' : STEPS[Math.min(STEPS.length - 1, Math.floor((net / most) * STEPS.length))]))
    .join('')
}

const CELL = 46

/** The best and the worst beside each other, or below where there is no room. */
function lists({ best, worst, events }: Gain, width: number): string[] {
  const [only] = best
  if (events === 1 && only !== undefined) return ['the event', entryLine(only)]
  const left = ['best', ...best.map(entryLine)]
  const right = ['worst', ...worst.map(entryLine)]
  if (width < 2 * CELL) return [...left, '', ...right]
  return left.map((line, i) => `${line.padEnd(CELL)}${right[i] ?? ''}`)
}

const entryLine = (entry: Entry): string =>
  `${number(entryNet(entry)).padStart(9)}  ${entry.family.slice(0, 14).padEnd(14)} ${entry.id ?? entry.method}`
