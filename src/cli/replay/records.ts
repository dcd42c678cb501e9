/**
 * What other hosts than Claude Code and Codex write of their own sessions, read as calls. Each reader knows the form of the
 * version that was driven, and counts the tools alone that were seen to reach its hook.
 */
import type { HostId } from '../../core/call.ts'
import { type PastCall, readTranscript } from './transcript.ts'

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const timeOf = (value: unknown): number | undefined => {
  const ms = typeof value === 'number' ? value : Date.parse(textOf(value) ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

/** Calls by id, in their order; a call that is told again keeps its first place. */
class Calls {
  readonly #host: HostId
  readonly #hooked: RegExp
  readonly #calls = new Map<string, PastCall>()
  session = ''
  cwd: string | undefined

  constructor(host: HostId, hooked: RegExp) {
    this.#host = host
    this.#hooked = hooked
  }

  begin(id: unknown, tool: unknown, input: unknown, at: unknown): void {
    const [name, key] = [textOf(tool), textOf(id)]
    if (name === undefined || key === undefined || this.#calls.has(key) || !this.#hooked.test(name)) return
    const { session, cwd } = this
    this.#calls.set(key, {
      host: this.#host,
      id: key,
      session,
      cwd,
      at: timeOf(at),
      tool: name,
      input,
      outcome: 'unknown',
    })
  }

  end(id: unknown, failed: boolean): void {
    const call = this.#calls.get(textOf(id) ?? '')
    if (call !== undefined) call.outcome = failed ? 'failed' : 'ok'
  }

  get all(): readonly PastCall[] {
    return [...this.#calls.values()]
  }
}

type Reader = (rows: readonly Fields[], calls: Calls) => void

/** Gemini CLI 0.61: a message is written again with the calls that it made and what became of them. */
const gemini: Reader = (rows, calls) => {
  for (const row of rows) {
    calls.session = textOf(row['sessionId']) ?? calls.session
    for (const { id, name, args, status } of listOf(row['toolCalls'])) {
      calls.begin(id, name, args, row['timestamp'])
      if (/^(?:success|error)$/.test(String(status))) calls.end(id, status === 'error')
    }
  }
}

/** Qwen Code 0.24: parts of messages. */
const qwen: Reader = (rows, calls) => {
  for (const row of rows) {
    calls.session = textOf(row['sessionId']) ?? calls.session
    calls.cwd = textOf(row['cwd']) ?? calls.cwd
    for (const part of listOf(fieldsOf(row['message'])['parts'])) {
      const [call, result] = [fieldsOf(part['functionCall']), fieldsOf(part['functionResponse'])]
      calls.begin(call['id'], call['name'], call['args'], row['timestamp'])
      if (result['id'] !== undefined) calls.end(result['id'], fieldsOf(result['response'])['error'] !== undefined)
    }
  }
}

/** Copilot CLI 1.0: events. Those of a sub-agent name it, and its hooks take that for their session. */
const copilot: Reader = (rows, calls) => {
  let main = ''
  for (const { type, timestamp, agentId, data: raw } of rows) {
    const data = fieldsOf(raw)
    calls.session = textOf(agentId) ?? main
    if (type === 'session.start') {
      main = textOf(data['sessionId']) ?? main
      calls.cwd = textOf(fieldsOf(data['context'])['cwd'])
    } else if (type === 'tool.execution_start')
      calls.begin(data['toolCallId'], data['toolName'], data['arguments'], timestamp)
    else if (type === 'tool.execution_complete') calls.end(data['toolCallId'], data['success'] !== true)
  }
}

/** pi 1.6: entries of a session. */
const pi: Reader = (rows, calls) => {
  for (const row of rows) {
    if (row['type'] === 'session') {
      calls.session = textOf(row['id']) ?? calls.session
      calls.cwd = textOf(row['cwd'])
    }
    const message = fieldsOf(row['message'])
    if (message['role'] === 'toolResult') calls.end(message['toolCallId'], message['isError'] === true)
    for (const part of listOf(message['content']))
      if (part['type'] === 'toolCall') calls.begin(part['id'], part['name'], part['arguments'], row['timestamp'])
  }
}

/** Cline 3.0: one document with the messages. */
const cline: Reader = ([document = {}], calls) => {
  calls.session = textOf(document['sessionId']) ?? ''
  for (const message of listOf(document['messages']))
    for (const part of listOf(message['content'])) {
      if (part['type'] === 'tool_use') calls.begin(part['id'], part['name'], part['input'], message['ts'])
      if (part['type'] === 'tool_result')
        calls.end(
          part['tool_use_id'],
          listOf(part['content']).some(({ success }) => success === false),
        )
    }
}

/** OpenCode 1.18: rows of the parts of its messages that are tools, as `opencodeRows` asks for them. */
const opencode: Reader = (rows, calls) => {
  for (const row of rows) {
    calls.session = textOf(row['session']) ?? ''
    calls.cwd = textOf(row['directory'])
    const part = parsed(textOf(row['data']) ?? '')
    const { status, input } = fieldsOf(part?.['state'])
    const id = textOf(row['id'])
    calls.begin(id, part?.['tool'], input, row['at'])
    if (/^(?:completed|error)$/.test(String(status))) calls.end(id, status === 'error')
  }
}

/** Tools that were seen to reach the hook, those of MCP servers by the form of their names. */
const READERS: Readonly<
  Partial<Record<HostId, { readonly read: Reader; readonly hooked: RegExp; readonly whole?: true }>>
> = {
  gemini: { read: gemini, hooked: /^(?:run_shell_command|write_file|replace|mcp_.+)$/ },
  qwen: { read: qwen, hooked: /^(?:run_shell_command|write_file|edit|mcp__.+)$/ },
  copilot: { read: copilot, hooked: /^(?:bash|create|edit|[\w-]+-\w+)$/ },
  pi: { read: pi, hooked: /^(?:bash|write|edit|mcp__.+)$/ },
  cline: { read: cline, hooked: /^(?:run_commands|editor|\w+?__.+)$/, whole: true },
  opencode: { read: opencode, hooked: /^(?:bash|write|edit|[^_]+_.+)$/ },
}

/** The calls of a host's record of a session; none where it is not in the form that is known. */
export function recordedCalls(host: HostId, text: string): readonly PastCall[] {
  const reader = READERS[host]
  if (reader === undefined) return readTranscript(text)?.calls ?? []
  const texts = reader.whole ? [text] : text.split('\n')
  const rows = texts.map(parsed).filter((row) => row !== undefined)
  const calls = new Calls(host, reader.hooked)
  reader.read(rows, calls)
  return calls.all
}

function parsed(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return undefined
  }
}
