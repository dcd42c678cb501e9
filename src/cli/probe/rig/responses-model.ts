/** A scripted model that speaks the Responses API as Codex uses it: server-sent events, whole items. */
import { sendEvents, sendJson } from './loopback.ts'
import { startModel } from './model.ts'
import { type Call, FINAL_TEXT, type Json, list, type Model, object, type Script, textOf } from './script.ts'

/** Starts the model; close it when the CLI has ended. */
export const responsesModel = (script: Script): Promise<Model> =>
  startModel(script, {
    talks: (path) => path.endsWith('/responses'),
    missing: { error: { message: 'not served here' } },
    // Code mode offers its tools as an item of the input.
    offers: (request) =>
      list(request['tools']).length > 0 || inputOf(request).some(({ type }) => type === 'additional_tools'),
    said: (request) =>
      inputOf(request)
        .filter(({ role }) => role === 'user')
        .map(({ content }) => textOf(content))
        .join('\n'),
    results: (request) =>
      inputOf(request).filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output'),
    shown: ({ call_id, output }) => ({ id: String(call_id), text: outputText(output), error: false }),
    answer: (response, calls, { request, count }) => {
      const items = calls.length > 0 ? calls.map(item) : [final(count)]
      const whole = envelope(`resp_${count}`, String(request['model']), items)
      if (request['stream'] === false) sendJson(response, 200, whole)
      else sendEvents(response, events(whole, items))
    },
  })

const inputOf = (request: Json): readonly Json[] => list(request['input']).map(object)

const final = (count: number): Json => ({
  type: 'message',
  id: `item_${count}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: FINAL_TEXT, annotations: [] }],
})

function item(call: Call): Json {
  if (typeof call.input === 'string')
    return {
      type: 'custom_tool_call',
      id: `ctc_${call.id}`,
      status: 'completed',
      call_id: call.id,
      name: call.tool,
      input: call.input,
    }
  return {
    type: 'function_call',
    id: `fc_${call.id}`,
    status: 'completed',
    call_id: call.id,
    name: call.tool,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    arguments: JSON.stringify(call.input),
  }
}

function outputText(output: unknown): string {
  if (typeof output === 'string' || Array.isArray(output)) return textOf(output)
  return JSON.stringify(output)
}

function envelope(id: string, model: string, output: readonly Json[]) {
  const usage = {
    input_tokens: 8,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 8,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 16,
  }
  return { id, object: 'response', created_at: 0, status: 'completed', model, output, usage }
}

function events(whole: ReturnType<typeof envelope>, items: readonly Json[]): { type: string }[] {
  const begun = { ...whole, status: 'in_progress', output: [] }
  const out: { type: string }[] = [{ type: 'response.created', ...{ response: begun } }]
  for (const [index, one] of items.entries())
    out.push(
      { type: 'response.output_item.added', ...{ output_index: index, item: one } },
      { type: 'response.output_item.done', ...{ output_index: index, item: one } },
    )
  out.push({ type: 'response.completed', ...{ response: whole } })
  return out
}
