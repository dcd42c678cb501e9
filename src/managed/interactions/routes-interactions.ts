/** `/interactions`: create, get, cancel, delete, and what the hooks said. */
import { type Context, Hono } from 'hono'
import { ManagedError } from '../contract.ts'
import { flagOf, jsonOf } from './answers.ts'
import type { Interactions } from './service.ts'
import { bad } from './shape.ts'
import { streamOf } from './sse.ts'

const missing = (id: string) => new ManagedError(404, 'not_found', `Interaction '${id}' not found.`)

export function interactionRoutes(interactions: Interactions): Hono {
  const routes = new Hono()
  routes.post('/', async (c) => {
    const body = (await jsonOf(c)) as { readonly stream?: unknown; readonly background?: unknown }
    const live = await interactions.create(body, c.req.header('idempotency-key'))
    const { id } = live.view
    if (body.stream === true) {
      const gone = () => {
        if (body.background !== true) void interactions.cancel(id)
      }
      return streamOf(live.events, live, undefined, gone)
    }
    if (body.background === true) return c.json(live.view)
    const { signal } = c.req.raw
    const gone = () => void interactions.cancel(id)
    if (signal.aborted) gone()
    else signal.addEventListener('abort', gone, { once: true })
    await live.ended
    signal.removeEventListener('abort', gone)
    return c.json(live.view)
  })
  routes.get('/:id', (c) => {
    const id = c.req.param('id')
    const found = interactions.find(id)
    if (found === undefined) throw missing(id)
    flagOf(c, 'include_input')
    if (!flagOf(c, 'stream')) return c.json(found.view)
    const last = lastOf(c)
    const newest = found.events.at(-1)?.event_id ?? '0'
    if (last !== undefined && Number(last) > Number(newest))
      throw bad(`Parameter 'last_event_id': there is no event ${last}; the newest one is ${newest}.`)
    return streamOf(found.events, interactions.live(id), last, () => {})
  })
  routes.get('/:id/trace', (c) => {
    const id = c.req.param('id')
    const found = interactions.find(id)
    if (found === undefined) throw missing(id)
    return c.json({ trace: found.traces })
  })
  routes.post('/:id/cancel', async (c) => {
    const id = c.req.param('id')
    const found = await interactions.cancel(id)
    if (found === undefined) throw missing(id)
    return c.json(found.view)
  })
  routes.delete('/:id', async (c) => {
    const id = c.req.param('id')
    if (!(await interactions.remove(id))) throw missing(id)
    return c.json({})
  })
  return routes
}

/** The last event that a client has, by the query or by the header of the standard. */
function lastOf(c: Context): string | undefined {
  const id = c.req.query('last_event_id') ?? c.req.header('last-event-id')
  if (id === undefined || id === '') return undefined
  if (!/^\d{1,9}$/.test(id)) throw bad("Parameter 'last_event_id': it is no id of an event.")
  return id
}
