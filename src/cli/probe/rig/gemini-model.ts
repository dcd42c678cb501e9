/** A scripted model that speaks the Gemini API: whole replies, or one event that holds all of it. */
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
export async function geminiModel(script: Script): Promise<Model> {
  const requests: Json[] = []
  const server = await serve((path, body, response) => {
    if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 8 })
    if (!/:(?:stream)?[gG]enerateContent$/.test(path)) return sendJson(response, 404, { error: { code: 404 } })
    const request = object(body)
    requests.push(request)
    const reply = whole(script, request)
    if (!path.endsWith(':streamGenerateContent')) return sendJson(response, 200, reply)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.end(`data: ${JSON.stringify(reply)}\n\n`)
  })
  return { url: server.url, strays: server.strays, requests, shown: () => shown(script, requests), close: server.close }
}

/** The API has no place for the id of a call in every version: results are told apart by their order. */
function whole(script: Script, request: Json): Json {
  const parts = partsOf(script, request)
  const config = object(request['generationConfig'])
  // A side job that wants JSON gets an object.
  const text = config['responseMimeType'] === 'application/json' ? '{}' : FINAL_TEXT
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: parts.length > 0 ? parts : [{ text }] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 8, totalTokenCount: 16 },
  }
}

function partsOf(script: Script, request: Json): readonly Json[] {
  if (list(request['tools']).length === 0) return []
  const contents = list(request['contents']).map(object)
  const said = contents.filter(({ role }) => role === 'user').map(({ parts }) => textOf(parts))
  const turn = nextTurn(script, said.join('\n'), results(contents).length)
  return (turn?.calls ?? []).map(({ id, tool, input }: Call) => ({ functionCall: { id, name: tool, args: input } }))
}

const results = (contents: readonly Json[]): readonly Json[] =>
  contents
    .flatMap(({ parts }) => list(parts).map(object))
    .flatMap((part) => ('functionResponse' in part ? [object(part['functionResponse'])] : []))

function shown(script: Script, requests: readonly Json[]): ReadonlyMap<string, Shown> {
  const known = [...script.turns, ...(script.others ?? []).flatMap(({ turns }) => turns)].flatMap(({ calls }) => calls)
  const all = new Map<string, Shown>()
  for (const request of requests)
    for (const { id, name, response } of results(list(request['contents']).map(object))) {
      const call = known.find((one) => one.id === id) ?? known.find((one) => one.tool === name)
      if (call === undefined) continue
      const { output, error } = object(response)
      const text = typeof output === 'string' ? output : typeof error === 'string' ? error : JSON.stringify(response)
      all.set(call.id, { id: call.id, text, error: error !== undefined })
    }
  return all
}
