import { buildCommand } from '@stricli/core'
import type { RunFlags } from '../../containment/run/options.ts'
import { type Context, text, words } from '../flags.ts'

const flag = (brief: string) => ({ kind: 'boolean', brief, optional: true }) as const

export const runCommand = buildCommand<RunFlags, string[], Context>({
  loader: async () => {
    const { runVerb } = await import('./run-verb.ts')
    return async function (this: Context, flags, ...argv) {
      this.exit = await runVerb(flags, argv, this.io)
    }
  },
  parameters: {
    flags: {
      focus: text('words that the digest is to look for', 'words'),
      cwd: text('where the command runs (default: here)', 'dir'),
      shell: flag(
        'the command is one line for a shell: $SHELL where that is of the family of sh, else bash, else /bin/sh',
      ),
      timeout: text('end it after this many seconds (default: never)', 'seconds'),
      budget: text('tokens of the digest (default: 600)', 'tokens'),
      raw: flag('pass every byte on as it comes, unmasked, and print nothing else'),
      bg: flag('return at once with the address of a job'),
      bgAfter: text('the same, if it has not ended after this many seconds', 'seconds'),
      pty: flag('give it a terminal'),
      asJob: { ...text('what the process of a job is told', 'order'), hidden: true },
    },
    positional: words,
  },
  docs: {
    brief: 'Run a command, keep all that it writes, and show little of it.',
    fullDescription:
      'Up to 2,048 bytes of output are shown as they are; more becomes a digest whose omitted parts have addresses for `get` and `search`. Exit code: the command’s own, 128+n where a signal n ended it, 124 after --timeout, 126 and 127 where it cannot be executed or found, 125 for a failure of ours and for bad usage.',
  },
})
