/** Whether the network rules of an environment let an http hook out. */
import type { Network } from '../../managed/contract.ts'

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|169\.254\.\d+\.\d+|\[::1?\])$/

/** Why `url` cannot be called; undefined where it can, as far as that shows without a look-up. */
export function refusedBy(network: Network, url: URL): string | undefined {
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  if (LOOPBACK.test(host)) return `${host} is this machine itself, which the proxy blocks`
  if (network === undefined) return undefined
  const list = network === 'disabled' ? 'disabled' : network.allowlist
  if (list === 'disabled') return 'the network is disabled'
  const named = list.some(({ domain }) => {
    const name = domain.toLowerCase()
    return name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)))
  })
  return named ? undefined : `${host} is not on the allowlist`
}
