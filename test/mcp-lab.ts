/**
 * A server for the tests of the proxy, on stdio or, with `--http`, on a loopback port that it prints. Its tools flood, ask
 * the host for something, report progress, and wait to be cancelled.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'

const LINES = Array.from({ length: 3000 }, (_, at) => (at === 1776 ? 'the odd one out' : `row ${at + 1} of 3000`)).join(
  '\n',
)
const ROWS = Array.from({ length: 3000 }, (_, at) => ({ id: at, name: `name ${at}` }))
const IMAGE = { type: 'image' as const, data: Buffer.alloc(3000, 7).toString('base64'), mimeType: 'image/png' }

const text = (value: string) => ({ type: 'text' as const, text: value })
const schema = { type: 'object' as const, properties: {}, additionalProperties: true }
const rowsSchema = {
  type: 'object' as const,
  properties: {
    total: { type: 'integer' },
    rows: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'integer' }, name: { type: 'string' } },
        required: ['id', 'name'],
        additionalProperties: false,
      },
    },
  },
  required: ['total', 'rows'],
  additionalProperties: false,
}

function serverOf(): Server {
  const server = new Server(
    { name: 'lab', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {}, logging: {} } },
  )
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [
      ...['small', 'flood', 'fail', 'mixed', 'bare', 'ask', 'progress', 'wait'].map((name) => ({
        name,
        inputSchema: schema,
      })),
      { name: 'rows', inputSchema: schema, outputSchema: rowsSchema },
    ],
  }))
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: [{ uri: 'lab://log', name: 'log' }] }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => ({
    contents: [
      { uri: params.uri, mimeType: 'text/plain', text: LINES },
      { uri: `${params.uri}/note`, text: 'short' },
    ],
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    switch (params.name) {
      case 'flood':
        return { content: [text(LINES)] }
      case 'fail':
        return { content: [text(LINES)], isError: true, _meta: { trace: 'x'.repeat(100) } }
      case 'mixed':
        return { content: [text('before'), IMAGE, text(LINES)] }
      case 'bare':
        return { content: [text('see structuredContent')], structuredContent: { rows: ROWS } }
      case 'rows':
        return { content: [text(JSON.stringify(ROWS))], structuredContent: { total: ROWS.length, rows: ROWS } }
      case 'ask': {
        const reply = await server.createMessage({
          messages: [{ role: 'user', content: text('what is it?') }],
          maxTokens: 10,
        })
        return { content: [text(`the host said ${JSON.stringify(reply.content)}`)] }
      }
      case 'progress':
        for (let progress = 1; progress <= 3; progress++) {
          if (_meta?.progressToken !== undefined)
            await sendNotification({
              method: 'notifications/progress',
              params: { progressToken: _meta.progressToken, progress, total: 3 },
            })
          // The host’s library forgets who wants to know as soon as the result is there.
          await new Promise((resolve) => setTimeout(resolve, 30))
        }
        return { content: [text('done')] }
      case 'wait':
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        await server.sendLoggingMessage({ level: 'info', data: 'the wait was cancelled' })
        return { content: [] }
      default:
        return { content: [text(`small: ${JSON.stringify(params.arguments)}`)] }
    }
  })
  return server
}

if (process.argv.includes('--http')) {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer(async (request, response) => {
    if (request.headers.authorization !== 'Bearer lab') {
      response.writeHead(401).end()
      return
    }
    const known = transports.get(String(request.headers['mcp-session-id']))
    if (known !== undefined) return await known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
    })
    await serverOf().connect(transport as never)
    await transport.handleRequest(request, response)
  })
  http.listen(0, '127.0.0.1', () => {
    const address = http.address()
    if (typeof address === 'object' && address !== null) process.stdout.write(`http://127.0.0.1:${address.port}/mcp\n`)
  })
} else await serverOf().connect(new StdioServerTransport())
