/** Antigravity: always one explicit decision, since builds read an empty object as deny; its real ask is `force_ask`. */
import type { Action, Json, ToolCall } from '../core/call.ts'
import { eventOf, modeOf } from './events.ts'
import { absoluteOf, type Fields, field, fieldsOf, parsed, textOf, textsOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch, Starting } from './host.ts'
import { actionsOf, malformed, mcpOf, type Tool, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Antigravity'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse'],
  other: ['PreInvocation', 'PostInvocation', 'Stop', 'SessionStart'],
}

const TOOLS: Tools = {
  run_command: { is: 'shell', text: 'CommandLine', cwd: 'Cwd' },
  // What is typed into a running command may be read by a shell.
  send_command_input: { is: 'shell', text: 'Input', without: 'unknown' },
  'view_file view_file_outline': { is: 'read', path: 'AbsolutePath filePath Path path', without: 'texts' },
  read_notebook: { is: 'read', path: 'AbsolutePath notebookPath path', without: 'texts' },
  read_resource: { is: 'read', path: 'Uri uri', without: 'texts' },
  'list_directory list_dir': {
    is: 'names',
    path: 'DirAbsolutePath DirectoryPath path dir',
    without: 'texts',
  },
  find_by_name: { is: 'names', path: 'SearchDirectory SearchPath path', pattern: 'Pattern', without: 'texts' },
  'grep_search code_search': { is: 'search', path: 'SearchPath DirectoryPath path', without: 'texts' },
  'read_url_content read_browser_page': { is: 'fetch', url: 'Url url', without: 'harmless' },
  'write_to_file create_file save_file': { is: 'write', path: 'TargetFile', content: 'CodeContent Content' },
  'replace_file_content multi_replace_file_content edit_file': { is: 'edit', path: 'TargetFile' },
  delete_file: { is: 'delete', path: 'TargetFile' },
  delete_directory: { is: 'delete', path: 'directoryPath', tree: true },
  move: { is: 'move', from: 'source', to: 'destination' },
  move_file: { is: 'move', from: 'source SourceFile SourcePath', to: 'destination TargetFile DestinationPath' },
  edit_notebook: { is: 'edit', path: 'notebookPath' },
  write_blob: { is: 'write', path: 'targetPath', content: 'Content' },
  'search_web list_resources ask_question ask_permission list_permissions generate_image': { is: 'harmless' },
  'read_terminal command_status': { is: 'harmless' },
  'invoke_subagent define_subagent manage_subagents schedule send_message': { is: 'harmless' },
  // Its argument is the model's answer.
  finish: { is: 'harmless' },
}

/** Texts of a file tool that are no paths, whatever they hold. */
const PROSE = new Set(
  (
    'TargetContent ReplacementContent CodeContent Content Instruction Description summary prompt code text ' +
    'explanation message comment toolAction toolSummary WaitMsBeforeAsync Cwd MimeType ContentType Date Time Timestamp ' +
    'Language Encoding'
  ).split(' '),
)

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  const at = eventOf(EVENTS, event)
  const gate = at?.kind === 'post' ? 'post' : 'pre'
  if (payload === undefined) return { is: 'bad', why: 'the payload is no JSON object', event: gate }
  if (at === undefined) return { is: 'bad', why: 'the event is not known', event: 'pre' }
  if (at.kind === 'other') return { is: 'other', ...startOf(payload, at.name) }
  const toolCall = fieldsOf(field(payload, 'toolCall')) ?? flatCall(payload)
  const tool = textOf(toolCall === undefined ? undefined : field(toolCall, 'name'))
  if (at.kind === 'pre') {
    if (toolCall === undefined || tool === undefined)
      return { is: 'bad', why: 'the payload names no tool', event: 'pre' }
    return { is: 'pre', call: callOf(payload, toolCall, tool, at.name, launch) }
  }
  // After the run some builds leave the call out: the id still joins it to the event before.
  const call = callOf(payload, toolCall ?? {}, tool ?? '', at.name, launch)
  const error = field(payload, 'error')
  const outcome = error === '' ? 'ok' : typeof error === 'string' ? 'failed' : 'unknown'
  const key = RESULT_KEYS.find((name) => field(payload, name) !== undefined)
  const response = key === undefined ? undefined : field(payload, key)
  return { is: 'post', result: { call, outcome, fixed: true, ...(response === undefined ? {} : { response }) } }
}

/** The host tells of each call of the model; the first of a conversation is its start. */
function startOf(payload: Fields, event: string): { readonly start?: Starting } {
  const cwd = textsOf(field(payload, 'workspacePaths')).find((path) => absoluteOf(path) !== undefined)
  if (event !== 'PreInvocation' || field(payload, 'invocationNum') !== 0 || cwd === undefined) return {}
  return { start: { cwd, session: textOf(field(payload, 'conversationId')) ?? 'unknown' } }
}

/** A call that lies flat in the payload, as some runners hand it over. Absent where the payload has no such call. */
function flatCall(payload: Fields): Fields | undefined {
  const name = field(payload, 'tool_name')
  return name === undefined ? undefined : { name, args: field(payload, 'tool_input') ?? {} }
}

/** The host sends no result; what runs it may. */
const RESULT_KEYS = 'tool_response toolResponse tool_output toolOutput output result content'.split(' ')

function callOf(payload: Fields, toolCall: Fields, tool: string, event: string, launch: Launch): ToolCall {
  const workspaces = textsOf(field(payload, 'workspacePaths')).filter((path) => absoluteOf(path) !== undefined)
  const given = field(toolCall, 'args')
  const args = given === undefined ? {} : fieldsOf(typeof given === 'string' ? parsed(given) : given)
  const cwd = args === undefined ? undefined : absoluteOf(unquoted(field(args, 'Cwd')))
  const session = textOf(field(payload, 'conversationId')) ?? textOf(launch.env.ANTIGRAVITY_CONVERSATION_ID)
  const step = field(payload, 'stepIdx')
  const id = typeof step === 'number' || typeof step === 'string' ? String(step) : undefined
  return {
    host: 'antigravity',
    ...(launch.version === undefined ? {} : { hostVersion: launch.version }),
    ...(id === undefined ? {} : { id }),
    event,
    tool,
    actions: args === undefined ? [malformed('args is no object')] : toolActions(tool, args),
    ...(args === undefined ? {} : { args }),
    cwd: cwd ?? workspaces[0],
    workspaces,
    session: session ?? 'unknown',
    mode: modeOf(launch, false),
  }
}

/** Some builds encode a text twice: `"\"/a/b\""`. Anything else is returned as it is. */
function unquoted(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value
  const inner = parsed(value)
  return typeof inner === 'string' ? inner : value
}

function toolActions(tool: string, raw: Fields): readonly Action[] {
  const args = Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, unquoted(value) ?? null]))
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) {
    const actions = [...actionsOf(known, args), ...strayPaths(known, args)].map(onWindows)
    // A command may really be one quoted word: both readings are judged.
    if (known.is !== 'shell' || !Object.keys(raw).some((key) => raw[key] !== args[key])) return actions
    return [...actions, ...actionsOf(known, raw)]
  }
  if (tool === 'call_mcp_tool') return [mcpCall(args)]
  if (tool === 'manage_task') return [taskAction(args)]
  return [mcpOf(tool, args) ?? { is: 'unknown', args }]
}

/** Words and options that only the command prompt knows. */
const PROMPT =
  /(?:^|[&|(]\s*)@?(?:rd|rmdir|del|erase|copy|move|ren|xcopy|robocopy|attrib|format|icacls|takeown)\b[^&|]*\s\/[A-Za-z]/i
const POWERSHELL = /(?:^|[;|&({]\s*)(?:[A-Z][a-z]+-[A-Z]\w+|(?:ri|gci|gc|sc|iex|iwr)\s)|\$env:/

/** On Windows the host says nothing of its shell: what the text can only be for decides. */
function onWindows(action: Action): Action {
  if (action.is !== 'shell' || !/^[A-Za-z]:[\\/]/.test(action.cwd ?? '')) return action
  const dialect = PROMPT.test(action.text) ? 'cmd' : POWERSHELL.test(action.text) ? 'powershell' : action.dialect
  return { ...action, dialect }
}

function mcpCall(args: Fields): Action {
  const server = textOf(field(args, 'ServerName'))
  const tool = textOf(field(args, 'ToolName'))
  if (server === undefined || tool === undefined) return malformed('the tool needs ServerName and ToolName')
  const rest = Object.entries(args)
    .filter(([key]) => key !== 'ServerName' && key !== 'ToolName')
    .map(([key, value]) => [key, typeof value === 'string' ? (parsedTree(value) ?? value) : value])
  return { is: 'mcp', server, tool, args: Object.fromEntries(rest) as Fields }
}

/** A text that is a whole JSON object or list, read; undefined for any other text. */
function parsedTree(text: string): Json | undefined {
  const inner = /^\s*[[{]/.test(text) ? parsed(text) : undefined
  return typeof inner === 'object' && inner !== null ? inner : undefined
}

/** Looking at a background task changes nothing; typing into it may run anything. */
function taskAction(args: Fields): Action {
  const action = textOf(field(args, 'Action'))?.toLowerCase()
  if (action !== 'send_input') return { is: 'harmless' }
  const input = textOf(field(args, 'Input')) ?? textOf(field(args, 'input'))
  return input === undefined ? { is: 'unknown', args } : { is: 'shell', text: input, dialect: 'posix' }
}

/** Paths under keys that a changing file tool does not have: the published schema refuses the call. */
function strayPaths(tool: Tool, args: Fields): readonly Action[] {
  const keys = keysOf(tool)
  if (keys === undefined) return []
  return Object.entries(args).flatMap(([key, value]): readonly Action[] => {
    if (typeof value !== 'string' || PROSE.has(key) || keys.has(key)) return []
    if (!/[\\/]|\.(?:mjs|js|json)$/.test(value)) return []
    return [malformed(`unexpected path parameter ${key.slice(0, 64)}`), { is: 'edit', path: value }]
  })
}

function keysOf(tool: Tool): ReadonlySet<string> | undefined {
  if (tool.is === 'write' || tool.is === 'edit' || tool.is === 'delete') return new Set(tool.path.split(' '))
  return tool.is === 'move' ? new Set(`${tool.from} ${tool.to}`.split(' ')) : undefined
}

/** From this version on an empty decision means "no opinion". */
const NO_OPINION = [1, 0, 16]

function atLeast(version: string | undefined, least: readonly number[]): boolean {
  const match = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(version ?? '')
  if (match === null) return false
  for (const [at, wanted] of least.entries()) {
    const has = Number(match[at + 1])
    if (has !== wanted) return has > wanted
  }
  return true
}

function encodePre(answer: HostAnswer, launch: Launch): string {
  if (answer.decision === 'deny') return `${JSON.stringify({ decision: 'deny', reason: answer.reason })}\n`
  if (answer.decision === 'ask') return `${JSON.stringify({ decision: 'force_ask', reason: answer.reason })}\n`
  return atLeast(launch.version, NO_OPINION) ? '{"decision":""}\n' : '{"decision":"ask","reason":""}\n'
}

export const antigravity: Host = {
  id: 'antigravity',
  aliases: ['agy'],
  title: 'Antigravity',
  events: EVENTS,
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'partial', source: SOURCE },
    'pre.rewrite': { support: 'no', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'no', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'unknown', source: SOURCE },
    'fail.timeout': { support: 'unknown', source: SOURCE },
    'fail.garbage': { support: 'unknown', source: SOURCE },
    subagents: { support: 'yes', source: SOURCE },
    mcp: { support: 'unknown', source: SOURCE },
    print: { support: 'partial', source: SOURCE },
  },
  // Reports of earlier builds disagree on what a hook's denial does.
  older: [{ below: '1.1.2', capabilities: { 'pre.deny': { support: 'unknown', source: SOURCE } } }],
  bounds: {
    view_file: { of: 'lines', unless: ['StartLine', 'EndLine', 'startLine', 'endLine', 'Offset', 'Limit', 'limit'] },
    grep_search: { of: 'matches', query: 'Query', unless: [], only: { key: 'MatchPerLine', is: true } },
  },
  decode,
  encodePre,
  encodePost: () => '{}\n',
  // For this one call of the model: what stays would be added again at each.
  encodeStart: (text) => `${JSON.stringify({ injectSteps: [{ ephemeralMessage: text }] })}\n`,
}
