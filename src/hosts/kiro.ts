/**
 * Kiro: three engines, told apart by how the payload spells its event. `preToolUse` is of the first two, which know exit 2
 * with the reason on stderr and nothing else; `PreToolUse` is of the third (and of the IDE from 1.0 on), which can also ask.
 * Contract only: nothing here was driven.
 *
 * Settings. Third engine: any `~/.kiro/hooks/*.json` or `.kiro/hooks/*.json`: `{"version": "v1", "hooks": [{"name": …,
 * "trigger": "PreToolUse", "action": {"type": "command", "command": …}, "timeout": 10}]}`, in seconds. The others: only
 * inside an agent, `~/.kiro/agents/<name>.json` (`KIRO_HOME` moves it): `{"hooks": {"preToolUse": [{"matcher": "*",
 * "command": …, "timeout_ms": 10000}]}}`; the agent that is built in has no place for them. No event of a prompt is to be
 * registered: there any silence adds a message.
 */
import type { Action } from '../core/call.ts'
import { type Fields, field, fieldsOf, textOf, textsOf } from './guards.ts'
import type { Decoded, Host, HostAnswer, Launch } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, malformed, mcpOf, type Tool, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Kiro'

const EVENTS: Host['events'] = {
  pre: ['preToolUse'],
  post: ['postToolUse'],
  other:
    'agentSpawn userPromptSubmit stop SessionStart PreTaskExec PostTaskExec PostFileCreate PostFileSave PostFileDelete Manual'.split(
      ' ',
    ),
}

/** The event of the third engine. */
const THIRD = 'PreToolUse'

const WRITE: Tool = { is: 'write', path: 'path', content: 'file_text content text', without: 'unknown' }
const EDIT: Tool = { is: 'edit', path: 'path', without: 'unknown' }

const TOOLS: Tools = {
  'execute_bash shell execute_cmd executeBash bash': { is: 'shell', text: 'command', cwd: 'cwd working_dir' },
  'read_file readFile read_code': { is: 'read', path: 'path', without: 'unknown' },
  'list_directory listDirectory glob file_search': { is: 'names', path: 'path', pattern: 'pattern', without: 'here' },
  'grep grep_search': { is: 'search', path: 'path', without: 'here' },
  'str_replace strReplace fs_append fsAppend': EDIT,
  'delete_file deleteFile': { is: 'delete', path: 'path targetFile' },
  'web_fetch fetch': { is: 'fetch', url: 'url', without: 'unknown' },
  'web_search thinking introspect todo_list report_issue session': { is: 'harmless' },
}

const READS = new Set(['fs_read', 'fsRead', 'read'])
const WRITES = new Set(['fs_write', 'fsWrite', 'write'])

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  if (READS.has(tool)) return operationsOf(args).flatMap((one) => (one === undefined ? [BROKEN] : readOf(one)))
  if (WRITES.has(tool)) return operationsOf(args).flatMap((one) => (one === undefined ? [BROKEN] : writeOf(one)))
  if (tool === 'use_aws' || tool === 'aws') return awsOf(args)
  // `subagent_<agent>` starts one; its own calls are judged where they reach a hook.
  if (/^(?:use_)?subagent(?:_|$)/.test(tool)) return [{ is: 'harmless' }]
  const [, server, name] = /^@([^/]+)\/(.+)$/.exec(tool) ?? []
  if (server !== undefined) return [{ is: 'mcp', server, tool: name!, args }]
  return [mcpOf(tool, args) ?? { is: 'unknown', args }]
}

const BROKEN = malformed('an operation is no object')

/** One call may hold several; undefined stands for one that is no object. */
function operationsOf(args: Fields): readonly (Fields | undefined)[] {
  const list = field(args, 'operations')
  if (list === undefined) return [args]
  return Array.isArray(list) && list.length > 0 ? list.map(fieldsOf) : [undefined]
}

function readOf(one: Fields): readonly Action[] {
  const images = textsOf(field(one, 'image_paths'))
  if (images.length > 0) return images.map((path) => ({ is: 'read', path, what: 'content' }))
  const mode = textOf(field(one, 'mode'))?.toLowerCase()
  if (mode === 'directory') return actionsOf({ is: 'names', path: 'path', without: 'here' }, one)
  if (mode === 'search') return actionsOf({ is: 'search', path: 'path', without: 'here' }, one)
  return actionsOf({ is: 'read', path: 'path', without: 'unknown' }, one)
}

/** The tool starts the program of AWS with these words: it is judged as that line. */
function awsOf(args: Fields): readonly Action[] {
  const [service, operation] = [textOf(field(args, 'service_name')), textOf(field(args, 'operation_name'))]
  if (service === undefined || operation === undefined) return [{ is: 'unknown', args }]
  const given = Object.entries(fieldsOf(field(args, 'parameters')) ?? {}).flatMap(([name, value]) => [
    `--${name.replace(/^-+/, '')}`,
    ...(value === '' || value === null ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]),
  ])
  const words = ['aws', ...service.split(/\s+/), ...operation.split(/\s+/), ...given]
  return [{ is: 'shell', text: words.map(quoted).join(' '), dialect: 'posix' }]
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** What an operation that names no command does is told by what it brings. */
function writeOf(one: Fields): readonly Action[] {
  const command = textOf(field(one, 'command'))
  const replaces = ['old_str', 'oldStr'].some((key) => field(one, key) !== undefined)
  return actionsOf(command === 'create' || (command === undefined && !replaces) ? WRITE : EDIT, one)
}

const isThird = (payload: Fields): boolean => field(payload, 'hook_event_name') === THIRD

const SHAPE: Shape = {
  host: 'kiro',
  events: EVENTS,
  keys: CLAUDE_KEYS,
  actions: toolActions,
  result: (payload) => {
    const response = field(payload, 'tool_response')
    const success = field(fieldsOf(response) ?? {}, 'success')
    const outcome = success === true ? 'ok' : success === false ? 'failed' : 'unknown'
    return { outcome, fixed: true, ...(response === undefined ? {} : { response }) }
  },
  silent: (payload) => !isThird(payload),
}

function decode(raw: unknown, event: string, launch: Launch): Decoded {
  const decoded = decodeFlat(raw, event, launch, SHAPE)
  if (decoded.is !== 'pre' || !isThird(fieldsOf(raw) ?? {})) return decoded
  return { is: 'pre', call: { ...decoded.call, event: THIRD } }
}

function encodePre(answer: HostAnswer, _launch: Launch, event = 'preToolUse'): string {
  if (answer.decision === 'pass') return ''
  const decision = answer.decision === 'ask' && event === THIRD ? 'ask' : 'deny'
  const permission = { permissionDecision: decision, permissionDecisionReason: answer.reason }
  return line({ hookSpecificOutput: { hookEventName: THIRD, ...permission } })
}

export const kiro: Host = {
  id: 'kiro',
  aliases: ['kiro-cli'],
  title: 'Kiro',
  events: EVENTS,
  exits: 'alone',
  // Of the second engine, which is the usual one; the first waits for 30 s, the third for 60.
  timeout: 10_000,
  capabilities: {
    'pre.deny': { support: 'partial', source: SOURCE },
    'pre.ask': { support: 'partial', source: SOURCE },
    'pre.rewrite': { support: 'no', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'no', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'partial', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'unknown', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  bounds: {},
  decode,
  encodePre,
  encodePost: () => '',
}
