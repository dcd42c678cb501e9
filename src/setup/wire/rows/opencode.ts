/** How OpenCode is wired. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

export const opencode: WireRow = {
  host: 'opencode',
  programs: ['opencode'],
  used: ['$config/opencode'],
  files: [
    {
      is: 'own',
      settings: {
        user: { dir: '$config/opencode/plugins', file: 'sallyport.js' },
        project: { dir: './.opencode/plugins', file: 'sallyport.js' },
      },
      mode: 0o600,
      text: { plugin: 'plugin/opencode/sallyport.js' },
    },
  ],
  events: [
    { name: 'tool.execute.before', is: 'gate' },
    { name: 'tool.execute.after', is: 'after' },
  ],
  seconds: SECONDS,
  off: [],
  uncovered: [
    'opencode --pure and OPENCODE_PURE=1 load no plugins, and OpenCode 2 loads none of this kind',
    'it cannot ask a person, so an ask is a denial',
  ],
  transcripts: { place: { dir: '$data/opencode', file: '' }, file: /\/opencode\.db(?:-wal)?$/, holds: 'all' },
  payload: (command, cwd) => ({
    hook: 'tool.execute.before',
    directory: cwd,
    worktree: cwd,
    input: { tool: 'bash', sessionID: 'sallyport-canary', callID: 'canary' },
    output: { args: { command } },
  }),
}
