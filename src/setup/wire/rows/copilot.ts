/** How GitHub Copilot CLI is wired. */
import type { WireRow } from '../row.ts'
import { NOWHERE, SECONDS } from './common.ts'

export const copilot: WireRow = {
  host: 'copilot',
  programs: ['copilot'],
  used: ['~/.copilot'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { env: 'COPILOT_HOME', dir: '~/.copilot', file: 'hooks/sallyport.json' },
        project: { dir: './.github/hooks', file: 'sallyport.json' },
      },
      reads: 'json',
      readsMark: false,
      form: {
        is: 'flat',
        at: ['hooks'],
        command: 'command',
        timeout: { key: 'timeoutSec', perSecond: 1 },
        also: { type: 'command' },
        needed: [{ at: ['version'], value: 1 }],
      },
    },
  ],
  events: [
    { name: 'preToolUse', is: 'gate' },
    { name: 'postToolUse', is: 'after' },
    { name: 'sessionStart', is: 'session' },
    { name: 'sessionEnd', is: 'session' },
  ],
  seconds: SECONDS,
  least: '1.0.70',
  off: [
    {
      place: { env: 'COPILOT_HOME', dir: '~/.copilot', file: 'hooks/sallyport.json' },
      at: ['disableAllHooks'],
      value: true,
    },
  ],
  uncovered: [
    'a hook that takes too long or answers what cannot be read lets the call run',
    'in print mode hooks of a repository load only in trusted folders',
  ],
  transcripts: {
    place: { env: 'COPILOT_HOME', dir: '~/.copilot', file: 'session-state' },
    file: /\/events\.jsonl$/,
    holds: 'agents',
  },
  wake: {
    words: ['-p', 'hi', '--allow-all-tools', '--no-color'],
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${NOWHERE}/v1`,
      COPILOT_MODEL: 'none',
      COPILOT_PROVIDER_API_KEY: 'none',
    },
  },
  payload: (command, cwd) => ({
    sessionId: 'sallyport-canary',
    timestamp: 0,
    cwd,
    toolName: 'bash',
    toolArgs: { command },
  }),
}
