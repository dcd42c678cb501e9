/** The one answer to "may this leave?" for every way out: plain http, CONNECT, upgrade, captured connections, the runtime's own requests. */
import type { Network } from '../contract.ts'
import { closedAddress, closedName } from './addresses.ts'
import { type Host, hostText } from './names.ts'
import type { Operator } from './operator.ts'
import { injects, type Rule, type Rules, readRules, ruleFor } from './rules.ts'

/** Kinds of rules that refuse, for events and sentences. */
export type RefusalKind =
  | 'disabled'
  | 'allowlist'
  | 'address'
  | 'port'
  | 'cleartext'
  | 'credential'
  | 'placeholder'
  | 'agreement'
  | 'form'

/** A way out that is closed. `sentence` is for the one who asked, often a model: what was blocked and by which kind of rule. */
export class Refused extends Error {
  readonly kind: RefusalKind
  readonly status: number
  constructor(kind: RefusalKind, sentence: string, status = 403) {
    super(sentence)
    this.kind = kind
    this.status = status
  }
}

export interface Policy {
  readonly rules: Rules
  readonly operator: Operator
}

/** Where a connection may go. `rule` decides what is set; absent where the network is open. */
export interface Permit {
  readonly host: Host
  readonly port: number
  readonly rule: Rule | undefined
}

/** Makes a policy of an environment's network. Throws ManagedError 400. */
export const policyOf = (network: Network, operator: Operator): Policy => ({ rules: readRules(network), operator })

/** Judges a destination by name and port, without any look-up. Throws Refused. */
export function permit(policy: Policy, host: Host, port: number): Permit {
  const { rules, operator } = policy
  const where = hostText(host)
  if (rules.mode === 'disabled')
    throw new Refused(
      'disabled',
      `Blocked: ${where} cannot be reached, because this environment has no network access.`,
    )
  const mapped = operator.upstreams.get(`${where}:${port}`) !== undefined
  const closed = host.is === 'name' ? closedName(host.name) : mapped ? undefined : closedAddress(host.address, operator)
  if (closed !== undefined) throw closedBy(where, closed)
  if (rules.mode === 'open') return { host, port, rule: undefined }
  if (host.is === 'address')
    throw new Refused(
      'allowlist',
      `Blocked: ${where} is an address, and the network allowlist of this environment lets only domain names through.`,
    )
  const rule = ruleFor(rules.rules, host.name)
  if (rule === undefined)
    throw new Refused('allowlist', `Blocked: ${where} is not on the network allowlist of this environment.`)
  if (!operator.ports.has(port))
    throw new Refused(
      'port',
      `Blocked: port ${port} of ${where} is closed by the port rule; under a network allowlist only ${[...operator.ports].join(', ')} can be reached.`,
    )
  return { host, port, rule }
}

/** Judges what a name resolved to; all of its addresses must be open. Throws Refused. */
export function permitAddresses(operator: Operator, host: Host, addresses: readonly string[]): void {
  for (const address of addresses) {
    const closed = closedAddress(address, operator)
    if (closed !== undefined) throw closedBy(hostText(host), closed, address)
  }
}

function closedBy(where: string, closed: string, address?: string): Refused {
  const what = address === undefined ? `${where} is ${closed}` : `${where} resolves to ${address}, ${closed}`
  return new Refused('address', `Blocked: ${what}, which the address rules of this runtime never let through.`)
}

/** Refuses to send over clear text what a rule would add to. Throws Refused. */
export function permitClear({ rule, host }: Permit): void {
  if (rule !== undefined && injects(rule))
    throw new Refused(
      'cleartext',
      `Blocked: ${hostText(host)} has a credential or header rule, which is never used over plain http; use https.`,
    )
}
