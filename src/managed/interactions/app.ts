/** The whole API as one function from request to answer. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Hono } from 'hono'
import { ManagedError } from '../contract.ts'
import { failed } from './answers.ts'
import { agentRoutes } from './routes-agents.ts'
import { credentialRoutes } from './routes-credentials.ts'
import { environmentRoutes } from './routes-environments.ts'
import { fileRoutes } from './routes-files.ts'
import { interactionRoutes } from './routes-interactions.ts'
import { uploadRoutes } from './routes-upload.ts'
import type { Runtime } from './runtime.ts'
import type { Interactions } from './service.ts'

export interface Access {
  /** What `x-goog-api-key` has to say. */
  readonly key: string
  /** Names of this server that a `Host` header may give, without port. */
  readonly hosts: readonly string[]
}

/** Versions that SDKs call; they are the same. */
const VERSION = '/:version{v1|v1beta|v1alpha}'

/** Builds the API. */
export function api(runtime: Runtime, interactions: Interactions, access: Access): Hono {
  const app = new Hono({ strict: false })
  app.use(async (c, next) => {
    // A page of a browser that resolves its own name to us sends that name: it gets nothing, and no CORS header ever.
    if (!access.hosts.includes(hostOf(c.req.header('host'))))
      throw new ManagedError(403, 'permission_denied', 'This server does not answer to that Host.')
    if (!isKey(c.req.header('x-goog-api-key'), access.key))
      throw new ManagedError(401, 'unauthenticated', 'The x-goog-api-key header is missing or wrong.')
    await next()
  })
  app.route(`/upload${VERSION}`, uploadRoutes(runtime))
  app.route(VERSION, fileRoutes(runtime))
  app.route(`${VERSION}/interactions`, interactionRoutes(interactions))
  app.route(`${VERSION}/environments`, environmentRoutes(runtime, interactions))
  app.route(`${VERSION}/credentials`, credentialRoutes(runtime.credentials))
  app.route(`${VERSION}/agents`, agentRoutes(runtime, interactions))
  app.notFound((c) =>
    failed(c, new ManagedError(404, 'not_found', `There is no ${c.req.method} ${c.req.path.slice(0, 200)} here.`)),
  )
  app.onError((error, c) => {
    if (error instanceof ManagedError) return failed(c, error)
    runtime.report({ kind: 'internal', text: String(error), detail: { stack: error.stack } })
    return failed(c, new ManagedError(500, 'internal', 'An internal error came up; the server’s log has it.'))
  })
  return app
}

const hostOf = (host: string | undefined): string => (host ?? '').replace(/:\d+$/, '').toLowerCase()

/** Compares digests, so that neither length nor content can be told from the time. */
function isKey(given: string | undefined, key: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(key))
}
