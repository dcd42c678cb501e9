/** What a million tokens of input cost, as data. Money is shown with the model, the source and the day of the price. */

export interface Price {
  /** The model's name begins so, case ignored; the first row that fits holds. */
  readonly match: string
  /** Dollars per million tokens that are read for the first time. */
  readonly input: number
  readonly source: string
  /** The day on which the source said so. */
  readonly date: string
}

const ANTHROPIC = { source: 'https://platform.claude.com/docs/en/about-claude/pricing', date: '2026-10-10' } as const
const OPENAI = { source: 'https://developers.openai.com/api/docs/pricing', date: '2026-09-22' } as const
const GOOGLE = { source: 'https://ai.google.dev/gemini-api/docs/pricing', date: '2026-10-07' } as const

export const PRICES: readonly Price[] = [
  { match: 'claude-fable', input: 10, ...ANTHROPIC },
  { match: 'claude-mythos', input: 10, ...ANTHROPIC },
  { match: 'claude-opus-5-5', input: 4, ...ANTHROPIC },
  { match: 'claude-opus-4-1', input: 15, ...ANTHROPIC },
  { match: 'claude-opus-4-0', input: 15, ...ANTHROPIC },
  { match: 'claude-opus-4-2', input: 15, ...ANTHROPIC },
  { match: 'claude-opus', input: 5, ...ANTHROPIC },
  { match: 'claude-sonnet-5', input: 2, ...ANTHROPIC },
  { match: 'claude-sonnet', input: 3, ...ANTHROPIC },
  { match: 'claude-haiku-5-5', input: 0.1, ...ANTHROPIC },
  { match: 'claude-haiku-3-5', input: 0.8, ...ANTHROPIC },
  { match: 'claude-haiku', input: 1, ...ANTHROPIC },
  { match: 'gpt-6-sol', input: 2, ...OPENAI },
  { match: 'gpt-6-luna', input: 0.1, ...OPENAI },
  { match: 'gpt-5.6-sol', input: 5, ...OPENAI },
  { match: 'gpt-5.6-terra', input: 2, ...OPENAI },
  { match: 'gpt-5.6-luna', input: 0.2, ...OPENAI },
  { match: 'gemini-3.8-flash', input: 0.75, ...GOOGLE },
]

/** Where the model is not known: the published fallback of `ctx gain`. It is named as such. */
export const FALLBACK: Price = { match: 'fallback', input: 3, source: 'the published fallback', date: '2026-11-30' }

/** The price of a model by its name, or the fallback. `given`: rows of the person's own, looked at first. */
export function priceOf(model: string | undefined, given: readonly Price[] = []): Price & { readonly model: string } {
  const name = model?.toLowerCase()
  const row = name === undefined ? undefined : [...given, ...PRICES].find(({ match }) => name.startsWith(match))
  return row === undefined || model === undefined ? { ...FALLBACK, model: 'fallback' } : { ...row, model }
}

/** Rows of a price file: `{"prices": [{"match", "input", "source", "date"}]}`. A sentence says what is wrong with it. */
export function readPrices(value: unknown): readonly Price[] | string {
  const rows = (value as { prices?: unknown } | null)?.prices
  if (!Array.isArray(rows)) return 'it needs "prices", a list'
  for (const [i, row] of rows.entries()) {
    const { match, input, source, date } = (row ?? {}) as Record<string, unknown>
    if (typeof match !== 'string' || match === '') return `prices[${i}].match must be the beginning of a model's name`
    if (typeof input !== 'number' || !(input >= 0)) return `prices[${i}].input must be dollars per million tokens`
    if (typeof source !== 'string' || typeof date !== 'string') return `prices[${i}] needs source and date`
  }
  return (rows as Price[]).map((row) => ({ ...row, match: row.match.toLowerCase() }))
}
