/** Carries every connection of a sandbox to the door of its environment (`EgressDoor`). */
import type { Socket as Datagrams } from 'node:dgram'
import { connect, type Server, type Socket } from 'node:net'
import { answerQuery, Names } from './dns.ts'
import { PROXY_PORT } from './opener.ts'

/** A sandbox that opens more at once waits in the kernel's queue or is refused. */
const MOST_CONNECTIONS = 1024

/** The sockets of one network namespace, served until `close`. */
export class Relay {
  readonly #door: string
  readonly #names = new Names()
  readonly #servers: Server[] = []
  readonly #open = new Set<Socket>()
  #dns: Datagrams | undefined

  constructor(door: string) {
    this.#door = door
  }

  /** Serves a listening socket; `port` is the one that programs connect to. */
  serve(server: Server, port: number): void {
    // One direction may end before the other; Node reads these two when a connection comes in.
    Object.assign(server, { allowHalfOpen: true, maxConnections: MOST_CONNECTIONS })
    server.on('connection', (socket) => this.#carry(socket, port))
    server.on('error', () => {})
    this.#servers.push(server)
  }

  answer(dns: Datagrams): void {
    dns.on('message', (query, from) => {
      const answer = answerQuery(query, this.#names)
      if (answer !== undefined) dns.send(answer, from.port, from.address, () => {})
    })
    dns.on('error', () => {})
    this.#dns = dns
  }

  close(): void {
    for (const server of this.#servers) server.close()
    for (const socket of this.#open) socket.destroy()
    this.#dns?.close()
  }

  #carry(socket: Socket, port: number): void {
    const opening = port === PROXY_PORT ? { to: 'proxy' } : this.#addressed(socket, port)
    const door = connect({ path: this.#door, allowHalfOpen: true })
    for (const [one, other] of [
      [socket, door],
      [door, socket],
    ] as const) {
      this.#open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#open.delete(one)
        // What was read is still to be delivered; a reset is passed on.
        if (!one.readableEnded) other.destroy()
      })
    }
    door.write(`${JSON.stringify(opening)}\n`)
    socket.pipe(door)
    door.pipe(socket)
  }

  #addressed(socket: Socket, port: number): object {
    const address = (socket.localAddress ?? '').replace(/^::ffff:/, '')
    const name = this.#names.nameOf(address)
    return { to: 'address', address, ...(name === undefined ? {} : { name }), port }
  }
}
