/** Cline, by its file hooks: `cancel` with a message stops the call; it has no words for a question. */
import type { Action } from '../core/call.ts'
import { type Fields, field, fieldsOf, parsed, textOf, textsOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, malformed, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const RECEIPT = 'receipt:cline/3.0.65.json'
const SOURCE = 'docs/hosts.md, Cline'

/** Files of hooks are named after these; the payload has other names for them. */
const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse'],
  other: 'TaskStart TaskResume TaskCancel TaskComplete TaskError UserPromptSubmit PreCompact SessionShutdown'.split(
    ' ',
  ),
}
const NAMES: Readonly<Record<string, string>> = {
  tool_call: 'PreToolUse',
  tool_result: 'PostToolUse',
  agent_start: 'TaskStart',
  agent_resume: 'TaskResume',
  agent_abort: 'TaskCancel',
  agent_end: 'TaskComplete',
  agent_error: 'TaskError',
  prompt_submit: 'UserPromptSubmit',
  pre_compact: 'PreCompact',
  session_shutdown: 'SessionShutdown',
}

const TOOLS: Tools = {
  execute_command: { is: 'shell', text: 'command' },
  read_file: { is: 'read', path: 'path' },
  list_files: { is: 'names', path: 'path', without: 'here' },
  list_code_definition_names: { is: 'names', path: 'path', without: 'here' },
  search_files: { is: 'search', path: 'path', without: 'here' },
  search_codebase: { is: 'search', path: 'path', without: 'here' },
  write_to_file: { is: 'write', path: 'path', content: 'content' },
  'replace_in_file editor': { is: 'edit', path: 'path' },
  apply_patch: { is: 'patch', text: 'input' },
  'ask_question ask_followup_question attempt_completion submit_and_exit plan_mode_respond new_task': {
    is: 'harmless',
  },
  'skills use_skill spawn_agent use_subagents focus_chain': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  if (tool === 'run_commands') return lines(args)
  if (tool === 'read_files') return files(args)
  if (tool === 'fetch_web_content') return fetches(args)
  if (tool === 'editor' && field(args, 'old_text') === undefined && field(args, 'insert_line') === undefined) {
    return actionsOf({ is: 'write', path: 'path', content: 'new_text' }, args)
  }
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  // Words between agents of one team.
  if (tool.startsWith('team_')) return [{ is: 'harmless' }]
  return [mcpOf(tool, args) ?? serverOf(tool, args) ?? { is: 'unknown', args }]
}

/** One command, or several, each a text or a program with its arguments. */
function lines(args: Fields): readonly Action[] {
  const given = listed(field(args, 'commands') ?? field(args, 'command'))
  if (given.length === 0) return [malformed('the tool needs commands')]
  return given.map((one): Action => {
    const fields = fieldsOf(one)
    const whole = textOf(one) ?? textOf(fields && field(fields, 'command'))
    if (whole === undefined) return malformed('a command is not a text')
    const words = textsOf(fields && field(fields, 'args')).map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    return { is: 'shell', text: [whole, ...words].join(' '), dialect: 'posix' }
  })
}

/** Paths stand in lists, alone or as objects with a path. */
function files(args: Fields): readonly Action[] {
  const given = listed(field(args, 'files') ?? field(args, 'paths') ?? args)
  if (given.length === 0) return [malformed('the tool needs files')]
  return given.flatMap((one): readonly Action[] => {
    const path = textOf(one)
    if (path !== undefined) return [{ is: 'read', path, what: 'content' }]
    const fields = fieldsOf(one)
    if (fields === undefined) return [malformed('a file is neither a path nor an object')]
    return actionsOf({ is: 'read', path: 'path file_path filePath' }, fields)
  })
}

function fetches(args: Fields): readonly Action[] {
  const given = listed(field(args, 'requests') ?? args)
  const urls = given.flatMap((one) => textOf(one) ?? textOf(field(fieldsOf(one) ?? {}, 'url')) ?? [])
  return urls.length > 0 ? urls.map((url) => ({ is: 'fetch', url })) : [{ is: 'unknown', args }]
}

/** A list as it is, anything else as a list of one; lists also come as their JSON. */
function listed(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' && value.trimStart().startsWith('[') ? (parsed(value) ?? value) : value
  if (Array.isArray(list)) return list
  return list === undefined ? [] : [list]
}

/** A server's tool is the server's name and its own, joined by two lines. */
function serverOf(tool: string, args: Fields): Action | undefined {
  const [, server, name] = /^(.+?)__(.+)$/.exec(tool) ?? []
  return server === undefined ? undefined : { is: 'mcp', server, tool: name!, args }
}

const SHAPE: Shape = {
  host: 'cline',
  events: EVENTS,
  keys: { event: 'hookName', tool: 'tool', input: 'input', id: 'id', session: 'taskId', cwd: 'cwd' },
  actions: toolActions,
  result: (payload) => {
    const error = textOf(field(payload, 'error'))
    const output = field(payload, 'output')
    const response = output === undefined ? undefined : typeof output === 'string' ? output : JSON.stringify(output)
    return {
      outcome: error !== undefined || field(payload, 'success') === false ? 'failed' : 'unknown',
      fixed: true,
      ...(response === undefined ? {} : { response }),
    }
  },
  // Its hooks have no word for a question.
  silent: () => true,
  roots: (payload) => textsOf(field(payload, 'workspaceRoots')),
}

/** The call lies in an object of its own; older builds send all arguments as texts. */
function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  if (payload === undefined) return decodeFlat(raw, event, launch, SHAPE)
  const hook = field(payload, 'hookName')
  const named = typeof hook === 'string' && Object.hasOwn(NAMES, hook) ? { hookName: NAMES[hook]! } : {}
  const call = fieldsOf(field(payload, 'tool_call') ?? field(payload, 'tool_result'))
  const older = fieldsOf(field(payload, 'preToolUse') ?? field(payload, 'postToolUse'))
  const tool = (call && field(call, 'name')) ?? (older && field(older, 'toolName'))
  const input = (call && field(call, 'input')) ?? (older && field(older, 'parameters'))
  const found = {
    ...payload,
    ...named,
    ...older,
    ...call,
    ...(tool === undefined ? {} : { tool }),
    ...(input === undefined ? {} : { input }),
  }
  return decodeFlat(found, event, launch, SHAPE)
}

/** Said where the guard asks and nobody can answer. */
const NO_ASK = 'Cline hooks cannot ask a person, so this is refused'

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'pass')
    return line({ cancel: false, ...(answer.input === undefined ? {} : { overrideInput: answer.input }) })
  return line({
    cancel: true,
    errorMessage: answer.decision === 'ask' ? `${answer.reason} (${NO_ASK})` : answer.reason,
  })
}

export const cline: Host = {
  id: 'cline',
  aliases: [],
  title: 'Cline',
  events: EVENTS,
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'no', source: RECEIPT },
    'pre.rewrite': { support: 'yes', source: RECEIPT },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'unknown', source: SOURCE },
    'fail.crash': { support: 'no', source: RECEIPT },
    'fail.timeout': { support: 'no', source: RECEIPT },
    'fail.garbage': { support: 'no', source: RECEIPT },
    subagents: { support: 'yes', source: RECEIPT },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'yes', source: RECEIPT },
  },
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '{}\n',
}
