import { buildCommand } from '@stricli/core'
import { type Context, json } from '../flags.ts'
import { address } from './get.ts'

export const pinCommand = buildCommand<{ readonly json?: boolean }, [string], Context>({
  loader: async () => {
    const { pinVerb } = await import('./keep-verbs.ts')
    return async function (this: Context, flags, given) {
      this.exit = await pinVerb(flags, given, this.io)
    }
  },
  parameters: { flags: { json }, positional: address },
  docs: { brief: 'Keep a run or blob for good: no collection takes it. Only ctx purge does.' },
})
