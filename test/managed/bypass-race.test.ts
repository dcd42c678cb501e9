/** Rules that change while a destination is being reached: what was permitted before and is not any more gets no byte. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Network } from '../../src/managed/contract.ts'
import { UpstreamAgent } from '../../src/managed/egress/agent.ts'
import { type Authority, createAuthority } from '../../src/managed/egress/ca.ts'
import { connectionsOf } from '../../src/managed/egress/connection.ts'
import type { Dialer } from '../../src/managed/egress/dial.ts'
import { type Door, Flows } from '../../src/managed/egress/door-state.ts'
import { readOperator } from '../../src/managed/egress/operator.ts'
import { swapOf } from '../../src/managed/egress/placeholders.ts'
import { policyOf } from '../../src/managed/egress/policy.ts'
import type { Secrets } from '../../src/managed/egress/secrets.ts'

let authority: Authority
let upstream: Server
let port: number
/** What reached the upstream, whatever it was. */
let heard = ''
const open = new Set<Socket>()

before(async () => {
  authority = await createAuthority('race', Date.now)
  upstream = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.on('data', (part) => {
      heard += part.toString('latin1')
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  })
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  port = (upstream.address() as AddressInfo).port
})
after(() => upstream.close())

const list = (...domains: readonly (string | object)[]): Network => ({
  allowlist: domains.map((one) => (typeof one === 'string' ? { domain: one } : one)) as never,
})

interface Row {
  readonly name: string
  readonly first: string
  readonly from: Network
  /** What the client sends once the rules are others, if it was let in before. */
  readonly later?: string
  readonly to: Network
  /** Where it is held up: on the way to the address, or until its credential is there. */
  readonly slow: 'dial' | 'secret'
  readonly ports?: readonly number[]
}

const CONNECT = 'CONNECT a.test:9000 HTTP/1.1\r\nHost: a.test:9000\r\n\r\n'
const WITH_SECRET = { domain: 'a.test', credential: 'c' }
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAA\r\n'

const ROWS: readonly Row[] = [
  { name: 'a tunnel', first: CONNECT, later: 'hello', from: undefined, to: list('b.test'), slow: 'dial' },
  { name: 'a tunnel, all closed', first: CONNECT, later: 'hello', from: undefined, to: 'disabled', slow: 'dial' },
  {
    name: 'a tunnel that must be read now',
    first: CONNECT.replaceAll('9000', '443'),
    later: 'hello',
    from: undefined,
    to: list('a.test'),
    slow: 'dial',
  },
  {
    name: 'a tunnel to an added port, to which a header is set now',
    first: CONNECT,
    later: '\x00hello',
    from: list('a.test'),
    to: list({ domain: 'a.test', transform: { X: 'y' } }),
    slow: 'dial',
    ports: [9000],
  },
  {
    name: 'a request',
    first: 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n',
    from: list('a.test'),
    to: list('b.test'),
    slow: 'dial',
  },
  {
    name: 'a request that waits for its token',
    first: 'GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n',
    from: list(WITH_SECRET),
    to: list('b.test'),
    slow: 'secret',
  },
  {
    name: 'an upgrade',
    first: `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n${UPGRADE}\r\n`,
    from: list('a.test'),
    to: list('b.test'),
    slow: 'dial',
  },
  {
    name: 'an upgrade that waits for its token',
    first: `GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n${UPGRADE}\r\n`,
    from: list(WITH_SECRET),
    to: list('b.test'),
    slow: 'secret',
  },
]

/** Runs a row; `change` is what the rules become while it waits. Answers what the client was told. */
async function play(row: Row, change: Network): Promise<string> {
  heard = ''
  let waiting = () => {}
  let release = () => {}
  const waits = new Promise<void>((resolve) => {
    waiting = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hold = async (place: Row['slow']) => {
    if (place !== row.slow) return
    waiting()
    await released
  }
  const operator = readOperator({ ports: row.ports ?? [], upstreams: {} })
  const dialer: Dialer = {
    async dial() {
      await hold('dial')
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
  }
  const secrets: Secrets = {
    use: () => 'header',
    async header() {
      await hold('secret')
      return { name: 'Authorization', value: 'Bearer t' }
    },
    rejected: () => {},
    variable: () => undefined,
  }
  const door: Door = {
    ...{ environment: 'race', authority, dialer, secrets, report: () => {}, flows: new Flows() },
    agent: new UpstreamAgent(dialer),
    swap: swapOf([], secrets),
    policy: policyOf(row.from, operator),
  }
  const connections = connectionsOf(door)
  const front = createServer({ allowHalfOpen: true }, (socket) => connections.accept(socket))
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const client: Socket = connect((front.address() as AddressInfo).port, '127.0.0.1')
  let told = ''
  let later = row.later
  client.on('error', () => {})
  client.on('data', (part) => {
    told += part.toString('latin1')
    if (later === undefined || !/ 200 Connection/.test(told)) return
    client.write(later)
    later = undefined
  })
  client.write(`{"to":"proxy"}\n${row.first}`)
  // Under an allowlist a tunnel is dialled after its first bytes.
  if (row.ports !== undefined) client.write(row.later!)
  await waits
  door.policy = policyOf(change, operator)
  door.flows.judge(door.policy)
  release()
  for (const end = Date.now() + 1000; heard === '' && !client.closed && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 10))
  client.destroy()
  front.close()
  connections.close()
  door.agent.destroy()
  while (open.size > 0) await once([...open][0]!, 'close')
  return told
}

describe('rules that change meanwhile', () => {
  for (const row of ROWS)
    test(row.name, async () => {
      const told = await play(row, row.to)
      assert.equal(heard, '', told)
      // The same arrives where the rules stay as they were.
      await play(row, row.from)
      assert.notEqual(heard, '')
    })
})
