/** Tools of MCP servers: they run outside of the environment, fire no hook, and are reached by the runtime's own rules. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'
import { arrived, type Lab, startLab } from '../../src/managed/egress/lab.testing.ts'
import { AGENT, calls, canIsolate, inline, type Running, resultsOf, startRuntime } from './support.ts'

let lab: Lab
let server: Running | undefined
before(async () => {
  lab = await startLab({
    hosts: ['mcp.test:443'],
    async answer(request, response) {
      const body: Buffer[] = []
      request.on('data', (part: Buffer) => body.push(part))
      await new Promise((done) => request.once('end', done))
      const own = new McpServer({ name: 'tested', version: '1' })
      own.registerTool('add', { description: 'adds', inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      }))
      own.registerTool('hidden', { description: 'not allowed' }, () => ({ content: [{ type: 'text', text: 'x' }] }))
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true } as never)
      await own.connect(transport as never)
      await transport.handleRequest(request, response, JSON.parse(Buffer.concat(body).toString()))
    },
  })
})
after(async () => {
  await server?.close()
  await lab.close()
})

async function ready(t: TestContext): Promise<Running | undefined> {
  if (!canIsolate(t)) return undefined
  server ??= await startRuntime({ operator: { upstreams: lab.upstreams } })
  return server
}

const hooks = {
  all: { pre_tool_execution: [{ hooks: [{ type: 'command', command: `printf '{"decision":"deny"}'` }] }] },
}

describe('tools of MCP servers', () => {
  test('case 53: are called with their headers and credential, and no hook fires', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    await own.ask('POST', '/v1/credentials', { id: 'mcp', type: 'bearer_token', token: 'S3CRET-OF-MCP' })
    const tool = {
      type: 'mcp_server',
      name: 'sums',
      url: 'https://mcp.test/mcp',
      headers: { 'X-From': 'S3CRET-TOO' },
      credential: 'mcp',
    }
    const body = await own.run(
      calls(['sums__add', { a: 2, b: 40 }], ['sums__hidden', {}], ['list_dir', { path: '/' }]),
      {
        tools: [{ ...tool, allowed_tools: [{ tools: ['add'] }] }],
        environment: {
          type: 'remote',
          sources: [inline('.agents/hooks.json', JSON.stringify(hooks))],
          network: 'disabled',
        },
      },
    )
    assert.equal(body.status, 'completed', JSON.stringify(body))
    const [sum, hidden, list] = resultsOf(body)
    assert.deepEqual([sum?.text, sum?.isError], ['42', false])
    assert.match(hidden!.text, /no tool/)
    assert.match(list!.text, /^Tool call denied by hook/)
    const call = body.steps.find(({ type }) => type === 'mcp_server_tool_call')
    assert.ok(call?.type === 'mcp_server_tool_call')
    assert.deepEqual([call.server_name, call.name, call.arguments], ['sums', 'add', { a: 2, b: 40 }])
    const { trace } = (await own.ask('GET', `/v1/interactions/${body.id}/trace`)).body
    assert.equal(trace.length, 1)
    for (const one of lab.seen) {
      assert.deepEqual(arrived(one, 'authorization'), ['Bearer S3CRET-OF-MCP'])
      assert.deepEqual(arrived(one, 'x-from'), ['S3CRET-TOO'])
    }
    assert.doesNotMatch(JSON.stringify(body) + JSON.stringify(own.events), /S3CRET/)
  })

  test('a server that cannot be reached, or lies inside, fails the interaction with its name', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    for (const url of ['https://nowhere.test/mcp', 'http://127.0.0.1:1/mcp', 'https://169.254.169.254/mcp']) {
      const told = await own.ask('POST', '/v1/interactions', {
        agent: AGENT,
        input: 'x',
        tools: [{ type: 'mcp_server', name: 'away', url }],
      })
      assert.deepEqual([told.status, told.body.status], [200, 'failed'], told.text)
      assert.match(told.body.errors![0]!.message, /^MCP server 'away' cannot be used: /)
    }
  })
})
