/** Whether the network rules of an environment let an http hook out. */
import type { Network } from '../../managed/contract.ts'
import { readTarget } from '../../managed/egress/names.ts'
import { readOperator } from '../../managed/egress/operator.ts'
import { permit, policyOf, Refused } from '../../managed/egress/policy.ts'

/** Why `url` cannot be called; undefined where it can, as far as that shows without a look-up. */
export function refusedBy(network: Network, url: URL): string | undefined {
  const target = readTarget(url.href)
  if ('wrong' in target) return `the address ${target.wrong}`
  try {
    permit(policyOf(network, readOperator({})), target.host, target.port)
    return undefined
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return error.message.replace(/^Blocked: |\.$/g, '')
  }
}
