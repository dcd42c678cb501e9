/** A scripted model that speaks the Messages API, streamed or whole. */
import { sendEvents, sendJson, serve } from './loopback.ts'
import { FINAL_TEXT, type Json, list, type Model, nextTurn, object, type Script, type Shown, textOf } from './script.ts'

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

/** Starts the model; close it when the CLI has ended. */
export async function messagesModel(script: Script): Promise<Model> {
  const requests: Json[] = []
  let count = 0
  const server = await serve((path, body, response) => {
    if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 8 })
    if (!path.endsWith('/messages')) return sendJson(response, 404, notFound)
    const request = object(body)
    requests.push(request)
    count += 1
    const blocks = reply(script, request)
    const message = envelope(`msg_${count}`, String(request['model']), blocks)
    if (request['stream'] === true) sendEvents(response, events(message, blocks))
    else sendJson(response, 200, message)
  })
  return { url: server.url, strays: server.strays, requests, shown: () => shown(requests), close: server.close }
}

const notFound = { type: 'error', error: { type: 'not_found_error', message: 'not served here' } }

function reply(script: Script, request: Json): readonly Block[] {
  const final: Block[] = [{ type: 'text', text: FINAL_TEXT }]
  // Requests without tools are side jobs such as a title for the session.
  if (list(request['tools']).length === 0) return final
  const messages = list(request['messages']).map(object)
  const first = textOf(messages.find((message) => message['role'] === 'user')?.['content'])
  const turn = nextTurn(script, first, results(messages).length)
  if (!turn) return final
  return turn.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.tool, input: call.input }))
}

function results(messages: readonly Json[]): readonly Json[] {
  return messages
    .flatMap((message) => list(message['content']))
    .map(object)
    .filter((block) => block['type'] === 'tool_result')
}

function shown(requests: readonly Json[]): ReadonlyMap<string, Shown> {
  const all = new Map<string, Shown>()
  for (const request of requests)
    for (const block of results(list(request['messages']).map(object))) {
      const id = String(block['tool_use_id'])
      all.set(id, { id, text: textOf(block['content']), error: block['is_error'] === true })
    }
  return all
}

function envelope(id: string, model: string, content: readonly Block[]) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 8, output_tokens: 8 },
  }
}

function events(message: ReturnType<typeof envelope>, blocks: readonly Block[]): { type: string }[] {
  const start = { ...message, content: [], stop_reason: null, usage: { input_tokens: 8, output_tokens: 1 } }
  const out: { type: string }[] = [{ type: 'message_start', ...{ message: start } }]
  for (const [index, block] of blocks.entries()) {
    const empty = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} }
    const delta =
      block.type === 'text'
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    out.push(
      { type: 'content_block_start', ...{ index, content_block: empty } },
      { type: 'content_block_delta', ...{ index, delta } },
      { type: 'content_block_stop', ...{ index } },
    )
  }
  const delta = { stop_reason: message.stop_reason, stop_sequence: null }
  out.push({ type: 'message_delta', ...{ delta, usage: { output_tokens: 8 } } }, { type: 'message_stop' })
  return out
}
