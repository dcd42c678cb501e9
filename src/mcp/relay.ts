/**
 * Two ends of the Model Context Protocol, joined: every message of one goes to the other as it came, in its order. Requests
 * of a server to the host (sampling, elicitation, roots), progress, cancellation and what nobody here knows pass as well.
 */
import type { Json } from '../core/call.ts'
import type { End, Message } from './end.ts'

/** Who sees the messages of both sides. A message of the server may be changed. */
export interface Watching {
  fromHost(message: Json): void
  fromServer(message: Json): Json
}

/** Runs until one end has closed, and closes the other one. Tells which closed first. Rejects where an end breaks. */
export async function relay(host: End, server: End, watching: readonly Watching[]): Promise<'host' | 'server'> {
  const fromServer = server
    .run(async (message) => {
      let { value } = message
      for (const one of watching) value = one.fromServer(value)
      await host.send(value === message.value ? message : { value })
    })
    .then(() => 'server' as const)
  const fromHost = host
    .run(async (message) => {
      for (const one of watching) one.fromHost(message.value)
      try {
        await server.send(message)
      } catch (error) {
        await refuse(host, message, error)
      }
    })
    .then(() => 'host' as const)
  try {
    return await Promise.race([fromServer, fromHost])
  } finally {
    await Promise.allSettled([host.close(), server.close()])
    // What was on its way still arrives, and a second fault is no news.
    fromHost.catch(() => {})
    await fromServer.catch(() => {})
  }
}

/** Who asked must not wait for an answer that cannot come. */
async function refuse(host: End, { value }: Message, error: unknown): Promise<void> {
  const fields = typeof value === 'object' && value !== null ? (value as { readonly [key: string]: Json }) : {}
  const id = fields['id']
  if (id === undefined || id === null || fields['method'] === undefined) return
  const message = `the server cannot be reached: ${error instanceof Error ? error.message : String(error)}`
  await host.send({ value: { jsonrpc: '2.0', id, error: { code: -32000, message } } })
}
