/** The API on a port of loopback. */
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { listenAdmin } from './admin.ts'
import { type Access, api } from './app.ts'
import type { Runtime } from './runtime.ts'
import { Interactions } from './service.ts'

export interface Serving {
  readonly port: number
  readonly interactions: Interactions
  /** Stops what is at work, then the port. */
  close(): Promise<void>
}

/** Names by which a server on loopback is called. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** Starts on 127.0.0.1. Port 0 takes a free one. Rejects where the port is taken. */
export async function serve(runtime: Runtime, port: number, access: Pick<Access, 'key'>): Promise<Serving> {
  const interactions = new Interactions(runtime)
  await interactions.places.sweep()
  const app = api(runtime, interactions, { ...access, hosts: LOOPBACK })
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  // An agent may be at work for long before the first byte of an answer.
  server.requestTimeout = 0
  server.keepAliveTimeout = 30_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const silence = await listenAdmin(runtime, interactions)
  return {
    ...{ port: portOf(server), interactions },
    async close() {
      await silence()
      await close(server, interactions)
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function close(server: Server, interactions: Interactions): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await interactions.close()
  server.closeIdleConnections()
  // Answers that are on their way have this long.
  const timer = setTimeout(() => server.closeAllConnections(), 1_000)
  await closed
  clearTimeout(timer)
}
