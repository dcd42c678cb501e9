/** Names of hosts in one spelling, so that rules compare equal things: lower case, A-labels, no trailing dots, plain addresses. */
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'

export type Host = { readonly is: 'name'; readonly name: string } | { readonly is: 'address'; readonly address: string }

/** `wrong` is the rest of a sentence that begins with the host. */
export type HostReading = { readonly host: Host } | { readonly wrong: string }

export interface Authority {
  readonly host: Host
  /** Undefined where none was written. */
  readonly port: number | undefined
}

export type AuthorityReading = Authority | { readonly wrong: string }

/** Characters that a host cannot hold and that parsers disagree about: controls, blanks, escapes, delimiters. */
const STRANGE = /[\0-\x20\x7f%#?/\\@<>^|`{}"]/
/** A name after conversion: labels of letters, digits, hyphens and underscores. */
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/
const LONGEST_NAME = 253

/** The way a host is written in a URL, a Host header or a log. */
export const hostText = (host: Host): string =>
  host.is === 'name' ? host.name : host.address.includes(':') ? `[${host.address}]` : host.address

export const sameHost = (a: Host, b: Host): boolean => a.is === b.is && hostText(a) === hostText(b)

/** The default port is left out, as in a Host header. */
export const authorityText = (host: Host, port: number, secure: boolean): string =>
  port === (secure ? 443 : 80) ? hostText(host) : `${hostText(host)}:${port}`

/**
 * Reads a host as somebody wrote it: a name in any case, with trailing dots or in Unicode, or an IPv4 address in any of
 * its old spellings (`127.1`, `0x7f.1`, `2130706433`), or an IPv6 address in brackets.
 */
export function readHost(written: string): HostReading {
  if (written === '') return { wrong: 'is empty' }
  if (STRANGE.test(written)) return { wrong: 'holds a character that no host name has' }
  if (written.startsWith('[')) {
    const inside = /^\[([0-9a-f:.]+)\]$/i.exec(written)?.[1]
    if (inside === undefined || !ipaddr.IPv6.isValid(inside)) return { wrong: 'is no IPv6 address' }
    return { host: { is: 'address', address: ipaddr.IPv6.parse(inside).toString() } }
  }
  if (written.includes(':') || written.includes('[') || written.includes(']')) return { wrong: 'is no host name' }
  // Unicode has four full stops; the conversion makes them one.
  const plain = written.replace(/[.\u3002\uff0e\uff61]+$/u, '')
  if (plain === '') return { wrong: 'is empty' }
  const ascii = domainToASCII(plain).replace(/\.+$/, '')
  if (ascii === '') return { wrong: 'cannot be converted to the form that DNS knows' }
  let parsed: string
  try {
    parsed = new URL(`http://${ascii}/`).hostname
  } catch {
    return { wrong: 'is neither a host name nor an address' }
  }
  if (ipaddr.IPv4.isValidFourPartDecimal(parsed)) return { host: { is: 'address', address: parsed } }
  if (parsed.length > LONGEST_NAME || !NAME.test(parsed)) return { wrong: 'is no host name' }
  return { host: { is: 'name', name: parsed } }
}

/** Reads `host` or `host:port` as in a Host header or a CONNECT target. User information is not part of it. */
export function readAuthority(written: string): AuthorityReading {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(written)
  if (match === null) return { wrong: 'is not of the form host:port' }
  const read = readHost(match[1]!)
  if ('wrong' in read) return read
  if (match[2] === undefined) return { host: read.host, port: undefined }
  const port = Number(match[2])
  return port >= 1 && port <= 65_535 ? { host: read.host, port } : { wrong: 'names a port that does not exist' }
}

export interface Target {
  readonly secure: boolean
  readonly host: Host
  readonly port: number
  /** Path and query as they were written; at least `/`. */
  readonly path: string
}

/** Reads an absolute URL of http or https. User information is dropped: the host is what stands behind the last `@`. */
export function readTarget(url: string): Target | { readonly wrong: string } {
  const match = /^(https?):\/\/([^/?#]*)([^#]*)/i.exec(url)
  if (match === null) return { wrong: 'is no address of http or https' }
  const [, scheme, authority, rest] = match as unknown as [string, string, string, string]
  const read = readAuthority(authority.slice(authority.lastIndexOf('@') + 1))
  if ('wrong' in read) return read
  const secure = scheme.toLowerCase() === 'https'
  const path = rest.startsWith('/') ? rest : `/${rest}`
  if (!PATH.test(path)) return { wrong: 'holds a character that must be escaped' }
  return { secure, host: read.host, port: read.port ?? (secure ? 443 : 80), path }
}

/** Path and query as HTTP/1.1 allows them: visible ASCII. */
export const PATH = /^\/[\x21-\x7e]*$/
