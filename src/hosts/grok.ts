/**
 * Grok Build: camel case, its own names of tools, and a denial that counts on every exit code; silence with exit 0 is its
 * pass. Newer builds send Claude's spelling of the keys beside. Contract only: nothing here was driven.
 *
 * Settings: any `~/.grok/hooks/*.json` (always trusted; `GROK_HOME` moves it) or `.grok/hooks/*.json` (after folder trust):
 * `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": …, "timeout": 10}]}]}}`, in whole seconds. A
 * variable in the command (`$X`) is expanded when the file is read, so there must be none. It also runs the hooks of Claude
 * Code and of Cursor: those adapters stand down where this one is wired.
 */
import type { Action } from '../core/call.ts'
import { absoluteOf, type Fields, field, fieldsOf } from './guards.ts'
import type { Host, HostAnswer } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Grok Build'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse', 'PostToolUseFailure'],
  other: (
    'SessionStart SessionEnd UserPromptSubmit PermissionDenied Stop StopFailure Notification SubagentStart SubagentStop ' +
    'PreCompact PostCompact'
  ).split(' '),
}

// The keys of the file tools are in no public page: several are tried, and a call without any of them stays unknown.
const FILE = 'file_path path target_file'
const DIR = 'path target_directory directory'

const TOOLS: Tools = {
  'run_terminal_command run_terminal_cmd bash Bash': { is: 'shell', text: 'command' },
  'read_file Read': { is: 'read', path: FILE, without: 'unknown' },
  'list_dir LS': { is: 'names', path: DIR, without: 'here' },
  'glob glob_file_search Glob': { is: 'names', path: DIR, pattern: 'pattern glob_pattern', without: 'here' },
  'grep Grep': { is: 'search', path: DIR, without: 'here' },
  'write write_file create_file Write': { is: 'write', path: FILE, content: 'content contents', without: 'unknown' },
  'search_replace edit edit_file Edit': { is: 'edit', path: FILE, without: 'unknown' },
  'delete_file Delete': { is: 'delete', path: FILE },
  apply_patch: { is: 'patch', text: 'patch input' },
  'web_fetch WebFetch': { is: 'fetch', url: 'url', without: 'unknown' },
  'web_search WebSearch x_search todo_write TodoWrite task Task skill Skill': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  // A server's tool is its name and the server's, joined by two lines.
  const [, server, name] = /^(?!mcp__)(.+?)__(.+)$/.exec(tool) ?? []
  if (server !== undefined) return [{ is: 'mcp', server, tool: name!, args }]
  return [mcpOf(tool, args) ?? { is: 'unknown', args }]
}

const SHAPE: Shape = {
  host: 'grok',
  events: EVENTS,
  keys: {
    event: 'hookEventName hook_event_name',
    tool: 'toolName tool_name',
    input: 'toolInput tool_input',
    id: 'toolUseId tool_use_id',
    session: 'sessionId session_id',
    cwd: 'cwd workspaceRoot',
  },
  actions: toolActions,
  result: (payload, event) => {
    const result = fieldsOf(field(payload, 'toolResult') ?? field(payload, 'tool_response'))
    const code = result === undefined ? undefined : field(result, 'exit_code')
    const failed = event === 'PostToolUseFailure' || (typeof code === 'number' && code !== 0)
    const text = result === undefined ? undefined : field(result, 'output_for_prompt')
    // Reports of newer builds say that a result can be replaced; nothing was driven, so none is.
    return { outcome: failed ? 'failed' : 'ok', fixed: true, ...(typeof text === 'string' ? { response: text } : {}) }
  },
  // An ask is a denial here.
  silent: () => true,
  roots: (payload, { env }) => [absoluteOf(field(payload, 'workspaceRoot')) ?? absoluteOf(env.GROK_WORKSPACE_ROOT)],
}

function encodePre(answer: HostAnswer): string {
  return answer.decision === 'pass' ? '' : line({ decision: 'deny', reason: answer.reason })
}

export const grok: Host = {
  id: 'grok',
  aliases: ['grok-build'],
  title: 'Grok Build',
  events: EVENTS,
  exits: 'beside',
  timeout: 5_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'no', source: SOURCE },
    'pre.rewrite': { support: 'unknown', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'unknown', source: SOURCE },
    'post.context': { support: 'unknown', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'partial', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: SOURCE },
    print: { support: 'yes', source: SOURCE },
  },
  older: [
    // Not every way to start those builds reached hooks.
    { below: '1.0.0', capabilities: { 'pre.deny': { support: 'partial', source: SOURCE } } },
  ],
  bounds: {},
  decode: (payload, event, launch) => decodeFlat(payload, event, launch, SHAPE),
  encodePre,
  encodePost: () => '',
}
