/** Reads where a request wants to go, and refuses what two readers of HTTP could understand in two ways. */
import type { IncomingMessage } from 'node:http'
import { valuesOf } from './headers.ts'
import { type Host, hostText, PATH, readAuthority, readTarget, sameHost, type Target } from './names.ts'
import { Refused } from './policy.ts'

/** What is known of a connection before its first request. */
export type Place =
  /** A client that knows that it speaks to a proxy. */
  | { readonly is: 'proxy' }
  /** Inside a tunnel, TLS or a captured connection: the host is settled, but for captured clear text to no known name. */
  | { readonly is: 'inside'; readonly secure: boolean; readonly host: Host | undefined; readonly port: number }

const malformed = (what: string): Refused => new Refused('form', `Bad request: ${what}.`, 400)

/** The destination of a request. Throws Refused: 400 for what is malformed, 421 where Host and connection disagree. */
export function targetOf(req: IncomingMessage, place: Place): Target {
  const url = req.url ?? ''
  const hosts = valuesOf(req.rawHeaders, 'host')
  if (req.httpVersion !== '1.1' && req.httpVersion !== '1.0') throw malformed('only HTTP/1.1 is spoken here')
  if (hosts.length > 1) throw malformed('it has more than one Host header')
  const codings = valuesOf(req.rawHeaders, 'transfer-encoding')
  if (codings.length > 0) {
    if (valuesOf(req.rawHeaders, 'content-length').length > 0)
      throw malformed('it has both Content-Length and Transfer-Encoding')
    if (codings.length > 1 || codings[0]!.trim().toLowerCase() !== 'chunked')
      throw malformed('its Transfer-Encoding is not plainly chunked')
  }
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(url)
  if (place.is === 'proxy') {
    if (!absolute) throw malformed('a proxy needs the full address, as in GET http://host/path')
    // With the absolute form the Host header says nothing: the address decides, and is what is sent on.
    return absoluteTarget(url)
  }
  const target = absolute ? absoluteTarget(url) : originTarget(url, hosts[0], place)
  agree(target, place, absolute)
  if (absolute && hosts[0] !== undefined) agree(originTarget('/', hosts[0], place), place, false)
  // A Host header may leave out a port that is not the default.
  return { ...target, port: place.port }
}

function absoluteTarget(url: string): Target {
  const target = readTarget(url)
  if ('wrong' in target) throw malformed(`its address ${target.wrong}`)
  return target
}

function originTarget(url: string, host: string | undefined, place: Place & { is: 'inside' }): Target {
  if (!PATH.test(url)) throw malformed('its path holds a character that must be escaped')
  if (host === undefined) {
    if (place.host === undefined) throw malformed('it has no Host header')
    return { secure: place.secure, host: place.host, port: place.port, path: url }
  }
  const authority = readAuthority(host.trim())
  if ('wrong' in authority) throw malformed(`its Host header ${authority.wrong}`)
  return { secure: place.secure, host: authority.host, port: authority.port ?? (place.secure ? 443 : 80), path: url }
}

function agree(target: Target, place: Place & { is: 'inside' }, absolute: boolean): void {
  const port = target.port === place.port || (!absolute && target.port === (place.secure ? 443 : 80))
  const host = place.host === undefined || sameHost(target.host, place.host)
  if (host && port && target.secure === place.secure) return
  throw new Refused(
    'agreement',
    `Blocked: this connection was opened to ${place.host === undefined ? 'an address' : hostText(place.host)} on port ${place.port}, but the request names ${hostText(target.host)}; host names of connection and request must agree.`,
    421,
  )
}
