/** Qwen Code: Claude's answers, its own tools; a new input before a run and another result after it are dropped. */
import type { Action } from '../core/call.ts'
import { eventOf } from './events.ts'
import { type Fields, field, fieldsOf, textOf } from './guards.ts'
import type { Host, HostAnswer, Launch } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, malformed, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const RECEIPT = 'receipt:qwen/0.24.4.json'
const SOURCE = 'docs/hosts.md, Qwen Code'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse', 'PermissionRequest'],
  post: ['PostToolUse', 'PostToolUseFailure'],
  other: (
    'PostToolBatch UserPromptSubmit UserPromptExpansion SessionStart SessionEnd SessionDelete MessageDisplay Stop ' +
    'StopFailure SubagentStart SubagentStop PreCompact PostCompact Notification PermissionDenied TodoCreated ' +
    'TodoCompleted InstructionsLoaded'
  ).split(' '),
}

const TOOLS: Tools = {
  run_shell_command: { is: 'shell', text: 'command', cwd: 'directory' },
  // A monitor may watch something other than a command.
  monitor: { is: 'shell', text: 'command', without: 'unknown' },
  read_file: { is: 'read', path: 'file_path absolute_path' },
  read_many_files: { is: 'read', path: 'paths include', without: 'unknown', lists: true },
  list_directory: { is: 'names', path: 'path', without: 'here' },
  glob: { is: 'names', path: 'path', pattern: 'pattern', without: 'here' },
  'grep_search search_file_content': { is: 'search', path: 'path', without: 'here' },
  write_file: { is: 'write', path: 'file_path', content: 'content' },
  'edit replace': { is: 'edit', path: 'file_path' },
  notebook_edit: { is: 'edit', path: 'notebook_path' },
  web_fetch: { is: 'fetch', url: 'url' },
  'agent task skill list_agents send_message todo_write get_goal update_goal tool_search': { is: 'harmless' },
  'ask_user_question enter_plan_mode exit_plan_mode web_search': { is: 'harmless' },
}

/** A deferred call names the tool that it is of. */
const DEFERRED = 'tool_call'

function toolActions(tool: string, args: Fields, payload: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  if (tool !== DEFERRED) return [mcpOf(tool, args) ?? { is: 'unknown', args }]
  const name = textOf(field(args, 'name'))
  const inner = fieldsOf(field(args, 'arguments') ?? {})
  if (name === undefined || name === DEFERRED || inner === undefined) return [malformed('the tool needs name')]
  return toolActions(name, inner, payload)
}

const SHAPE: Shape = {
  host: 'qwen',
  events: EVENTS,
  keys: { ...CLAUDE_KEYS, id: 'tool_call_id tool_use_id' },
  actions: toolActions,
  result: (payload, event) => {
    const response = fieldsOf(field(payload, 'tool_response'))
    const text = response === undefined ? undefined : field(response, 'llmContent')
    // A command that fails sends the same event as one that does not.
    const outcome = event === 'PostToolUseFailure' ? 'failed' : 'unknown'
    return { outcome, fixed: true, ...(text === undefined ? {} : { response: text }) }
  },
}

function encodePre(answer: HostAnswer, _launch: Launch, event = 'PreToolUse'): string {
  if (answer.decision === 'pass') return ''
  const hookEventName = eventOf(EVENTS, event)?.name ?? 'PreToolUse'
  if (hookEventName === 'PermissionRequest') {
    // The host is about to ask a person: an ask of ours is that same question.
    if (answer.decision === 'ask') return ''
    return line({ hookSpecificOutput: { hookEventName, decision: { behavior: 'deny', message: answer.reason } } })
  }
  const permission = { permissionDecision: answer.decision, permissionDecisionReason: answer.reason }
  return line({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...permission } })
}

export const qwen: Host = {
  id: 'qwen',
  aliases: ['qwen-code'],
  title: 'Qwen Code',
  events: EVENTS,
  timeout: 60_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'yes', source: SOURCE },
    'pre.rewrite': { support: 'no', source: RECEIPT },
    'rewrite.keepsPrompt': { support: 'no', source: RECEIPT },
    'post.replace': { support: 'no', source: RECEIPT },
    'post.context': { support: 'yes', source: RECEIPT },
    'fail.crash': { support: 'no', source: RECEIPT },
    'fail.timeout': { support: 'no', source: RECEIPT },
    'fail.garbage': { support: 'no', source: RECEIPT },
    subagents: { support: 'yes', source: RECEIPT },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'yes', source: RECEIPT },
  },
  bounds: {
    read_file: { of: 'lines', from: 'offset', unless: ['limit', 'pages'] },
  },
  decode: (payload, event, launch) => decodeFlat(payload, event, launch, SHAPE),
  encodePre,
  encodePost: () => '',
}
