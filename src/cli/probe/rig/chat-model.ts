/** A scripted model that speaks Chat Completions, streamed or whole. */
import type { ServerResponse } from 'node:http'
import { sendJson } from './loopback.ts'
import { startModel } from './model.ts'
import { type Call, FINAL_TEXT, type Json, list, type Model, object, type Script, textOf } from './script.ts'

/** Starts the model; close it when the CLI has ended. */
export const chatModel = (script: Script): Promise<Model> =>
  startModel(script, {
    aside: { '/models': { object: 'list', data: [] } },
    talks: (path) => path.endsWith('/chat/completions'),
    missing: { error: { message: 'not served here' } },
    said: (request) =>
      messagesOf(request)
        .filter(({ role }) => role === 'user')
        .map(({ content }) => textOf(content))
        .join('\n'),
    results: (request) => messagesOf(request).filter(({ role }) => role === 'tool'),
    shown: ({ tool_call_id, content }) => ({ id: String(tool_call_id), text: textOf(content), error: false }),
    answer: (response, calls, { request, count }) => {
      const base = { id: `chatcmpl-${count}`, created: 0, model: String(request['model']) }
      if (request['stream'] === true) sendChunks(response, chunks(base, calls))
      else sendJson(response, 200, whole(base, calls))
    },
  })

const messagesOf = (request: Json): readonly Json[] => list(request['messages']).map(object)

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
