/** Credentials over the API; the output gate and the guard around the tools. */
import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { EMPTY_POLICY } from '../../src/policy/policy.ts'
import { calls, canIsolate, command, type Running, resultsOf, startRuntime } from './support.ts'

let server: Running | undefined
after(async () => server?.close())

async function ready(t: TestContext): Promise<Running | undefined> {
  if (!canIsolate(t)) return undefined
  server ??= await startRuntime()
  return server
}

describe('credentials', () => {
  test('case 123: are made, told of, changed and removed', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { credentials } = own.client
    const made = await credentials.create({ id: 'c1', type: 'bearer_token', token: 'S3CRET' } as never)
    assert.doesNotMatch(JSON.stringify(made), /S3CRET/)
    const again = await own.ask('POST', '/v1/credentials', { id: 'c1', type: 'bearer_token', token: 'x' })
    assert.deepEqual([again.status, again.body.error.code], [409, 'aborted'])
    assert.match(again.body.error.message, /^Credential 'c1' already exists\./)
    const wrong = await own.ask('POST', '/v1/credentials', { id: 'c2', type: 'bearer_token', tokn: 'x' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.body.error.message, /tokn[\s\S]*token/)
    assert.equal((await own.ask('PATCH', '/v1/credentials/c1', { token: 'y' })).status, 400)
    assert.equal((await own.ask('PATCH', '/v1/credentials/c1', { type: 'oauth2', client_id: 'y' })).status, 400)
    await credentials.create({ id: 'c3', type: 'bearer_token', token: 'z' } as never)
    const page = await own.ask('GET', '/v1/credentials?page_size=1')
    assert.equal(typeof page.body['next_page_token'], 'string')
    const last = await own.ask('GET', `/v1/credentials?page_size=1&page_token=${page.body['next_page_token']}`)
    assert.equal(last.body['next_page_token'], undefined)
    assert.equal((await own.ask('DELETE', '/v1/credentials/c1')).text, '{}')
    await assert.rejects(credentials.get('c1'), { name: 'NotFoundError' })
    await own.again()
    assert.equal((await own.client.credentials.get('c3')).id, 'c3')
  })
})

describe('the gates', () => {
  test('a flood becomes a digest, and its address is looked up in the same environment alone', async (t) => {
    if (!canIsolate(t)) return
    const asked: unknown[] = []
    const own = await startRuntime({
      lookUp: async (args) => {
        asked.push(args)
        return { text: 'L1: found', failed: false }
      },
    })
    try {
      const body = await own.run(command('seq 1 20000; echo ERROR at the end; seq 1 5'), { environment: 'remote' })
      const [flood] = resultsOf(body)
      assert.ok(flood!.text.length < 4_000)
      const address = /\b(?:run|blob):[0-9a-f]+/.exec(flood!.text)![0]
      const look = await own.run(
        calls(
          ['ctx', { op: 'get', ref: address, selector: { lines: '1:2' } }],
          ['ctx', { op: 'get', ref: 'repo:/etc/passwd' }],
        ),
        {
          environment: body.environment_id,
        },
      )
      assert.deepEqual(
        resultsOf(look).map(({ text, isError }) => [isError ? 'refused' : text]),
        [['L1: found'], ['refused']],
      )
      assert.equal(asked.length, 1)
      assert.deepEqual((await own.ask('GET', `/v1/interactions/${look.id}/trace`)).body.trace, [])
    } finally {
      await own.close()
    }
  })

  test('the guard denies what it would deny, or only says so', async (t) => {
    if (!canIsolate(t)) return
    for (const mode of ['enforce', 'observe'] as const) {
      const own = await startRuntime({ guard: { mode, policy: EMPTY_POLICY } })
      try {
        const body = await own.run(
          calls(
            ['code_execution', { code: 'rm -rf ~' }],
            [
              'code_execution',
              { code: 'import shutil, os; shutil.rmtree(os.path.expanduser("~"))', language: 'python' },
            ],
            ['code_execution', { code: 'echo fine' }],
            ['write_to_file', { path: '/workspace/a.txt', content: 'x' }],
          ),
          { environment: 'remote' },
        )
        const denied = resultsOf(body).map(({ text }) => text.startsWith('Tool call denied by hook: '))
        assert.deepEqual(denied, mode === 'enforce' ? [true, true, false, false] : [false, false, false, false], mode)
        // What was only observed has run: then there is no home left to lose.
        const said = own.events.filter(({ kind }) => kind.startsWith('guard.'))
        assert.equal(said.length, mode === 'enforce' ? 2 : 1)
      } finally {
        await own.close()
      }
    }
  })
})
