/**
 * pi, through `plugin/pi/sallyport.js`: the extension sends what pi gave it and does what the answer says.
 * `{"block": true, "reason": …}` stops the call, `{"confirm": …}` asks the person, `{"input": …}` is put in place of the
 * call's input, `{"content": …}` in place of the result.
 */
import type { Action } from '../core/call.ts'
import { type Fields, field, fieldsOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const RECEIPT = 'receipt:pi/1.6.0.json'
const SOURCE = 'docs/hosts.md, pi'

const EVENTS: Host['events'] = { pre: ['tool_call'], post: ['tool_result'] }

const TOOLS: Tools = {
  bash: { is: 'shell', text: 'command' },
  powershell: { is: 'shell', text: 'command', dialect: 'powershell' },
  read: { is: 'read', path: 'path' },
  grep: { is: 'search', path: 'path', without: 'here' },
  find: { is: 'names', path: 'path', pattern: 'pattern', without: 'here' },
  ls: { is: 'names', path: 'path', without: 'here' },
  write: { is: 'write', path: 'path', content: 'content' },
  edit: { is: 'edit', path: 'path' },
  // A script in a sandbox without files and network; each call that it makes comes to the hook by itself.
  codemode: { is: 'harmless' },
}

const SHAPE: Shape = {
  host: 'pi',
  events: EVENTS,
  keys: { event: 'type', tool: 'toolName', input: 'input', id: 'toolCallId', session: 'session', cwd: 'cwd' },
  actions: (tool, args): readonly Action[] => {
    const known = toolOf(TOOLS, tool)
    return known === undefined ? [mcpOf(tool, args) ?? { is: 'unknown', args }] : actionsOf(known, args)
  },
  result: (payload) => {
    const content = field(payload, 'content')
    const outcome = field(payload, 'isError') === true ? 'failed' : 'ok'
    // The script that made the call reads the structured result, not this text.
    const fixed = field(payload, 'parentToolCallId') !== undefined
    return { outcome, ...(content === undefined ? {} : { response: content }), ...(fixed ? { fixed } : {}) }
  },
  silent: (payload) => field(payload, 'hasUI') !== true,
}

/** The event of pi, and beside it what the extension knows of the session. */
function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  const inner: Fields | undefined = payload && fieldsOf(field(payload, 'event'))
  return decodeFlat(inner === undefined ? raw : { ...payload, ...inner }, event, launch, SHAPE)
}

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'deny') return line({ block: true, reason: answer.reason })
  if (answer.decision === 'ask') return line({ confirm: answer.reason })
  return answer.input === undefined ? '' : line({ input: answer.input })
}

export const pi: Host = {
  id: 'pi',
  aliases: ['pi-coding-agent'],
  title: 'pi',
  events: EVENTS,
  // Its extension waits that long.
  timeout: 10_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: RECEIPT },
    'pre.ask': { support: 'yes', source: SOURCE },
    'pre.rewrite': { support: 'yes', source: RECEIPT },
    // It asks nobody by itself.
    'rewrite.keepsPrompt': { support: 'no', source: SOURCE },
    'post.replace': { support: 'yes', source: RECEIPT },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'yes', source: RECEIPT },
    'fail.timeout': { support: 'yes', source: RECEIPT },
    'fail.garbage': { support: 'yes', source: RECEIPT },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: RECEIPT },
    print: { support: 'yes', source: RECEIPT },
  },
  bounds: { read: { of: 'lines', by: 'limit', from: 'offset', unless: ['limit'] } },
  decode,
  encodePre,
  encodePost: () => '',
  encodeResult: (result) => (Array.isArray(result) ? line({ content: result }) : undefined),
}
