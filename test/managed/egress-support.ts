/** A running server whose upstreams lie on loopback; programs inside a sandbox try, and the log of the upstreams is the judge. */
import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import { WebSocketServer } from 'ws'
import { type Lab, type Seen, startLab } from '../../src/managed/egress/lab.testing.ts'
import { need } from '../need.ts'
import { canIsolate, command, type Running, resultsOf, startRuntime } from './support.ts'

const HOSTS = [
  'example.test:443',
  'example.test:80',
  'a.example.test:443',
  'a.b.example.test:443',
  'evilexample.test:443',
  'example.test.evil.tld:443',
  'api.example.test:443',
  'api.example.test:80',
  'api.example.test:8443',
  'api.example.test:22',
  'other.test:443',
  'auth.test:443',
  'bad-ca.test:443',
  'bad-name.test:443',
  'ws.test:443',
]

export let lab: Lab
export let server: Running | undefined
/** Names that were looked up, and what they are answered with. */
export const asked: string[] = []
export const names: Readonly<Record<string, readonly string[]>> = {
  'to-loopback.test': ['127.0.0.1'],
  'to-mapped.test': ['::ffff:10.0.0.1'],
  'to-nat64.test': ['64:ff9b::7f00:1'],
  'to-6to4.test': ['2002:7f00:1::'],
  'to-private.test': ['10.0.0.1'],
  'to-both.test': ['203.0.113.9', '127.0.0.1'],
}
/** Tokens that the token endpoint has given. */
export const granted: string[] = []
/** How long those live that it gives next, in seconds. */
export const tokens = { life: 3600 }

before(async () => {
  const sockets = new WebSocketServer({ noServer: true })
  lab = await startLab({
    hosts: HOSTS,
    badCa: ['bad-ca.test:443'],
    certificateFor: (host) => (host === 'bad-name.test' ? 'somebody-else.test' : host),
    answer(request, response) {
      const { url = '', headers } = request
      const body: Buffer[] = []
      request.on('data', (part: Buffer) => body.push(part))
      request.on('end', () => {
        if (headers.host === 'auth.test') {
          const text = Buffer.concat(body).toString()
          if (!text.includes('good-refresh')) return void response.writeHead(400).end('{"error":"invalid_grant"}')
          granted.push(`access-${granted.length + 1}`)
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end(
            JSON.stringify({
              access_token: granted.at(-1),
              expires_in: tokens.life,
              refresh_token: `good-refresh-${granted.length}`,
            }),
          )
        } else if (url.startsWith('/to-loopback')) response.writeHead(302, { location: 'http://127.0.0.1/' }).end()
        else if (url.startsWith('/to-other')) response.writeHead(302, { location: 'https://other.test/landed' }).end()
        else if (url.startsWith('/large')) response.end(Buffer.alloc(100 * 1024 * 1024, 'x'))
        else if (url.startsWith('/events')) {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write('data: first\n\n')
          setTimeout(() => response.end('data: last\n\n'), 500)
        } else response.end(`hello from ${headers.host}\n`)
      })
    },
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket as never, head, (ws) =>
        ws.on('message', (data) => ws.send(`echo ${String(data)}`)),
      ),
  })
})
after(async () => {
  await server?.close()
  await lab.close()
})

export async function ready(t: TestContext): Promise<boolean> {
  if (!canIsolate(t) || !need(t, 'curl') || !need(t, 'python3')) return false
  server ??= await startRuntime({
    operator: {
      upstreams: lab.upstreams,
      async resolve(name) {
        asked.push(name)
        const found = names[name]
        if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        return found
      },
    },
  })
  return true
}

export type Rules = unknown

export const list = (...entries: readonly (string | object)[]) => ({
  allowlist: entries.map((one) => (typeof one === 'string' ? { domain: one } : one)),
})

interface Tried {
  readonly out: string
  readonly seen: readonly Seen[]
  readonly environment: string
}

export async function make(network: Rules, env: object = {}): Promise<string> {
  const told = await server!.ask('POST', '/v1/environments', { ...(network === undefined ? {} : { network }), env })
  assert.equal(told.status, 200, told.text)
  return told.body.id
}

/** Runs a program in an environment: what it printed, and what reached the upstreams meanwhile. */
export async function inside(environment: string, code: string, language = 'bash'): Promise<Tried> {
  lab.seen.length = 0
  const body = await server!.run(command(code, language), { environment })
  return { out: resultsOf(body)[0]!.text, seen: [...lab.seen], environment }
}

export const tryIn = async (network: Rules, code: string, language?: string): Promise<Tried> =>
  inside(await make(network), code, language)

/** A request by curl: prints the body, then the status, 000 where none came. */
export const get = (url: string, ...more: readonly string[]): string =>
  `curl -sS -m 20 -w '[%{http_code}]' ${more.join(' ')} '${url}' 2>&1; echo`

export const paths = (seen: readonly Seen[]) => seen.map(({ host }) => host)

export async function credential(body: { readonly id: string; readonly [key: string]: unknown }): Promise<void> {
  const told = await server!.ask('POST', '/v1/credentials', body)
  assert.equal(told.status, 200, told.text)
}
