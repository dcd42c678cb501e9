/**
 * What the operator's own verbs ask a running server, by a UNIX socket in its state directory: who may open that needs no
 * key. The same environments as over the API, and programs in them.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { dirname, join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'
import { ManagedError } from '../contract.ts'
import { failed, jsonOf } from './answers.ts'
import { environmentThere } from './prepare.ts'
import { environmentRoutes } from './routes-environments.ts'
import type { Runtime } from './runtime.ts'
import type { Interactions } from './service.ts'
import { read, strict } from './shape.ts'

/** Milliseconds and bytes of one program. */
const RUN_MS = 10 * 60_000
const MOST_OUTPUT = 8 * 1024 * 1024
/** Paths of sockets are at most 107 bytes. */
const LONGEST = 100

const RUN = strict({ argv: z.array(z.string()).min(1), cwd: z.string() })

/** The routes: `/environments…`, and `POST /environments/{id}/run`. */
export function admin(runtime: Runtime, interactions: Interactions): Hono {
  const app = new Hono()
  app.post('/environments/:id/run', async (c) => {
    const id = c.req.param('id')
    const { argv, cwd } = read(RUN, await jsonOf(c))
    await environmentThere(runtime, id)
    const end = await runtime.environments.run(id, {
      ...{ argv, cwd, timeout: RUN_MS, outputLimit: MOST_OUTPUT, signal: c.req.raw.signal },
    })
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
    const { exit, killedBy, timedOut, why } = end
    return c.json({ exit, killedBy, timedOut, why, stdout: text(end.stdout), stderr: text(end.stderr) })
  })
  app.route('/environments', environmentRoutes(runtime, interactions))
  app.onError((error, c) =>
    failed(c, error instanceof ManagedError ? error : new ManagedError(500, 'internal', error.message)),
  )
  return app
}

/** Where the socket of a state directory lies; undefined where its path would be too long for one. */
export function socketOf(state: string): string | undefined {
  // The directory keeps others out from the first moment on.
  const path = join(state, 'admin', 'socket')
  return Buffer.byteLength(path) <= LONGEST ? path : undefined
}

/** Listens; the answer stops it. Nothing where the path is too long. */
export async function listenAdmin(runtime: Runtime, interactions: Interactions): Promise<() => Promise<void>> {
  const path = socketOf(runtime.state)
  if (path === undefined) return async () => {}
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(path, { force: true })
  const server = createServer(getRequestListener(admin(runtime, interactions).fetch, { overrideGlobalObjects: false }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
}

export interface AdminAnswer {
  readonly status: number
  readonly text: string
}

/** One request to the server of a state directory; undefined where none listens. */
export function askAdmin(state: string, method: string, path: string, body?: string): Promise<AdminAnswer | undefined> {
  const socketPath = socketOf(state)
  if (socketPath === undefined) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const asked = request({
      socketPath,
      method,
      path,
      headers: { host: 'localhost', 'content-type': 'application/json' },
    })
    asked.on('error', (error: NodeJS.ErrnoException) =>
      ['ENOENT', 'ECONNREFUSED'].includes(error.code ?? '') ? resolve(undefined) : reject(error),
    )
    asked.on('response', async (answer) => {
      const pieces: Buffer[] = []
      try {
        for await (const piece of answer) pieces.push(piece as Buffer)
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') })
      } catch (error) {
        reject(error)
      }
    })
    asked.end(body)
  })
}
