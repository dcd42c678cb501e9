/** Tool calls of session transcripts as hosts write them, one shape for all. */
import type { HostId } from '../../core/call.ts'

/** One call of a past session. */
export interface PastCall {
  readonly host: HostId
  readonly id: string
  readonly session: string
  readonly cwd: string | undefined
  /** Milliseconds since the epoch; undefined where the line has no time. */
  readonly at: number | undefined
  /** Name and arguments as the host's hook would have had them. */
  readonly tool: string
  readonly input: unknown
  /** What became of it; `unknown` where no result was written. */
  outcome: 'ok' | 'failed' | 'unknown'
}

export interface Transcript {
  readonly calls: readonly PastCall[]
  /** Lines that are no JSON. */
  readonly broken: number
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const timeOf = (value: unknown): number | undefined => {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** Reads a transcript of Claude Code or of Codex; undefined where the text is neither. */
export function readTranscript(text: string): Transcript | undefined {
  const rows: Fields[] = []
  let broken = 0
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    try {
      const row: unknown = JSON.parse(line)
      if (isFields(row)) rows.push(row)
    } catch {
      broken++
    }
  }
  if (rows.some((row) => row['type'] === 'session_meta')) return { calls: callsOfCodex(rows), broken }
  if (rows.some((row) => textOf(row['sessionId']) !== undefined)) return { calls: callsOfClaude(rows), broken }
  return undefined
}

/** Claude Code: messages of the model with `tool_use`, messages of the user with `tool_result`. */
function callsOfClaude(rows: readonly Fields[]): readonly PastCall[] {
  const calls = new Map<string, PastCall>()
  for (const row of rows) {
    const message = row['message']
    const content = isFields(message) && Array.isArray(message['content']) ? message['content'].filter(isFields) : []
    for (const part of content) {
      if (part['type'] === 'tool_use') {
        const [id, tool] = [textOf(part['id']), textOf(part['name'])]
        // A message that is written in pieces repeats its calls.
        if (id === undefined || tool === undefined || calls.has(id)) continue
        const session = textOf(row['sessionId']) ?? ''
        const cwd = textOf(row['cwd'])
        calls.set(id, {
          host: 'claude',
          id,
          session,
          cwd,
          at: timeOf(row['timestamp']),
          tool,
          input: part['input'],
          outcome: 'unknown',
        })
      } else if (part['type'] === 'tool_result') {
        const call = calls.get(textOf(part['tool_use_id']) ?? '')
        if (call !== undefined) call.outcome = part['is_error'] === true ? 'failed' : 'ok'
      }
    }
  }
  return [...calls.values()]
}

/** Codex: items of the model with their outputs; where the session is stands in the lines before. */
function callsOfCodex(rows: readonly Fields[]): readonly PastCall[] {
  const calls = new Map<string, PastCall>()
  let session = ''
  let cwd: string | undefined
  for (const row of rows) {
    const payload = row['payload']
    if (!isFields(payload)) continue
    if (row['type'] === 'session_meta') session = textOf(payload['id']) ?? session
    if (row['type'] === 'session_meta' || row['type'] === 'turn_context') cwd = textOf(payload['cwd']) ?? cwd
    if (row['type'] !== 'response_item') continue
    const id = textOf(payload['call_id']) ?? ''
    const kind = textOf(payload['type']) ?? ''
    if (kind.endsWith('_output')) {
      const call = calls.get(id)
      if (call !== undefined) call.outcome = outcomeOf(payload['output'])
      continue
    }
    const given = toolOfCodex(kind, payload)
    if (given === undefined || calls.has(id)) continue
    const { dir, ...call } = given
    calls.set(id, {
      host: 'codex',
      id,
      session,
      cwd: dir ?? cwd,
      at: timeOf(row['timestamp']),
      ...call,
      outcome: 'unknown',
    })
  }
  return [...calls.values()]
}

/** A call of Codex under the names that its hooks use; `dir`: where the call itself says that it runs. */
function toolOfCodex(kind: string, payload: Fields): { tool: string; input: unknown; dir?: string } | undefined {
  const name = textOf(payload['name'])
  if (kind === 'custom_tool_call' && name !== undefined)
    return { tool: name, input: name === 'apply_patch' ? { command: payload['input'] } : { input: payload['input'] } }
  if (kind === 'local_shell_call' && isFields(payload['action'])) return shell(payload['action'])
  if (kind !== 'function_call' || name === undefined) return undefined
  let input: unknown
  try {
    input = JSON.parse(textOf(payload['arguments']) ?? '{}')
  } catch {
    input = {}
  }
  return isFields(input) && /^(?:exec_command|shell|shell_command|local_shell)$/.test(name)
    ? shell(input)
    : { tool: name, input }
}

function shell(input: Fields): { tool: string; input: unknown; dir?: string } {
  const words = input['cmd'] ?? input['command']
  const list = Array.isArray(words) ? words.map(String) : undefined
  // `["bash", "-lc", text]` is how the text of a line comes.
  const text = list === undefined ? textOf(words) : /^-\w*c$/.test(list[1] ?? '') ? list[2] : list.map(quoted).join(' ')
  const dir = textOf(input['workdir']) ?? textOf(input['working_directory'])
  return { tool: 'Bash', input: { command: text ?? '' }, ...(dir === undefined ? {} : { dir }) }
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

function outcomeOf(output: unknown): PastCall['outcome'] {
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? '')
  if (/^Command blocked by /.test(text)) return 'failed'
  const code = /(?:exited with code|"exit_code":|Exit code:) ?(\d+)/.exec(text)?.[1]
  return code === undefined ? 'unknown' : code === '0' ? 'ok' : 'failed'
}
