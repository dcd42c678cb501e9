/** Models behind the `ai` SDK: any endpoint that is compatible with OpenAI's, and Anthropic's. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { jsonSchema, type LanguageModel, type ModelMessage, streamText, type ToolSet, tool } from 'ai'
import { type Model, ModelError, type Reply, type Turn } from '../model.ts'
import { textOf } from '../steps.ts'
import { dataOf, type Part, partsOf, sentenceOf } from './turns.ts'

export interface EndpointSettings {
  readonly key: string | undefined
  readonly url: string
}

/** A model of an endpoint that is compatible with OpenAI's chat completions; `url` ends with its version, e.g. `/v1`. */
export function openAiModel(name: string, { key, url }: EndpointSettings): Model {
  const provider = createOpenAICompatible({
    ...{ name: 'openai', baseURL: url, includeUsage: true },
    ...(key === undefined ? {} : { apiKey: key }),
  })
  return modelOf(name, provider(name), key)
}

/** A model of Anthropic's; `url` in place of the provider's address. */
export function anthropicModel(name: string, { key, url }: { readonly key: string; readonly url?: string }): Model {
  const provider = createAnthropic({ apiKey: key, ...(url === undefined ? {} : { baseURL: url }) })
  return modelOf(name, provider(name), key)
}

function modelOf(name: string, model: LanguageModel, key: string | undefined): Model {
  return {
    name,
    async turn(turn) {
      try {
        return await ask(model, turn)
      } catch (error) {
        turn.signal.throwIfAborted()
        throw new ModelError(`The model ${name} failed: ${sentenceOf(error, key)}`)
      }
    },
  }
}

async function ask(model: LanguageModel, turn: Turn): Promise<Reply> {
  const { instructions, signal } = turn
  const stream = streamText({
    model,
    messages: partsOf(turn.steps).map(messageOf),
    tools: toolsOf(turn),
    abortSignal: signal,
    ...(instructions === '' ? {} : { instructions }),
    // What goes wrong comes as a part of the stream; the SDK would also print it.
    onError: () => {},
  })
  let text = ''
  let cut = false
  const calls: Reply['calls'][number][] = []
  for await (const part of stream.fullStream) {
    if (part.type === 'text-delta') {
      text += part.text
      turn.text(part.text)
    } else if (part.type === 'tool-call') calls.push({ name: part.toolName, args: argsOf(part.input) })
    else if (part.type === 'error') throw part.error
    else if (part.type === 'finish') cut = part.finishReason === 'length'
  }
  const { inputTokens = 0, outputTokens = 0 } = await stream.usage
  return { text, calls, tokens: { input: inputTokens, output: outputTokens }, ...(cut ? { cut } : {}) }
}

/** Arguments that are no object are shown to the hooks as they are. */
const argsOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : { input }

/** Tools without a way to run them: the loop runs them, behind the hooks. */
const toolsOf = ({ tools }: Turn): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters as Parameters<typeof jsonSchema>[0]) }),
    ]),
  )

function messageOf(part: Part): ModelMessage {
  if (part.role === 'user')
    return {
      role: 'user',
      content: part.content.map((content) => {
        const data = dataOf(content)
        return data === undefined
          ? ({ type: 'text', text: textOf([content]) } as const)
          : ({ type: 'file', data: data.data, mediaType: data.mime } as const)
      }),
    }
  if (part.role === 'model')
    return {
      role: 'assistant',
      content: [
        ...(part.text === '' ? [] : [{ type: 'text', text: part.text } as const]),
        ...part.calls.map(
          ({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: args }) as const,
        ),
      ],
    }
  return {
    role: 'tool',
    content: part.results.map(({ call, text, isError }) => ({
      ...({ type: 'tool-result', toolCallId: call.id, toolName: call.name } as const),
      output: { type: isError ? 'error-text' : 'text', value: text },
    })),
  }
}
