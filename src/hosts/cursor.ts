/**
 * Cursor: one event for every tool, and one each for commands, MCP calls and reads. Only those for commands and MCP calls
 * can ask. Contract only: nothing here was driven.
 */
import type { Action } from '../core/call.ts'
import { eventOf } from './events.ts'
import { absoluteOf, type Fields, field, fieldsOf, textOf, textsOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Cursor'

const EVENTS: Host['events'] = {
  pre: ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile'],
  post: ['postToolUse', 'afterShellExecution', 'afterMCPExecution', 'afterFileEdit', 'postToolUseFailure'],
  other: (
    'beforeTabFileRead afterTabFileEdit beforeSubmitPrompt afterAgentResponse afterAgentThought sessionStart sessionEnd ' +
    'preCompact subagentStart subagentStop stop workspaceOpen'
  ).split(' '),
}

const TOOLS: Tools = {
  Shell: { is: 'shell', text: 'command', cwd: 'cwd working_directory' },
  'Read ReadFile': { is: 'read', path: 'file_path path target_file' },
  Grep: { is: 'search', path: 'file_path path', without: 'here' },
  Glob: { is: 'names', path: 'target_directory path', pattern: 'glob_pattern pattern', without: 'here' },
  'List LS': { is: 'names', path: 'file_path path target_directory', without: 'here' },
  Write: { is: 'write', path: 'file_path path', content: 'content contents' },
  'StrReplace Edit MultiEdit': { is: 'edit', path: 'file_path path' },
  Delete: { is: 'delete', path: 'file_path path' },
  'Task TodoWrite TodoRead AskQuestion SwitchMode WebSearch': { is: 'harmless' },
  WebFetch: { is: 'fetch', url: 'url' },
}

/** `MCP:tool` or `MCP:server:tool`. */
const MCP = /^MCP:(?:([^:]+):)?(.+)$/

function toolActions(tool: string, args: Fields, payload: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  const [, server, name] = MCP.exec(tool) ?? []
  if (name !== undefined) return [{ is: 'mcp', server: server ?? 'unknown', tool: name, args }]
  // The event for MCP calls says so, whatever the tool is called.
  const event = field(payload, 'hook_event_name')
  if (event === 'beforeMCPExecution' || event === 'afterMCPExecution')
    return [{ is: 'mcp', server: textOf(field(payload, 'server_name')) ?? 'unknown', tool, args }]
  return [mcpOf(tool, args) ?? { is: 'unknown', args }]
}

const SHAPE: Shape = {
  host: 'cursor',
  events: EVENTS,
  keys: { ...CLAUDE_KEYS, session: 'conversation_id session_id' },
  actions: toolActions,
  // What a built-in tool gave cannot be replaced, and of an MCP tool no receipt says how.
  result: (_payload, event) => ({ outcome: event === 'postToolUseFailure' ? 'failed' : 'ok', fixed: true }),
  roots: (payload, launch) => [
    ...textsOf(field(payload, 'workspace_roots')).filter((root) => absoluteOf(root) !== undefined),
    absoluteOf(launch.env.CURSOR_PROJECT_DIR),
  ],
}

/** Tools of the events that are about one kind of tool: their arguments lie flat in the payload. */
const OF_EVENT: Readonly<Record<string, string>> = {
  beforeShellExecution: 'Shell',
  afterShellExecution: 'Shell',
  beforeReadFile: 'Read',
  afterFileEdit: 'Edit',
}

/** Grok runs the hooks of Cursor beside its own; where nobody else would judge the call, it is judged here. */
const isGrok = (payload: Fields | undefined, { env }: Launch): boolean =>
  textOf(env.GROK_WORKSPACE_ROOT) !== undefined && field(payload ?? {}, 'cursor_version') === undefined

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  if (isGrok(payload, launch) && launch.adapters?.includes('grok'))
    return { is: 'stand-down', why: 'Grok runs this hook beside its own' }
  if (payload === undefined) return decodeFlat(raw, event, launch, SHAPE)
  const name = (eventOf(EVENTS, field(payload, 'hook_event_name')) ?? eventOf(EVENTS, event))?.name ?? ''
  const tool = Object.hasOwn(OF_EVENT, name) ? OF_EVENT[name] : undefined
  if (tool === undefined) return decodeFlat(raw, event, launch, SHAPE)
  const keys = ['command', 'cwd', 'file_path', 'edits']
  const input = Object.fromEntries(
    keys.flatMap((key) => {
      const value = field(payload, key)
      return value === undefined || value === '' ? [] : [[key, value]]
    }),
  )
  return decodeFlat({ ...payload, tool_name: tool, tool_input: input }, event, launch, SHAPE)
}

/** Events on which the host asks a person. */
const ASKS = new Set(['beforeShellExecution', 'beforeMCPExecution'])

function encodePre(answer: HostAnswer, _launch: Launch, event = 'preToolUse'): string {
  const name = eventOf(EVENTS, event)?.name ?? 'preToolUse'
  if (answer.decision === 'pass')
    return line(answer.input === undefined || name !== 'preToolUse' ? {} : { updated_input: answer.input })
  const permission = answer.decision === 'ask' && ASKS.has(name) ? 'ask' : 'deny'
  return line({ permission, user_message: answer.reason, agent_message: answer.reason })
}

export const cursor: Host = {
  id: 'cursor',
  aliases: ['cursor-agent', 'cursor-cli'],
  title: 'Cursor',
  events: EVENTS,
  exits: 'beside',
  timeout: 60_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'partial', source: SOURCE },
    'pre.rewrite': { support: 'partial', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'partial', source: SOURCE },
    'post.context': { support: 'partial', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'partial', source: SOURCE },
    'fail.garbage': { support: 'yes', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  // Early builds of the CLI had the events for commands alone.
  older: [{ below: '2026.05.20', capabilities: { 'pre.deny': { support: 'partial', source: SOURCE } } }],
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '{}\n',
}
