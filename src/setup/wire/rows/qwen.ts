/** How Qwen Code is wired. */
import type { WireRow } from '../row.ts'
import { asClaude, GROUPS, NOWHERE, SECONDS } from './common.ts'

export const qwen: WireRow = {
  host: 'qwen',
  programs: ['qwen'],
  used: ['~/.qwen'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { dir: '~/.qwen', file: 'settings.json' },
        project: { dir: './.qwen', file: 'settings.json' },
      },
      reads: 'jsonc',
      readsMark: false,
      form: { ...GROUPS, at: ['hooks'] },
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
  off: [
    { place: { dir: '~/.qwen', file: 'settings.json' }, at: ['disableAllHooks'], value: true },
    { place: { dir: './.qwen', file: 'settings.json' }, at: ['disableAllHooks'], value: true },
  ],
  uncovered: [
    'when the hook fails in any way, the call runs',
    'outputs cannot be changed, and a changed input is dropped: a flood is only named, never contained',
    'qwen --bare and qwen --safe-mode load no hooks',
  ],
  transcripts: { place: { dir: '~/.qwen', file: 'projects' }, file: /\/chats\/[^/]+\.jsonl$/ },
  wake: {
    words: ['-p', 'hi'],
    env: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${NOWHERE}/v1`, OPENAI_MODEL: 'none' },
  },
  payload: (command, cwd) => ({
    ...asClaude(command, cwd),
    tool_name: 'run_shell_command',
    tool_input: { command, is_background: false },
  }),
}
