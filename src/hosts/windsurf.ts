/**
 * Windsurf (Cascade): one event for each kind of action, and what it is about lies under `tool_info`. Exit 2 with the reason
 * on stderr stops it; there is no other answer. Contract only: nothing here was driven.
 *
 * Settings: `~/.codeium/windsurf/hooks.json`, `.windsurf/hooks.json` of a workspace, and one of the system; all of them run:
 * `{"hooks": {"pre_run_command": [{"command": …, "show_output": true}]}}`. There is no matcher and no timeout to set.
 */
import type { Action } from '../core/call.ts'
import { eventOf } from './events.ts'
import { absoluteOf, type Fields, field, fieldsOf, parsed, textOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, malformed, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Windsurf'

const EVENTS: Host['events'] = {
  pre: ['pre_run_command', 'pre_write_code', 'pre_read_code', 'pre_mcp_tool_use'],
  post: ['post_run_command', 'post_write_code', 'post_read_code', 'post_mcp_tool_use'],
  other: ['pre_user_prompt', 'post_cascade_response', 'post_cascade_response_with_transcript', 'post_setup_worktree'],
}

/** By the event without its first word. */
const TOOLS: Tools = {
  run_command: { is: 'shell', text: 'command_line', cwd: 'cwd' },
  read_code: { is: 'read', path: 'file_path' },
  // A new file comes as an edit as well.
  write_code: { is: 'edit', path: 'file_path' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  const [server, name] = [textOf(field(args, 'mcp_server_name')), textOf(field(args, 'mcp_tool_name'))]
  if (server === undefined || name === undefined) return [malformed('the tool needs mcp_server_name and mcp_tool_name')]
  const given = field(args, 'mcp_tool_arguments') ?? {}
  return [{ is: 'mcp', server, tool: name, args: typeof given === 'string' ? (parsed(given) ?? given) : given }]
}

const SHAPE: Shape = {
  host: 'windsurf',
  events: EVENTS,
  keys: { ...CLAUDE_KEYS, event: 'agent_action_name', input: 'tool_info', session: 'trajectory_id' },
  actions: toolActions,
  result: (payload) => {
    const response = field(fieldsOf(field(payload, 'tool_info')) ?? {}, 'mcp_result')
    return { outcome: 'unknown', fixed: true, ...(response === undefined ? {} : { response }) }
  },
  // Nobody can be asked.
  silent: () => true,
  // Hooks are started in the workspace; the payload does not name it.
  roots: (_payload, { env }) => [absoluteOf(env.PWD)],
}

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  if (payload === undefined) return decodeFlat(raw, event, launch, SHAPE)
  const at = eventOf(EVENTS, field(payload, 'agent_action_name')) ?? eventOf(EVENTS, event)
  const info = fieldsOf(field(payload, 'tool_info'))
  const cwd = info === undefined ? undefined : field(info, 'cwd')
  const tool = at === undefined || at.kind === 'other' ? undefined : at.name.replace(/^(?:pre|post)_/, '')
  const named = {
    ...payload,
    ...(tool === undefined ? {} : { tool_name: tool }),
    ...(cwd === undefined ? {} : { cwd }),
  }
  return decodeFlat(named, event, launch, SHAPE)
}

/** The host reads nothing of it: `bin/exit-code.sh` makes exit 2 of a denial. */
function encodePre(answer: HostAnswer): string {
  return answer.decision === 'pass' ? '' : line({ decision: 'deny', reason: answer.reason })
}

export const windsurf: Host = {
  id: 'windsurf',
  aliases: ['cascade'],
  title: 'Windsurf',
  events: EVENTS,
  exits: 'alone',
  // No page tells it, so only our own deadline counts.
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'no', source: SOURCE },
    'pre.rewrite': { support: 'no', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'no', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'unknown', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '',
}
