/** `ctx stats`: the command line's side of it. */
import { handleText, parseAddress } from '../../containment/address.ts'
import { statsAnswer } from '../../containment/query/stats.ts'
import { EXIT, type Io } from '../io.ts'
import { askingOf, bookAnswer, budgetOf, refuse } from './asking.ts'

export interface StatsFlags {
  readonly exact?: boolean
  readonly glob?: string
  readonly budget?: string
  readonly json?: boolean
}

/** Prints what there is. Exit code 0, or 2 where the address names nothing. */
export async function statsVerb(flags: StatsFlags, given: string, io: Io): Promise<number> {
  const address = parseAddress(given)
  if ('refused' in address) return refuse(io, 'stats', address)
  const asking = await askingOf(io)
  const budget = budgetOf(flags.budget, asking.result)
  if (typeof budget !== 'number') return refuse(io, 'stats', budget)
  const { store, mask } = asking
  const exact = flags.exact ? await tokenizer() : undefined
  const told = statsAnswer(address, asking, {
    budget,
    mask,
    exact,
    occurrences: (id) => store.occurrences(id),
    ...(flags.glob === undefined ? {} : { glob: flags.glob }),
  })
  if ('refused' in told) return refuse(io, 'stats', told)
  if (flags.exact && exact === undefined)
    io.err('ctx stats: tokens are estimated; --exact needs the package gpt-tokenizer beside this program\n')
  io.out(flags.json ? `${JSON.stringify({ v: 1, text: told.text })}\n` : told.text)
  bookAnswer(io, 'stats', address.handle.is === 'repo' ? undefined : handleText(address.handle), told.text)
  return EXIT.ok
}

/** The tokenizer that models of the o200k vocabulary use, where somebody installed it. It takes half a second to load. */
async function tokenizer(): Promise<((text: string) => number) | undefined> {
  const name = 'gpt-tokenizer/encoding/o200k_base'
  try {
    const { encode } = (await import(name)) as { encode(text: string, options?: object): readonly number[] }
    // Texts that look like control tokens of a model are texts here.
    return (text) => encode(text, { disallowedSpecial: new Set<string>() }).length
  } catch {
    return undefined
  }
}
