import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { DiffFlags } from './diff-verb.ts'

export const diffCommand = buildCommand<DiffFlags, [string, string], Context>({
  loader: async () => {
    const { diffVerb } = await import('./diff-verb.ts')
    return async function (this: Context, flags, before, after) {
      this.exit = await diffVerb(flags, before, after, this.io)
    }
  },
  parameters: {
    flags: { budget: text('tokens of the answer (default: 1200)', 'tokens'), json },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'the earlier run', parse: String, placeholder: 'run' },
        { brief: 'the later run', parse: String, placeholder: 'run' },
      ],
    },
  },
  docs: { brief: 'Say what differs between two runs: their ends, sizes, failures and kinds of lines.' },
})
