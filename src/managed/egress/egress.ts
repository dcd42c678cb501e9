/** The way out of environments: a door each, one policy, and requests that the runtime itself makes in their name. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Clock,
  type Egress,
  type EgressDoor,
  ManagedError,
  type Network,
  type OutAnswer,
  type Report,
} from '../contract.ts'
import { UpstreamAgent } from './agent.ts'
import { createAuthority } from './ca.ts'
import { connectionsOf } from './connection.ts'
import { dialerOf } from './dial.ts'
import { type Door, Flows } from './door-state.ts'
import { type OperatorOptions, readOperator } from './operator.ts'
import { swapOf } from './placeholders.ts'
import { policyOf } from './policy.ts'
import { sendFor } from './request.ts'
import { systemRoots } from './roots.ts'
import { type Rules, readRules } from './rules.ts'
import { NO_SECRETS, type Secrets } from './secrets.ts'
import { testDoor } from './self-test.ts'
import { trustVariables } from './variables.ts'
import { writeWhole } from './write-whole.ts'

export interface EgressOptions {
  /** A directory of ours, in no environment; each door gets one below it. */
  readonly dir: string
  readonly clock: Pick<Clock, 'now'>
  readonly report: Report
  readonly secrets?: Secrets
  readonly operator?: OperatorOptions
}

/** Paths of UNIX sockets are at most 107 bytes. */
const LONGEST_SOCKET = 100
/** Connections of one sandbox at a time. */
const MOST_CONNECTIONS = 1024

/** Throws one sentence where the operator's options make no sense. */
export function createEgress(options: EgressOptions): Egress {
  const operator = readOperator(options.operator ?? {})
  const secrets = options.secrets ?? NO_SECRETS
  const dialer = dialerOf(operator)
  const open = new Map<string, { readonly state: Door; readonly door: EgressDoor }>()
  const opening = new Set<string>()

  const warn = (environment: string, rules: Rules) => {
    if (rules.mode === 'allowlist')
      for (const text of rules.warnings) options.report({ kind: 'egress.warning', environment, text })
  }

  async function openDoor(id: string, network: Network, credentials: readonly string[]): Promise<EgressDoor> {
    if (open.has(id) || opening.has(id))
      throw new ManagedError(409, 'aborted', `The door of the environment ${id} is open already.`)
    opening.add(id)
    try {
      return await opened(id, network, credentials)
    } finally {
      opening.delete(id)
    }
  }

  async function opened(id: string, network: Network, credentials: readonly string[]): Promise<EgressDoor> {
    const policy = policyOf(network, operator)
    warn(id, policy.rules)
    const authority = await createAuthority(id, options.clock.now)
    const state: Door = {
      environment: id,
      authority,
      dialer,
      agent: new UpstreamAgent(dialer),
      secrets,
      swap: swapOf(credentials, secrets),
      report: options.report,
      flows: new Flows(),
      policy,
    }
    const dir = join(options.dir, encodeURIComponent(id))
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    // What the operator's own servers are verified by is trusted inside too, since open tunnels reach them unread.
    const mapped = [...new Set([...operator.upstreams.values()].flatMap(({ ca }) => (ca === undefined ? [] : [ca])))]
    const own = [authority.certificate, ...mapped].map((pem) => `${pem.trim()}\n`).join('')
    const [caFile, bundleFile] = [join(dir, 'ca.pem'), join(dir, 'bundle.pem')]
    writeWhole(caFile, own, 0o644)
    writeWhole(
      bundleFile,
      `${systemRoots()
        .map((pem) => `${pem.trim()}\n`)
        .join('')}${own}`,
      0o644,
    )
    const connections = connectionsOf(state)
    const { server, socket, scratch } = await listen(dir, (one) => connections.accept(one))
    const door: EgressDoor = {
      socket,
      caFile,
      bundleFile,
      variables: trustVariables,
      setNetwork(next) {
        state.policy = policyOf(next, operator)
        warn(id, state.policy.rules)
        state.agent.closeIdle()
        state.flows.judge(state.policy)
      },
      async close() {
        if (open.get(id)?.door === door) open.delete(id)
        const closed = new Promise<void>((resolve) => server.close(() => resolve()))
        connections.close()
        state.flows.endAll()
        state.agent.destroy()
        for (const one of live) one.destroy()
        await closed
        rmSync(dir, { recursive: true, force: true })
        if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true })
      },
    }
    const live = new Set<{ destroy(): unknown }>()
    server.on('connection', (one) => {
      live.add(one)
      one.once('close', () => live.delete(one))
    })
    open.set(id, { state, door })
    return door
  }

  return {
    open: openDoor,
    check(network) {
      const rules = readRules(network)
      if (rules.mode !== 'allowlist') return
      for (const [i, { credential }] of rules.rules.entries()) {
        if (credential === undefined) continue
        const use = secrets.use(credential)
        const at = `network.allowlist[${i}].credential`
        if (use === undefined)
          throw new ManagedError(400, 'invalid_request', `${at}: there is no credential '${credential}'.`)
        if (use === 'placeholder')
          throw new ManagedError(
            400,
            'invalid_request',
            `${at}: '${credential}' is of the type environment_variable, which belongs into env, not into the allowlist.`,
          )
      }
    },
    request: (network, id, request): Promise<OutAnswer> =>
      sendFor({ network, id, request, state: open.get(id)?.state, operator, dialer, secrets, report: options.report }),
    selfTest: (door, network) => testDoor(door, readRules(network)),
    async close() {
      await Promise.all([...open.values()].map(({ door }) => door.close()))
    },
  }
}

async function listen(
  dir: string,
  accept: (socket: Socket) => void,
): Promise<{ readonly server: Server; readonly socket: string; readonly scratch: string | undefined }> {
  let socket = join(dir, 'door')
  let scratch: string | undefined
  if (Buffer.byteLength(socket) > LONGEST_SOCKET) {
    scratch = mkdtempSync(join(tmpdir(), 'sallyport-door-'))
    socket = join(scratch, 'door')
  }
  rmSync(socket, { force: true })
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  server.maxConnections = MOST_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // The directory is for the owner alone, so nobody could have come in between.
  chmodSync(socket, 0o600)
  return { server, socket, scratch }
}
