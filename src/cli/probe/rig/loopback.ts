/**
 * An HTTP server on loopback for a scripted model. It is also named as the proxy of the CLI under test and refuses
 * every tunnel, so that a CLI that wants to go out is noticed and gets nowhere.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Longest request body that is read, in bytes; a conversation of the scripts here has some 200 KiB. */
const BODY_LIMIT = 32 * 1024 * 1024

export interface Loopback {
  readonly url: string
  readonly strays: string[]
  close(): Promise<void>
}

/** Answers one request. `body` is its JSON, or undefined where it had none. */
export type Handler = (path: string, body: unknown, response: ServerResponse) => void

/** Starts a server on a free port of 127.0.0.1. Rejects when no port can be had. */
export async function serve(handler: Handler): Promise<Loopback> {
  const strays: string[] = []
  const server = createServer((request, response) => {
    const target = request.url ?? '/'
    if (!target.startsWith('/')) {
      strays.push(hostOf(target))
      response.writeHead(403).end()
      return
    }
    void readJson(request).then(
      (body) => handler(target.split('?')[0] ?? '/', body, response),
      () => response.writeHead(400).end(),
    )
  })
  server.on('connect', (request, socket) => {
    strays.push(String(request.url))
    // A program that hangs up on a refusal is no trouble of ours.
    socket.on('error', () => undefined)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    strays,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function hostOf(target: string): string {
  return URL.canParse(target) ? new URL(target).host : target
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_LIMIT) throw new Error('request body too large')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}

/** Sends one JSON document. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Sends server-sent events, each named by its own `type`. */
export function sendEvents(response: ServerResponse, events: readonly { readonly type: string }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
}
