/** From a request to a job: everything that can be refused is refused here, before anything is made. */
import type { McpServer } from '../agent/mcp.ts'
import type { Model } from '../agent/model.ts'
import { type Call, pendingCalls, type Step } from '../agent/steps.ts'
import { type EnvironmentSpec, ManagedError, type Network } from '../contract.ts'
import type { AgentBase, Agents } from './agents.ts'
import { shownTool } from './agents.ts'
import { type NewInteraction, newInteraction, type ToolSet } from './body.ts'
import { credentialsIn, shownEnv, shownNetwork, shownSources, type Wanted } from './fields.ts'
import type { Folded } from './fold.ts'
import type { Runtime } from './runtime.ts'
import { bad } from './shape.ts'
import { isEnded } from './wire.ts'

/** Interactions of one conversation. */
const MOST_BEFORE = 1_000

export interface Job {
  readonly request: NewInteraction
  readonly model: Model
  /** What was said before. */
  readonly history: readonly Step[]
  readonly place?: Place
  readonly tools: ToolSet
  readonly system?: string
  readonly maxTokens?: number
  /** What the answer repeats of the request. */
  readonly echo: Readonly<Record<string, unknown>>
}

/** Where it works: an environment that is made for it, or one that is there. */
export type Place =
  | { readonly is: 'new'; readonly spec: EnvironmentSpec }
  | { readonly is: 'same'; readonly id: string; readonly network?: { readonly rules: Network } }

/** Reads and checks a request. `find` looks up interactions. Throws `ManagedError`. */
export async function prepare(
  body: unknown,
  runtime: Runtime,
  agents: Agents,
  find: (id: string) => Folded | undefined,
): Promise<Job> {
  const request = newInteraction(body)
  const base = request.agent === undefined ? {} : agents.base(request.agent)
  const name = request.model ?? base.model
  const model = runtime.model(name)
  if (model === undefined)
    throw new ManagedError(
      404,
      'not_found',
      `Model '${name}' not found. The operator names models at the start (--model).`,
    )
  const history = historyOf(request, find)
  const place = await placeOf(request.environment, base, runtime)
  const tools = request.tools ?? base.tools ?? { code: true, functions: [], servers: [] }
  for (const { name: server, credential } of tools.servers)
    if (credential !== undefined) known(runtime, credential, `MCP server '${server}'`)
  const maxTokens = request.maxTokens ?? base.maxTokens
  const system = [base.system, request.system, formatText(request.format)]
    .filter((part) => part !== undefined)
    .join('\n\n')
  return {
    ...{ request, model, history, tools },
    ...(place === undefined ? {} : { place }),
    ...(system === '' ? {} : { system }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    echo: echoOf(body as Readonly<Record<string, unknown>>, request),
  }
}

const formatText = (format: unknown): string | undefined =>
  format === undefined || format === null
    ? undefined
    : `Give the final answer in this format and nothing else: ${JSON.stringify(format)}`

function echoOf(body: Readonly<Record<string, unknown>>, request: NewInteraction): Readonly<Record<string, unknown>> {
  const { environment } = request
  const tools = Array.isArray(body['tools']) ? body['tools'].map(shownTool) : undefined
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(request.system === undefined ? {} : { system_instruction: request.system }),
    ...(request.labels === undefined ? {} : { labels: request.labels }),
    ...(environment === undefined ? {} : { environment: shownWanted(environment) }),
  }
}

/** A wanted environment as it may be shown. */
export function shownWanted(wanted: Wanted): unknown {
  if (wanted.is === 'same') {
    const { id, network } = wanted
    return {
      type: 'remote',
      environment_id: id,
      ...(network === undefined ? {} : { network: shownNetwork(network.rules) }),
    }
  }
  const { sources = [], network, env = {} } = wanted.spec
  return {
    type: 'remote',
    ...(sources.length === 0 ? {} : { sources: shownSources(sources) }),
    ...(network === undefined ? {} : { network: shownNetwork(network) }),
    ...(Object.keys(env).length === 0 ? {} : { env: shownEnv(env) }),
  }
}

/** Everything that was said before, and for calls that nobody answered a result that says so. */
function historyOf(request: NewInteraction, find: (id: string) => Folded | undefined): readonly Step[] {
  const answers = request.input.flatMap((step) => (step.type === 'function_result' ? [step] : []))
  if (request.previous === undefined) {
    if (answers.length > 0)
      throw bad("A function_result needs 'previous_interaction_id', the interaction with its call.")
    return []
  }
  const chain: Step[][] = []
  let id: string | undefined = request.previous
  for (let n = 0; id !== undefined && n < MOST_BEFORE; n++) {
    const found = find(id)
    if (found === undefined) {
      if (n === 0) throw new ManagedError(404, 'not_found', `Interaction '${id}' not found.`)
      break
    }
    if (!isEnded(found.view.status)) throw bad(`Interaction '${id}' is still at work; wait for its end or cancel it.`)
    chain.unshift([...found.view.steps])
    id = found.view.previous_interaction_id
  }
  const steps = chain.flat()
  const pending = pendingCalls(steps)
  for (const { call_id } of answers)
    if (!pending.some((call) => call.id === call_id))
      throw bad(`There is no open call '${call_id}' in '${request.previous}'.`)
  const left = pending.filter((call) => !answers.some(({ call_id }) => call_id === call.id))
  return [...steps, ...left.map(unanswered)]
}

function unanswered({ id, name }: Call): Step {
  const result = 'There is no result: the call was not answered.'
  return name === 'code_execution'
    ? { type: 'code_execution_result', call_id: id, result, is_error: true }
    : { type: 'function_result', call_id: id, name, result, is_error: true }
}

async function placeOf(wanted: Wanted | undefined, base: AgentBase, runtime: Runtime): Promise<Place | undefined> {
  if (wanted?.is === 'same') {
    await environmentThere(runtime, wanted.id)
    if (wanted.network !== undefined) checkSpec(runtime, { network: wanted.network.rules })
    return wanted
  }
  const isPlain = wanted === undefined || Object.values(wanted.spec).every((part) => part === undefined)
  if (isPlain && base.template !== undefined) {
    await environmentThere(runtime, base.template)
    return { is: 'new', spec: { from: base.template } }
  }
  if (wanted === undefined) return undefined
  return { is: 'new', spec: checkSpec(runtime, wanted.spec) }
}

/** Checks rules and credentials; without rules the operator's standard holds. Throws `ManagedError` 400. */
export function checkSpec(runtime: Runtime, spec: EnvironmentSpec): EnvironmentSpec {
  for (const id of credentialsIn(spec)) known(runtime, id, 'The environment')
  const closed = spec.network === undefined && spec.from === undefined && runtime.denyNetwork === true
  const checked: EnvironmentSpec = closed ? { ...spec, network: 'disabled' } : spec
  runtime.egress.check(checked.network)
  return checked
}

function known({ credentials }: Runtime, id: string, who: string): void {
  if (credentials.get(id) === undefined) throw bad(`${who} names the credential '${id}', which is not there.`)
}

/** Throws `ManagedError` 404 where the environment is unknown or expired. */
export async function environmentThere({ environments }: Runtime, id: string): Promise<void> {
  const record = await environments.get(id)
  if (record === undefined) throw new ManagedError(404, 'not_found', `Environment '${id}' not found.`)
  if (record.status === 'expired') throw new ManagedError(404, 'not_found', `Environment '${id}' has expired.`)
}

/** How requests to an MCP server leave: under a rule of its own where a credential goes along. */
export const networkOfServer = ({ url, credential }: McpServer & { readonly credential?: string }): Network =>
  credential === undefined ? undefined : { allowlist: [{ domain: new URL(url).hostname, credential }] }
