import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import { address } from './get.ts'
import type { StatsFlags } from './stats-verb.ts'

export const statsCommand = buildCommand<StatsFlags, [string], Context>({
  loader: async () => {
    const { statsVerb } = await import('./stats-verb.ts')
    return async function (this: Context, flags, given) {
      this.exit = await statsVerb(flags, given, this.io)
    }
  },
  parameters: {
    flags: {
      exact: { kind: 'boolean', brief: 'count tokens with a real tokenizer (package gpt-tokenizer)', optional: true },
      glob: text('of a directory, files of this form only', 'glob'),
      budget: text('tokens of the answer (default: 1200)', 'tokens'),
      json,
    },
    positional: address,
  },
  docs: { brief: 'Tell size, kind and shapes of a capture, a file or a directory, without showing it.' },
})
