/** `sallyport mcp`: serves the tool over stdio. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { EXIT, type Io } from '../io.ts'
import { version } from '../version.ts'
import { noteOffered } from './served.ts'
import { type Answered, answerCall, TOOL } from './tool.ts'

/** Serves until stdin ends. */
export async function serveVerb(io: Io): Promise<number> {
  const open = new Set<Promise<Answered>>()
  const server = new Server({ name: 'sallyport', version: version() }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    const client = server.getClientVersion()?.name ?? ''
    noteOffered({ client, server: 'sallyport', tools: [TOOL as never] }, 'sallyport mcp', 'sallyport', io)
    return { tools: [{ ...TOOL }] as never }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name !== TOOL.name)
      throw new McpError(ErrorCode.InvalidParams, `there is no tool ${JSON.stringify(params.name.slice(0, 64))}`)
    const answer = answerCall(params.arguments ?? {}, io)
    open.add(answer)
    const { text, failed } = await answer
    open.delete(answer)
    return { content: [{ type: 'text', text }], isError: failed }
  })
  const transport = new StdioServerTransport()
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  await server.connect(transport)
  await ended
  // What was asked before the end is answered: a handler begins in the next turn of the loop.
  for (let turn = 0; turn < 2 || open.size > 0; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.allSettled(open)
  }
  await server.close()
  return EXIT.ok
}
