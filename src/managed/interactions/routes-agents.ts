/** `/agents`: saved agents. */
import { Hono } from 'hono'
import { ManagedError } from '../contract.ts'
import { type SavedAgent, shownAgent } from './agents.ts'
import { jsonOf, pageOf } from './answers.ts'
import { environmentOf } from './fields.ts'
import { checkSpec, environmentThere, shownWanted } from './prepare.ts'
import type { Runtime } from './runtime.ts'
import type { Interactions } from './service.ts'
import { bad } from './shape.ts'

export function agentRoutes(runtime: Runtime, interactions: Interactions): Hono {
  const { agents } = interactions
  const routes = new Hono()
  const get = (id: string): SavedAgent => {
    const agent = agents.get(id)
    if (agent === undefined) throw new ManagedError(404, 'not_found', `Agent '${id}' not found.`)
    return agent
  }
  routes.post('/', async (c) => {
    const given = agents.check(await jsonOf(c))
    const { base_environment: _, ...rest } = given
    const agent = {
      ...(definedOf(rest) as SavedAgent),
      ...(await templateOf(given.base_environment, runtime, interactions)),
    }
    agents.put(agent)
    return c.json(shownAgent(agent))
  })
  routes.get('/', (c) => {
    const { items, next } = pageOf(c, agents.list())
    return c.json({ agents: items.map(shownAgent), ...next })
  })
  routes.get('/:id', (c) => c.json(shownAgent(get(c.req.param('id')))))
  routes.delete('/:id', async (c) => {
    const { id, owned, template } = get(c.req.param('id'))
    agents.remove(id)
    if (owned && template !== undefined) await interactions.removeEnvironment(template)
    return c.json({})
  })
  return routes
}

/** Makes the environment that runs will fork, or names the one that they do. */
async function templateOf(
  value: unknown,
  runtime: Runtime,
  { places }: Interactions,
): Promise<Pick<SavedAgent, 'template' | 'owned' | 'base_environment'>> {
  const wanted = environmentOf(value, 'base_environment')
  if (wanted === undefined) return {}
  const shown = { base_environment: typeof value === 'string' ? value : shownWanted(wanted) }
  if (wanted.is === 'same') {
    if (wanted.network !== undefined)
      throw bad("Field 'base_environment.network': rules of an existing environment are its own.")
    await environmentThere(runtime, wanted.id)
    return { ...shown, template: wanted.id }
  }
  const { id } = await places.create({ ...checkSpec(runtime, wanted.spec), keep: true })
  return { ...shown, template: id, owned: true }
}

const definedOf = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))
