/** How Grok Build is wired: a file of its own, which is always trusted. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

export const grok: WireRow = {
  host: 'grok',
  byExit: true,
  programs: ['grok'],
  used: ['~/.grok'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { env: 'GROK_HOME', dir: '~/.grok', file: 'hooks/sallyport.json' },
        project: { dir: './.grok/hooks', file: 'sallyport.json' },
      },
      reads: 'json',
      readsMark: false,
      form: {
        is: 'groups',
        at: ['hooks'],
        // Without a matcher all tools count.
        command: 'command',
        timeout: { key: 'timeout', perSecond: 1 },
        also: { type: 'command' },
        expands: true,
      },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
  ],
  seconds: SECONDS,
  least: '1.0.0',
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'the keys of its file tools are in no public page: a call under a key that nobody knows is judged as an unknown tool',
    'whether grok agent (ACP) reaches hooks is not settled',
    'hooks of a project run only in trusted folders',
  ],
  payload: (command, cwd) => ({
    hookEventName: 'PreToolUse',
    sessionId: 'sallyport-canary',
    cwd,
    workspaceRoot: cwd,
    toolName: 'run_terminal_command',
    toolInput: { command },
  }),
}
