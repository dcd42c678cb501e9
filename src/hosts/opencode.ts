/**
 * OpenCode, through `plugin/opencode/sallyport.js`: the plugin sends what OpenCode gave it and does what the answer says.
 * `{"throw": …}` stops the call, `{"args": …}` are put in place of the call's, `{"output": …}` in place of the result.
 */
import type { Action, Json } from '../core/call.ts'
import { type Fields, field, fieldsOf, textOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const RECEIPT = 'receipt:opencode/1.18.33.json'
const SOURCE = 'docs/hosts.md, OpenCode'

const EVENTS: Host['events'] = { pre: ['tool.execute.before'], post: ['tool.execute.after'] }

const TOOLS: Tools = {
  bash: { is: 'shell', text: 'command', cwd: 'workdir' },
  read: { is: 'read', path: 'filePath' },
  list: { is: 'names', path: 'path', without: 'here' },
  glob: { is: 'names', path: 'path', pattern: 'pattern', without: 'here' },
  grep: { is: 'search', path: 'path', without: 'here' },
  lsp: { is: 'read', path: 'filePath', without: 'harmless' },
  write: { is: 'write', path: 'filePath', content: 'content' },
  'edit multiedit': { is: 'edit', path: 'filePath' },
  'apply_patch patch': { is: 'patch', text: 'patchText' },
  webfetch: { is: 'fetch', url: 'url' },
  'task skill todowrite todoread question websearch codesearch plan_enter plan_exit': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  const mcp = mcpOf(tool, args)
  if (mcp !== undefined) return [mcp]
  // A server's tool is the server's name and its own, joined by a line.
  const at = tool.indexOf('_')
  return [
    at > 0 && at < tool.length - 1
      ? { is: 'mcp', server: tool.slice(0, at), tool: tool.slice(at + 1), args }
      : { is: 'unknown', args },
  ]
}

const SHAPE: Shape = {
  host: 'opencode',
  events: EVENTS,
  keys: { event: 'hook', tool: 'tool', input: 'args', id: 'callID', session: 'sessionID', cwd: 'directory' },
  actions: toolActions,
  result: (payload) => {
    const output = fieldsOf(field(payload, 'output'))
    const text = output && (field(output, 'output') ?? textOfBlocks(field(output, 'content')))
    // The plugin puts another text where a text was.
    return { outcome: 'unknown', ...(typeof text === 'string' ? { response: text } : {}) }
  },
  // Nobody can be asked from a plugin.
  silent: () => true,
  roots: (payload) => [textOf(field(payload, 'worktree'))?.replace(/^\/$/, '') || undefined],
}

const textOfBlocks = (blocks: Json | undefined): string | undefined =>
  Array.isArray(blocks)
    ? blocks.flatMap((block) => textOf(field(fieldsOf(block) ?? {}, 'text')) ?? []).join('\n')
    : undefined

/** The call and the session lie in `input`, the arguments in `output` before a run and in `input` after it. */
function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  const input = payload && fieldsOf(field(payload, 'input'))
  const output = payload && fieldsOf(field(payload, 'output'))
  if (payload === undefined || input === undefined) return decodeFlat(raw, event, launch, SHAPE)
  const args = output && field(output, 'args')
  return decodeFlat({ ...payload, ...(args === undefined ? {} : { args }), ...input }, event, launch, SHAPE)
}

/** Said where the guard asks and nobody can answer. */
const NO_ASK = 'OpenCode plugins cannot ask a person, so this is refused'

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'pass') return answer.input === undefined ? '' : line({ args: answer.input })
  return line({ throw: answer.decision === 'ask' ? `${answer.reason} (${NO_ASK})` : answer.reason })
}

export const opencode: Host = {
  id: 'opencode',
  aliases: [],
  title: 'OpenCode',
  events: EVENTS,
  // Its plugin waits that long.
  timeout: 10_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'no', source: RECEIPT },
    'pre.rewrite': { support: 'yes', source: RECEIPT },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'yes', source: RECEIPT },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'yes', source: RECEIPT },
    'fail.timeout': { support: 'yes', source: RECEIPT },
    'fail.garbage': { support: 'yes', source: RECEIPT },
    subagents: { support: 'yes', source: RECEIPT },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'yes', source: RECEIPT },
  },
  bounds: { read: { of: 'lines', by: 'limit', from: 'offset', unless: ['limit'] } },
  decode,
  encodePre,
  encodePost: () => '',
  encodeResult: (result) => (typeof result === 'string' ? line({ output: result }) : undefined),
}
