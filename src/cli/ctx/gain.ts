import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { GainFlags } from './show-gain.ts'

export const gainCommand = buildCommand<GainFlags, [], Context>({
  loader: async () => {
    const { showGain } = await import('./show-gain.ts')
    return function (this: Context, flags) {
      this.exit = showGain(flags, this.io)
    }
  },
  parameters: {
    flags: {
      json,
      model: text('the model whose price is used (default: a fallback that is named)', 'name'),
      prices: text('a file of your own prices', 'file'),
      since: text('only events from this day on', 'yyyy-mm-dd'),
      host: text('only events of this host', 'id'),
    },
  },
  docs: {
    brief: 'Show what was kept out of the context, and what that cost.',
    fullDescription:
      'Reads the ledger. What the host would have cut by itself is no gain, and what was fetched later and our own words count against it, so the balance may be negative. Exit code: 1 where there are no events yet.',
  },
})
