/** A runtime of sandboxes on a scratch directory, with a door that is a small HTTP server, and a clock that tests turn. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { need } from '../../../test/need.ts'
import type {
  Clock,
  Egress,
  EgressDoor,
  Environments,
  Network,
  OutAnswer,
  OutRequest,
  RuntimeEvent,
} from '../contract.ts'
import { openEnvironments, type SandboxOptions } from './environments.ts'

/** Time that stands still until it is turned, but real for what runs. */
export class TestClock implements Clock {
  #offset = 0
  readonly #waiting = new Set<Due>()

  now(): number {
    return Date.now() + this.#offset
  }

  after(ms: number, then: () => void): () => void {
    const due: Due = {
      at: this.now() + ms,
      fire: () => {
        cancel()
        then()
      },
    }
    const timer = setTimeout(() => due.fire(), Math.min(ms, 2 ** 31 - 1))
    timer.unref()
    const cancel = () => {
      this.#waiting.delete(due)
      clearTimeout(timer)
    }
    this.#waiting.add(due)
    return cancel
  }

  /** Moves on, running what falls due in its order. */
  turn(ms: number): void {
    this.#offset += ms
    const due = [...this.#waiting].filter((one) => one.at <= this.now()).sort((a, b) => a.at - b.at)
    for (const one of due) one.fire()
  }
}

interface Due {
  readonly at: number
  fire(): void
}

/** What the door saw: the opening line of each connection. */
export class StubEgress implements Egress {
  readonly openings: string[] = []
  readonly doors = new Map<string, Network>()
  answer: ((request: OutRequest) => OutAnswer | Promise<OutAnswer>) | undefined
  /** Takes a connection after its opening line; answers a page by itself where absent. */
  serve: ((opening: string, socket: Socket, first: Buffer) => void) | undefined
  readonly #directory: string
  readonly #servers: Server[] = []

  constructor(directory: string) {
    this.#directory = directory
  }

  async open(id: string, network: Network): Promise<EgressDoor> {
    const socket = join(this.#directory, `${id.slice(-12)}.sock`)
    const caFile = join(this.#directory, 'ca.pem')
    writeFileSync(caFile, 'no certificate\n')
    rmSync(socket, { force: true })
    const server = createServer({ allowHalfOpen: true }, (connection) => this.#take(connection))
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    this.#servers.push(server)
    this.doors.set(id, network)
    return {
      socket,
      caFile,
      bundleFile: caFile,
      variables: (bundle, ca) => ({ SSL_CERT_FILE: bundle, NODE_EXTRA_CA_CERTS: ca }),
      setNetwork: (next) => void this.doors.set(id, next),
      close: async () => {
        this.doors.delete(id)
        server.close()
      },
    }
  }

  check(): void {}

  async request(_network: Network, _id: string, request: OutRequest): Promise<OutAnswer> {
    return this.answer?.(request) ?? { ok: false, why: 'no upstream', refused: false, timedOut: false }
  }

  async selfTest(): Promise<void> {}

  async close(): Promise<void> {
    for (const server of this.#servers) server.close()
  }

  #take(connection: Socket): void {
    let head = Buffer.alloc(0)
    connection.on('error', () => {})
    const onData = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf(10)
      if (end < 0) return
      connection.off('data', onData)
      const opening = head.toString('utf8', 0, end)
      this.openings.push(opening)
      const rest = head.subarray(end + 1)
      if (this.serve !== undefined) return this.serve(opening, connection, rest)
      connection.resume()
      connection.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\ndoor\n')
    }
    connection.on('data', onData)
  }
}

export interface Lab {
  readonly environments: Environments
  readonly clock: TestClock
  /** Where the lab was given no other egress. */
  readonly egress: StubEgress
  readonly events: Omit<RuntimeEvent, 'at'>[]
  readonly state: string
  /** Runs one tool; the arguments as a model sends them. */
  tool(
    id: string,
    name: Parameters<Environments['tool']>[1],
    args: Record<string, unknown>,
  ): ReturnType<Environments['tool']>
  bash(id: string, code: string): ReturnType<Environments['tool']>
}

/** Programs that every sandbox needs; undefined where the test cannot run and is listed as such. */
export async function lab(t: TestContext, more: Partial<SandboxOptions> = {}): Promise<Lab | undefined> {
  for (const program of ['bwrap', 'bash', 'ip', 'nsenter', 'prlimit']) if (!need(t, program)) return undefined
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-sandbox-'))
  const state = join(directory, 'state')
  const clock = new TestClock()
  const egress = new StubEgress(directory)
  const events: Omit<RuntimeEvent, 'at'>[] = []
  const environments = await openEnvironments({
    state,
    egress,
    clock,
    credentials: { placeholder: (id) => (id === 'known' ? '__GEMINI_CRED_known__' : undefined) },
    report: (event) => void events.push(event),
    ...more,
  })
  t.after(async () => {
    await environments.close()
    await egress.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const signal = new AbortController().signal
  const tool: Lab['tool'] = (id, name, args) => environments.tool(id, name, args, signal)
  return {
    environments,
    clock,
    egress,
    events,
    state,
    tool,
    bash: (id, code) => tool(id, 'code_execution', { code, language: 'bash' }),
  }
}
