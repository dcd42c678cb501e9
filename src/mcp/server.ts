/** A server of the Model Context Protocol, as far as tools go: one JSON-RPC message in, at most one out. No I/O. */

export interface ToolResult {
  readonly text: string
  readonly failed?: boolean
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: object
  /** What it throws is told to the caller as a failed result. */
  run(args: Readonly<Record<string, unknown>>): ToolResult | Promise<ToolResult>
}

export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly tools: readonly Tool[]
}

/** Versions of the protocol that differ in nothing that is used here, the newest first. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'] as const
/** A request to these tools is a few hundred bytes. */
export const MOST_MESSAGE = 1024 * 1024

const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602 } as const

interface Request {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

/** Answers one line; undefined where a message wants no answer. Never throws. */
export async function answerLine(line: string, info: ServerInfo): Promise<string | undefined> {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return failure(null, CODES.parse, 'the message is no JSON')
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return failure(null, CODES.request, 'the message is no request')
  const { id, method, params } = message as Request
  // What bears no id wants no answer; what bears no method is an answer to nothing that we asked.
  if (id === undefined || (method === undefined && ('result' in message || 'error' in message))) return undefined
  if (typeof id !== 'string' && typeof id !== 'number') return failure(null, CODES.request, 'the id is none')
  if (typeof method !== 'string') return failure(id, CODES.request, 'the request names no method')
  const fields = (typeof params === 'object' && params !== null ? params : {}) as Readonly<Record<string, unknown>>
  switch (method) {
    case 'initialize':
      return success(id, {
        protocolVersion: VERSIONS.find((version) => version === fields['protocolVersion']) ?? VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: info.name, version: info.version },
      })
    case 'ping':
      return success(id, {})
    case 'tools/list':
      return success(id, {
        tools: info.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      })
    case 'tools/call':
      return await call(id, fields, info)
    default:
      return failure(id, CODES.method, `there is no method ${JSON.stringify(method.slice(0, 64))}`)
  }
}

async function call(id: string | number, params: Readonly<Record<string, unknown>>, info: ServerInfo): Promise<string> {
  const tool = info.tools.find(({ name }) => name === params['name'])
  if (tool === undefined) return failure(id, CODES.params, 'there is no such tool')
  const args = params['arguments'] ?? {}
  if (typeof args !== 'object' || Array.isArray(args)) return failure(id, CODES.params, 'the arguments are no object')
  let result: ToolResult
  try {
    result = await tool.run(args as Readonly<Record<string, unknown>>)
  } catch (error) {
    result = { text: error instanceof Error ? error.message : String(error), failed: true }
  }
  return success(id, { content: [{ type: 'text', text: result.text }], isError: result.failed === true })
}

const success = (id: string | number, result: object): string => JSON.stringify({ jsonrpc: '2.0', id, result })

const failure = (id: string | number | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
