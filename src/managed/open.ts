/** Puts the parts of the managed runtime together. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Policy } from '../policy/policy.ts'
import { guardGate } from './agent/guard-gate.ts'
import type { Models } from './agent/models/choose.ts'
import { type LookUp, outputGate } from './agent/output-gate.ts'
import type { Clock, HookOptions, OutAnswer, OutRequest, Report, RuntimeEvent } from './contract.ts'
import { createCredentials } from './credentials/credentials.ts'
import { keyOfEnv } from './credentials/key.ts'
import { createEgress } from './egress/egress.ts'
import type { OperatorOptions } from './egress/operator.ts'
import { makeHooks } from './hooks/engine.ts'
import type { Runtime } from './interactions/runtime.ts'
import { openEnvironments } from './sandbox/environments.ts'
import { isTakenByOther } from './sandbox/lock.ts'

export interface ManagedOptions {
  /** Directory of everything that survives a restart; made 0700. */
  readonly state: string
  /** Variables and home of the process. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly models: Models
  readonly lookUp: LookUp
  readonly guard?: { readonly mode: 'observe' | 'enforce'; readonly policy: Policy }
  readonly denyNetwork?: boolean
  readonly operator?: OperatorOptions
  readonly hooks?: HookOptions
  readonly allowWeaker?: boolean
  /** Where the object store of `gs://` answers. */
  readonly objects?: string
  readonly clock?: Clock
  /** Takes what a person may want to know. */
  readonly tell: (event: RuntimeEvent) => void
}

export interface Managed extends Runtime {
  /** Kills what runs and gives everything back; files stay. */
  close(): Promise<void>
}

/** The clock of the machine. */
const systemClock: Clock = {
  now: Date.now,
  after(ms, then) {
    // Longer than a timer can wait: it is looked at again then.
    const most = 2 ** 31 - 1
    let timer: NodeJS.Timeout
    const wait = (left: number) => {
      timer = setTimeout(() => (left > most ? wait(left - most) : then()), Math.min(left, most)).unref()
    }
    wait(ms)
    return () => clearTimeout(timer)
  },
}

/** Whether another living process has the state directory. */
export const isTaken = (state: string): boolean => isTakenByOther(join(state, 'sandbox'))

/** Opens the runtime. Rejects with a sentence where the machine cannot isolate programs, or the options make no sense. */
export async function openManaged(options: ManagedOptions): Promise<Managed> {
  const { state, env, home, tell } = options
  const given = options.clock ?? systemClock
  // Parts hand its functions on by themselves.
  const clock: Clock = { now: () => given.now(), after: (ms, then) => given.after(ms, then) }
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const report: Report = (event) => tell({ ...event, at: clock.now() })
  // The token endpoints of credentials are reached by the same policy as everything else.
  let ask: (request: OutRequest) => Promise<OutAnswer>
  const key = keyOfEnv(env)
  const credentials = createCredentials({
    ...{ dir: join(state, 'credentials'), clock },
    ...(key === undefined ? {} : { key }),
    request: (request) => ask(request),
  })
  const egress = createEgress({
    ...{ dir: join(state, 'doors'), clock, report, secrets: credentials },
    ...(options.operator === undefined ? {} : { operator: options.operator }),
  })
  ask = (request) => egress.request(undefined, 'credentials', request)
  const environments = await openEnvironments({
    ...{ state: join(state, 'sandbox'), egress, credentials, clock, report },
    ...(options.allowWeaker ? { allowWeaker: true } : {}),
    ...(options.objects === undefined ? {} : { objects: options.objects }),
  })
  const { guard } = options
  return {
    ...{ environments, egress, credentials, clock, report, state },
    hooks: makeHooks(options.hooks),
    gate: outputGate(state, env, home, options.lookUp, report),
    ...(guard === undefined ? {} : { guard: guardGate(environments, guard.policy, guard.mode) }),
    ...(options.denyNetwork ? { denyNetwork: true } : {}),
    model: options.models,
    async close() {
      await environments.close()
      await egress.close()
    },
  }
}
