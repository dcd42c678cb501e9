/** An MCP server on stdio with one tool, `note`, that writes a text to a path: something for the hook to see. */
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Json, object } from './script.ts'

const note = {
  name: 'note',
  description: 'Writes a text to a path.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, text: { type: 'string' } },
    required: ['path', 'text'],
  },
}

function answer(method: unknown, params: Json): unknown {
  if (method === 'initialize')
    return {
      protocolVersion: params['protocolVersion'] ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'lab', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools: [note] }
  if (method !== 'tools/call') return {}
  const input = object(params['arguments'])
  writeFileSync(String(input['path']), String(input['text']))
  return { content: [{ type: 'text', text: 'noted' }] }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = object(JSON.parse(line))
  // A notification has no id and wants no answer.
  if (request['id'] === undefined) return
  const result = answer(request['method'], object(request['params']))
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: request['id'], result }) + '\n')
})
