/** How the agent of VS Code is wired on its local harness. No place for hooks of a user is known. */
import type { WireRow } from '../row.ts'
import { asClaude, SECONDS } from './common.ts'

export const vscode: WireRow = {
  host: 'vscode',
  programs: ['code', 'code-insiders', 'codium'],
  used: ['$config/Code', '~/Library/Application Support/Code'],
  files: [
    {
      is: 'entries',
      settings: { project: { dir: './.github/hooks', file: 'sallyport-vscode.json' } },
      reads: 'json',
      readsMark: false,
      form: {
        is: 'flat',
        at: ['hooks'],
        command: 'command',
        timeout: { key: 'timeout', perSecond: 1 },
        also: { type: 'command' },
      },
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
    'hooks of a user: no place for them is known, so each project is wired by itself',
    'an organisation may switch hooks off',
    'matchers may not be applied, so the hook is registered for every tool',
    'a hook that fails: what becomes of the call is not known',
  ],
  payload: (command, cwd) => ({
    ...asClaude(command, cwd),
    timestamp: '1970-01-01T00:00:00.000Z',
    tool_name: 'run_in_terminal',
    tool_input: { command },
  }),
}
