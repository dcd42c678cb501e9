/** Codex: a deny counts only as one exact object with a reason; it has no ask; silence is its pass. */
import type { Action, ToolCall } from '../core/call.ts'
import { encodeStart, eventOf, modeOf, startOf } from './events.ts'
import { absoluteOf, type Fields, field, fieldsOf, textOf, textsOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { actionsOf, malformed, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Codex CLI'
const NO = { support: 'no', source: SOURCE } as const
const PARTIAL = { support: 'partial', source: SOURCE } as const
/** Claims that driving the real host bore out. */
const RECEIPT = 'receipt:codex/0.171.0.json'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse', 'PermissionRequest'],
  post: ['PostToolUse'],
  other:
    'PreCompact PostCompact SessionStart SessionEnd UserPromptSubmit SubagentStart SubagentStop Stop Interrupt'.split(
      ' ',
    ),
}

const TOOLS: Tools = {
  Bash: { is: 'shell', text: 'command' },
  // Hooks see this one as Bash; under its own name it holds what the model sent.
  exec_command: { is: 'shell', text: 'cmd command', cwd: 'workdir' },
  shell_command: { is: 'shell', text: 'command', cwd: 'workdir' },
  // What is typed into a running process may be read by a shell.
  write_stdin: { is: 'shell', text: 'chars', without: 'harmless' },
  apply_patch: { is: 'patch', text: 'command' },
  view_image: { is: 'read', path: 'path' },
  read_mcp_resource: { is: 'read', path: 'uri' },
  'tool_search web_search list_mcp_resources list_mcp_resource_templates': { is: 'harmless' },
  'spawn_agent send_input wait_agent resume_agent close_agent wait': { is: 'harmless' },
  'request_user_input create_goal update_goal get_goal update_plan clock': { is: 'harmless' },
}

/** Said where the guard asks and nobody can answer: the object that a deny needs must hold a reason. */
const NO_ASK = 'Codex hooks cannot ask a person, so this is refused'

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  const named = eventOf(EVENTS, event)
  const gate = named?.kind === 'post' ? 'post' : 'pre'
  if (payload === undefined) return { is: 'bad', why: 'the payload is no JSON object', event: gate }
  const at = eventOf(EVENTS, field(payload, 'hook_event_name')) ?? named
  if (at === undefined) return { is: 'bad', why: 'the event is not known', event: 'pre' }
  if (at.kind === 'other') return { is: 'other', ...startOf(payload, at.name) }
  const tool = textOf(field(payload, 'tool_name'))
  if (tool === undefined) return { is: 'bad', why: 'the payload names no tool', event: at.kind }
  const call = callOf(payload, tool, at.name, launch)
  // The response to a shell command holds no exit code, and a failed one sends the same event.
  if (at.kind === 'pre') return { is: 'pre', call }
  const response = field(payload, 'tool_response')
  // Newer models run tools inside a script, which gets the result whatever a hook answers.
  const fixed = CODE_MODE.test(String(field(payload, 'model')))
  const given = { ...(response === undefined ? {} : { response }), ...(fixed ? { fixed } : {}) }
  return { is: 'post', result: { call, outcome: 'unknown', ...given } }
}

/** Models that are offered code mode. */
const CODE_MODE = /^gpt-(?:5\.[6-9]|[6-9])/

function callOf(payload: Fields, tool: string, event: string, launch: Launch): ToolCall {
  const cwd = absoluteOf(field(payload, 'cwd'))
  const id = textOf(field(payload, 'tool_use_id'))
  const args = fieldsOf(field(payload, 'tool_input'))
  const permission = field(payload, 'permission_mode')
  return {
    host: 'codex',
    ...(launch.version === undefined ? {} : { hostVersion: launch.version }),
    ...(id === undefined ? {} : { id }),
    event,
    tool,
    actions: toolActions(tool, payload),
    ...(args === undefined ? {} : { args }),
    cwd,
    workspaces: cwd === undefined ? [] : [cwd],
    session: textOf(field(payload, 'session_id')) ?? 'unknown',
    mode: modeOf(launch, true),
    ...(typeof permission === 'string' ? { permission } : {}),
  }
}

function toolActions(tool: string, payload: Fields): readonly Action[] {
  const given = field(payload, 'tool_input')
  const args = given === undefined ? {} : fieldsOf(given)
  if (args === undefined) return [malformed('tool_input is no object')]
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  if (tool === 'shell' || tool === 'local_shell') return [argvAction(args)]
  return [mcpOf(tool, args) ?? { is: 'unknown', args }]
}

/** Older builds give the command as a list of arguments. */
function argvAction(args: Fields): Action {
  const argv = textsOf(field(args, 'command'))
  const whole = textOf(field(args, 'command'))
  if (whole === undefined && argv.length === 0) return malformed('the tool needs command')
  const cwd = textOf(field(args, 'workdir'))
  const text = whole ?? argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return { is: 'shell', text, dialect: 'posix', ...(cwd === undefined ? {} : { cwd }) }
}

function encodePre(answer: HostAnswer, _launch: Launch, event = 'PreToolUse'): string {
  if (answer.decision === 'pass') {
    if (answer.input === undefined || eventOf(EVENTS, event)?.name === 'PermissionRequest') return ''
    // The host takes a new input only with an allow: for sessions in which it asks nobody.
    const permission = { permissionDecision: 'allow', updatedInput: answer.input }
    return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...permission } })}\n`
  }
  const said = answer.reason.trim() === '' ? 'Refused by the guard' : answer.reason
  const reason = answer.decision === 'ask' ? `${said} (${NO_ASK})` : said
  if (eventOf(EVENTS, event)?.name === 'PermissionRequest') {
    const decision = { behavior: 'deny', message: reason }
    return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })}\n`
  }
  const permission = { permissionDecision: 'deny', permissionDecisionReason: reason }
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...permission } })}\n`
}

export const codex: Host = {
  id: 'codex',
  aliases: ['codex-cli'],
  title: 'Codex CLI',
  events: EVENTS,
  timeout: 600_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'no', source: RECEIPT },
    'pre.rewrite': { support: 'yes', source: RECEIPT },
    'rewrite.keepsPrompt': { support: 'no', source: RECEIPT },
    'post.replace': { support: 'partial', source: RECEIPT },
    'post.context': { support: 'yes', source: RECEIPT },
    'fail.crash': { support: 'no', source: RECEIPT },
    'fail.timeout': { support: 'no', source: RECEIPT },
    'fail.garbage': { support: 'no', source: RECEIPT },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'partial', source: SOURCE },
  },
  older: [
    // Patches and calls of MCP tools reached no hook, and before that none did.
    { below: '0.124.0', capabilities: { 'pre.deny': PARTIAL, mcp: NO } },
    { below: '0.117.0', capabilities: { 'pre.deny': NO } },
  ],
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '',
  encodeStart,
  encodeNote: (note) =>
    `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: note } })}\n`,
  // The turn goes on, and the text is what the model reads of the call. There is no such way for structured results.
  encodeResult: (result) =>
    typeof result === 'string' ? `${JSON.stringify({ continue: false, stopReason: result })}\n` : undefined,
}
