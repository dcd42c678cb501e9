/** Gemini CLI: `decision` on top, silence is its pass; a denial after a run is how a result is replaced. */
import type { Action } from '../core/call.ts'
import { type Fields, field, fieldsOf, textOf } from './guards.ts'
import type { Host, HostAnswer } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, type Tools, toolOf } from './taxonomy.ts'

const RECEIPT = 'receipt:gemini/0.61.0.json'
const SOURCE = 'docs/hosts.md, Gemini CLI'

const EVENTS: Host['events'] = {
  pre: ['BeforeTool'],
  post: ['AfterTool'],
  other:
    'BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection SessionStart SessionEnd PreCompress Notification'.split(
      ' ',
    ),
}

const TOOLS: Tools = {
  run_shell_command: { is: 'shell', text: 'command', cwd: 'dir_path directory' },
  read_file: { is: 'read', path: 'file_path absolute_path' },
  read_many_files: { is: 'read', path: 'include paths', without: 'unknown', lists: true },
  list_directory: { is: 'names', path: 'dir_path path', without: 'here' },
  glob: { is: 'names', path: 'dir_path path', pattern: 'pattern', without: 'here' },
  'grep_search search_file_content': { is: 'search', path: 'dir_path path', without: 'here' },
  write_file: { is: 'write', path: 'file_path', content: 'content' },
  replace: { is: 'edit', path: 'file_path' },
  'google_web_search write_todos update_topic ask_user enter_plan_mode exit_plan_mode': { is: 'harmless' },
  'invoke_agent activate_skill complete_task get_internal_docs': { is: 'harmless' },
  'list_background_processes read_background_output': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields, payload: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  if (tool === 'web_fetch') return fetches(args)
  const context = fieldsOf(field(payload, 'mcp_context'))
  const server = textOf(context && field(context, 'server_name'))
  const name = textOf(context && field(context, 'tool_name'))
  if (server !== undefined) return [{ is: 'mcp', server, tool: name ?? tool, args }]
  const [, of, rest] = /^mcp_([^_]+)_(.+)$/.exec(tool) ?? []
  return [of === undefined ? { is: 'unknown', args } : { is: 'mcp', server: of, tool: rest!, args }]
}

/** The addresses stand in a sentence. */
function fetches(args: Fields): readonly Action[] {
  const prompt = field(args, 'prompt') ?? field(args, 'url')
  const urls = typeof prompt === 'string' ? (prompt.match(/\bhttps?:\/\/[^\s"'<>]+/gi) ?? []) : []
  return urls.length > 0 ? urls.map((url) => ({ is: 'fetch', url })) : [{ is: 'unknown', args }]
}

const SHAPE: Shape = {
  host: 'gemini',
  events: EVENTS,
  keys: CLAUDE_KEYS,
  actions: toolActions,
  result: (payload) => {
    const response = fieldsOf(field(payload, 'tool_response'))
    const text = response === undefined ? undefined : field(response, 'llmContent')
    const failed = response !== undefined && field(response, 'error') !== undefined
    return { outcome: failed ? 'failed' : 'unknown', ...(text === undefined ? {} : { response: text }) }
  },
  // In print mode the host waits for an answer that nobody can give, and never ends.
  silent: (_payload, launch) => launch.started?.()?.some((word) => PRINT.test(word)) ?? false,
  roots: (_payload, launch) => [textOf(launch.env.GEMINI_PROJECT_DIR)],
}

/** Flags of print mode. */
const PRINT = /^(?:-p|--prompt)(?:=|$)/

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'deny') return line({ decision: 'deny', reason: answer.reason })
  if (answer.decision === 'ask') return line({ decision: 'ask', systemMessage: answer.reason })
  return answer.input === undefined
    ? ''
    : line({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: answer.input } })
}

export const gemini: Host = {
  id: 'gemini',
  aliases: ['gemini-cli'],
  title: 'Gemini CLI',
  events: EVENTS,
  timeout: 60_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'yes', source: SOURCE },
    'pre.rewrite': { support: 'yes', source: RECEIPT },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'yes', source: RECEIPT },
    'post.context': { support: 'yes', source: RECEIPT },
    'fail.crash': { support: 'no', source: RECEIPT },
    'fail.timeout': { support: 'no', source: RECEIPT },
    'fail.garbage': { support: 'no', source: RECEIPT },
    subagents: { support: 'yes', source: RECEIPT },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'yes', source: RECEIPT },
  },
  bounds: {},
  decode: (payload, event, launch) => decodeFlat(payload, event, launch, SHAPE),
  encodePre,
  encodePost: () => '',
  // There is no field for a result: the reason of a denial is what the model reads of it.
  encodeResult: (result) => (typeof result === 'string' ? line({ decision: 'deny', reason: result }) : undefined),
}
