/** How Devin CLI is wired: in its own settings, though it also runs the hooks of Claude Code. */
import type { WireRow } from '../row.ts'
import { asClaude, GROUPS, SECONDS } from './common.ts'

const { matcher: _, ...ALL } = GROUPS

export const devin: WireRow = {
  host: 'devin',
  byExit: true,
  programs: ['devin'],
  used: ['$config/devin'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { dir: '$config/devin', file: 'config.json' },
        project: { dir: './.devin', file: 'config.local.json' },
      },
      reads: 'json',
      readsMark: false,
      // Without a matcher all tools count; whether a star is a pattern there is not told.
      form: { ...ALL, at: ['hooks'] },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
  ],
  seconds: SECONDS,
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'the directory of a shell that goes on is not told: a relative path is taken from the project',
  ],
  payload: (command, cwd) => ({ ...asClaude(command, cwd), tool_name: 'exec' }),
}
