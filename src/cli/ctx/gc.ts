import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'

export const gcCommand = buildCommand<{ readonly retentionDays?: string; readonly json?: boolean }, [], Context>({
  loader: async () => {
    const { gcVerb } = await import('./keep-verbs.ts')
    return async function (this: Context, flags) {
      this.exit = await gcVerb(flags, this.io)
    }
  },
  parameters: {
    flags: { retentionDays: text('remove what is older (default: store.days of the policy, 30)', 'days'), json },
  },
  docs: { brief: 'Seal what dead runs left, and remove captures that are too old or too much. Pinned ones stay.' },
})
