import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { GetFlags } from './get-verb.ts'

/** The flags of a selector, for verbs that take an address. */
export const selectors = {
  lines: text('lines, counted from 1', 'A:B'),
  bytes: text('bytes, counted from 0', 'A:B'),
  records: text('lines that are not blank, counted from 1', 'A:B'),
  jsonPointer: text('a value of a JSON text', 'pointer'),
  shape: text('lines of one shape of the digest', 'N[:A:B]'),
} as const

export const address = {
  kind: 'tuple',
  parameters: [{ brief: 'run:, blob:, job: or repo:<path>', parse: String, placeholder: 'address' }],
} as const

export const getCommand = buildCommand<GetFlags, [string], Context>({
  loader: async () => {
    const { getVerb } = await import('./get-verb.ts')
    return async function (this: Context, flags, given) {
      this.exit = await getVerb(flags, given, this.io)
    }
  },
  parameters: {
    flags: {
      ...selectors,
      budget: text('tokens of the answer (default: 1200)', 'tokens'),
      raw: { kind: 'boolean', brief: 'every byte as it is, unmasked and without a bound', optional: true },
      json,
    },
    positional: address,
  },
  docs: {
    brief: 'Print what an address names, a bounded part at a time.',
    fullDescription:
      'Prints lines of a capture or of a file below the workspace (repo:<path>), and where they are more than the budget takes the address that goes on. Exit code: 0, or 2 where the address names nothing.',
  },
})
