/** How Claude Code is wired. */
import type { WireRow } from '../row.ts'
import { asClaude, GROUPS, NOWHERE, SECONDS } from './common.ts'

export const claude: WireRow = {
  host: 'claude',
  programs: ['claude'],
  used: ['~/.claude'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { env: 'CLAUDE_CONFIG_DIR', dir: '~/.claude', file: 'settings.json' },
        project: { dir: './.claude', file: 'settings.local.json' },
      },
      // Driven: with a comment, a trailing comma or a value of a wrong type anywhere 2.1.332 drops the whole file in silence.
      reads: 'json',
      readsMark: true,
      // It came after 2.1.240 and is there in 2.1.332; between them it is not known, and older versions leave it unread.
      form: { ...GROUPS, at: ['hooks'], closed: { also: { onFailure: 'block' }, after: '2.1.240' } },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PreSkillShellCommand', is: 'gate', since: '2.1.332' },
    { name: 'PostToolUse', is: 'after' },
    { name: 'PostToolUseFailure', is: 'after' },
    { name: 'SessionStart', is: 'session' },
    { name: 'SessionEnd', is: 'session' },
  ],
  seconds: SECONDS,
  least: '2.1.121',
  off: [
    {
      place: { env: 'CLAUDE_CONFIG_DIR', dir: '~/.claude', file: 'settings.json' },
      at: ['disableAllHooks'],
      value: true,
    },
    { place: { dir: './.claude', file: 'settings.json' }, at: ['disableAllHooks'], value: true },
    { place: { dir: './.claude', file: 'settings.local.json' }, at: ['disableAllHooks'], value: true },
    { place: { dir: '/etc/claude-code', file: 'managed-settings.json' }, at: ['allowManagedHooksOnly'], value: true },
  ],
  uncovered: [
    'files that a prompt names by @file are read without any hook',
    'claude --bare and claude --safe-mode load no hooks',
    'an answer that cannot be read lets the call run',
  ],
  transcripts: { place: { env: 'CLAUDE_CONFIG_DIR', dir: '~/.claude', file: 'projects' }, file: /\.jsonl$/ },
  unhooked: ['EndConversation', 'StructuredOutput'],
  once: { is: 'settings', option: '--settings' },
  wake: {
    words: ['-p', 'hi', '--no-session-persistence'],
    env: {
      ANTHROPIC_BASE_URL: NOWHERE,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  },
  payload: asClaude,
}
