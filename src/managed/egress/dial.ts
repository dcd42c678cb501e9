/** Connections to the outside. A name is resolved once, all of its addresses are judged, and only those are dialled. */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { Failed } from './failure.ts'
import { type Host, hostText } from './names.ts'
import type { Operator } from './operator.ts'
import { permitAddresses } from './policy.ts'
import { systemRoots } from './roots.ts'

export interface Destination {
  readonly host: Host
  readonly port: number
  /** TLS with full verification. */
  readonly secure: boolean
  /** One side may end while the other goes on; for tunnels. */
  readonly halfOpen?: boolean
}

/** Name, connection and handshake together. */
const DIAL_MS = 15_000

export interface Dialer {
  /** A connected socket; with TLS, one whose certificate was verified. Rejects with Refused or with the platform's error. */
  dial(to: Destination): Promise<Socket>
}

export function dialerOf(operator: Operator): Dialer {
  let roots: SecureContext | undefined
  const contexts = new Map<string, SecureContext>()
  const contextFor = (ca: string | undefined): SecureContext => {
    if (ca === undefined) {
      roots ??= createSecureContext({ ca: [...systemRoots()], minVersion: 'TLSv1.2' })
      return roots
    }
    let context = contexts.get(ca)
    if (context === undefined) {
      context = createSecureContext({ ca, minVersion: 'TLSv1.2' })
      contexts.set(ca, context)
    }
    return context
  }

  return {
    async dial(to) {
      const deadline = performance.now() + DIAL_MS
      const mapped = operator.upstreams.get(`${hostText(to.host)}:${to.port}`)
      const addresses =
        mapped !== undefined
          ? [mapped.address]
          : to.host.is === 'address'
            ? [to.host.address]
            : await withDeadline(operator.resolve(to.host.name), deadline, to.host)
      if (addresses.length === 0) throw new Failed(`The name ${hostText(to.host)} has no address.`)
      if (mapped === undefined) permitAddresses(operator, to.host, addresses)
      const socket = await connected(addresses, mapped?.port ?? to.port, deadline, to)
      if (!to.secure) return socket
      return secured(socket, to.host, contextFor(mapped?.ca), deadline)
    },
  }
}

const tooLate = (host: Host): Failed => new Failed(`${hostText(host)} did not answer in time.`, 504)

async function withDeadline<T>(promise: Promise<T>, deadline: number, host: Host): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(host)), deadline - performance.now())
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The first of the addresses that answers; they are tried side by side as their families ask for. */
function connected(
  addresses: readonly string[],
  port: number,
  deadline: number,
  { host, halfOpen }: Destination,
): Promise<Socket> {
  const judged: LookupFunction = (_name, options, callback) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }))
    if (options.all) callback(null, all)
    else callback(null, all[0]!.address, all[0]!.family)
  }
  const socket = connectTcp({
    // Never looked up: `judged` answers. A literal address alone would skip it.
    host: addresses.length === 1 ? addresses[0]! : 'judged.invalid',
    port,
    lookup: judged,
    autoSelectFamily: true,
    allowHalfOpen: halfOpen === true,
    noDelay: true,
    keepAlive: true,
  })
  return settled(socket, 'connect', deadline, host)
}

function secured(socket: Socket, host: Host, secureContext: SecureContext, deadline: number): Promise<Socket> {
  const tls = connectTls({
    socket,
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(host.is === 'name' ? { servername: host.name, host: host.name } : { host: host.address }),
  })
  return settled(tls, 'secureConnect', deadline, host)
}

function settled<S extends Socket>(socket: S, event: string, deadline: number, host: Host): Promise<S> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(tooLate(host)), deadline - performance.now())
    const fail = (error?: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error ?? Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    }
    socket.once('error', fail)
    socket.once('close', fail)
    socket.once(event, () => {
      clearTimeout(timer)
      socket.off('error', fail)
      socket.off('close', fail)
      resolve(socket)
    })
  })
}
