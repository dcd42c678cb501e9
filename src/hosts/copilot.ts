/**
 * GitHub Copilot CLI. The spelling of the event chooses the dialect: `preToolUse` sends and takes flat camel case,
 * `PreToolUse` sends snake case under Claude's names of tools and takes Claude's object. Silence is its pass.
 */
import type { Action } from '../core/call.ts'
import { type Fields, field, fieldsOf, textOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const RECEIPT = 'receipt:copilot/1.0.102.json'
const SOURCE = 'docs/hosts.md, GitHub Copilot CLI'
const NO = { support: 'no', source: SOURCE } as const
const UNKNOWN = { support: 'unknown', source: SOURCE } as const

const EVENTS: Host['events'] = {
  pre: ['preToolUse'],
  post: ['postToolUse', 'postToolUseFailure'],
  other: (
    'sessionStart sessionEnd userPromptSubmitted userPromptSubmit userPromptTransformed permissionRequest preMcpToolCall ' +
    'agentStop stop subagentStart subagentStop preCompact notification errorOccurred'
  ).split(' '),
}

const TOOLS: Tools = {
  'bash Bash': { is: 'shell', text: 'command' },
  'powershell PowerShell': { is: 'shell', text: 'command', dialect: 'powershell' },
  // What is typed into a running shell is read by it.
  'write_bash write_powershell': { is: 'shell', text: 'input', without: 'unknown' },
  'view Read': { is: 'read', path: 'path file_path' },
  'grep Grep rg': { is: 'search', path: 'paths path', without: 'here', lists: true },
  'glob Glob': { is: 'names', path: 'paths path', pattern: 'pattern', without: 'here', lists: true },
  'create Write': { is: 'write', path: 'path file_path', content: 'file_text content' },
  'edit Edit': { is: 'edit', path: 'path file_path' },
  apply_patch: { is: 'patch', text: 'input patch command' },
  'web_fetch WebFetch': { is: 'fetch', url: 'url' },
  'read_bash stop_bash list_bash read_powershell stop_powershell list_powershell': { is: 'harmless' },
  'task Task read_agent write_agent list_agents skill Skill report_intent ask_user': { is: 'harmless' },
  'sql session_store_sql fetch_copilot_cli_documentation web_search update_todo': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  const mcp = mcpOf(tool, args)
  if (mcp !== undefined) return [mcp]
  // A server's tool is its name and the server's, joined by a dash.
  const at = tool.indexOf('-')
  return [
    at > 0 && at < tool.length - 1
      ? { is: 'mcp', server: tool.slice(0, at), tool: tool.slice(at + 1), args }
      : { is: 'unknown', args },
  ]
}

const SHAPE: Shape = {
  host: 'copilot',
  events: EVENTS,
  keys: {
    event: 'hook_event_name hookName',
    tool: 'toolName tool_name',
    input: 'toolArgs tool_input toolInput',
    id: 'toolCallId tool_use_id',
    session: 'sessionId session_id',
    cwd: 'cwd',
  },
  actions: toolActions,
  result: (payload, event) => {
    const result = fieldsOf(field(payload, 'toolResult') ?? field(payload, 'tool_result'))
    const text = result && (field(result, 'textResultForLlm') ?? field(result, 'text_result_for_llm'))
    const outcome = event === 'postToolUse' ? 'ok' : 'failed'
    return { outcome, ...(typeof text === 'string' ? { response: text } : {}) }
  },
  roots: (_payload, launch) => [textOf(launch.env.COPILOT_PROJECT_DIR) ?? textOf(launch.env.CLAUDE_PROJECT_DIR)],
}

/** The event of the other dialect. */
const PASCAL = 'PreToolUse'

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const decoded = decodeFlat(raw, event, launch, SHAPE)
  // What the payload looks like tells how it is answered, whatever spelling was registered.
  if (decoded.is !== 'pre' || field(fieldsOf(raw) ?? {}, 'tool_name') === undefined) return decoded
  return { is: 'pre', call: { ...decoded.call, event: PASCAL } }
}

function encodePre(answer: HostAnswer, _launch: Launch, event = 'preToolUse'): string {
  const nested = event === PASCAL
  if (answer.decision === 'pass') {
    const { input, note } = answer
    if (input === undefined) return ''
    const more = note === undefined ? {} : { additionalContext: note }
    return line(
      nested
        ? { hookSpecificOutput: { hookEventName: PASCAL, updatedInput: input, ...more } }
        : { modifiedArgs: input, ...more },
    )
  }
  const permission = { permissionDecision: answer.decision, permissionDecisionReason: answer.reason }
  return line(nested ? { hookSpecificOutput: { hookEventName: PASCAL, ...permission } } : permission)
}

export const copilot: Host = {
  id: 'copilot',
  aliases: ['copilot-cli', 'github-copilot'],
  title: 'GitHub Copilot CLI',
  events: EVENTS,
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'yes', source: SOURCE },
    'pre.rewrite': { support: 'yes', source: RECEIPT },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'partial', source: RECEIPT },
    'post.context': { support: 'yes', source: RECEIPT },
    'fail.crash': { support: 'yes', source: RECEIPT },
    'fail.timeout': { support: 'no', source: RECEIPT },
    'fail.garbage': { support: 'no', source: RECEIPT },
    subagents: { support: 'yes', source: RECEIPT },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'yes', source: RECEIPT },
  },
  older: [
    { below: '1.0.57', capabilities: { 'fail.crash': UNKNOWN } },
    { below: '1.0.49', capabilities: { subagents: NO, 'post.context': NO } },
    { below: '1.0.24', capabilities: { 'pre.rewrite': NO } },
    { below: '1.0.4', capabilities: { 'pre.ask': NO } },
  ],
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '',
  encodeResult: (result) =>
    typeof result === 'string'
      ? line({ modifiedResult: { textResultForLlm: result, resultType: 'success' } })
      : undefined,
}
