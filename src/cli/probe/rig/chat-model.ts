/** A scripted model that speaks Chat Completions, streamed or whole. */
import type { ServerResponse } from 'node:http'
import { sendJson, serve } from './loopback.ts'
import {
  type Call,
  FINAL_TEXT,
  type Json,
  list,
  type Model,
  nextTurn,
  object,
  type Script,
  type Shown,
  textOf,
} from './script.ts'

/** Starts the model; close it when the CLI has ended. */
export async function chatModel(script: Script): Promise<Model> {
  const requests: Json[] = []
  let count = 0
  const server = await serve((path, body, response) => {
    if (path.endsWith('/models')) return sendJson(response, 200, { object: 'list', data: [] })
    if (!path.endsWith('/chat/completions')) return sendJson(response, 404, { error: { message: 'not served here' } })
    const request = object(body)
    requests.push(request)
    count += 1
    const base = { id: `chatcmpl-${count}`, created: 0, model: String(request['model']) }
    const calls = reply(script, request)
    if (request['stream'] === true) sendChunks(response, chunks(base, calls))
    else sendJson(response, 200, whole(base, calls))
  })
  return { url: server.url, strays: server.strays, requests, shown: () => shown(requests), close: server.close }
}

/** The calls of the turn; none where the conversation is at its end. */
function reply(script: Script, request: Json): readonly Call[] {
  // Requests without tools are side jobs such as a title for the session.
  if (list(request['tools']).length === 0) return []
  const messages = list(request['messages']).map(object)
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
  return nextTurn(script, said.join('\n'), results(messages).length)?.calls ?? []
}

const results = (messages: readonly Json[]): readonly Json[] => messages.filter(({ role }) => role === 'tool')

function shown(requests: readonly Json[]): ReadonlyMap<string, Shown> {
  const all = new Map<string, Shown>()
  for (const request of requests)
    for (const message of results(list(request['messages']).map(object))) {
      const id = String(message['tool_call_id'])
      all.set(id, { id, text: textOf(message['content']), error: false })
    }
  return all
}

const USAGE = { prompt_tokens: 8, completion_tokens: 8, total_tokens: 16 }

const callOf = (call: Call) => ({
  id: call.id,
  type: 'function',
  function: { name: call.tool, arguments: typeof call.input === 'string' ? call.input : JSON.stringify(call.input) },
})

const finish = (calls: readonly Call[]): string => (calls.length > 0 ? 'tool_calls' : 'stop')

function whole(base: Json, calls: readonly Call[]): Json {
  const message =
    calls.length > 0
      ? { role: 'assistant', content: null, tool_calls: calls.map(callOf) }
      : { role: 'assistant', content: FINAL_TEXT }
  return {
    ...base,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finish(calls) }],
    usage: USAGE,
  }
}

function chunks(base: Json, calls: readonly Call[]): readonly Json[] {
  const chunk = (delta: Json, reason: string | null, more: Json = {}): Json => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...more,
  })
  const delta =
    calls.length > 0
      ? { role: 'assistant', tool_calls: calls.map((call, index) => ({ index, ...callOf(call) })) }
      : { role: 'assistant', content: FINAL_TEXT }
  return [chunk(delta, null), chunk({}, finish(calls), { usage: USAGE })]
}

/** Server-sent events without names, and the mark of the end. */
function sendChunks(response: ServerResponse, parts: readonly Json[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const part of parts) response.write(`data: ${JSON.stringify(part)}\n\n`)
  response.end('data: [DONE]\n\n')
}
