/** The rows of wiring, one a host. */
import type { WireRow } from './row.ts'

/** An address at which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9'

/** Hosts wait ten seconds: the hook answers within five. */
const SECONDS = 10

/** A call as Claude Code and the hosts that took over its hooks tell it. */
const asClaude = (command: string, cwd: string) => ({
  session_id: 'sallyport-canary',
  transcript_path: `${cwd}/none.jsonl`,
  cwd,
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'canary',
})

const GROUPS = {
  is: 'groups',
  matcher: '*',
  command: 'command',
  timeout: { key: 'timeout', perSecond: 1 },
  also: { type: 'command' },
} as const

const claude: WireRow = {
  host: 'claude',
  programs: ['claude'],
  used: ['~/.claude'],
  settings: {
    user: { env: 'CLAUDE_CONFIG_DIR', dir: '~/.claude', file: 'settings.json' },
    project: { dir: './.claude', file: 'settings.local.json' },
  },
  // Driven: with a comment, a trailing comma or a value of a wrong type anywhere 2.1.332 drops the whole file in silence.
  reads: 'json',
  readsMark: true,
  // It came after 2.1.240 and is there in 2.1.332; between them it is not known, and older versions leave it unread.
  form: { ...GROUPS, at: ['hooks'], closed: { also: { onFailure: 'block' }, after: '2.1.240' } },
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
  transcripts: { env: 'CLAUDE_CONFIG_DIR', dir: '~/.claude', file: 'projects' },
  unhooked: ['EndConversation', 'StructuredOutput'],
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

const codex: WireRow = {
  host: 'codex',
  programs: ['codex'],
  used: ['~/.codex'],
  settings: {
    user: { env: 'CODEX_HOME', dir: '~/.codex', file: 'hooks.json' },
    project: { dir: './.codex', file: 'hooks.json' },
  },
  // Driven: with a byte order mark 0.171.0 drops the file.
  reads: 'json',
  readsMark: false,
  form: { ...GROUPS, at: ['hooks'] },
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
  transcripts: { env: 'CODEX_HOME', dir: '~/.codex', file: 'sessions' },
  // The outer call of code mode is none to a hook; what it runs is, and is no line of the record.
  unhooked: ['exec', 'write_stdin', 'web_search', 'update_plan', 'request_user_input', 'wait'],
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

const antigravity: WireRow = {
  host: 'antigravity',
  programs: ['agy', 'antigravity'],
  used: ['~/.gemini/config', '~/.gemini/antigravity', '~/.gemini/antigravity-cli'],
  settings: {
    user: { dir: '~/.gemini/config', file: 'hooks.json' },
    project: { dir: './.agents', file: 'hooks.json' },
  },
  reads: 'json',
  readsMark: false,
  form: { ...GROUPS, at: ['sallyport'] },
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
  ],
  seconds: SECONDS,
  least: '1.1.2',
  off: [
    { place: { dir: '~/.gemini/config', file: 'hooks.json' }, at: ['sallyport', 'enabled'], value: false },
    { place: { dir: './.agents', file: 'hooks.json' }, at: ['sallyport', 'enabled'], value: false },
  ],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'in print mode nobody answers an ask',
    'inputs and outputs cannot be changed, so a flood is only named, never contained',
  ],
  payload: (command, cwd) => ({
    conversationId: 'sallyport-canary',
    workspacePaths: [cwd],
    stepIdx: 0,
    toolCall: { name: 'run_command', args: { CommandLine: command, Cwd: cwd } },
  }),
}

/** All rows, in the order of the registry. */
export const WIRE_ROWS: readonly WireRow[] = [claude, codex, antigravity]
