/** Upstreams of our own with a test authority, whose logs are the judge, and clients that speak to a door. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import {
  createServer as createHttp,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Duplex, Readable } from 'node:stream'
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { Egress, EgressDoor, Network, RuntimeEvent } from '../contract.ts'
import { type Authority, createAuthority } from './ca.ts'
import { createEgress, type EgressOptions } from './egress.ts'
import type { OperatorOptions, Upstream } from './operator.ts'
import type { Secrets } from './secrets.ts'

/** One request that arrived. */
export interface Seen {
  readonly host: string
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [string, string])[]
  body: string
  bytes: number
}

export interface Lab {
  readonly egress: Egress
  readonly events: Omit<RuntimeEvent, 'at'>[]
  /** What the upstreams saw, connections without a request included in `connections`. */
  readonly seen: Seen[]
  connections: number
  readonly ca: Authority
  readonly upstreams: Readonly<Record<string, Upstream>>
  open(network: Network, credentials?: readonly string[], id?: string): Promise<EgressDoor>
  close(): Promise<void>
}

export interface LabOptions {
  /** `host:port` of upstreams; port 80 and those in `plain` speak clear text. */
  readonly hosts: readonly string[]
  readonly plain?: readonly string[]
  readonly secrets?: Secrets
  readonly operator?: OperatorOptions
  readonly answer?: RequestListener
  readonly upgrade?: (req: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** The name in the certificate of each upstream, where it is not its own. */
  readonly certificateFor?: (host: string) => string
  /** Certificates by an authority that nobody vouches for. */
  readonly badCa?: readonly string[]
  /** A raw TCP server in place of HTTP, by host:port. */
  readonly raw?: Readonly<Record<string, (socket: Socket) => void>>
  readonly clock?: EgressOptions['clock']
}

const CLOCK = { now: () => Date.now() }

/** Starts upstreams and an egress that knows them; `close` ends all. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const dir = mkdtempSync(join(tmpdir(), 'egress-lab-'))
  const [ca, other] = await Promise.all([createAuthority('test', CLOCK.now), createAuthority('stranger', CLOCK.now)])
  const seen: Seen[] = []
  const events: Omit<RuntimeEvent, 'at'>[] = []
  const servers: { close(): unknown; closeAllConnections?(): void }[] = []
  const sockets = new Set<Socket>()
  const upstreams: Record<string, Upstream> = {}
  const lab = { connections: 0 }
  for (const key of options.hosts) {
    const [host, port] = [key.slice(0, key.lastIndexOf(':')), Number(key.slice(key.lastIndexOf(':') + 1))]
    const listener: RequestListener = (req, res) => {
      const one = noted(req, key)
      seen.push(one)
      req.on('data', (part: Buffer) => {
        one.bytes += part.length
        if (one.body.length < 65_536) one.body += part.toString('latin1')
      })
      if (options.answer !== undefined) options.answer(req, res)
      else req.on('end', () => res.end(`hello from ${key}\n`))
    }
    const clear = port === 80 || options.plain?.includes(key) === true
    const raw = options.raw?.[key]
    const name = options.certificateFor?.(host) ?? host
    const signer = options.badCa?.includes(key) ? other : ca
    const context: SecureContext = await signer.contextFor(name)
    const server: Server = raw
      ? (createServer(raw) as never)
      : clear
        ? createHttp({ maxHeaderSize: 65_536 }, listener)
        : (createHttps(
            { SNICallback: (_, choose) => choose(null, context), maxHeaderSize: 65_536 },
            listener,
          ) as Server)
    if (!raw && options.upgrade) {
      const { upgrade } = options
      server.on('upgrade', (req, socket, head) => {
        seen.push(noted(req, key))
        upgrade(req, socket, head)
      })
    }
    server.on('connection', (socket) => {
      lab.connections++
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    servers.push(server)
    upstreams[key] = {
      address: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      ...(clear ? {} : { ca: ca.certificate }),
    }
  }
  const egress = createEgress({
    dir: join(dir, 'egress'),
    clock: options.clock ?? CLOCK,
    report: (event) => void events.push(event),
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    operator: {
      resolve: (wanted) => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND', wanted })),
      ...options.operator,
      upstreams: { ...upstreams, ...options.operator?.upstreams },
    },
  })
  let count = 0
  return Object.assign(lab, {
    egress,
    events,
    seen,
    ca,
    upstreams,
    open: (network: Network, credentials: readonly string[] = [], id = `env_${++count}`) =>
      egress.open(id, network, credentials),
    async close() {
      await egress.close()
      for (const socket of sockets) socket.destroy()
      for (const server of servers) server.close()
      rmSync(dir, { recursive: true, force: true })
    },
  })
}

function noted(req: IncomingMessage, host: string): Seen {
  const headers: [string, string][] = []
  for (let i = 0; i < req.rawHeaders.length; i += 2)
    headers.push([req.rawHeaders[i]!.toLowerCase(), req.rawHeaders[i + 1]!])
  return { host, method: req.method ?? '', url: req.url ?? '', headers, body: '', bytes: 0 }
}

/** All values of a header that arrived. */
export const arrived = ({ headers }: Seen, name: string): readonly string[] =>
  headers.filter(([key]) => key === name).map(([, value]) => value)

export type First = Readonly<Record<string, unknown>>

/** A connection to a door, its first line sent. */
export async function knock(door: EgressDoor, first: First = { to: 'proxy' }): Promise<Socket> {
  const socket = connect(door.socket)
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(`${JSON.stringify(first)}\n`)
  return socket
}

/** Sends bytes and gathers what comes back until the connection ends, or for `ms`. */
export async function raw(door: EgressDoor, bytes: string | Buffer, first?: First, ms = 2000): Promise<string> {
  const socket = await knock(door, first)
  let text = ''
  socket.on('data', (part) => {
    text += part.toString('latin1')
  })
  socket.write(bytes)
  const timer = setTimeout(() => socket.destroy(), ms)
  await once(socket, 'close')
  clearTimeout(timer)
  return text
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Ask {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | readonly string[]
  /** A number: so many zero bytes, streamed. */
  readonly body?: string | Buffer | number
}

/** One HTTP request on a connection that stands; the connection ends with it. */
export function ask(socket: Duplex, { method = 'GET', path = '/', headers = {}, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = httpRequest({
      createConnection: () => socket,
      method,
      path,
      headers: headers as Record<string, string>,
      setHost: false,
    })
    req.on('error', reject)
    req.on('response', (res) => {
      let text = ''
      res.on('data', (part: Buffer) => {
        text += part.toString('latin1')
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }))
      res.on('error', reject)
    })
    if (typeof body === 'number') Readable.from(zeros(body)).pipe(req)
    else req.end(body)
  })
}

const BLOCK = Buffer.alloc(64 * 1024)

function* zeros(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= BLOCK.length) yield left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK
}

/** CONNECT; answers with the connection, or with the refusal. */
export async function tunnelTo(door: EgressDoor, target: string): Promise<{ socket: Socket } | Answer> {
  const socket = await knock(door)
  return new Promise((resolve, reject) => {
    const req = httpRequest({
      createConnection: () => socket,
      method: 'CONNECT',
      path: target,
      headers: { Host: target },
    })
    req.on('error', reject)
    req.on('connect', (res, tunnel: Socket, head) => {
      if (res.statusCode === 200) {
        if (head.length > 0) tunnel.unshift(head)
        resolve({ socket: tunnel })
        return
      }
      let text = head.toString('latin1')
      tunnel.on('data', (part: Buffer) => {
        text += part.toString('latin1')
      })
      tunnel.on('close', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body: text }))
    })
    req.end()
  })
}

/** TLS on a connection, trusting `ca`. */
export async function secure(socket: Socket, servername: string, ca: string): Promise<TLSSocket> {
  const tls = tlsConnect({ socket, servername, host: servername, ca, ALPNProtocols: ['http/1.1'] })
  await new Promise<void>((resolve, reject) => {
    tls.once('secureConnect', resolve)
    tls.once('error', reject)
    tls.once('close', () => reject(new Error('closed during the handshake')))
  })
  tls.on('error', () => {})
  return tls
}
