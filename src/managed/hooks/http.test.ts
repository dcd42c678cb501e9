/** Published cases of http hooks through the real way out of environments, judged by the log of the server that is called. */
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, before, test } from 'node:test'
import type { HookCall, HookVerdict, Network } from '../contract.ts'
import { arrived, type Lab, type Seen, startLab } from '../egress/lab.testing.ts'
import { makeHooks } from './engine.ts'
import { fakeWorld } from './world.testing.ts'

const HOST = 'hooks.example.test'
const URL_OF = `https://${HOST}`
const DENY = JSON.stringify({ decision: 'deny', reason: 'over there' })
const CALL: HookCall = { name: 'view_file', args: { path: '/workspace/a.txt' } }

/** What the server answers by path. */
const ANSWERS: Readonly<Record<string, RequestListener>> = {
  '/deny': (_req, res) => void res.setHeader('Content-Type', 'application/json').end(DENY),
  '/plain': (_req, res) => void res.setHeader('Content-Type', 'text/plain').end(DENY),
  '/html': (_req, res) => void res.setHeader('Content-Type', 'text/html').end('<html>ok</html>'),
  '/empty': (_req, res) => void res.writeHead(204).end(),
  '/allow': (_req, res) => void res.end('{"decision":"allow"}'),
  '/moved': (_req, res) => void res.writeHead(302, { Location: `${URL_OF}/deny` }).end(DENY),
  '/error': (_req, res) => void res.writeHead(500).end(DENY),
  '/missing': (_req, res) => void res.writeHead(404).end(DENY),
  '/reset': (req) => void req.socket.destroy(),
  '/slow': (_req, res) => {
    res.write(' ')
  },
  '/flood': (_req, res) => {
    res.write(DENY)
    res.end(' '.repeat(2 << 20))
  },
}

let lab: Lab
before(async () => {
  lab = await startLab({
    hosts: [`${HOST}:443`, 'telemetry.example.com:443', 'bad.example.test:443'],
    badCa: ['bad.example.test:443'],
    // Of one host there is no server.
    operator: { upstreams: { 'down.example.test:443': { address: '127.0.0.1', port: 1 } } },
    answer(req, res) {
      req.resume()
      req.on('end', () => (ANSWERS[req.url ?? ''] ?? ANSWERS['/empty']!)(req, res))
    },
  })
})
after(() => lab.close())

interface Asked {
  readonly verdict: HookVerdict
  readonly seen: readonly Seen[]
}

async function asked(handler: object, network?: Network, event = 'pre_tool_execution'): Promise<Asked> {
  const file = JSON.stringify({ gate: { [event]: [{ matcher: '*', hooks: [{ type: 'http', ...handler }] }] } })
  lab.seen.length = 0
  const world = {
    ...fakeWorld({ files: { '/.agents/hooks.json': file }, networkDisabled: network === 'disabled' }),
    request: (request: Parameters<typeof lab.egress.request>[2]) => lab.egress.request(network, 'env_1', request),
  }
  const { signal } = new AbortController()
  const hooks = makeHooks()
  const verdict =
    event === 'pre_tool_execution'
      ? await hooks.before(world, CALL, signal)
      : await hooks.after(world, CALL, undefined, signal)
  return { verdict, seen: [...lab.seen] }
}

const OPEN = { allowlist: [{ domain: '*' }] }

/** Case, path, decision, outcome, and words of the warning. */
const PATHS: readonly (readonly [string, string, 'allow' | 'deny', string, RegExp | undefined])[] = [
  ['54: a deny', '/deny', 'deny', 'deny', undefined],
  ['55: HTTP 500', '/error', 'allow', 'failed', /HTTP 500/],
  ['55: HTTP 404', '/missing', 'allow', 'failed', /HTTP 404/],
  ['55: HTTP 302', '/moved', 'allow', 'failed', /HTTP 302, and redirects are not followed/],
  ['55: a connection that ends', '/reset', 'allow', 'failed', /the request failed/],
  ['56: HTML', '/html', 'allow', 'allow', /plain text/],
  ['56: HTTP 204', '/empty', 'allow', 'allow', undefined],
  ['an allow', '/allow', 'allow', 'allow', undefined],
  ['57: a deny as text/plain', '/plain', 'deny', 'deny', undefined],
  ['a body of two megabytes', '/flood', 'allow', 'failed', /more than 1048576 bytes/],
]

for (const [name, path, decision, outcome, words] of PATHS)
  test(name, async () => {
    const { verdict, seen } = await asked({ url: URL_OF + path })
    assert.deepEqual([verdict.decision, verdict.trace[0]!.outcome], [decision, outcome])
    if (decision === 'deny') assert.equal(verdict.reason, 'over there')
    const said = verdict.warnings.map(({ text }) => text).join('\n')
    if (words === undefined) assert.equal(said, '')
    else assert.match(said, words)
    // One request, whatever it answered.
    assert.deepEqual(
      seen.map(({ url }) => url),
      [path],
    )
  })

test('55: nobody listens, or the certificate is nobody’s', async () => {
  for (const host of ['down.example.test', 'bad.example.test', 'unknown.example.test']) {
    const { verdict, seen } = await asked({ url: `https://${host}/deny` })
    assert.deepEqual([verdict.decision, verdict.trace[0]!.outcome, seen.length], ['allow', 'failed', 0], host)
  }
})

test('59: loopback in any spelling is refused', async () => {
  const port = lab.upstreams[`${HOST}:443`]!.port
  const before = lab.connections
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0'])
    for (const network of [undefined, OPEN]) {
      const { verdict } = await asked({ url: `https://${host}:${port}/deny` }, network)
      assert.equal(verdict.decision, 'allow', host)
      assert.equal(verdict.warnings[0]!.id, 'failed.refused', host)
    }
  assert.equal(lab.connections, before)
})

test('60: a host that is not on the allowlist is refused', async () => {
  for (const network of [{ allowlist: [{ domain: 'other.example.test' }] }, { allowlist: [] }]) {
    const { verdict, seen } = await asked({ url: `${URL_OF}/deny` }, network)
    assert.deepEqual([verdict.decision, verdict.warnings[0]!.id, seen.length], ['allow', 'failed.refused', 0])
    assert.match(verdict.warnings[0]!.text, /hooks\.example\.test is not on the network allowlist/)
  }
})

test('61: the published telemetry example', async () => {
  const secret = 'Bearer telemetry_secret_token_123'
  const network = {
    allowlist: [{ domain: 'telemetry.example.com', transform: { Authorization: secret } }, { domain: '*' }],
  }
  const url = 'https://telemetry.example.com/api/v1/agent-events'
  const { verdict, seen } = await asked({ url, timeout: 10 }, network, 'post_tool_execution')
  assert.equal(verdict.trace[0]!.outcome, 'ignored')
  const [one, ...more] = seen
  assert.deepEqual([one!.method, one!.url, more.length], ['POST', '/api/v1/agent-events', 0])
  assert.deepEqual(JSON.parse(one!.body), { tool_call: CALL, environment_id: 'env_1' })
  assert.deepEqual(arrived(one!, 'authorization'), [secret])
  assert.deepEqual(arrived(one!, 'content-type'), ['application/json'])
  assert.deepEqual(arrived(one!, 'content-length'), [String(one!.bytes)])
  assert.ok(!JSON.stringify([verdict, lab.events]).includes('telemetry_secret'))
})

test('62: headers of the hook arrive, and what the rules set wins', async () => {
  const headers = { 'X-Event-Source': 'agent-sandbox', authorization: 'mine', Host: 'evil.example.test' }
  const network = { allowlist: [{ domain: HOST, transform: { Authorization: 'theirs' } }] }
  const { seen } = await asked({ url: `${URL_OF}/deny`, headers }, network)
  assert.deepEqual(arrived(seen[0]!, 'x-event-source'), ['agent-sandbox'])
  assert.deepEqual(arrived(seen[0]!, 'authorization'), ['theirs'])
  assert.deepEqual(arrived(seen[0]!, 'host'), [HOST])
})

test('63: a body that never ends is given up', async () => {
  const from = performance.now()
  const { verdict } = await asked({ url: `${URL_OF}/slow`, timeout: 1 })
  assert.deepEqual([verdict.decision, verdict.warnings[0]!.id], ['allow', 'failed.timeout'])
  const ms = performance.now() - from
  assert.ok(ms >= 1_000 && ms < 20_000, `${ms} ms`)
})

test('64: without any network the call is allowed, and that is said', async () => {
  const { verdict, seen } = await asked({ url: `${URL_OF}/deny` }, 'disabled')
  assert.deepEqual([verdict.decision, seen.length], ['allow', 0])
  assert.deepEqual(
    verdict.warnings.map(({ id }) => id),
    ['http.no-network', 'failed.refused'],
  )
})

test('A43: a cancelled call ends its request', async () => {
  const file = JSON.stringify({ gate: { pre_tool_execution: [{ hooks: [{ type: 'http', url: `${URL_OF}/slow` }] }] } })
  const cancel = new AbortController()
  const world = {
    ...fakeWorld({ files: { '/.agents/hooks.json': file } }),
    request: (request: Parameters<typeof lab.egress.request>[2]) => lab.egress.request(undefined, 'env_1', request),
  }
  setTimeout(() => cancel.abort(new Error('cancelled')), 300)
  const from = performance.now()
  await assert.rejects(makeHooks().before(world, CALL, cancel.signal), /cancelled/)
  assert.ok(performance.now() - from < 20_000)
})
