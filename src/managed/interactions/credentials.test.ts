/** Credentials and saved agents over the API. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AGENT, type Memory, memoryRuntime, type Talk, talk } from './memory.testing.ts'

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

describe('credentials', () => {
  it('go in and come out as what may be seen', async () => {
    const made = await api.ask('POST', '/v1/credentials', { id: 'a', type: 'bearer_token', token: 'SECRET' })
    assert.deepEqual(Object.keys(made.body).sort(), ['create_time', 'id', 'status', 'type', 'update_time'])
    assert.equal((await api.ask('GET', '/v1/credentials/a')).body.id, 'a')
    const again = await api.ask('POST', '/v1/credentials', { id: 'a', type: 'bearer_token', token: 'x' })
    assert.deepEqual([again.status, again.body.error.code], [409, 'aborted'])
    assert.match((await api.ask('GET', '/v1/credentials/b')).body.error.message, /^Result not found\.; GetCredential/)
    assert.equal((await api.ask('PATCH', '/v1/credentials/b', { type: 'bearer_token' })).status, 404)
    const { body } = await api.ask('GET', '/v1/credentials?page_size=1')
    assert.deepEqual([body.credentials.length, body.next_page_token], [1, undefined])
    assert.equal((await api.ask('DELETE', '/v1/credentials/a')).text, '{}')
    assert.equal((await api.ask('DELETE', '/v1/credentials/a')).status, 404)
  })
})

describe('saved agents', () => {
  const run = async (input: string, more: object = {}) =>
    (await api.ask('POST', '/v1/interactions', { agent: 'sentinel', input, ...more })).body

  it('case 128: each run begins with a fork of the environment', async () => {
    const made = await api.ask('POST', '/v1/agents', {
      ...{ id: 'sentinel', base_agent: AGENT, system_instruction: 'Be brief.' },
      base_environment: {
        type: 'remote',
        sources: [{ type: 'inline', target: 'workspace/a.txt', content: 'as made' }],
      },
      tools: [
        { type: 'code_execution' },
        { type: 'mcp_server', name: 'm', url: 'https://m.test/', headers: { A: 'SECRET' } },
      ],
    })
    assert.equal(made.status, 200, made.text)
    assert.doesNotMatch(made.text, /SECRET|as made/)
    await api.ask('DELETE', '/v1/agents/sentinel')
    await api.ask('POST', '/v1/agents', {
      ...{ id: 'sentinel', base_agent: AGENT },
      base_environment: {
        type: 'remote',
        sources: [{ type: 'inline', target: 'workspace/a.txt', content: 'as made' }],
      },
    })
    const one = await run('create /workspace/a.txt containing "changed"')
    assert.equal(one.status, 'completed', JSON.stringify(one))
    const two = await run('read /workspace/a.txt')
    assert.notEqual(one.environment_id, two.environment_id)
    assert.match(JSON.stringify(two.steps), /as made/)
    const same = await run('read /workspace/a.txt', { environment: one.environment_id })
    assert.match(JSON.stringify(same.steps), /changed/)
    const listed = (await api.ask('GET', '/v1/environments')).body.environments.map(({ id }) => id)
    assert.deepEqual(listed.sort(), [one.environment_id, two.environment_id].sort())
  })

  it('are there after a restart, and go with their template', async () => {
    await api.close()
    api = await talk(memory.again())
    assert.deepEqual(
      (await api.ask('GET', '/v1/agents')).body.agents.map(({ id }) => id),
      ['sentinel'],
    )
    const before = memory.environments.all.size
    assert.equal((await api.ask('DELETE', '/v1/agents/sentinel')).text, '{}')
    assert.equal(memory.environments.all.size, before - 1)
    assert.equal((await api.ask('GET', '/v1/agents/sentinel')).status, 404)
  })

  const bad: readonly (readonly [string, object, number])[] = [
    ['a built-in name', { id: AGENT }, 400],
    ['an unknown base', { id: 'x', base_agent: 'nobody' }, 404],
    ['a field that is not known', { id: 'x', system_instructions: 'y' }, 400],
    ['a tool that is not offered', { id: 'x', tools: [{ type: 'url_context' }] }, 400],
    ['an unknown environment', { id: 'x', base_environment: 'env_missing' }, 404],
  ]
  for (const [name, body, status] of bad)
    it(`are refused: ${name}`, async () => assert.equal((await api.ask('POST', '/v1/agents', body)).status, status))
})
