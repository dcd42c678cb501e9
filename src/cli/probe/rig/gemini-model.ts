/** A scripted model that speaks the Gemini API: whole replies, or one event that holds all of it. */
import { sendJson } from './loopback.ts'
import { startModel } from './model.ts'
import {
  type Call,
  FINAL_TEXT,
  type Json,
  list,
  type Model,
  object,
  type Script,
  type Shown,
  textOf,
} from './script.ts'

/** Starts the model; close it when the CLI has ended. */
export const geminiModel = (script: Script): Promise<Model> => {
  const known = [...script.turns, ...(script.others ?? []).flatMap(({ turns }) => turns)].flatMap(({ calls }) => calls)
  return startModel(script, {
    aside: { ':countTokens': { totalTokens: 8 } },
    talks: (path) => /:(?:stream)?[gG]enerateContent$/.test(path),
    missing: { error: { code: 404 } },
    said: (request) =>
      contentsOf(request)
        .filter(({ role }) => role === 'user')
        .map(({ parts }) => textOf(parts))
        .join('\n'),
    results: (request) =>
      contentsOf(request)
        .flatMap(({ parts }) => list(parts).map(object))
        .flatMap((part) => ('functionResponse' in part ? [object(part['functionResponse'])] : [])),
    shown: (result) => shown(result, known),
    answer: (response, calls, { request, path }) => {
      const reply = whole(request, calls)
      if (!path.endsWith(':streamGenerateContent')) return sendJson(response, 200, reply)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      response.end(`data: ${JSON.stringify(reply)}\n\n`)
    },
  })
}

const contentsOf = (request: Json): readonly Json[] => list(request['contents']).map(object)

function whole(request: Json, calls: readonly Call[]): Json {
  const parts = calls.map(({ id, tool, input }) => ({ functionCall: { id, name: tool, args: input } }))
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

/** The API has no place for the id of a call in every version: a result may tell no more than the tool. */
function shown({ id, name, response }: Json, known: readonly Call[]): Shown | undefined {
  const call = known.find((one) => one.id === id) ?? known.find((one) => one.tool === name)
  if (call === undefined) return undefined
  const { output, error } = object(response)
  const text = typeof output === 'string' ? output : typeof error === 'string' ? error : JSON.stringify(response)
  return { id: call.id, text, error: error !== undefined }
}
