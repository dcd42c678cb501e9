/**
 * Kimi Code: Claude's object for a denial, or exit 2 with the reason on stderr; its pass is silence, since on other events
 * any text on stdout is handed to the model. Contract only: nothing here was driven.
 *
 * Settings: `[[hooks]]` tables in `~/.kimi-code/config.toml` (`KIMI_CODE_HOME` moves it) with `event`, `command` and
 * `timeout` (whole seconds, 1 to 600) and nothing else: one bad entry drops them all. There are none of a project. Only
 * the events before and after a tool are to be registered. Older `kimi-cli` (`~/.kimi/`) is another program.
 */
import type { Action } from '../core/call.ts'
import type { Fields } from './guards.ts'
import { field } from './guards.ts'
import type { Host, HostAnswer } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Kimi Code'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse', 'PostToolUseFailure'],
  other: (
    'UserPromptSubmit SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact ' +
    'Notification PermissionRequest PermissionResult Interrupt TurnStarted UserPromptQueued TaskStarted SessionHeartbeat'
  ).split(' '),
}

// Its reference of tools names `path`; older builds and other tools may differ, so several are tried.
const FILE = 'path file_path'
const DIR = 'path directory'

const TOOLS: Tools = {
  'Bash Shell': { is: 'shell', text: 'command', cwd: 'cwd' },
  'Read ReadFile ReadMediaFile': { is: 'read', path: FILE, without: 'unknown' },
  Glob: { is: 'names', path: DIR, pattern: 'pattern', without: 'here' },
  Grep: { is: 'search', path: DIR, without: 'here' },
  'Write WriteFile': { is: 'write', path: FILE, content: 'content', without: 'unknown' },
  'Edit StrReplaceFile': { is: 'edit', path: FILE, without: 'unknown' },
  'FetchURL WebFetch': { is: 'fetch', url: 'url', without: 'unknown' },
  'WebSearch SearchWeb Agent AgentSwarm Task Skill': { is: 'harmless' },
  'TodoList SetTodoList TodoWrite AskUserQuestion EnterPlanMode ExitPlanMode': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  return known === undefined ? [mcpOf(tool, args) ?? { is: 'unknown', args }] : actionsOf(known, args)
}

const SHAPE: Shape = {
  host: 'kimi',
  events: EVENTS,
  keys: { ...CLAUDE_KEYS, id: 'tool_call_id tool_use_id' },
  actions: toolActions,
  result: (payload, event) => {
    // Cut off at 2000 characters; the model has the whole of it already.
    const response = field(payload, 'tool_output')
    const outcome = event === 'PostToolUseFailure' ? 'failed' : 'ok'
    return { outcome, fixed: true, ...(response === undefined ? {} : { response }) }
  },
  // Whether a hook can ask is not known, so it never does.
  silent: () => true,
}

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'pass') return ''
  const permission = { permissionDecision: 'deny', permissionDecisionReason: answer.reason }
  return line({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...permission } })
}

export const kimi: Host = {
  id: 'kimi',
  aliases: ['kimi-code'],
  title: 'Kimi Code',
  events: EVENTS,
  exits: 'alone',
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'unknown', source: SOURCE },
    'pre.rewrite': { support: 'no', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'no', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'partial', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: SOURCE },
    print: { support: 'yes', source: SOURCE },
  },
  older: [
    // Another engine ran the hooks.
    { below: '0.33.0', capabilities: { 'pre.deny': { support: 'unknown', source: SOURCE } } },
  ],
  bounds: {},
  decode: (payload, event, launch) => decodeFlat(payload, event, launch, SHAPE),
  encodePre,
  encodePost: () => '',
}
