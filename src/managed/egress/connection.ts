/** What happens to one connection from a sandbox, from its first line to the server, tunnel or refusal that it ends in. */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { answerRaw } from './answers.ts'
import { type Door, permitOrReport, reportAllowed, reportProblem, type Way } from './door-state.ts'
import { failureOf } from './failure.ts'
import { type Host, hostText, readHost } from './names.ts'
import { type Permit, Refused } from './policy.ts'
import { injects } from './rules.ts'
import { type HttpSide, httpSide, type Speaker } from './server.ts'
import { sniff } from './sniff.ts'
import { terminate } from './terminate.ts'
import { join } from './tunnel.ts'

const LONGEST_LINE = 4096
const LINE_MS = 10_000
/** A client that was told to go on says something by then. */
const FIRST_MS = 60_000
/** On ports that an operator added a server may speak first: a client so long silent waits for it. */
const SERVER_FIRST_MS = 300

/** The line before the bytes, as the contract's `EgressDoor` tells. */
type Header =
  | { readonly to: 'proxy' }
  | { readonly to: 'address'; readonly address: string; readonly port: number; readonly name: string | undefined }

export interface Connections {
  accept(socket: Socket): void
  close(): void
}

export function connectionsOf(door: Door): Connections {
  const http: HttpSide = httpSide(door, (socket, head, host, port) => void connect(socket, head, host, port))

  const accept = (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    readHeader(socket).then(
      (header) => {
        if (header.to === 'proxy') http.speak(socket, { place: { is: 'proxy' }, way: 'http' })
        else void captured(socket, header)
      },
      () => socket.destroy(),
    )
  }

  async function connect(socket: Duplex, head: Buffer, host: Host, port: number): Promise<void> {
    socket.on('error', () => socket.destroy())
    if (head.length > 0) socket.unshift(head)
    let permit: Permit
    try {
      permit = permitOrReport(door, 'connect', host, port)
      if (passesUnread(permit)) {
        await tunnel(socket, permit, 'connect', () => socket.write(ESTABLISHED))
        return
      }
    } catch (error) {
      answerRaw(socket, error instanceof Refused ? error : failureOf(error, hostText(host)))
      return
    }
    socket.write(ESTABLISHED)
    await inside(socket, permit, 'connect')
  }

  /** A connection of a program that knows of no proxy. */
  async function captured(socket: Socket, header: Header & { to: 'address' }): Promise<void> {
    const { port } = header
    const name = header.name === undefined ? undefined : readHost(header.name)
    const address = readHost(header.address.includes(':') ? `[${header.address}]` : header.address)
    if ((name !== undefined && 'wrong' in name) || 'wrong' in address) {
      reportProblem(
        door,
        'transparent',
        undefined,
        port,
        new Refused('form', 'Blocked: a name or address makes no sense.'),
      )
      socket.destroy()
      return
    }
    const listed = door.policy.rules.mode === 'allowlist'
    // Under an allowlist an address says nothing: the name in the handshake or in Host is judged, and is what is dialled.
    const host = name?.host ?? (listed ? undefined : address.host)
    if (host === undefined) {
      await unnamed(socket, port)
      return
    }
    try {
      const permit = permitOrReport(door, 'transparent', host, port)
      if (passesUnread(permit)) await tunnel(socket, permit, 'transparent', () => {})
      else await inside(socket, permit, 'transparent')
    } catch (error) {
      await refuse(
        socket,
        error instanceof Refused ? error : new Refused('form', failureOf(error, hostText(host)).message, 502),
      )
    }
  }

  /** Where the network is open bytes pass unread, but for names to which a placeholder of this environment may be sent. */
  const passesUnread = ({ rule, host }: Permit): boolean => rule === undefined && !door.swap.trusts(host)

  /** On ports that an operator added other protocols than TLS and HTTP are let through, where nothing is to be set. */
  const passesAdded = ({ rule, port }: Permit): boolean => isAdded(port) && (rule === undefined || !injects(rule))

  async function tunnel(socket: Duplex, permit: Permit, way: Way, established: () => void): Promise<void> {
    const { host, port } = permit
    let upstream: Socket | undefined
    let leave: () => void
    try {
      const dialled = await door.dialer.dial({ host, port, secure: false, halfOpen: true })
      upstream = dialled
      leave = door.flows.add(door.policy, {
        host,
        port,
        unread: (now) => passesUnread(now) || passesAdded(now),
        end: () => {
          socket.destroy()
          dialled.destroy()
        },
      })
    } catch (error) {
      upstream?.destroy()
      const problem = error instanceof Refused ? error : failureOf(error, hostText(host))
      reportProblem(door, way, host, port, problem)
      throw problem
    }
    if (socket.destroyed) {
      leave()
      upstream.destroy()
      return
    }
    reportAllowed(door, way, permit, { opaque: true })
    established()
    join(socket, upstream, leave)
  }

  /** What a client says to a permitted host is read: TLS is ended here, clear text is HTTP. */
  async function inside(socket: Duplex, permit: Permit, way: Way): Promise<void> {
    const { host, port } = permit
    const first = await sniff(socket, isAdded(port) ? SERVER_FIRST_MS : FIRST_MS)
    if (first === 'tls') await ended(socket, host, port, way)
    else if (first === 'http' && port !== 443)
      http.speak(socket, { place: { is: 'inside', secure: false, host, port }, way })
    else if (first !== 'closed' && passesAdded(permit)) {
      try {
        await tunnel(socket, permit, way, () => {})
      } catch {
        socket.destroy()
      }
    } else close(socket, host, port, way, first)
  }

  async function unnamed(socket: Socket, port: number): Promise<void> {
    const first = await sniff(socket, FIRST_MS)
    if (first === 'tls') await ended(socket, undefined, port, 'transparent')
    else if (first === 'http' && port !== 443)
      http.speak(socket, { place: { is: 'inside', secure: false, host: undefined, port }, way: 'transparent' })
    else close(socket, undefined, port, 'transparent', first)
  }

  function close(socket: Duplex, host: Host | undefined, port: number, way: Way, first: string): void {
    if (first !== 'closed') {
      const where = host === undefined ? `port ${port}` : `${hostText(host)}:${port}`
      const why = `Blocked: what was sent to ${where} is neither TLS nor HTTP, so the network allowlist cannot judge it.`
      reportProblem(door, way, host, port, new Refused('form', why))
    }
    socket.destroy()
  }

  /** Ends TLS and goes on with HTTP inside it. */
  async function ended(
    socket: Duplex,
    expected: Host | undefined,
    port: number,
    way: Way,
    closed?: Refused,
  ): Promise<void> {
    try {
      const { tls, host } = await terminate(socket, door.authority, expected)
      const speaker: Speaker = { place: { is: 'inside', secure: true, host, port }, way }
      http.speak(tls, closed === undefined ? speaker : { ...speaker, closed })
    } catch (error) {
      reportProblem(door, way, expected, port, error)
    }
  }

  /** Tells a client that asked for no proxy why nothing comes, in the protocol that it speaks. */
  async function refuse(socket: Duplex, closed: Refused): Promise<void> {
    const first = await sniff(socket, SERVER_FIRST_MS)
    if (first === 'tls') await ended(socket, undefined, 443, 'transparent', closed)
    else if (first === 'http') answerRaw(socket, closed)
    else socket.destroy()
  }

  return { accept, close: () => http.close() }
}

const isAdded = (port: number): boolean => port !== 80 && port !== 443

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n'

/** Reads the first line; what follows it stays in the socket. Rejects where there is none. */
function readHeader(socket: Socket): Promise<Header> {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0)
    const settle = (then: () => void) => {
      clearTimeout(timer)
      socket.off('readable', look).off('close', gone).off('end', gone)
      then()
    }
    const gone = () => settle(() => reject(new Error('no header')))
    const look = () => {
      const part: Buffer | null = socket.read()
      if (part === null) return
      held = Buffer.concat([held, part])
      const cut = held.indexOf(10)
      if (cut < 0) {
        if (held.length > LONGEST_LINE) gone()
        return
      }
      settle(() => {
        const header = parseHeader(held.toString('utf8', 0, cut))
        if (header === undefined) reject(new Error('not a header'))
        else {
          if (cut + 1 < held.length) socket.unshift(held.subarray(cut + 1))
          resolve(header)
        }
      })
    }
    const timer = setTimeout(gone, LINE_MS)
    socket.on('readable', look).once('close', gone).once('end', gone)
  })
}

function parseHeader(line: string): Header | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const { to, address, port, name } = parsed as Record<string, unknown>
  if (to === 'proxy') return { to }
  if (to !== 'address' || typeof address !== 'string' || !Number.isInteger(port)) return undefined
  if ((port as number) < 1 || (port as number) > 65_535) return undefined
  if (name !== undefined && name !== null && typeof name !== 'string') return undefined
  return { to, address, port: port as number, name: typeof name === 'string' && name !== '' ? name : undefined }
}
