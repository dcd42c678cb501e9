/** `ctx search`: the command line's side of it. */
import { handleText, parseAddress } from '../../containment/address.ts'
import { searchAnswer } from '../../containment/query/search.ts'
import { quote } from '../../setup/wire/entries.ts'
import { EXIT, type Io } from '../io.ts'
import { askingOf, bookAnswer, budgetOf, countOf, refuse } from './asking.ts'

export interface SearchFlags {
  readonly fixed?: boolean
  readonly all?: boolean
  readonly context?: string
  readonly glob?: string
  readonly maxMatches?: string
  readonly query?: string
  readonly skip?: string
  readonly budget?: string
  readonly json?: boolean
}

/** Prints matches. Exit code 0; 1 where expressions took too long; 2 where nothing could be looked for. */
export async function searchVerb(flags: SearchFlags, words: readonly string[], io: Io): Promise<number> {
  const [given, ...patterns] = words
  if (given === undefined)
    return refuse(io, 'search', { refused: 'name what to look in, as in: ctx search repo: pattern' })
  const address = parseAddress(given)
  if ('refused' in address) {
    const at = patterns.findIndex((one) => /^\w+:/.test(one) && !('refused' in parseAddress(one)))
    if (at < 0) return refuse(io, 'search', address)
    const turned = [patterns[at]!, given, ...patterns.toSpliced(at, 1)].map(quote).join(' ')
    return refuse(io, 'search', { refused: `the address stands first, as in: ctx search ${turned}` })
  }
  const context = countOf('context', flags.context, 0, 0)
  if (typeof context !== 'number') return refuse(io, 'search', context)
  const mostMatches = countOf('max-matches', flags.maxMatches, 1, 80)
  if (typeof mostMatches !== 'number') return refuse(io, 'search', mostMatches)
  const skip = countOf('skip', flags.skip, 0, 0)
  if (typeof skip !== 'number') return refuse(io, 'search', skip)
  const asking = await askingOf(io)
  const budget = budgetOf(flags.budget, asking.result)
  if (typeof budget !== 'number') return refuse(io, 'search', budget)
  const { mask } = asking
  const found = await searchAnswer(address, asking, {
    patterns,
    fixed: flags.fixed === true,
    all: flags.all === true,
    context,
    ...(flags.glob === undefined ? {} : { glob: flags.glob }),
    mostMatches,
    ...(flags.query === undefined ? {} : { query: flags.query }),
    skip,
    budget,
    mask,
  })
  if ('refused' in found) return refuse(io, 'search', found)
  const { text, matches, shown, masked, stopped } = found
  io.out(flags.json ? `${JSON.stringify({ v: 1, text, matches, shown, masked, stopped })}\n` : text)
  bookAnswer(io, 'search', address.handle.is === 'repo' ? undefined : handleText(address.handle), text)
  return stopped ? EXIT.problem : EXIT.ok
}
