import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answerLine, type ServerInfo } from './server.ts'

const info: ServerInfo = {
  name: 'agb',
  version: '1.2.3',
  tools: [
    {
      name: 'echo',
      description: 'Says it again.',
      inputSchema: { type: 'object' },
      run: (args) => ({ text: JSON.stringify(args) }),
    },
    {
      name: 'break',
      description: 'Breaks.',
      inputSchema: { type: 'object' },
      run: () => {
        throw new Error('broken')
      },
    },
  ],
}

const ask = async (message: unknown): Promise<unknown> => {
  const line = await answerLine(typeof message === 'string' ? message : JSON.stringify(message), info)
  return line === undefined ? undefined : JSON.parse(line)
}
const request = (method: string, params?: object) => ask({ jsonrpc: '2.0', id: 7, method, params })
const result = (value: object) => ({ jsonrpc: '2.0', id: 7, result: value })
const errorCode = (answer: unknown) => (answer as { error: { code: number } }).error.code

test('begins with a version that both sides know', async () => {
  for (const [asked, given] of [
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-06-18'],
    [undefined, '2025-06-18'],
  ])
    assert.deepEqual(
      await request('initialize', { protocolVersion: asked }),
      result({ protocolVersion: given, capabilities: { tools: {} }, serverInfo: { name: 'agb', version: '1.2.3' } }),
    )
})

test('lists its tools, answers a ping, says nothing to a notification or an answer', async () => {
  const listed = (await request('tools/list')) as { result: { tools: { name: string; run?: unknown }[] } }
  assert.deepEqual(
    listed.result.tools.map(({ name, run }) => [name, run]),
    [
      ['echo', undefined],
      ['break', undefined],
    ],
  )
  assert.deepEqual(await request('ping'), result({}))
  assert.equal(await ask({ jsonrpc: '2.0', method: 'notifications/initialized' }), undefined)
  assert.equal(await ask({ jsonrpc: '2.0', id: 3, result: {} }), undefined)
})

test('calls a tool, and tells what breaks in one', async () => {
  const text = (said: string, isError: boolean) => result({ content: [{ type: 'text', text: said }], isError })
  assert.deepEqual(await request('tools/call', { name: 'echo', arguments: { a: 1 } }), text('{"a":1}', false))
  assert.deepEqual(await request('tools/call', { name: 'echo' }), text('{}', false))
  assert.deepEqual(await request('tools/call', { name: 'break' }), text('broken', true))
})

test('refuses what is no request', async () => {
  const rows: readonly [unknown, number][] = [
    ['{', -32700],
    ['[]', -32600],
    ['7', -32600],
    ['null', -32600],
    [{ id: {}, method: 'ping' }, -32600],
    [{ id: null, method: 'ping' }, -32600],
    [{ id: 1, method: 7 }, -32600],
    [{ id: 1, method: 'resources/list' }, -32601],
    [{ id: 1, method: 'tools/call', params: { name: 'none' } }, -32602],
    [{ id: 1, method: 'tools/call', params: { name: 'echo', arguments: [] } }, -32602],
    [{ id: 1, method: 'tools/call' }, -32602],
  ]
  for (const [message, code] of rows) assert.equal(errorCode(await ask(message)), code, JSON.stringify(message))
})

test('any line gives one line of JSON or none', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((value) => JSON.stringify({ id: 1, method: value })),
      ),
      async (line) => {
        const answer = await answerLine(line, info)
        if (answer !== undefined) assert.ok(!answer.includes('\n') && JSON.parse(answer).jsonrpc === '2.0')
      },
    ),
  )
})
