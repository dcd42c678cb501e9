/** How Factory Droid is wired. */
import type { WireRow } from '../row.ts'
import { asClaude, GROUPS, SECONDS } from './common.ts'

export const droid: WireRow = {
  host: 'droid',
  byExit: true,
  programs: ['droid'],
  used: ['~/.factory'],
  files: [
    {
      is: 'entries',
      settings: { user: { dir: '~/.factory', file: 'hooks.json' }, project: { dir: './.factory', file: 'hooks.json' } },
      // A file that does not fit is dropped whole.
      reads: 'json',
      readsMark: false,
      form: { ...GROUPS, at: [] },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
    { name: 'SessionStart', is: 'session' },
    { name: 'SessionEnd', is: 'session' },
  ],
  seconds: SECONDS,
  least: '0.202.0',
  off: [
    { place: { dir: '~/.factory', file: 'settings.json' }, at: ['hooksDisabled'], value: true },
    { place: { dir: './.factory', file: 'settings.json' }, at: ['hooksDisabled'], value: true },
  ],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'droid --no-hooks, hooksDisabled and rules of an organisation switch hooks off',
    'in its sandbox for single commands the hook may not write its state',
  ],
  payload: (command, cwd) => ({ ...asClaude(command, cwd), permission_mode: 'off', tool_name: 'Execute' }),
}
