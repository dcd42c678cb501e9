/** How Cline is wired. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

export const cline: WireRow = {
  host: 'cline',
  programs: ['cline'],
  used: ['~/.cline'],
  files: (['PreToolUse', 'PostToolUse'] as const).map((event) => ({
    is: 'own',
    settings: {
      user: { env: 'CLINE_HOOKS_DIR', dir: '~/.cline/hooks', file: event },
      project: { dir: './.cline/hooks', file: event },
    },
    mode: 0o755,
    text: { script: event },
  })),
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
  ],
  seconds: SECONDS,
  off: [],
  uncovered: [
    'when the hook fails in any way, the call runs',
    'outputs cannot be changed: a flood is contained only before it runs',
    'a denied call ends the run',
  ],
  transcripts: { place: { dir: '~/.cline/data', file: 'sessions' }, file: /\/([^/]+)\/\1\.messages\.json$/ },
  payload: (command, cwd) => ({
    hookName: 'tool_call',
    taskId: 'sallyport-canary',
    workspaceRoots: [cwd],
    tool_call: { id: 'canary', name: 'run_commands', input: { commands: [command] } },
  }),
}
