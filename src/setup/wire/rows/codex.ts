/** How Codex CLI is wired. */
import type { WireRow } from '../row.ts'
import { asClaude, GROUPS, NOWHERE, SECONDS } from './common.ts'

export const codex: WireRow = {
  host: 'codex',
  programs: ['codex'],
  used: ['~/.codex'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { env: 'CODEX_HOME', dir: '~/.codex', file: 'hooks.json' },
        project: { dir: './.codex', file: 'hooks.json' },
      },
      // Driven: with a byte order mark 0.171.0 drops the file.
      reads: 'json',
      readsMark: false,
      form: { ...GROUPS, at: ['hooks'] },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
    { name: 'SessionStart', is: 'session' },
    { name: 'Stop', is: 'session' },
  ],
  seconds: SECONDS,
  least: '0.131.0',
  off: [
    { place: { env: 'CODEX_HOME', dir: '~/.codex', file: 'config.toml' }, at: ['features', 'hooks'], value: false },
    {
      place: { env: 'CODEX_HOME', dir: '~/.codex', file: 'config.toml' },
      at: ['features', 'codex_hooks'],
      value: false,
    },
    { place: { dir: '/etc/codex', file: 'requirements.toml' }, at: ['allow_managed_hooks_only'], value: true },
  ],
  step: 'start codex, open /hooks and trust each of these hooks; until then Codex skips them, in codex exec without a word',
  uncovered: [
    'text that is typed into a running command (write_stdin) and the hosted web search reach no hook',
    'in code mode the outer call reaches no hook; each tool call inside it does',
    'when the hook fails in any way, the call runs',
    'whether calls of sub-agents reach the hook was not driven',
  ],
  transcripts: { place: { env: 'CODEX_HOME', dir: '~/.codex', file: 'sessions' }, file: /\.jsonl$/ },
  // The outer call of code mode is none to a hook; what it runs is, and is no line of the record.
  unhooked: ['exec', 'write_stdin', 'web_search', 'update_plan', 'request_user_input', 'wait'],
  once: {
    is: 'overrides',
    option: '-c',
    trusting: '--dangerously-bypass-hook-trust',
    // Hooks that lie here would run untrusted as well.
    others: [
      { env: 'CODEX_HOME', dir: '~/.codex', file: 'hooks.json' },
      { env: 'CODEX_HOME', dir: '~/.codex', file: 'config.toml' },
      { env: 'CODEX_HOME', dir: '~/.codex', file: 'plugins' },
      { dir: './.codex', file: 'hooks.json' },
      { dir: './.codex', file: 'config.toml' },
    ],
  },
  wake: {
    words: [
      ...['exec', '--ephemeral', '--skip-git-repo-check', '--sandbox', 'read-only'],
      ...['name="none"', `base_url="${NOWHERE}/v1"`, 'wire_api="responses"', 'request_max_retries=0'].flatMap((set) => [
        '-c',
        `model_providers.none.${set}`,
      ]),
      ...['-c', 'model_provider="none"', 'hi'],
    ],
    env: {},
  },
  payload: (command, cwd) => ({ ...asClaude(command, cwd), turn_id: 'canary', model: 'canary' }),
}
