/** `ctx digest`: the digest of an output that was recorded elsewhere. */
import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { DigestFlags } from './digest-file.ts'

export const digestCommand = buildCommand<DigestFlags, [string], Context>({
  loader: async () => {
    const { digestFile } = await import('./digest-file.ts')
    return async function (this: Context, flags, file) {
      this.exit = await digestFile(flags, file, this.io)
    }
  },
  parameters: {
    flags: {
      command: text('the command that wrote it, as one line', 'command'),
      exit: text('its exit code', 'n'),
      budget: text('tokens of the digest (default: 600)', 'tokens'),
      focus: text('words to look for', 'words'),
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'the file, or - for standard input', parse: String, placeholder: 'file' }],
    },
  },
  docs: {
    brief: 'Show the digest of an output that was recorded elsewhere.',
    fullDescription:
      'For pipes, logs of CI and reports of bugs. The bytes are kept, so the addresses of the digest work. With --json: {v, status, exit_code, tokens, raw_tokens, masked, addresses, text}. Exits 0 whatever the exit code that is named.',
  },
})
