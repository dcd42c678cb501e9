/** Requests and their answers, against small parts in memory: versions, keys, shapes, paging. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { AGENT, KEY, type Memory, memoryRuntime, script, type Talk, talk } from './memory.testing.ts'

let memory: Memory
let api: Talk
before(async () => {
  memory = memoryRuntime()
  api = await talk(memory)
})
after(async () => {
  await api.close()
  memory.clear()
})

const inline = (target: string, content: string, more: object = {}) => ({ type: 'inline', target, content, ...more })

describe('versions and access', () => {
  for (const version of ['v1', 'v1beta', 'v1alpha'])
    it(`case 103: ${version} answers`, async () => {
      const told = await api.ask('POST', `/${version}/interactions`, { agent: AGENT, input: 'hello' })
      assert.equal(told.status, 200)
      assert.equal(told.body.status, 'completed')
    })

  for (const path of ['/v2/interactions', '/interactions', '/v1/nothing', '/'])
    it(`case 103: ${path} is 404 and JSON`, async () => {
      const told = await api.ask('GET', path)
      assert.equal(told.status, 404)
      assert.equal(told.body.error.code, 'not_found')
    })

  it('case 127: no key and a wrong key are refused', async () => {
    for (const key of ['', 'wrong', `${KEY} `.repeat(3)]) {
      const told = await api.ask('GET', '/v1/environments', undefined, { 'x-goog-api-key': key })
      assert.equal(told.status, 401)
      assert.equal(told.body.error.code, 'unauthenticated')
    }
  })

  it('case 127: another Host is refused, whatever the key', async () => {
    for (const [host, status] of [
      ['evil.example', 403],
      ['127.0.0.1.evil.example:80', 403],
      ['localhost.', 403],
      ['LOCALHOST:1', 200],
      ['[::1]:99', 200],
    ] as const)
      assert.equal(await statusFor(host), status, host)
  })

  /** `fetch` sets the Host itself. */
  const statusFor = (host: string) =>
    new Promise((resolve, reject) => {
      const options = { port: api.serving.port, path: '/v1/environments', headers: { host, 'x-goog-api-key': KEY } }
      httpRequest({ host: '127.0.0.1', ...options }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })

  it('case 127: there is no CORS', async () => {
    const told = await api.ask('OPTIONS', '/v1/interactions', undefined, { origin: 'https://evil.example' })
    assert.equal(told.status, 404)
    assert.equal(
      [...told.headers.keys()].some((name) => name.startsWith('access-control')),
      false,
    )
  })

  it('case 127: it listens on 127.0.0.1 alone', async () => {
    const { networkInterfaces } = await import('node:os')
    for (const { address, family, internal, scopeid } of Object.values(networkInterfaces()).flatMap(
      (all) => all ?? [],
    )) {
      if (internal || scopeid) continue
      const host = family === 'IPv6' ? `[${address}]` : address
      await assert.rejects(fetch(`http://${host}:${api.serving.port}/v1/environments`))
    }
  })
})

describe('an answer', () => {
  it('case 105: has what clients read, and the input first', async () => {
    const { body } = await api.ask('POST', '/v1/interactions', {
      ...{ agent: AGENT, input: 'Run `echo hi`', environment: 'remote', labels: { a: 'b' } },
    })
    for (const name of ['id', 'status', 'environment_id', 'steps', 'created', 'updated', 'agent', 'usage'])
      assert.ok(name in body, name)
    assert.equal(body.steps[0]?.type, 'user_input')
    assert.equal(body.steps.at(-1)?.type, 'model_output')
    assert.deepEqual(body.labels, { a: 'b' })
    assert.equal(new Date(body.created).toISOString(), body.created)
    assert.equal(body.usage?.total_tokens, body.usage!.total_input_tokens + body.usage!.total_output_tokens)
  })

  it('case 110: get gives the same', async () => {
    const { body } = await api.ask('POST', '/v1beta/interactions', {
      agent: AGENT,
      input: 'Run `echo hi`',
      environment: 'remote',
    })
    assert.deepEqual((await api.ask('GET', `/v1beta/interactions/${body.id}?stream=false`)).body, body)
  })

  it('case 106: every call has a result of its id, also a denied one', async () => {
    const { body } = await api.ask('POST', '/v1/interactions', {
      agent: AGENT,
      input: script({
        calls: [
          { name: 'code_execution', args: { code: 'rm -rf /tmp/x', language: 'bash' } },
          { name: 'view_file', args: { path: '/nowhere' } },
          { name: 'no_such_tool', args: {} },
        ],
      }),
      environment: 'remote',
    })
    assert.equal(body.status, 'completed')
    const ids = body.steps.flatMap((step) => ('id' in step ? [step.id] : []))
    assert.equal(ids.length, 3)
    assert.deepEqual(
      body.steps.flatMap((step) => ('call_id' in step ? [step.call_id] : [])),
      ids,
    )
    const [denied] = body.steps.filter(({ type }) => type === 'code_execution_result')
    assert.deepEqual(denied, {
      ...{ type: 'code_execution_result', call_id: ids[0], is_error: true },
      result: 'Tool call denied by hook: Blocked by the gate.',
    })
  })

  it('shows no secret of a rule, a header or a variable', async () => {
    await memory.credentials.create({ id: 'known' })
    const { body, text } = await api.ask('POST', '/v1/interactions', {
      ...{ agent: AGENT, input: 'hello', tools: [] },
      environment: {
        type: 'remote',
        sources: [inline('a.txt', 'CONTENT-SECRET')],
        network: {
          allowlist: [{ domain: 'a.test', transform: { Authorization: 'Bearer RULE-SECRET' }, credential: 'known' }],
        },
        env: { A: 'ENV-SECRET', B: { credential: 'known' } },
      },
    })
    const environment = await api.ask('GET', `/v1/environments/${body.environment_id}`)
    for (const shown of [text, environment.text]) {
      assert.doesNotMatch(shown, /SECRET/)
      assert.match(shown, /a\.test/)
      assert.match(shown, /Authorization/)
    }
  })

  it('case 104: takes texts as a list, and as one content', async () => {
    for (const input of [
      [{ type: 'text', text: 'Run `echo hi`' }],
      { type: 'text', text: 'Run `echo hi`' },
      ['Run `echo hi`'],
    ]) {
      const { body } = await api.ask('POST', '/v1/interactions', { agent: AGENT, input, environment: 'remote' })
      assert.equal(body.steps[2]?.type, 'code_execution_result')
    }
  })

  it('nothing is kept of one that is not stored', async () => {
    const { body } = await api.ask('POST', '/v1/interactions', { agent: AGENT, input: 'hello', store: false })
    assert.equal(body.status, 'completed')
    assert.equal((await api.ask('GET', `/v1/interactions/${body.id}`)).status, 404)
  })

  it('is forgotten when it is deleted', async () => {
    const { body } = await api.ask('POST', '/v1/interactions', { agent: AGENT, input: 'hello' })
    const gone = await api.ask('DELETE', `/v1/interactions/${body.id}`)
    assert.deepEqual([gone.status, gone.text], [200, '{}'])
    assert.equal((await api.ask('GET', `/v1/interactions/${body.id}`)).status, 404)
    assert.equal((await api.ask('DELETE', `/v1/interactions/${body.id}`)).status, 404)
  })

  it('comes once for one Idempotency-Key', async () => {
    const ask = (input: string) =>
      api.ask('POST', '/v1/interactions', { agent: AGENT, input }, { 'idempotency-key': 'k1' })
    const [first, second] = await Promise.all([ask('hello'), ask('hello')])
    assert.equal(first.body.id, second.body.id)
    assert.equal((await ask('other')).status, 400)
  })
})

describe('environments and conversations', () => {
  const create = async (input: string, more: object = {}) =>
    (await api.ask('POST', '/v1/interactions', { agent: AGENT, input, ...more })).body

  it('case 115: remote is fresh each time, an id is the same again', async () => {
    const one = await create('create /workspace/a.txt containing "first"', { environment: 'remote' })
    const two = await create('read /workspace/a.txt', { environment: 'remote' })
    assert.notEqual(one.environment_id, two.environment_id)
    assert.match(JSON.stringify(two.steps), /is not there/)
    const three = await create('read /workspace/a.txt', { environment: one.environment_id })
    assert.equal(three.environment_id, one.environment_id)
    assert.match(JSON.stringify(three.steps), /first/)
  })

  it('case 116: a previous interaction brings no environment', async () => {
    const one = await create('create /workspace/a.txt containing "first"', { environment: 'remote' })
    const two = await create('read /workspace/a.txt', { previous_interaction_id: one.id })
    assert.equal(two.environment_id, undefined)
    assert.equal(two.status, 'completed')
    assert.equal(two.steps.length, 2)
  })

  it('new rules replace the old ones, and files stay', async () => {
    const one = await create('create /workspace/a.txt containing "first"', {
      environment: { type: 'remote', network: { allowlist: [{ domain: 'a.test' }] } },
    })
    const environment = {
      type: 'remote',
      environment_id: one.environment_id,
      network: { allowlist: [{ domain: 'b.test' }] },
    }
    const two = await create('read /workspace/a.txt', { environment })
    assert.match(JSON.stringify(two.steps), /first/)
    const { body } = await api.ask('GET', `/v1/environments/${one.environment_id}`)
    assert.deepEqual(body['network'], { allowlist: [{ domain: 'b.test' }] })
    const three = await api.ask('POST', '/v1/interactions', {
      agent: AGENT,
      input: 'x',
      environment: { ...environment, env: { A: 'b' } },
    })
    assert.equal(three.status, 400)
  })

  it('an operator can close environments that name no rules', async () => {
    const closed = memoryRuntime({ denyNetwork: true })
    const other = await talk(closed)
    const { body } = await other.ask('POST', '/v1/environments', {})
    assert.equal((await other.ask('GET', `/v1/environments/${body.id}`)).body['network'], 'disabled')
    await other.close()
    closed.clear()
  })

  it('an id may come with its collection', async () => {
    const one = await create('hello', { environment: 'remote' })
    const two = await create('hello', { environment: `environments/${one.environment_id}` })
    assert.equal(two.environment_id, one.environment_id)
    assert.equal(
      (await api.ask('GET', `/v1/environments/environments%2F${one.environment_id}`)).body.id,
      one.environment_id,
    )
    assert.equal((await api.ask('GET', `/v1/environments/environments%2F${one.environment_id}/files`)).status, 200)
  })

  it('lists environments by pages, forks and deletes them', async () => {
    const made = await api.ask('POST', '/v1/environments', { sources: [inline('a.txt', 'x')] })
    const fork = await api.ask('POST', '/v1/environments', { from_environment: made.body.id })
    assert.equal((await api.ask('GET', `/v1/environments/${fork.body.id}/files/a.txt`)).status, 200)
    const bad = await api.ask('POST', '/v1/environments', { from_environment: made.body.id, env: { A: 'b' } })
    assert.equal(bad.status, 400)
    const ids: string[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page: Told = await api.ask('GET', `/v1/environments?page_size=3&page_token=${token}`)
      assert.ok(page.body.environments.length <= 3)
      ids.push(...page.body.environments.map(({ id }) => id!))
      token = page.body.next_page_token
    }
    assert.equal(new Set(ids).size, memory.environments.all.size)
    assert.equal(ids.length, memory.environments.all.size)
    assert.equal((await api.ask('DELETE', `/v1/environments/${fork.body.id}`)).text, '{}')
    assert.equal((await api.ask('GET', `/v1/environments/${fork.body.id}`)).status, 404)
    assert.equal((await api.ask('GET', '/v1/environments?page_token=x')).status, 400)
  })
})

type Told = Awaited<ReturnType<Talk['ask']>>
