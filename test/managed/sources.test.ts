/** The published cases of sources, over the API: repositories and buckets, with the hooks that they bring. */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { arrived, type Lab, startLab } from '../../src/managed/egress/lab.testing.ts'
import { type GitServer, gitServer, objectStore } from '../../src/managed/sandbox/store.testing.ts'
import { need } from '../need.ts'
import { AGENT, canIsolate, command, type Running, resultsOf, startRuntime } from './support.ts'

const BASIC = `Basic ${Buffer.from('x-oauth-basic:secret-of-git').toString('base64')}`
const BEARER = 'Bearer secret-of-bucket'
const GIT = 'git.example.com'
const STORE = 'storage.googleapis.com'

const hooks = Buffer.from(
  JSON.stringify({
    brought: { post_tool_execution: [{ hooks: [{ type: 'command', command: 'pwd > /workspace/where' }] }] },
  }),
)
const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`many/f${n}`, Buffer.from(`${n}\n`)]))

let lab: Lab
let git: GitServer | undefined
let server: Running | undefined
before(async () => {
  const store = objectStore({
    buckets: { public: many, private: { 'conf/hooks.json': hooks } },
    guarded: { private: BEARER },
  })
  lab = await startLab({
    hosts: [`${GIT}:443`, `${STORE}:443`],
    answer: (request, response) => (request.headers.host === STORE ? store : git!.answer)(request, response),
  })
})
after(async () => {
  await server?.close()
  await lab.close()
  git?.close()
})

async function ready(t: TestContext): Promise<Running | undefined> {
  if (!canIsolate(t) || !need(t, 'git')) return undefined
  git ??= gitServer(BASIC)
  server ??= await startRuntime({ operator: { upstreams: lab.upstreams } })
  return server
}

const network = {
  allowlist: [
    { domain: GIT, transform: { Authorization: BASIC } },
    { domain: STORE, transform: { Authorization: BEARER } },
  ],
}
const where = async (own: Running, id: string | undefined) =>
  (await own.ask('GET', `/v1/environments/${id}/files/workspace/where?alt=media`)).text

describe('sources', () => {
  test('case 38, 119: a private repository is cloned, no token stays, and its hooks run in it', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    lab.seen.length = 0
    const sources = [{ type: 'repository', source: `https://${GIT}/private.git`, target: '/repo' }]
    const first = await own.run(
      command('cat /repo/README /repo/.git/config; grep -rs "secret-o[f]" /repo /workspace /home /etc /tmp'),
      {
        environment: { type: 'remote', sources, network },
      },
    )
    assert.match(resultsOf(first)[0]!.text, /^private\n/)
    assert.doesNotMatch(JSON.stringify(first) + JSON.stringify(own.events), /secret-of|eC1vYXV0aC/)
    assert.ok(lab.seen.length > 0 && lab.seen.every((one) => arrived(one, 'authorization')[0] === BASIC))
    const url = `/upload/v1/environments/${first.environment_id}/files/repo/.agents/hooks.json?overwrite=true`
    assert.equal((await own.ask('PUT', url, hooks.toString())).status, 200)
    await own.run(command('true'), { environment: first.environment_id })
    assert.equal(await where(own, first.environment_id), '/repo\n')
  })

  test('case 39, 120: buckets are copied whole, and hooks among them run', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const sources = [
      { type: 'gcs', source: 'gs://public/many', target: '/data' },
      { type: 'gcs', source: 'gs://private/conf', target: '/.agents' },
    ]
    const body = await own.run(command('ls /data | wc -l; cat /data/f1499'), {
      environment: { type: 'remote', sources, network },
    })
    assert.match(resultsOf(body)[0]!.text, /^1500\n1499\n/)
    assert.equal(await where(own, body.environment_id), '/\n')
  })

  const failing: readonly (readonly [name: string, source: object, words: RegExp])[] = [
    [
      'case 119: a repository that is not there',
      { type: 'repository', source: `https://${GIT}/none.git`, target: 'r' },
      /cloned/,
    ],
    [
      'case 120: a bucket that is not there',
      { type: 'gcs', source: 'gs://missing/x', target: 'r' },
      /gs:\/\/missing does not exist/,
    ],
  ]
  for (const [name, source, words] of failing)
    test(`${name} fails clearly, and leaves nothing`, async (t) => {
      const own = await ready(t)
      if (own === undefined) return
      const before = (await own.ask('GET', '/v1/environments?page_size=1000')).text
      for (const background of [false, true]) {
        const told = await own.ask('POST', '/v1/interactions', {
          ...{ agent: AGENT, input: 'x', background },
          environment: { type: 'remote', sources: [source], network },
        })
        if (told.status === 200) {
          // It took longer than a background request waits.
          for (let n = 0; n < 100; n++) {
            const { body } = await own.ask('GET', `/v1/interactions/${told.body.id}`)
            if (body.status === 'in_progress') await new Promise((resolve) => setTimeout(resolve, 100))
            else {
              assert.equal(body.status, 'failed')
              assert.match(body.errors![0]!.message, words)
              break
            }
          }
        } else {
          assert.equal(told.status, 400)
          assert.match(told.body.error.message, words)
        }
      }
      assert.equal((await own.ask('GET', '/v1/environments?page_size=1000')).text, before)
    })
})
