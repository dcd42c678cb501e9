import { buildCommand } from '@stricli/core'
import { type Context, json } from '../flags.ts'

export const purgeCommand = buildCommand<{ readonly all?: boolean; readonly json?: boolean }, [string?], Context>({
  loader: async () => {
    const { purgeVerb } = await import('./keep-verbs.ts')
    return async function (this: Context, flags, given) {
      this.exit = await purgeVerb(flags, given, this.io)
    }
  },
  parameters: {
    flags: {
      all: { kind: 'boolean', brief: 'remove all captures, pinned ones too', optional: true },
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'run:, blob: or job:', parse: String, placeholder: 'address', optional: true }],
    },
  },
  docs: {
    brief: 'Remove a capture with its bytes at once, or with --all all of them.',
    fullDescription:
      'Removes what is kept, whether it is pinned or not. Of a removed capture only the first digits of its id and the day are remembered, so that its address can be answered. Exit code: 0, or 2 where the address names nothing.',
  },
})
