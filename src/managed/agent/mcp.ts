/**
 * Tools of MCP servers that a request names. They run outside of the environment, so no hook fires for them; what they are
 * sent goes through the egress policy all the same.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OutAnswer, OutRequest } from '../contract.ts'
import { ManagedError } from '../contract.ts'
import type { Tool } from './model.ts'
import type { Result } from './sandboxed.ts'
import { type Arguments, mcpName } from './steps.ts'

export interface McpServer {
  readonly name: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly allowed?: readonly string[]
}

export interface McpTools {
  readonly tools: readonly Tool[]
  /** The server and its own name of a tool, as steps write them; undefined where the tool is no server's. */
  serverOf(name: string): { readonly server_name: string; readonly name: string } | undefined
  call(name: string, args: Arguments, signal: AbortSignal): Promise<Result>
  close(): Promise<void>
}

/** One request of the runtime under the egress policy of the interaction. */
export type Send = (request: OutRequest) => Promise<OutAnswer>

/** Milliseconds and bytes of one request to a server. */
const LIMIT_MS = 60_000
const MOST_BYTES = 8 * 1024 * 1024

export const NO_MCP: McpTools = {
  tools: [],
  serverOf: () => undefined,
  call: async (name) => ({ text: `There is no tool ${JSON.stringify(name)} here.`, isError: true }),
  close: async () => {},
}

/** Connects to all servers and lists their tools. Throws `ManagedError` 400 naming the server that cannot be reached. */
export async function mcpTools(servers: readonly McpServer[], send: Send, signal: AbortSignal): Promise<McpTools> {
  if (servers.length === 0) return NO_MCP
  const clients: Client[] = []
  const tools: Tool[] = []
  const owners = new Map<string, { readonly client: Client; readonly server_name: string; readonly name: string }>()
  const close = async () => {
    await Promise.allSettled(clients.map((client) => client.close()))
  }
  for (const server of servers) {
    const client = new Client({ name: 'sallyport', version: '1' })
    clients.push(client)
    try {
      const options = { fetch: fetchThrough(send, signal), requestInit: { headers: { ...server.headers } } }
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url), options) as never, { signal })
      for (const tool of (await client.listTools(undefined, { signal })).tools) {
        if (server.allowed !== undefined && !server.allowed.includes(tool.name)) continue
        const name = mcpName(server.name, tool.name)
        owners.set(name, { client, server_name: server.name, name: tool.name })
        tools.push({ name, description: tool.description ?? '', parameters: tool.inputSchema })
      }
    } catch (error) {
      await close()
      signal.throwIfAborted()
      const why = error instanceof Error ? error.message.split('\n')[0]!.slice(0, 200) : String(error)
      throw new ManagedError(400, 'invalid_request', `MCP server '${server.name}' cannot be used: ${why}`)
    }
  }
  return {
    tools,
    close,
    serverOf(name) {
      const owner = owners.get(name)
      return owner === undefined ? undefined : { server_name: owner.server_name, name: owner.name }
    },
    async call(name, args, callSignal) {
      const owner = owners.get(name)
      if (owner === undefined) return NO_MCP.call(name, args, callSignal)
      try {
        const answer = await owner.client.callTool({ name: owner.name, arguments: { ...args } }, undefined, {
          signal: callSignal,
        })
        const blocks = Array.isArray(answer.content) ? answer.content : []
        const text = blocks.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
        return { text, isError: answer.isError === true }
      } catch (error) {
        callSignal.throwIfAborted()
        return { text: error instanceof Error ? error.message : String(error), isError: true }
      }
    },
  }
}

/** A `fetch` whose every request goes the given way. There is no standing stream from the server: it is told so by 405. */
function fetchThrough(send: Send, signal: AbortSignal) {
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const method = init?.method ?? 'GET'
    if (method === 'GET') return new Response(null, { status: 405 })
    const body = typeof init?.body === 'string' ? new TextEncoder().encode(init.body) : undefined
    const answer = await send({
      ...{ method, url: String(url), headers: Object.fromEntries(new Headers(init?.headers)) },
      ...(body === undefined ? {} : { body }),
      ...{ timeout: LIMIT_MS, limit: MOST_BYTES, signal: init?.signal ?? signal },
    })
    if (!answer.ok) throw new Error(answer.why)
    const empty = answer.status === 204 || answer.status === 202 || answer.status === 304
    return new Response(empty ? null : Buffer.from(answer.body), { status: answer.status, headers: answer.headers })
  }
}
