/** `/credentials`: what is stored, without its secrets. */
import { Hono } from 'hono'
import { type Credentials, type CredentialView, ManagedError } from '../contract.ts'
import { isoOf, jsonOf, pageOf } from './answers.ts'

export function credentialRoutes(credentials: Credentials): Hono {
  const routes = new Hono()
  const missing = (verb: string) =>
    new ManagedError(404, 'not_found', `Result not found.; ${verb}Credential call failed`)
  routes.post('/', async (c) => c.json(shown(await credentials.create(await jsonOf(c)))))
  routes.get('/', (c) => {
    const { items, next } = pageOf(c, credentials.list())
    return c.json({ credentials: items.map(shown), ...next })
  })
  routes.get('/:id', (c) => {
    const found = credentials.get(c.req.param('id'))
    if (found === undefined) throw missing('Get')
    return c.json(shown(found))
  })
  routes.patch('/:id', async (c) => {
    const id = c.req.param('id')
    if (credentials.get(id) === undefined) throw missing('Update')
    return c.json(shown(await credentials.update(id, await jsonOf(c))))
  })
  routes.delete('/:id', async (c) => {
    const id = c.req.param('id')
    if (credentials.get(id) === undefined) throw missing('Delete')
    await credentials.remove(id)
    return c.json({})
  })
  return routes
}

const shown = ({ id, type, status, createTime, updateTime }: CredentialView) => ({
  ...{ id, type, status },
  ...{ create_time: isoOf(createTime), update_time: isoOf(updateTime) },
})
