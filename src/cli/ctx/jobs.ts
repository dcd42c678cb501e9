import { buildCommand } from '@stricli/core'
import { type Context, json } from '../flags.ts'

export const jobsCommand = buildCommand<{ readonly json?: boolean }, [], Context>({
  loader: async () => {
    const { jobsVerb } = await import('./job-verb.ts')
    return async function (this: Context, flags) {
      this.exit = await jobsVerb(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'List the jobs in the background, and those that have ended.' },
})
