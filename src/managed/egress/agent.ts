/** Kept connections to upstreams, by name and port, each dialled and judged by our own dialer. */
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import type { Socket } from 'node:net'
import type { Destination, Dialer } from './dial.ts'
import { hostText } from './names.ts'

/** An upstream connection that lay idle for longer is not used again: many servers close at five seconds. */
const IDLE_MS = 4000

export type UpstreamArgs = ClientRequestArgs & { readonly to: Destination }

type Made = (error: Error | null, socket: Socket) => void

export class UpstreamAgent extends Agent {
  readonly #dialer: Dialer

  constructor(dialer: Dialer) {
    super({ keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 64, timeout: IDLE_MS } satisfies AgentOptions)
    this.#dialer = dialer
  }

  override getName(options?: ClientRequestArgs): string {
    const { to } = options as UpstreamArgs
    return `${to.secure ? 'https' : 'http'}://${hostText(to.host)}:${to.port}`
  }

  override createConnection(options: ClientRequestArgs, made?: Made): undefined {
    this.#dialer.dial((options as UpstreamArgs).to).then(
      (socket) => made?.(null, socket),
      (error: Error) => made?.(error, undefined as never),
    )
  }

  /** Closes what is idle; what is in use goes on. */
  closeIdle(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }
}
