/** Models of the Gemini API. */
import { GoogleGenAI, type Part as Piece, type Content as Said } from '@google/genai'
import { type Model, ModelError, type Reply, type Turn } from '../model.ts'
import { textOf } from '../steps.ts'
import { dataOf, type Part, partsOf, sentenceOf } from './turns.ts'

export interface GeminiSettings {
  readonly key: string
  /** Address in place of the provider's. */
  readonly url?: string
}

/** The model `name`. */
export function geminiModel(name: string, { key, url }: GeminiSettings): Model {
  const client = new GoogleGenAI({ apiKey: key, ...(url === undefined ? {} : { httpOptions: { baseUrl: url } }) })
  return {
    name,
    async turn(turn) {
      try {
        return await ask(client, name, turn)
      } catch (error) {
        turn.signal.throwIfAborted()
        throw new ModelError(`The model ${name} failed: ${sentenceOf(error, key)}`)
      }
    },
  }
}

async function ask(client: GoogleGenAI, model: string, turn: Turn): Promise<Reply> {
  const { instructions, tools, signal } = turn
  const stream = await client.models.generateContentStream({
    model,
    contents: partsOf(turn.steps).map(saidOf),
    config: {
      abortSignal: signal,
      ...(instructions === '' ? {} : { systemInstruction: instructions }),
      ...(tools.length === 0
        ? {}
        : {
            tools: [
              {
                functionDeclarations: tools.map(({ name, description, parameters }) => ({
                  ...{ name, description, parametersJsonSchema: parameters },
                })),
              },
            ],
          }),
    },
  })
  let text = ''
  let tokens = { input: 0, output: 0 }
  let cut = false
  const calls: Reply['calls'][number][] = []
  for await (const chunk of stream) {
    const [candidate] = chunk.candidates ?? []
    for (const piece of candidate?.content?.parts ?? []) {
      if (piece.functionCall !== undefined) calls.push(callOf(piece))
      else if (piece.text !== undefined && piece.thought !== true) {
        text += piece.text
        turn.text(piece.text)
      }
    }
    if (candidate?.finishReason === 'MAX_TOKENS') cut = true
    const used = chunk.usageMetadata
    if (used !== undefined)
      tokens = {
        input: used.promptTokenCount ?? 0,
        output: (used.candidatesTokenCount ?? 0) + (used.thoughtsTokenCount ?? 0),
      }
  }
  return { text, calls, tokens, ...(cut ? { cut } : {}) }
}

function callOf({ functionCall, thoughtSignature }: Piece): Reply['calls'][number] {
  return {
    name: functionCall?.name ?? '',
    args: functionCall?.args ?? {},
    ...(thoughtSignature === undefined ? {} : { signature: thoughtSignature }),
  }
}

function saidOf(part: Part): Said {
  if (part.role === 'user') {
    const pieces = part.content.map((content): Piece => {
      const data = dataOf(content)
      return data === undefined ? { text: textOf([content]) } : { inlineData: { data: data.data, mimeType: data.mime } }
    })
    return { role: 'user', parts: pieces }
  }
  if (part.role === 'model') {
    const calls = part.calls.map(
      ({ name, args, signature }): Piece => ({
        functionCall: { name, args },
        ...(signature === undefined ? {} : { thoughtSignature: signature }),
      }),
    )
    return { role: 'model', parts: [...(part.text === '' ? [] : [{ text: part.text }]), ...calls] }
  }
  return {
    role: 'user',
    parts: part.results.map(({ call, text, isError }) => ({
      functionResponse: { name: call.name, response: isError ? { error: text } : { output: text } },
    })),
  }
}
