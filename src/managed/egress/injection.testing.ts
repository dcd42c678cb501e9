/** Upstreams and stored credentials for tests of what the proxy sets on requests. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AllowEntry, EgressDoor, OutAnswer, OutRequest } from '../contract.ts'
import { createCredentials } from '../credentials/credentials.ts'
import { type Answer, type Ask, ask, type Lab, type Seen, secure, startLab, tunnelTo } from './lab.testing.ts'

/** A part of every secret here, so that a leak is found by one search. */
export const SECRET = 's3cret-EXAMPLE'
const HOSTS = [
  'api.test:443',
  'api.test:80',
  'sub.api.test:443',
  'other.test:443',
  'json.test:443',
  'bad.test:443',
  'wrong.test:443',
]

export interface InjectionLab {
  readonly lab: Lab
  readonly dir: string
  readonly credentials: ReturnType<typeof createCredentials>
  /** How often the token endpoint was asked. */
  tokens: number
  close(): Promise<void>
}

/** Starts it: `bearer`, `key`, `var` (every place), `head` (headers alone) and `nowhere` are stored. */
export async function startInjection(): Promise<InjectionLab> {
  const state = { tokens: 0 }
  const dir = mkdtempSync(join(tmpdir(), 'injection-'))
  const clock = { now: () => Date.now() }
  const request = async ({ url }: OutRequest): Promise<OutAnswer> => {
    assert.equal(url, 'https://auth.test/token')
    state.tokens++
    const body = Buffer.from(JSON.stringify({ access_token: `${SECRET}-${state.tokens}`, expires_in: 3600 }))
    return { ok: true, status: 200, headers: {}, body, cut: false }
  }
  const credentials = createCredentials({ dir: join(dir, 'credentials'), clock, request })
  const lab = await startLab({
    hosts: HOSTS,
    secrets: credentials,
    badCa: ['bad.test:443'],
    certificateFor: (host) => (host === 'wrong.test' ? 'elsewhere.test' : host),
    answer: (req, res) => {
      if (req.url === '/away') res.writeHead(302, { Location: 'https://other.test/landed' }).end()
      else if (req.url === '/inside') res.writeHead(302, { Location: 'http://127.0.0.1/' }).end()
      else if (req.url === '/401') res.writeHead(401).end()
      else if (req.url === '/echo') res.end(JSON.stringify(req.headers))
      else req.on('end', () => res.end('hello\n')).resume()
    },
    upgrade: (req, socket, head) => {
      const accept = createHash('sha1')
        .update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64')
      if (req.url === '/no') {
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno\n')
        return
      }
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      )
      if (head.length > 0) socket.write(head)
      socket.pipe(socket)
    },
  })
  await credentials.create({ id: 'bearer', type: 'bearer_token', token: SECRET })
  await credentials.create({ id: 'key', type: 'bearer_token', token: SECRET, header_name: 'X-Api-Key', prefix: '' })
  await credentials.create({
    id: 'var',
    type: 'environment_variable',
    value: `${SECRET}/"1`,
    injection_location: ['header', 'query', 'body'],
    trusted_domains: ['api.test', 'json.test'],
  })
  await credentials.create({
    id: 'head',
    type: 'environment_variable',
    value: `${SECRET}-2`,
    injection_location: 'header',
    trusted_domains: ['*.api.test', 'api.test'],
  })
  await credentials.create({ id: 'nowhere', type: 'environment_variable', value: SECRET, injection_location: 'header' })
  return Object.assign(state, {
    lab,
    dir,
    credentials,
    async close() {
      await lab.close()
      rmSync(dir, { recursive: true, force: true })
    },
  })
}

/** One request over CONNECT and TLS. */
export async function through(door: EgressDoor, host: string, request: Ask): Promise<Answer> {
  const tunnel = await tunnelTo(door, `${host}:443`)
  if (!('socket' in tunnel)) return tunnel
  const tls = await secure(tunnel.socket, host, readFileSync(door.caFile, 'utf8'))
  const { headers = {} } = request
  return ask(tls, {
    ...request,
    headers: Array.isArray(headers) ? ['Host', host, ...headers] : { Host: host, ...headers },
  })
}

export interface Outcome {
  readonly answer: Answer
  readonly seen: readonly Seen[]
}

/** Runs `act` with a door of these rules, and says what arrived. */
export async function withDoor(
  lab: Lab,
  allowlist: readonly AllowEntry[] | undefined,
  ids: readonly string[],
  act: (door: EgressDoor) => Promise<Answer>,
): Promise<Outcome> {
  const door = await lab.open(allowlist === undefined ? undefined : { allowlist }, ids)
  const had = lab.seen.length
  try {
    return { answer: await act(door), seen: lab.seen.slice(had) }
  } finally {
    await door.close()
  }
}
