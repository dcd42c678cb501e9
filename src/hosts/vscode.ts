/** The agent of VS Code on its local harness: Claude's answers, its own tools. Contract only: nothing here was driven. */
import type { Action } from '../core/call.ts'
import { copilot } from './copilot.ts'
import { type Fields, field, fieldsOf, textOf, textsOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, malformed, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, VS Code'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse'],
  other: 'SessionStart UserPromptSubmit PreCompact SubagentStart SubagentStop Stop'.split(' '),
}

const TOOLS: Tools = {
  'run_in_terminal runTerminalCommand': { is: 'shell', text: 'command' },
  read_file: { is: 'read', path: 'filePath' },
  list_dir: { is: 'names', path: 'path', without: 'here' },
  'file_search semantic_search': { is: 'names', path: 'path', without: 'here' },
  grep_search: { is: 'search', path: 'path', without: 'here' },
  create_file: { is: 'write', path: 'filePath', content: 'content' },
  'replace_string_in_file insert_edit_into_file edit_notebook_file': { is: 'edit', path: 'filePath' },
  apply_patch: { is: 'patch', text: 'input' },
  'runSubagent manage_todo_list get_errors get_terminal_output': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  if (tool === 'editFiles') return editsOf(textsOf(field(args, 'files')), 'files')
  if (tool === 'multi_replace_string_in_file') return replacements(args)
  if (tool === 'create_and_run_task' || tool === 'createAndRunTask') return taskOf(fieldsOf(field(args, 'task')))
  if (tool === 'fetch_webpage') {
    const urls = textsOf(field(args, 'urls'))
    return urls.length > 0 ? urls.map((url) => ({ is: 'fetch', url })) : [{ is: 'unknown', args }]
  }
  return [mcpOf(tool, args) ?? { is: 'unknown', args }]
}

const editsOf = (paths: readonly string[], key: string): readonly Action[] =>
  paths.length > 0 ? paths.map((path) => ({ is: 'edit', path })) : [malformed(`the tool needs ${key}`)]

/** A shell runs its command with its arguments behind it. */
function taskOf(task: Fields | undefined): readonly Action[] {
  const command = task === undefined ? undefined : textOf(field(task, 'command'))
  if (task === undefined || command === undefined) return [malformed('the tool needs the command of a task')]
  return [{ is: 'shell', text: [command, ...textsOf(field(task, 'args'))].join(' '), dialect: 'posix' }]
}

/** Each replacement names its file. */
function replacements(args: Fields): readonly Action[] {
  const list = field(args, 'replacements')
  const each = (Array.isArray(list) ? list : []).map(fieldsOf)
  if (each.length === 0) return [malformed('the tool needs replacements')]
  return each.flatMap((one) =>
    one === undefined ? [malformed('a replacement is no object')] : actionsOf({ is: 'edit', path: 'filePath' }, one),
  )
}

const SHAPE: Shape = {
  host: 'vscode',
  events: EVENTS,
  keys: {
    event: 'hook_event_name hookEventName',
    tool: 'tool_name',
    input: 'tool_input',
    id: 'tool_use_id',
    session: 'session_id sessionId',
    cwd: 'cwd',
  },
  actions: toolActions,
  // There is no field that puts another result in its place.
  result: () => ({ outcome: 'unknown', fixed: true }),
  roots: (_payload, launch) => [textOf(launch.env.CLAUDE_PROJECT_DIR)],
}

/**
 * Copilot CLI, and the harness of VS Code that runs it, read every file in `.github/hooks`. Their calls have no id, their own
 * names of tools, and take the same answers in this spelling of the event.
 */
const isCopilots = (payload: Fields): boolean =>
  field(payload, 'tool_use_id') === undefined &&
  field(payload, 'permission_mode') === undefined &&
  toolOf(TOOLS, textOf(field(payload, 'tool_name')) ?? 'editFiles') === undefined &&
  /^\d{4}-\d\d-\d\dT/.test(String(field(payload, 'timestamp')))

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  if (payload === undefined || !isCopilots(payload)) return decodeFlat(raw, event, launch, SHAPE)
  if (launch.adapters?.includes('copilot')) return { is: 'stand-down', why: 'Copilot runs this hook beside its own' }
  return copilot.decode(raw, event, launch)
}

function encodePre(answer: HostAnswer): string {
  const hookEventName = 'PreToolUse'
  if (answer.decision === 'pass') {
    if (answer.input === undefined) return ''
    return line({ hookSpecificOutput: { hookEventName, updatedInput: answer.input } })
  }
  const permission = { permissionDecision: answer.decision, permissionDecisionReason: answer.reason }
  return line({ hookSpecificOutput: { hookEventName, ...permission } })
}

export const vscode: Host = {
  id: 'vscode',
  aliases: ['vs-code', 'code'],
  title: 'VS Code',
  events: EVENTS,
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'unknown', source: SOURCE },
    'pre.rewrite': { support: 'partial', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'unknown', source: SOURCE },
    'fail.crash': { support: 'unknown', source: SOURCE },
    'fail.timeout': { support: 'unknown', source: SOURCE },
    'fail.garbage': { support: 'unknown', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'unknown', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '',
}
