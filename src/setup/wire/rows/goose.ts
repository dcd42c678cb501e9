/** How Goose is wired: a plugin that it finds by its directory. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

const [USER, PROJECT] = ['~/.agents/plugins/sallyport', './.agents/plugins/sallyport']

export const goose: WireRow = {
  host: 'goose',
  programs: ['goose'],
  used: ['$config/goose'],
  files: [
    {
      is: 'own',
      settings: { user: { dir: USER, file: 'plugin.json' }, project: { dir: PROJECT, file: 'plugin.json' } },
      mode: 0o600,
      text: {
        json: () => ({
          name: 'sallyport',
          version: '1.0.0',
          description: 'Sallyport: judges each call before it runs',
        }),
      },
    },
    {
      is: 'entries',
      settings: { user: { dir: USER, file: 'hooks/hooks.json' }, project: { dir: PROJECT, file: 'hooks/hooks.json' } },
      reads: 'json',
      readsMark: false,
      form: {
        is: 'groups',
        at: ['hooks'],
        // Without a matcher all tools count; a bare star is no pattern there.
        command: 'command',
        timeout: { key: 'timeout', perSecond: 1 },
        also: { type: 'command' },
        closed: { also: { on_failure: 'block' }, since: '1.48' },
      },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
    { name: 'PostToolUseFailure', is: 'after' },
    { name: 'SessionStart', is: 'session' },
    { name: 'SessionEnd', is: 'session' },
  ],
  seconds: SECONDS,
  least: '1.48',
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'calls of sub-agents reach no hook since 1.46',
    'outputs and inputs cannot be changed, so a flood is only named, never contained',
    'a plugin of this name in a project takes the place of the user’s',
  ],
  payload: (command, cwd) => ({
    event: 'PreToolUse',
    session_id: 'sallyport-canary',
    tool_call_id: 'canary',
    tool_name: 'shell',
    tool_input: { command },
    working_dir: cwd,
  }),
}
