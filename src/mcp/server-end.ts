/** The server's end of a proxy: a program that is started, or an address. */
import { type ChildProcess, spawn } from 'node:child_process'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Json } from '../core/call.ts'
import { type End, LineEnd, type Message } from './end.ts'

/** Milliseconds from the end of its stdin to SIGTERM, and from there to SIGKILL. */
const GRACE_MS = 2_000

/** Starts a program with the environment of ours; its stderr is ours. Rejects where it cannot be started. */
export async function programEnd(argv: readonly string[], cwd: string): Promise<End> {
  const [program, ...args] = argv
  const child = spawn(program!, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  return new LineEnd(child.stdout, child.stdin, () => stop(child))
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise<true>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(true)
    else child.once('exit', () => resolve(true))
  })
  child.stdin?.end()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (await within(ended, GRACE_MS)) return
    child.kill(signal)
  }
  await within(ended, GRACE_MS)
}

async function within(ended: Promise<true>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([ended, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A server that speaks HTTP (streamable). `headers` go along with every request. */
export function addressEnd(url: URL, headers: Readonly<Record<string, string>>): End {
  return new AddressEnd(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
}

class AddressEnd implements End {
  readonly #transport: StreamableHTTPClientTransport
  #take: (message: Message) => Promise<void> = async () => {}
  #initialize: Json | undefined

  constructor(transport: StreamableHTTPClientTransport) {
    this.#transport = transport
  }

  run(take: (message: Message) => Promise<void>): Promise<void> {
    this.#take = take
    return new Promise((resolve, reject) => {
      const transport = this.#transport
      transport.onmessage = (message) => {
        this.#noteVersion(message as unknown as Json)
        this.#take({ value: message as unknown as Json }).catch(reject)
      }
      transport.onclose = () => resolve()
      // A stream that was cut is taken up again by the transport; a request that fails is told to who sent it.
      transport.onerror = () => {}
      transport.start().catch(reject)
    })
  }

  /** Later requests name the version that was agreed on. */
  #noteVersion(message: Json): void {
    const { id, result } = message as { readonly id?: Json; readonly result?: { readonly protocolVersion?: Json } }
    if (this.#initialize === undefined || id !== this.#initialize) return
    this.#initialize = undefined
    if (typeof result?.protocolVersion === 'string') this.#transport.setProtocolVersion(result.protocolVersion)
  }

  async send({ value }: Message): Promise<void> {
    const { id, method } = (value ?? {}) as { readonly id?: Json; readonly method?: Json }
    const sent = this.#transport.send(value as unknown as JSONRPCMessage)
    if (method === 'initialize' || id === undefined) {
      if (method === 'initialize') this.#initialize = id
      await sent
      return
    }
    // An answer may take long, and what follows (a cancellation of it) must not wait for it.
    sent.catch((error: Error) => {
      if (method === undefined) return
      const message = `the server cannot be reached: ${error.message}`
      this.#take({ value: { jsonrpc: '2.0', id, error: { code: -32000, message } } }).catch(() => {})
    })
  }

  async close(): Promise<void> {
    await this.#transport.terminateSession().catch(() => {})
    await this.#transport.close()
  }
}
