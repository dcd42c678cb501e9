/** A server on loopback that speaks as three providers do: one call of a tool, then a text. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Stub {
  readonly url: string
  /** Bodies that came, parsed, with the headers that carry keys. */
  readonly asked: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: unknown }[]
  close(): Promise<void>
}

/** Answers: a call of `view_file` while there is no result yet, then `It says hello.`; `fail` is a status, or a silence. */
export async function startStub(fail?: number | 'silence'): Promise<Stub> {
  const asked: Stub['asked'] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += String(piece)
    const body: unknown = JSON.parse(text)
    asked.push({ path: request.url ?? '', headers: request.headers, body })
    if (fail === 'silence') return
    if (fail !== undefined) {
      response.writeHead(fail, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          error: { code: fail, type: 'x', message: `no, not with ${JSON.stringify(request.headers)}` },
        }),
      )
      return
    }
    answer(request.url ?? '', /hello from the file/.test(text), response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const ARGS = { path: '/workspace/a.txt' }

function answer(path: string, hasResult: boolean, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (value: unknown, event?: string) =>
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(value)}\n\n`)
  if (path.includes('streamGenerateContent')) gemini(send, hasResult)
  else if (path.endsWith('/chat/completions')) {
    openAi(send, hasResult)
    response.write('data: [DONE]\n\n')
  } else anthropic(send, hasResult)
  response.end()
}

type Send = (value: unknown, event?: string) => void

function gemini(send: Send, hasResult: boolean): void {
  const parts = hasResult
    ? [[{ text: 'It says ' }], [{ text: 'hello.' }]]
    : [[{ text: 'I look.' }], [{ functionCall: { name: 'view_file', args: ARGS }, thoughtSignature: 'c2ln' }]]
  for (const own of parts) send({ candidates: [{ content: { role: 'model', parts: own } }] })
  send({
    candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
  })
}

function openAi(send: Send, hasResult: boolean): void {
  const chunk = (delta: unknown, finish: string | null = null) =>
    send({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  if (hasResult) {
    chunk({ role: 'assistant', content: 'It says ' })
    chunk({ content: 'hello.' })
    chunk({}, 'stop')
  } else {
    chunk({ role: 'assistant', content: 'I look.' })
    const call = { name: 'view_file', arguments: JSON.stringify(ARGS) }
    chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] })
    chunk({}, 'tool_calls')
  }
  send({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  })
}

function anthropic(send: Send, hasResult: boolean): void {
  const event = (type: string, value: object) => send({ type, ...value }, type)
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [],
    model: 'm',
    stop_reason: null,
    stop_sequence: null,
  }
  event('message_start', { message: { ...message, usage: { input_tokens: 11, output_tokens: 1 } } })
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
  for (const text of hasResult ? ['It says ', 'hello.'] : ['I look.'])
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
  event('content_block_stop', { index: 0 })
  if (!hasResult) {
    event('content_block_start', {
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'view_file', input: {} },
    })
    event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: JSON.stringify(ARGS) } })
    event('content_block_stop', { index: 1 })
  }
  event('message_delta', {
    delta: { stop_reason: hasResult ? 'end_turn' : 'tool_use', stop_sequence: null },
    usage: { output_tokens: 7 },
  })
  event('message_stop', {})
}
