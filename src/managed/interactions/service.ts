/** The interactions: makes, runs, looks up, cancels and forgets them. */

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { counted } from '../../core/count.ts'
import { instructionsOf } from '../agent/instructions.ts'
import { runAgent, type StepSink } from '../agent/loop.ts'
import { mcpTools } from '../agent/mcp.ts'
import { ModelError } from '../agent/model.ts'
import { lookUpTool, sandboxTools } from '../agent/tools.ts'
import { ManagedError } from '../contract.ts'
import { Agents } from './agents.ts'
import type { Folded } from './fold.ts'
import { Journals } from './journal.ts'
import { Live } from './live.ts'
import { Places } from './places.ts'
import { type Job, networkOfServer, prepare } from './prepare.ts'
import type { Runtime } from './runtime.ts'
import { bad } from './shape.ts'
import { Turns } from './turns.ts'
import type { Failure, Head } from './wire.ts'

/** Milliseconds that a cancelled run has to end by itself. */
const CANCEL_MS = 1_500
/** Milliseconds that a background request waits for its environment, so that what is wrong with it is an answer. */
const PATIENCE_MS = 400
/** Requests whose `Idempotency-Key` is remembered. */
const MOST_KEYS = 256

/** Why a run was stopped from outside. */
class Stopped extends Error {
  readonly failure: Failure | undefined
  /** No failure: the client asked for it. */
  constructor(failure?: Failure) {
    super(failure?.message ?? 'cancelled')
    this.failure = failure
  }
}

interface Running {
  readonly live: Live
  readonly stop: AbortController
}

export class Interactions {
  readonly agents: Agents
  readonly places: Places
  readonly #runtime: Runtime
  readonly #journals: Journals
  readonly #turns = new Turns()
  readonly #running = new Map<string, Running>()
  readonly #keys = new Map<string, { readonly body: string; readonly live: Promise<Live> }>()
  #closed = false

  /** Interactions that were at work when the last server of this state stopped are failed from here on. */
  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#journals = new Journals(join(runtime.state, 'interactions'))
    this.places = new Places(runtime)
    this.agents = new Agents(join(runtime.state, 'agents.json'))
    for (const id of this.#journals.open()) this.#fail(id)
  }

  #fail(id: string): void {
    const folded = this.#journals.read(id)
    if (folded === undefined) return
    const failure = { code: 'aborted', message: 'The server stopped while this interaction was at work.' }
    Live.resume(
      folded,
      (line) => this.#journals.append(id, line),
      () => this.#runtime.clock.now(),
    ).finish('failed', failure)
  }

  /**
   * Makes an interaction and sets it to work. In the foreground the environment is there when this resolves. The same
   * `key` and body give the interaction that was made before. Throws `ManagedError`.
   */
  async create(body: unknown, key?: string): Promise<Live> {
    if (key === undefined) return await this.#make(body)
    const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
    const known = this.#keys.get(key)
    if (known !== undefined) {
      if (known.body !== hash) throw bad('This Idempotency-Key came with another body before.')
      return await known.live
    }
    const live = this.#make(body)
    this.#keys.set(key, { body: hash, live })
    live.catch(() => this.#keys.delete(key))
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= MOST_KEYS) break
      this.#keys.delete(oldest)
    }
    return await live
  }

  async #make(body: unknown): Promise<Live> {
    if (this.#closed) throw new ManagedError(503, 'unavailable', 'The server is stopping.')
    const job = await prepare(body, this.#runtime, this.agents, (id) => this.find(id))
    const { request, place } = job
    const id = `int_${randomBytes(12).toString('hex')}`
    const now = new Date(this.#runtime.clock.now()).toISOString()
    const waits = place?.is === 'same' && this.#turns.isBusy(place.id)
    const head: Head = {
      ...{ id, object: 'interaction', status: waits ? 'queued' : 'in_progress', created: now, updated: now },
      ...(request.agent === undefined ? { model: job.model.name } : { agent: request.agent }),
      ...(place?.is === 'same' ? { environment_id: place.id } : {}),
      ...(request.previous === undefined ? {} : { previous_interaction_id: request.previous }),
      ...(request.background ? { background: true } : {}),
      ...job.echo,
    }
    const keep = request.store ? (line: Parameters<Journals['append']>[1]) => this.#journals.append(id, line) : () => {}
    const live = new Live(head, keep, () => this.#runtime.clock.now())
    const stop = new AbortController()
    this.#running.set(id, { live, stop })
    let ready: (error?: unknown) => void = () => {}
    const provisioned = new Promise<void>((resolve, reject) => {
      ready = (error) => (error === undefined ? resolve() : reject(error))
    })
    provisioned.catch(() => {})
    void this.#run(job, live, stop.signal, ready).finally(() => this.#running.delete(id))
    try {
      await (request.background ? Promise.race([provisioned, pause(PATIENCE_MS)]) : provisioned)
    } catch (error) {
      this.#journals.remove(id)
      throw error
    }
    return live
  }

  /** Runs a job to its end, whatever happens. `ready` is told when the environment is there, or why it is not. */
  async #run(job: Job, live: Live, signal: AbortSignal, ready: (error?: unknown) => void): Promise<void> {
    const begun = this.#runtime.clock.now()
    let leave: (() => void) | undefined
    let provisioned = false
    try {
      const { place } = job
      if (place?.is === 'same') {
        this.#begin(job, live, ready)
        provisioned = true
        leave = await this.#turns.enter(place.id, signal)
        live.stand('in_progress')
        if (place.network !== undefined) await this.#runtime.environments.setNetwork(place.id, place.network.rules)
      } else {
        if (place !== undefined) {
          const { id } = await this.places.create(place.spec)
          if (signal.aborted) await this.places.remove(id)
          signal.throwIfAborted()
          leave = await this.#turns.enter(id, signal)
          live.amend({ environment_id: id })
        }
        this.#begin(job, live, ready)
        provisioned = true
      }
      live.finish(await this.#work(job, live, signal))
    } catch (error) {
      if (!provisioned && error instanceof ManagedError && error.status < 500) ready(error)
      if (!provisioned) this.#begin(job, live, ready)
      const { status, failure } = endOf(error, signal)
      if (failure?.code === 'internal')
        this.#runtime.report({
          kind: 'internal',
          interaction: live.view.id,
          text: String(error),
          detail: { stack: (error as Error)?.stack },
        })
      live.finish(status, failure)
    } finally {
      leave?.()
      this.#tell(live, begun)
    }
  }

  #begin(job: Job, live: Live, ready: () => void): void {
    live.begin()
    for (const step of job.request.input) live.step(step)
    ready()
  }

  async #work(job: Job, live: Live, signal: AbortSignal) {
    const { environments, egress } = this.#runtime
    const environment = live.view.environment_id
    const files = environment === undefined ? undefined : await environments.files(environment)
    const roots = environment === undefined ? [] : await environments.hookRoots(environment)
    const { functions, servers, code } = job.tools
    const servings = new Map(servers.map((server) => [new URL(server.url).host, networkOfServer(server)]))
    const mcp = await mcpTools(
      servers,
      (request) => egress.request(servings.get(new URL(request.url).host), environment ?? live.view.id, request),
      signal,
    )
    try {
      const own = environment === undefined ? [] : [...sandboxTools(code), lookUpTool]
      return await runAgent(
        {
          ...{ model: job.model, signal, mcp, out: this.#sink(live, environment) },
          instructions: await instructionsOf(files, roots, job.system),
          steps: [...job.history, ...job.request.input],
          tools: [...own, ...functions, ...mcp.tools],
          ...(environment === undefined ? {} : { environment }),
          ...(job.maxTokens === undefined ? {} : { maxTokens: job.maxTokens }),
        },
        { ...this.#runtime, pin: (id) => this.places.pin(id) },
        () => `call_${randomBytes(9).toString('hex')}`,
      )
    } finally {
      await mcp.close()
    }
  }

  /** Where the steps go; what hooks warn of is kept for who asks about the environment. */
  #sink(live: Live, environment: string | undefined): StepSink {
    return {
      step: (step) => live.step(step),
      text: () => live.text(),
      used: (tokens) => live.used(tokens),
      trace: (trace) => {
        live.trace(trace)
        if (environment !== undefined) this.places.warn(environment, trace.warnings)
      },
    }
  }

  #tell(live: Live, begun: number): void {
    const { id, status, environment_id: environment, steps, errors } = live.view
    const ms = this.#runtime.clock.now() - begun
    this.#runtime.report({
      ...{ kind: 'interaction', interaction: id, ...(environment === undefined ? {} : { environment }) },
      text: `${id} ${status}${environment === undefined ? '' : ` in ${environment}`}, ${counted(steps.length, 'step')}, ${ms} ms${errors === undefined ? '' : `: ${errors[0]?.message}`}`,
    })
  }

  /** The interaction as it stands; undefined where there is none. */
  find(id: string): Folded | undefined {
    const running = this.#running.get(id)
    if (running === undefined) return this.#journals.read(id)
    const { view, events, traces } = running.live
    return { view, events, traces }
  }

  /** The interaction that is at work; undefined where it has ended. */
  live(id: string): Live | undefined {
    return this.#running.get(id)?.live
  }

  /** Stops it; one that has ended stays as it is. Undefined where there is none. */
  async cancel(id: string): Promise<Folded | undefined> {
    await this.#stop(id, new Stopped())
    return this.find(id)
  }

  async #stop(id: string, why: Stopped): Promise<void> {
    const running = this.#running.get(id)
    if (running === undefined) return
    const { live, stop } = running
    stop.abort(why)
    await Promise.race([live.ended, pause(CANCEL_MS)])
    const { environment_id } = live.view
    // What does not listen to the signal is killed with everything around it.
    if (this.#running.has(id) && environment_id !== undefined)
      await this.#runtime.environments.stop(environment_id).catch(() => {})
    live.finish(why.failure === undefined ? 'cancelled' : 'failed', why.failure)
  }

  /** Forgets it. False where there is none. */
  async remove(id: string): Promise<boolean> {
    if (this.find(id) === undefined) return false
    const running = this.#running.get(id)
    await this.#stop(id, new Stopped())
    await running?.live.ended
    this.#journals.remove(id)
    return true
  }

  /** Removes an environment; what works in it fails. */
  async removeEnvironment(id: string): Promise<void> {
    const failure = {
      code: 'not_found',
      message: `Environment '${id}' was deleted while this interaction was at work.`,
    }
    const here = [...this.#running.values()].filter(({ live }) => live.view.environment_id === id)
    await Promise.all(here.map(({ live }) => this.#stop(live.view.id, new Stopped(failure))))
    await this.places.remove(id)
  }

  /** Stops everything. */
  async close(): Promise<void> {
    this.#closed = true
    const failure = { code: 'aborted', message: 'The server was stopped while this interaction was at work.' }
    await Promise.all([...this.#running.keys()].map((id) => this.#stop(id, new Stopped(failure))))
  }
}

/** How a run that threw has ended. */
function endOf(
  error: unknown,
  signal: AbortSignal,
): { readonly status: 'cancelled' | 'failed'; readonly failure?: Failure } {
  const why = signal.aborted ? signal.reason : undefined
  if (why instanceof Stopped)
    return why.failure === undefined ? { status: 'cancelled' } : { status: 'failed', failure: why.failure }
  if (error instanceof ManagedError) return { status: 'failed', failure: { code: error.code, message: error.message } }
  if (error instanceof ModelError) return { status: 'failed', failure: { code: 'model_error', message: error.message } }
  return {
    status: 'failed',
    failure: { code: 'internal', message: 'An internal error came up; the server’s log has it.' },
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
