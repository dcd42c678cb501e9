/** Claude Code: gates PreToolUse, PermissionRequest and PreSkillShellCommand; silence is its pass. */
import type { Action, HostId, ToolCall } from '../core/call.ts'
import { encodeStart, eventOf, modeOf, startOf } from './events.ts'
import { absoluteOf, type Fields, field, fieldsOf, textOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { actionsOf, malformed, mcpOf, type Tools, toolOf } from './taxonomy.ts'

/** Claims that driving the real host bore out. */
const RECEIPT = 'receipt:claude/2.1.332.json'
const SOURCE = 'docs/hosts.md, Claude Code'
const NO = { support: 'no', source: SOURCE } as const
const UNKNOWN = { support: 'unknown', source: SOURCE } as const

const EVENTS: Host['events'] = {
  pre: ['PreToolUse', 'PermissionRequest', 'PreSkillShellCommand'],
  post: ['PostToolUse', 'PostToolUseFailure'],
  other: (
    'PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure ' +
    'SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch PermissionDenied Setup ' +
    'TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove ' +
    'InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay'
  ).split(' '),
}

const TOOLS: Tools = {
  Bash: { is: 'shell', text: 'command' },
  PowerShell: { is: 'shell', text: 'command', dialect: 'powershell' },
  // A monitor may watch something other than a command.
  Monitor: { is: 'shell', text: 'command', without: 'unknown' },
  Read: { is: 'read', path: 'file_path' },
  NotebookRead: { is: 'read', path: 'notebook_path' },
  ReadMcpResourceTool: { is: 'read', path: 'uri' },
  LSP: { is: 'read', path: 'filePath file_path', without: 'harmless' },
  LS: { is: 'names', path: 'path', without: 'here' },
  Glob: { is: 'names', path: 'path', pattern: 'pattern', without: 'here' },
  Grep: { is: 'search', path: 'path', without: 'here' },
  Write: { is: 'write', path: 'file_path', content: 'content' },
  'Edit MultiEdit': { is: 'edit', path: 'file_path' },
  NotebookEdit: { is: 'edit', path: 'notebook_path' },
  WebFetch: { is: 'fetch', url: 'url' },
  // A query to a search service: nothing here changes and no page of ours is read.
  WebSearch: { is: 'harmless' },
  'Agent Task SendMessage ListAgents SubagentHandback Workflow Skill RemoteTrigger ScheduleWakeup EnterWorktree': {
    is: 'harmless',
  },
  'CronCreate CronDelete CronList TeamCreate TeamDelete ListMcpResourcesTool': { is: 'harmless' },
  'TodoWrite TaskCreate TaskGet TaskUpdate TaskList TaskStop TaskOutput BashOutput KillShell KillBash': {
    is: 'harmless',
  },
  'AskUserQuestion EnterPlanMode ExitPlanMode SetGoal ToolSearch EndConversation StructuredOutput': { is: 'harmless' },
}

/** Tool names that only another host with the same payload uses. */
const QWEN_TOOLS = new Set(
  (
    'read_file write_file edit run_shell_command grep_search glob list_directory notebook_edit monitor web_fetch ' +
    'tool_call agent skill list_agents todo_write get_goal update_goal tool_search'
  ).split(' '),
)

/** The host that runs Claude's hooks beside its own, where the signs are that it runs this one. */
function runBy(payload: Fields, launch: Launch): { readonly host: HostId; readonly title: string } | undefined {
  const { env } = launch
  if (textOf(env.CURSOR_VERSION) !== undefined || field(payload, 'cursor_version') !== undefined)
    return { host: 'cursor', title: 'Cursor' }
  if (textOf(env.DEVIN_PROJECT_DIR) !== undefined) return { host: 'devin', title: 'Devin' }
  if (textOf(env.DROID_PROJECT_DIR) !== undefined) return { host: 'droid', title: 'Droid' }
  // Newer builds of Grok send both spellings.
  const camel = textOf(field(payload, 'toolName')) !== undefined
  if (textOf(env.GROK_WORKSPACE_ROOT) !== undefined || camel) return { host: 'grok', title: 'Grok' }
  if (field(payload, 'permission_mode') === undefined && /^\d{4}-\d\d-\d\dT/.test(String(field(payload, 'timestamp'))))
    return { host: 'copilot', title: 'Copilot' }
  if (QWEN_TOOLS.has(String(field(payload, 'tool_name')))) return { host: 'qwen', title: 'Qwen Code' }
  return undefined
}

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  const named = eventOf(EVENTS, event)
  const gate = named?.kind === 'post' ? 'post' : 'pre'
  if (payload === undefined) return { is: 'bad', why: 'the payload is no JSON object', event: gate }
  // One call is judged once; where nobody else would judge it, it is judged here.
  const loader = runBy(payload, launch)
  if (loader !== undefined && launch.adapters?.includes(loader.host)) {
    return { is: 'stand-down', why: `${loader.title} runs this hook beside its own` }
  }
  // The payload says what happened; the registered argument counts where it does not.
  const at = eventOf(EVENTS, field(payload, 'hook_event_name')) ?? named
  if (at === undefined) return { is: 'bad', why: 'the event is not known', event: 'pre' }
  if (at.kind === 'other') return { is: 'other', ...startOf(payload, at.name) }
  const tool = textOf(field(payload, 'tool_name'))
  if (tool === undefined) return { is: 'bad', why: 'the payload names no tool', event: at.kind }
  const call = callOf(payload, tool, at.name, launch)
  if (at.kind === 'pre') return { is: 'pre', call }
  if (at.name !== 'PostToolUse') return { is: 'post', result: { call, outcome: 'failed' } }
  const response = field(payload, 'tool_response')
  return { is: 'post', result: { call, outcome: 'ok', ...(response === undefined ? {} : { response }) } }
}

function callOf(payload: Fields, tool: string, event: string, launch: Launch): ToolCall {
  const cwd = absoluteOf(field(payload, 'cwd'))
  const roots = [absoluteOf(launch.env.CLAUDE_PROJECT_DIR), cwd].filter((root) => root !== undefined)
  const permission = field(payload, 'permission_mode')
  const id = textOf(field(payload, 'tool_use_id'))
  const args = fieldsOf(field(payload, 'tool_input'))
  return {
    host: 'claude',
    ...(launch.version === undefined ? {} : { hostVersion: launch.version }),
    ...(id === undefined ? {} : { id }),
    event,
    tool,
    actions: toolActions(tool, payload, cwd),
    ...(args === undefined ? {} : { args }),
    cwd,
    workspaces: [...new Set(roots)],
    session: textOf(field(payload, 'session_id')) ?? 'unknown',
    mode: modeOf(launch, permission === 'bypassPermissions' || permission === 'dontAsk'),
    ...(typeof permission === 'string' ? { permission } : {}),
  }
}

function toolActions(tool: string, payload: Fields, cwd: string | undefined): readonly Action[] {
  const given = field(payload, 'tool_input')
  const args = given === undefined ? {} : fieldsOf(given)
  if (args === undefined) return [malformed('tool_input is no object')]
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  if (tool === 'ExitWorktree') {
    // Leaving a worktree loses work only where the call says that changes may go.
    const loses = field(args, 'discard_changes') === true && cwd !== undefined
    return [loses ? { is: 'delete', path: cwd, tree: true } : { is: 'harmless' }]
  }
  const server = textOf(fieldsOf(field(payload, 'mcp_server'))?.name)
  return [mcpOf(tool, args, server) ?? { is: 'unknown', args }]
}

function encodePre(answer: HostAnswer, _launch: Launch, event = 'PreToolUse'): string {
  const hookEventName = eventOf(EVENTS, event)?.kind === 'pre' ? eventOf(EVENTS, event)!.name : 'PreToolUse'
  if (answer.decision === 'pass') {
    if (answer.input === undefined || hookEventName !== 'PreToolUse') return ''
    // Without a decision the host goes on to ask, or not, of the new input as it would have of any.
    const { input: updatedInput, note } = answer
    const output = { hookEventName, updatedInput, ...(note === undefined ? {} : { additionalContext: note }) }
    return `${JSON.stringify({ hookSpecificOutput: output })}\n`
  }
  if (hookEventName === 'PermissionRequest') {
    // The host is about to ask a person: an ask of ours is that same question.
    if (answer.decision === 'ask') return ''
    const decision = { behavior: 'deny', message: answer.reason }
    return `${JSON.stringify({ hookSpecificOutput: { hookEventName, decision } })}\n`
  }
  const permission = { permissionDecision: answer.decision, permissionDecisionReason: answer.reason }
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName, ...permission } })}\n`
}

export const claude: Host = {
  id: 'claude',
  aliases: ['claude-code'],
  title: 'Claude Code',
  events: EVENTS,
  timeout: 600_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'yes', source: RECEIPT },
    'pre.rewrite': { support: 'yes', source: RECEIPT },
    'rewrite.keepsPrompt': { support: 'partial', source: RECEIPT },
    'post.replace': { support: 'partial', source: RECEIPT },
    'post.context': { support: 'yes', source: RECEIPT },
    'fail.crash': { support: 'partial', source: RECEIPT },
    'fail.timeout': { support: 'partial', source: RECEIPT },
    'fail.garbage': { support: 'no', source: RECEIPT },
    subagents: { support: 'yes', source: RECEIPT },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'yes', source: RECEIPT },
  },
  older: [
    // When hooks that fail began to be able to stop a call is not known to the version.
    { below: '2.1.332', capabilities: { 'fail.crash': UNKNOWN, 'fail.timeout': UNKNOWN } },
    { below: '2.1.241', capabilities: { 'fail.crash': NO, 'fail.timeout': NO } },
    { below: '2.1.121', capabilities: { 'post.replace': NO } },
    { below: '2.0.10', capabilities: { 'pre.rewrite': NO, 'rewrite.keepsPrompt': NO } },
  ],
  bounds: {
    Read: { of: 'lines', by: 'limit', from: 'offset', unless: ['limit', 'pages'] },
    Grep: {
      of: 'matches',
      by: 'head_limit',
      query: 'pattern',
      unless: ['head_limit'],
      only: { key: 'output_mode', is: 'content' },
    },
  },
  decode,
  encodePre,
  encodePost: () => '',
  encodeStart,
  encodeNote: (note) =>
    `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: note } })}\n`,
  encodeResult: (result) =>
    `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: result } })}\n`,
}
