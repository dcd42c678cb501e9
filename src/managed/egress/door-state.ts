/** What the parts of one environment's proxy share. */
import type { Report } from '../contract.ts'
import type { UpstreamAgent } from './agent.ts'
import type { Authority } from './ca.ts'
import type { Dialer } from './dial.ts'
import { Failed } from './failure.ts'
import { type Host, hostText } from './names.ts'
import type { Swap } from './placeholders.ts'
import { type Permit, type Policy, permit, Refused } from './policy.ts'
import type { Secrets } from './secrets.ts'

/** How something came to the proxy. */
export type Way = 'connect' | 'http' | 'upgrade' | 'transparent' | 'runtime'

/** What a request is judged by. */
export interface Judging {
  readonly environment: string
  readonly policy: Policy
  readonly secrets: Secrets
  readonly swap: Swap
  readonly report: Report
}

export interface Door extends Judging {
  readonly authority: Authority
  readonly dialer: Dialer
  readonly agent: UpstreamAgent
  readonly flows: Flows
  /** Replaced as a whole; read anew at each request. */
  policy: Policy
}

/** Something that is under way to a destination. */
interface Flow {
  readonly host: Host
  readonly port: number
  /** Bytes pass unread: whether they may go on to do so under this permit. */
  readonly unread?: (permit: Permit) => boolean
  readonly end: () => void
}

/** All that is under way, so that it ends when a rule that allowed it is gone. */
export class Flows {
  readonly #flows = new Set<Flow>()

  /**
   * Judged once more: rules may have changed since the destination was permitted, while a name, a token or a body was
   * waited for. The answer takes it off the list. Throws Refused.
   */
  add(policy: Policy, flow: Flow): () => void {
    holds(policy, flow)
    this.#flows.add(flow)
    return () => void this.#flows.delete(flow)
  }

  /** Ends what the policy no longer lets through. */
  judge(policy: Policy): void {
    for (const flow of this.#flows) {
      try {
        holds(policy, flow)
      } catch {
        flow.end()
      }
    }
  }

  endAll(): void {
    for (const flow of this.#flows) flow.end()
  }
}

/** Throws Refused where the flow may not go on under this policy. */
function holds(policy: Policy, { host, port, unread }: Flow): void {
  const allowed = permit(policy, host, port)
  if (unread?.(allowed) === false)
    throw new Refused(
      'allowlist',
      `Blocked: the network rules of this environment changed, and what is sent to ${hostText(host)} must be read now.`,
    )
}

/** Judges and says so when the answer is no. Throws Refused. */
export function permitOrReport(door: Judging, way: Way, host: Host, port: number): Permit {
  try {
    return permit(door.policy, host, port)
  } catch (error) {
    reportProblem(door, way, host, port, error)
    throw error
  }
}

/** The event of a way out that was opened. */
export function reportAllowed(door: Judging, way: Way, to: Permit, more: Readonly<Record<string, unknown>>): void {
  const where = `${hostText(to.host)}:${to.port}`
  door.report({
    kind: 'egress.allowed',
    environment: door.environment,
    text: `${where} was let through.`,
    detail: { host: hostText(to.host), port: to.port, way, ...more },
  })
}

/** The event of a refusal or a failure. Never holds a secret: sentences of ours name none. */
export function reportProblem(
  door: Judging,
  way: Way,
  host: Host | undefined,
  port: number | undefined,
  error: unknown,
): void {
  const refused = error instanceof Refused
  if (!refused && !(error instanceof Failed)) return
  door.report({
    kind: refused ? 'egress.refused' : 'egress.failed',
    environment: door.environment,
    text: error.message,
    detail: {
      ...(host === undefined ? {} : { host: hostText(host) }),
      ...(port === undefined ? {} : { port }),
      way,
      ...(refused ? { rule: error.kind } : {}),
    },
  })
}
