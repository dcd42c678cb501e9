/** The published cases of http hooks against a running server. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arrived } from '../../src/managed/egress/lab.testing.ts'
import { type Event, group, lab, look, ready, run, server, upstream } from './hooks-support.ts'
import { command, inline } from './support.ts'

describe('http', () => {
  const http = (url: string, more: object = {}, event: Event = 'pre_tool_execution') => ({
    web: group([{ type: 'http', url, ...more }], event),
  })
  const URL_OK = 'https://hooks.example.test/gate'
  const reply = (
    status: number,
    body: string,
    headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  ) => {
    upstream.answer = (response) => {
      response.writeHead(status, headers)
      response.end(body)
    }
  }
  const DENY = '{"decision":"deny","reason":"from afar"}'
  const arrivals = () => lab.seen.splice(0)

  const rows: readonly (readonly [
    n: string,
    status: number,
    body: string,
    skipped: boolean,
    headers?: Readonly<Record<string, string>>,
  ])[] = [
    ['54: 200 and a deny', 200, DENY, true],
    ['55: 500', 500, DENY, false],
    ['55: 404', 404, DENY, false],
    ['55: 302', 302, DENY, false, { location: 'https://hooks.example.test/other' }],
    ['56: HTML', 200, '<html>deny</html>', false, { 'content-type': 'text/html' }],
    ['56: 204', 204, '', false],
    ['57: a deny as plain text', 200, DENY, true, { 'content-type': 'text/plain' }],
  ]
  for (const [n, status, body, skipped, headers] of rows)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      arrivals()
      reply(status, body, headers)
      const ran = await run(http(URL_OK))
      assert.equal(ran.skipped, skipped, ran.text)
      if (skipped) assert.equal(ran.text, 'Tool call denied by hook: from afar')
      assert.deepEqual(
        arrivals().map(({ url, method }) => [method, url]),
        [['POST', '/gate']],
      )
    })

  const blocked: readonly (readonly [n: string, url: string])[] = [
    ['58: clear text', 'http://hooks.example.test/gate'],
    ['59: 127.0.0.1', 'https://127.0.0.1:8443/'],
    ['59: localhost', 'https://localhost/'],
    ['59: [::1]', 'https://[::1]/'],
    ['60: a host that is not listed', 'https://other.test/gate'],
    ['55: a host that is not there', 'https://hooks.example.test:444/gate'],
  ]
  for (const [n, url] of blocked)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      arrivals()
      reply(200, DENY)
      const ran = await run(http(url))
      assert.match(ran.text, /^ran/)
      assert.deepEqual(arrivals(), [])
      assert.match(ran.warned, /./)
    })

  test('case 61, 62: its headers arrive, but for those that the rules set; the token is nowhere inside', async (t) => {
    if (!(await ready(t))) return
    arrivals()
    reply(200, '{}')
    const network = {
      allowlist: [{ domain: 'hooks.example.test', transform: { Authorization: 'Bearer the-real-one' } }],
    }
    const made = (await server!.ask('POST', '/v1/environments', { network })).body.id
    const headers = { 'X-Event-Source': 'agent-sandbox', Authorization: 'Bearer of-the-hook' }
    const ran = await run(http(URL_OK, { headers }), command('env; cat /.agents/hooks.json'), made)
    const [seen] = arrivals()
    assert.deepEqual(arrived(seen!, 'x-event-source'), ['agent-sandbox'])
    assert.deepEqual(arrived(seen!, 'authorization'), ['Bearer the-real-one'])
    assert.match(arrived(seen!, 'content-type')[0]!, /^application\/json/)
    assert.equal(JSON.parse(seen!.body).environment_id, made)
    assert.doesNotMatch(ran.text, /the-real-one/)
  })

  test('case 63: headers at once and no end', async (t) => {
    if (!(await ready(t))) return
    upstream.answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"decision":')
    }
    const begun = Date.now()
    const ran = await run(http(URL_OK, { timeout: 1 }))
    assert.match(ran.text, /^ran/)
    assert.ok(Date.now() - begun >= 1_000 && Date.now() - begun < 10_000)
    reply(200, '{}')
  })

  test('case 64: no network at all', async (t) => {
    if (!(await ready(t))) return
    arrivals()
    const sources = [inline('.agents/hooks.json', JSON.stringify(http(URL_OK)))]
    const made = await server!.ask('POST', '/v1/environments', { network: 'disabled', sources })
    assert.match((await server!.ask('GET', `/v1/environments/${made.body.id}`)).body.warnings!.join('\n'), /network/)
    const ran = await look(await server!.run(command('echo ran'), { environment: made.body.id }))
    assert.match(ran.text, /^ran/)
    assert.deepEqual(arrivals(), [])
  })
})
