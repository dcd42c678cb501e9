/** What the person who runs the runtime settles for all environments; nothing here can be set from one. */
import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { type AddressRules, interfaceAddresses, readCidr } from './addresses.ts'
import { hostText, readAuthority } from './names.ts'

/** Where a mapped destination really lies. Address rules do not apply to it. */
export interface Upstream {
  readonly address: string
  readonly port: number
  /** Certificates (PEM) that vouch for it, in place of the system's. */
  readonly ca?: string
}

export interface OperatorOptions {
  /** Private networks that may be reached, such as `10.1.0.0/16`. */
  readonly allowPrivate?: readonly string[]
  /** Ports beside 80 and 443 that an allowlist opens. */
  readonly ports?: readonly number[]
  /** By `host:port`. */
  readonly upstreams?: Readonly<Record<string, Upstream>>
  /** All addresses of a name; the system's resolver where absent. */
  readonly resolve?: (name: string) => Promise<readonly string[]>
  /** The addresses of this machine; those of its interfaces where absent. */
  readonly ownAddresses?: () => readonly string[]
}

export interface Operator extends AddressRules {
  readonly ports: ReadonlySet<number>
  readonly upstreams: ReadonlyMap<string, Upstream>
  resolve(name: string): Promise<readonly string[]>
}

/** How long the list of interfaces is used before it is read again. */
const INTERFACES_MS = 2000

const systemResolve = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address)

/** Checks the operator's options. Throws one sentence. */
export function readOperator(options: OperatorOptions): Operator {
  const upstreams = new Map<string, Upstream>()
  for (const [key, upstream] of Object.entries(options.upstreams ?? {})) {
    const read = readAuthority(key)
    if ('wrong' in read || read.port === undefined)
      throw new Error(`the upstream ${JSON.stringify(key)} is not of the form host:port`)
    if (typeof upstream?.address !== 'string' || !ipaddr.isValid(upstream.address))
      throw new Error(`the upstream ${key} needs an address such as 127.0.0.1`)
    if (!isPort(upstream.port)) throw new Error(`the upstream ${key} needs a port from 1 to 65535`)
    upstreams.set(`${hostText(read.host)}:${read.port}`, upstream)
  }
  for (const port of options.ports ?? []) if (!isPort(port)) throw new Error(`${port} is no port`)
  return {
    allowPrivate: (options.allowPrivate ?? []).map(readCidr),
    ports: new Set([80, 443, ...(options.ports ?? [])]),
    upstreams,
    resolve: options.resolve ?? systemResolve,
    ownAddresses: options.ownAddresses ?? remembered(),
  }
}

const isPort = (port: unknown): boolean => Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65_535

function remembered(): () => readonly string[] {
  let [at, addresses] = [Number.NEGATIVE_INFINITY, [] as readonly string[]]
  return () => {
    const now = performance.now()
    if (now - at > INTERFACES_MS) [at, addresses] = [now, interfaceAddresses()]
    return addresses
  }
}

/**
 * Reads the operator's file of upstreams: `{"host:port": {"address", "port", "ca"}}`, where `ca` is PEM text or the path
 * of a PEM file, seen from the directory of the file. Throws one sentence that names the file.
 */
export function readUpstreams(file: string): Readonly<Record<string, Upstream>> {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`the file of upstreams ${file} is no JSON`)
    throw new Error(`the file of upstreams ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error(`the file of upstreams ${file} must hold an object by host:port`)
  const upstreams: Record<string, Upstream> = {}
  for (const [key, value] of Object.entries(parsed as Record<string, unknown>)) {
    const { address, port, ca, ...others } = (value ?? {}) as Record<string, unknown>
    const stray = Object.keys(others)[0]
    if (stray !== undefined) throw new Error(`the file of upstreams ${file}, ${key}: ${stray} is no key of an upstream`)
    if (ca !== undefined && typeof ca !== 'string')
      throw new Error(`the file of upstreams ${file}, ${key}: ca must be a string`)
    upstreams[key] = { address: address as string, port: port as number, ...(ca === undefined ? {} : { ca: pem(ca) }) }
  }
  try {
    readOperator({ upstreams })
  } catch (error) {
    throw new Error(`the file of upstreams ${file}: ${error instanceof Error ? error.message : error}`)
  }
  return upstreams

  function pem(ca: string): string {
    if (ca.includes('-----BEGIN')) return ca
    const path = isAbsolute(ca) ? ca : join(dirname(file), ca)
    try {
      return readFileSync(path, 'utf8')
    } catch {
      throw new Error(`the file of upstreams ${file} names the certificate ${path}, which cannot be read`)
    }
  }
}
