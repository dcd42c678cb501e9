/** An MCP server on stdio: `note` writes a text to a path, something for the hook to see; `flood` does, too, and says much. */
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

const flood = { ...note, name: 'flood', description: 'Writes a text to a path, and says so 1,500 times.' }

function answer(method: unknown, params: Json): unknown {
  if (method === 'initialize')
    return {
      protocolVersion: params['protocolVersion'] ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'lab', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools: [note, flood] }
  if (method !== 'tools/call') return {}
  const input = object(params['arguments'])
  writeFileSync(String(input['path']), String(input['text']))
  const said = Array.from({ length: 1500 }, (_, at) => `line ${at + 1} of 1500`).join('\n')
  return { content: [{ type: 'text', text: params['name'] === 'flood' ? said : 'noted' }] }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = object(JSON.parse(line))
  // A notification has no id and wants no answer.
  if (request['id'] === undefined) return
  const result = answer(request['method'], object(request['params']))
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: request['id'], result }) + '\n')
})
