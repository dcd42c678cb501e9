/** What `ctx gain` prints. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Gain, Tally } from '../../containment/ledger/gain.ts'
import { gainText } from '../../containment/ledger/gain-text.ts'
import { ledgerFile, readLedger } from '../../containment/ledger/ledger.ts'
import { type Price, priceOf, readPrices } from '../../containment/ledger/prices.ts'
import { counted } from '../../core/count.ts'
import { readJsonc } from '../../core/jsonc.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'

export interface GainFlags {
  readonly json?: boolean
  readonly model?: string
  readonly prices?: string
  readonly since?: string
  readonly host?: string
}

/** Columns where nobody says how wide the terminal is. */
const WIDTH = 100

/** Runs the verb. Exit code: 0, 1 without events, 2 for bad input. */
export function showGain(flags: GainFlags, io: Io): number {
  const bad = (sentence: string): number => {
    io.err(`ctx gain: ${sentence}\n`)
    return EXIT.usage
  }
  if (flags.since !== undefined && !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(flags.since))
    return bad(`--since ${JSON.stringify(flags.since)} is no day; write it as 2026-01-31`)
  const own = flags.prices === undefined ? [] : pricesIn(resolve(io.cwd, flags.prices))
  if (typeof own === 'string') return bad(own)
  const file = ledgerFile(io.env, homeOf(io.env))
  const tally = new Tally()
  let read: ReturnType<typeof readLedger>
  try {
    read = readLedger(file, (row) => {
      if (flags.since !== undefined && row.ts < flags.since) return
      if (flags.host === undefined || row.host === flags.host) tally.add(row)
    })
  } catch (error) {
    io.err(`ctx gain: the ledger ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})\n`)
    return EXIT.problem
  }
  const gain = tally.gain()
  if (gain === undefined) {
    const only = flags.since === undefined && flags.host === undefined ? 'yet' : 'that fit --since and --host'
    io.err(`ctx gain: there are no events ${only}; run a command as: ctx run -- <command>\n`)
    return EXIT.problem
  }
  const price = priceOf(flags.model, own)
  if (flags.model !== undefined && price.model === 'fallback')
    io.err(`ctx gain: no price is known for ${JSON.stringify(flags.model)}; the fallback is used\n`)
  if (flags.json) io.out(`${JSON.stringify(asJson(gain, price, read?.skipped ?? 0))}\n`)
  else {
    io.out(gainText(gain, price, Number(io.env['COLUMNS']) || WIDTH))
    if (read !== undefined && read.skipped > 0)
      io.err(
        `ctx gain: ${counted(read.skipped, 'line')} of ${file} ${read.skipped === 1 ? 'is no row' : 'are no rows'} of a ledger\n`,
      )
  }
  return EXIT.ok
}

const asJson = (gain: Gain, { model, input, source, date }: ReturnType<typeof priceOf>, skipped: number) => ({
  v: 1,
  ...gain,
  share: gain.share ?? null,
  spend: { avoided: (gain.tokens.net / 1e6) * input, model, perMtok: input, source, date },
  skipped,
})

/** A person's own prices, or a sentence about what is wrong with the file. */
function pricesIn(file: string): readonly Price[] | string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return `the price file ${file} cannot be read`
  }
  const read = readJsonc(text)
  if (!read.ok) return `the price file ${file}, line ${read.place.line}: ${read.message}`
  const prices = readPrices(read.value)
  return typeof prices === 'string' ? `the price file ${file}: ${prices}` : prices
}
