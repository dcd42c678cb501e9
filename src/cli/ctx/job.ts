import { buildCommand } from '@stricli/core'
import { type Context, text } from '../flags.ts'
import type { JobFlags } from './job-verb.ts'

export const jobCommand = buildCommand<JobFlags, [string], Context>({
  loader: async () => {
    const { jobVerb } = await import('./job-verb.ts')
    return async function (this: Context, flags, id) {
      this.exit = await jobVerb(flags, id, this.io)
    }
  },
  parameters: {
    flags: {
      tail: text('of a running job show this many of the last lines (default: 10, at most 40)', 'lines'),
      wait: { kind: 'boolean', brief: 'wait until it has ended, and show what it wrote', optional: true },
      timeout: text('wait no longer than this', 'seconds'),
      kill: { kind: 'boolean', brief: 'end it, and show what it wrote', optional: true },
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'the job’s id, or its beginning', parse: String, placeholder: 'id' }],
    },
  },
  docs: {
    brief: 'Show a job in the background: its last lines while it runs, else what `run` would have shown.',
    fullDescription:
      'Exit code: 0 where it runs or has succeeded, 1 where it failed, was cut off, or still runs after --timeout, 2 where there is no such job.',
  },
})
