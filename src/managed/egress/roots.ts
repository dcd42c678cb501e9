/** The certificates that servers are verified by. */
import { getCACertificates } from 'node:tls'

/** The certificates (PEM) that this machine trusts: the system's store, or Node's where that is empty, and `NODE_EXTRA_CA_CERTS`. */
export function systemRoots(): readonly string[] {
  const system = getCACertificates('system')
  return [...new Set([...(system.length > 0 ? system : getCACertificates('bundled')), ...getCACertificates('extra')])]
}
