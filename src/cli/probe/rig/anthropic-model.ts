/** A scripted model that speaks the Messages API, streamed or whole. */
import { sendEvents, sendJson } from './loopback.ts'
import { startModel } from './model.ts'
import { type Call, FINAL_TEXT, type Json, list, type Model, object, type Script, textOf } from './script.ts'

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

/** Starts the model; close it when the CLI has ended. */
export const messagesModel = (script: Script): Promise<Model> =>
  startModel(script, {
    aside: { '/count_tokens': { input_tokens: 8 } },
    talks: (path) => path.endsWith('/messages'),
    missing: { type: 'error', error: { type: 'not_found_error', message: 'not served here' } },
    said: (request) => textOf(messagesOf(request).find(({ role }) => role === 'user')?.['content']),
    results: (request) =>
      messagesOf(request)
        .flatMap(({ content }) => list(content).map(object))
        .filter(({ type }) => type === 'tool_result'),
    shown: ({ tool_use_id, content, is_error }) => ({
      id: String(tool_use_id),
      text: textOf(content),
      error: is_error === true,
    }),
    answer: (response, calls, { request, count }) => {
      const blocks = blocksOf(calls)
      const message = envelope(`msg_${count}`, String(request['model']), blocks)
      if (request['stream'] === true) sendEvents(response, events(message, blocks))
      else sendJson(response, 200, message)
    },
  })

const messagesOf = (request: Json): readonly Json[] => list(request['messages']).map(object)

const blocksOf = (calls: readonly Call[]): readonly Block[] =>
  calls.length === 0
    ? [{ type: 'text', text: FINAL_TEXT }]
    : calls.map(({ id, tool, input }) => ({ type: 'tool_use', id, name: tool, input }))

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
