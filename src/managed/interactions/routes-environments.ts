/** `/environments`: create, list, get, delete. */
import { Hono } from 'hono'
import { z } from 'zod'
import { type EnvironmentRecord, type EnvironmentSpec, ManagedError } from '../contract.ts'
import { isoOf, jsonOf, pageOf } from './answers.ts'
import { envOf, idOf, networkOf, shownEnv, shownNetwork, shownSources, sourcesOf } from './fields.ts'
import { checkSpec, environmentThere } from './prepare.ts'
import type { Runtime } from './runtime.ts'
import type { Interactions } from './service.ts'
import { bad, read, strict } from './shape.ts'

const FIELDS = strict({
  type: z.literal('remote', { error: "only 'remote' is known." }).optional(),
  from_environment: z.string().optional(),
  sources: z.unknown().optional(),
  network: z.unknown().optional(),
  env: z.unknown().optional(),
})

export function environmentRoutes(runtime: Runtime, interactions: Interactions): Hono {
  const { environments } = runtime
  const routes = new Hono()
  const warned = (id: string) => interactions.places.warnings(id)
  const get = async (id: string): Promise<EnvironmentRecord> => {
    const record = await environments.get(id)
    if (record === undefined) throw new ManagedError(404, 'not_found', `Environment '${id}' not found.`)
    return record
  }
  routes.post('/', async (c) => {
    const record = await interactions.places.create(await specOf(await jsonOf(c), runtime))
    return c.json(shown(record, warned(record.id)))
  })
  routes.get('/', async (c) => {
    const own = new Set(interactions.agents.list().flatMap(({ owned, template }) => (owned ? (template ?? []) : [])))
    const { items, next } = pageOf(
      c,
      (await environments.list()).filter(({ id }) => !own.has(id)),
    )
    return c.json({ environments: items.map((record) => shown(record, warned(record.id))), ...next })
  })
  routes.get('/:id', async (c) => {
    const id = idOf(c.req.param('id'))
    return c.json(shown(await get(id), warned(id)))
  })
  routes.delete('/:id', async (c) => {
    const { id } = await get(idOf(c.req.param('id')))
    await interactions.removeEnvironment(id)
    return c.json({})
  })
  return routes
}

async function specOf(body: unknown, runtime: Runtime): Promise<EnvironmentSpec> {
  const given = read(FIELDS, body)
  const sources = sourcesOf(given.sources)
  const env = envOf(given.env)
  const network = networkOf(given.network)
  const rules = network === undefined ? {} : { network }
  if (given.from_environment === undefined) return checkSpec(runtime, { sources, env, ...rules })
  if (sources.length > 0 || Object.keys(env).length > 0)
    throw bad("With 'from_environment' there are no sources and no env: the new environment has those of the other.")
  const from = idOf(given.from_environment)
  await environmentThere(runtime, from)
  return checkSpec(runtime, { from, ...rules })
}

function shown(record: EnvironmentRecord, warnings: readonly string[]): unknown {
  const { id, status, created, updated, lastAccessed, fileCount, sizeBytes, network, sources, env } = record
  const all = [...new Set([...record.warnings, ...warnings])]
  return {
    ...{ id, status, created: isoOf(created), updated: isoOf(updated), last_accessed: isoOf(lastAccessed) },
    ...{ file_count: String(fileCount), size_bytes: String(sizeBytes) },
    ...(network === undefined ? {} : { network: shownNetwork(network) }),
    sources: shownSources(sources),
    ...(Object.keys(env).length === 0 ? {} : { env: shownEnv(env) }),
    ...(all.length === 0 ? {} : { warnings: all }),
  }
}
