/**
 * Amp, through `plugin/amp/sallyport.js`: the plugin sends what Amp gave it and does what the answer says.
 * `{"reject": …}` stops the call, `{"confirm": …}` asks the person, `{"input": …}` is put in place of the call's input,
 * `{"output": …}` in place of a text that a tool gave. Contract only: nothing here was driven.
 *
 * Settings: the plugin in `~/.config/amp/plugins/` (`XDG_CONFIG_HOME` moves it) or `.amp/plugins/`.
 */
import type { Action } from '../core/call.ts'
import { type Fields, field, fieldsOf, textOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Amp'

const EVENTS: Host['events'] = { pre: ['tool.call'], post: ['tool.result'] }

const TOOLS: Tools = {
  'shell_command Bash': { is: 'shell', text: 'command cmd', cwd: 'workdir cwd' },
  Read: { is: 'read', path: 'path', without: 'unknown' },
  Grep: { is: 'search', path: 'path', without: 'here' },
  create_file: { is: 'write', path: 'path', content: 'content' },
  edit_file: { is: 'edit', path: 'path' },
  apply_patch: { is: 'patch', text: 'patchText' },
  // What is sent to the thread leaves the machine: it is looked at as a read.
  upload_thread_file: { is: 'read', path: 'path' },
  download_thread_file: { is: 'write', path: 'destination', content: 'content' },
  read_web_page: { is: 'fetch', url: 'url', without: 'unknown' },
  'web_search Task oracle librarian finder todo_read todo_write': { is: 'harmless' },
}

const SHAPE: Shape = {
  host: 'amp',
  events: EVENTS,
  keys: { event: 'name', tool: 'tool', input: 'input', id: 'toolUseID', session: 'session', cwd: 'cwd' },
  actions: (tool, args): readonly Action[] => {
    const known = toolOf(TOOLS, tool)
    return known === undefined ? [mcpOf(tool, args) ?? { is: 'unknown', args }] : actionsOf(known, args)
  },
  result: (payload) => {
    const output = field(payload, 'output')
    const status = textOf(field(payload, 'status'))
    const outcome = status === 'done' ? 'ok' : status === undefined ? 'unknown' : 'failed'
    // In what form a command's output comes is not documented: only a plain text is replaced, and only of a call that ran.
    const fixed = typeof output !== 'string' || outcome !== 'ok'
    return { outcome, ...(output === undefined ? {} : { response: output }), ...(fixed ? { fixed } : {}) }
  },
}

/** The event of Amp, and beside it what the plugin knows of the thread. */
function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const payload = fieldsOf(raw)
  const inner: Fields | undefined = payload && fieldsOf(field(payload, 'event'))
  return decodeFlat(inner === undefined ? raw : { ...inner, ...payload, event: null }, event, launch, SHAPE)
}

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'deny') return line({ reject: answer.reason })
  if (answer.decision === 'ask') return line({ confirm: answer.reason })
  return answer.input === undefined ? '' : line({ input: answer.input })
}

export const amp: Host = {
  id: 'amp',
  aliases: ['ampcode'],
  title: 'Amp',
  events: EVENTS,
  // Its plugin waits that long.
  timeout: 10_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'partial', source: SOURCE },
    'pre.rewrite': { support: 'partial', source: SOURCE },
    // It asks nobody by itself.
    'rewrite.keepsPrompt': { support: 'no', source: SOURCE },
    'post.replace': { support: 'partial', source: SOURCE },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'partial', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '',
  encodeResult: (result) => (typeof result === 'string' ? line({ output: result }) : undefined),
}
