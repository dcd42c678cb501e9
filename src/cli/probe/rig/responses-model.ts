/** A scripted model that speaks the Responses API as Codex uses it: server-sent events, whole items. */
import { sendEvents, sendJson, serve } from './loopback.ts'
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
export async function responsesModel(script: Script): Promise<Model> {
  const requests: Json[] = []
  let count = 0
  const server = await serve((path, body, response) => {
    if (!path.endsWith('/responses')) return sendJson(response, 404, { error: { message: 'not served here' } })
    const request = object(body)
    requests.push(request)
    count += 1
    const items = reply(script, request, count)
    const whole = envelope(`resp_${count}`, String(request['model']), items)
    if (request['stream'] === false) sendJson(response, 200, whole)
    else sendEvents(response, events(whole, items))
  })
  return { url: server.url, strays: server.strays, requests, shown: () => shown(requests), close: server.close }
}

function reply(script: Script, request: Json, count: number): readonly Json[] {
  const final = {
    type: 'message',
    id: `item_${count}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: FINAL_TEXT, annotations: [] }],
  }
  const input = list(request['input']).map(object)
  // Code mode offers its tools as an item of the input; a request with neither is a side job.
  const offered = list(request['tools']).length > 0 || input.some((one) => one['type'] === 'additional_tools')
  if (!offered) return [final]
  const said = input
    .filter((item) => item['role'] === 'user')
    .map((item) => textOf(item['content']))
    .join('\n')
  const turn = nextTurn(script, said, results(input).length)
  return turn ? turn.calls.map(item) : [final]
}

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

function results(input: readonly Json[]): readonly Json[] {
  return input.filter((one) => one['type'] === 'function_call_output' || one['type'] === 'custom_tool_call_output')
}

function shown(requests: readonly Json[]): ReadonlyMap<string, Shown> {
  const all = new Map<string, Shown>()
  for (const request of requests)
    for (const result of results(list(request['input']).map(object))) {
      const id = String(result['call_id'])
      all.set(id, { id, text: outputText(result['output']), error: false })
    }
  return all
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
