/** How Gemini CLI is wired. */
import type { WireRow } from '../row.ts'
import { GROUPS, NOWHERE, SECONDS } from './common.ts'

export const gemini: WireRow = {
  host: 'gemini',
  programs: ['gemini'],
  used: ['~/.gemini/settings.json'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { dir: '~/.gemini', file: 'settings.json' },
        project: { dir: './.gemini', file: 'settings.json' },
      },
      reads: 'jsonc',
      readsMark: false,
      form: { ...GROUPS, at: ['hooks'], timeout: { key: 'timeout', perSecond: 1000 } },
    },
  ],
  events: [
    { name: 'BeforeTool', is: 'gate' },
    { name: 'AfterTool', is: 'after' },
    { name: 'SessionStart', is: 'session' },
    { name: 'SessionEnd', is: 'session' },
  ],
  seconds: SECONDS,
  off: [],
  uncovered: ['when the hook fails in any way, the call runs', 'hooks of a project run only in trusted folders'],
  // Records of sub-agents lie in directories beside these.
  transcripts: { place: { dir: '~/.gemini', file: 'tmp' }, file: /\/chats\/session-[^/]+\.jsonl$/ },
  wake: {
    words: ['-p', 'hi', '--skip-trust', '-m', 'gemini-2.5-pro'],
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: NOWHERE },
  },
  payload: (command, cwd) => ({
    session_id: 'sallyport-canary',
    transcript_path: `${cwd}/none.json`,
    cwd,
    hook_event_name: 'BeforeTool',
    timestamp: '1970-01-01T00:00:00Z',
    tool_name: 'run_shell_command',
    tool_input: { command },
  }),
}
