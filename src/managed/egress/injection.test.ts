/** What rules and credentials set on requests, by the log of the upstreams. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { AllowEntry } from '../contract.ts'
import { createCredentials } from '../credentials/credentials.ts'
import { type InjectionLab, SECRET, startInjection, through, withDoor } from './injection.testing.ts'
import { arrived, type Lab, raw } from './lab.testing.ts'

let own: InjectionLab
let lab: Lab
let credentials: InjectionLab['credentials']
let dir: string
before(async () => {
  own = await startInjection()
  lab = own.lab
  credentials = own.credentials
  dir = own.dir
})
after(() => own.close())

interface HeaderRow {
  readonly name: string
  readonly allow: readonly AllowEntry[]
  readonly send?: readonly string[]
  readonly arrives: Readonly<Record<string, readonly string[]>>
}

const HEADERS: readonly HeaderRow[] = [
  {
    name: '70: * first, the specific one decides',
    allow: [
      { domain: '*', transform: { 'X-A': 'all' } },
      { domain: 'api.test', transform: { 'X-A': 'one' } },
    ],
    arrives: { 'x-a': ['one'] },
  },
  {
    name: '71: every copy of the sandbox is replaced',
    allow: [{ domain: 'api.test', credential: 'bearer' }],
    send: ['authorization', 'Bearer own', 'AUTHORIZATION', 'Basic b3du'],
    arrives: { authorization: [`Bearer ${SECRET}`] },
  },
  {
    name: '72: transform over credential on the same key',
    allow: [{ domain: 'api.test', credential: 'bearer', transform: { AUTHORIZATION: 'mine', 'X-B': 'b' } }],
    arrives: { authorization: ['mine'], 'x-b': ['b'] },
  },
  {
    name: '73: a list of transforms',
    allow: [{ domain: 'api.test', transform: [{ 'X-A': '1', 'X-B': '1' }, { 'x-a': '2' }] }],
    arrives: { 'x-a': ['2'], 'x-b': ['1'] },
  },
  {
    name: '74: a header and no prefix',
    allow: [{ domain: 'api.test', credential: 'key' }],
    arrives: { 'x-api-key': [SECRET], authorization: [] },
  },
  {
    name: 'nothing is set where no rule says so; headers of the sandbox stay, those for the proxy do not',
    allow: [{ domain: 'api.test' }],
    send: [
      'Authorization',
      'Bearer own',
      'Proxy-Authorization',
      'Basic x',
      'X-Sallyport-A',
      'b',
      'Connection',
      'X-Hop',
      'X-Hop',
      '1',
      'TE',
      'trailers',
      'X-Kept',
      'a',
      'X-Kept',
      'b',
    ],
    arrives: {
      authorization: ['Bearer own'],
      'proxy-authorization': [],
      'x-sallyport-a': [],
      'x-hop': [],
      te: [],
      'x-kept': ['a', 'b'],
    },
  },
  {
    name: 'a client cannot have an injected header dropped by naming it in Connection',
    allow: [{ domain: 'api.test', credential: 'key' }],
    send: ['Connection', 'close, X-Api-Key, Host'],
    arrives: { 'x-api-key': [SECRET], host: ['api.test'] },
  },
]

describe('headers that rules set', () => {
  for (const { name, allow, send = [], arrives } of HEADERS)
    test(name, async () => {
      const { answer, seen } = await withDoor(lab, allow, [], (door) => through(door, 'api.test', { headers: send }))
      assert.equal(answer.status, 200, answer.body)
      assert.equal(seen.length, 1)
      for (const [key, values] of Object.entries(arrives)) assert.deepEqual(arrived(seen[0]!, key), values, key)
    })

  test('a server that tells what it got tells the sandbox the secret, too', async () => {
    const allow = [{ domain: 'api.test', credential: 'bearer' }]
    const { answer } = await withDoor(lab, allow, [], (door) => through(door, 'api.test', { path: '/echo' }))
    assert.ok(answer.body.includes(SECRET))
  })

  test('the runtime’s own requests get the same', async () => {
    for (const { name, allow, arrives } of HEADERS.filter(({ send }) => send === undefined)) {
      const had = lab.seen.length
      const request = { method: 'GET', url: 'https://api.test/', headers: {}, timeout: 5000, limit: 1000 }
      const answer = await lab.egress.request({ allowlist: allow }, 'env', request)
      assert.ok(answer.ok, name)
      for (const [key, values] of Object.entries(arrives)) assert.deepEqual(arrived(lab.seen[had]!, key), values, key)
    }
  })
})

describe('credentials in use', () => {
  const use = (id: string): readonly AllowEntry[] => [{ domain: 'api.test', credential: id }]

  test('75, 76: changed, then deleted, under a door that stays open', async () => {
    await credentials.create({ id: 'turn', type: 'bearer_token', token: `${SECRET}-old` })
    const door = await lab.open({ allowlist: use('turn') })
    const values: (readonly string[])[] = []
    const had = lab.seen.length
    assert.equal((await through(door, 'api.test', {})).status, 200)
    await credentials.update('turn', { type: 'bearer_token', token: `${SECRET}-new` })
    assert.equal((await through(door, 'api.test', {})).status, 200)
    await credentials.remove('turn')
    const refused = await through(door, 'api.test', {})
    assert.equal(refused.status, 403)
    assert.match(refused.body, /credential rule of api\.test could not be met: the credential turn does not exist/)
    for (const one of lab.seen.slice(had)) values.push(arrived(one, 'authorization'))
    assert.deepEqual(values, [[`Bearer ${SECRET}-old`], [`Bearer ${SECRET}-new`]])
    await door.close()
  })

  test('77: a token that cannot be renewed: refused, never sent bare', async () => {
    const oauth = { client_id: 'c', client_secret: SECRET, refresh_token: SECRET, token_url: 'https://auth.test/token' }
    await credentials.create({ id: 'oauth', type: 'oauth2', ...oauth })
    const first = await withDoor(lab, use('oauth'), [], (door) => through(door, 'api.test', {}))
    assert.deepEqual(arrived(first.seen[0]!, 'authorization'), [`Bearer ${SECRET}-${own.tokens}`])
    await credentials.create({ id: 'oauth2', type: 'oauth2', ...oauth })
    const reopened = createCredentials({
      dir: join(dir, 'credentials'),
      clock: { now: () => Date.now() },
      request: async () => ({ ok: false, why: 'No way.', refused: false, timedOut: false }),
    })
    await assert.rejects(reopened.header('oauth2'), /could not be refreshed/)
  })

  test('a config that names no credential, or one of the wrong type, is 400', () => {
    assert.throws(
      () => lab.egress.check({ allowlist: use('gone') }),
      /allowlist\[0\]\.credential: there is no credential 'gone'/,
    )
    assert.throws(() => lab.egress.check({ allowlist: use('var') }), /belongs into env/)
    lab.egress.check({ allowlist: use('bearer') })
  })

  test('92: clear text to a domain with a rule: refused, nothing sent', async () => {
    const { answer, seen } = await withDoor(lab, use('bearer'), [], async (door) => {
      const text = await raw(door, 'GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n')
      return { status: Number(text.slice(9, 12)), headers: {}, body: text }
    })
    assert.equal(answer.status, 403)
    assert.equal(seen.length, 0)
  })

  for (const host of ['bad.test', 'wrong.test'])
    test(`95: the certificate of ${host}: 502, nothing is sent`, async () => {
      const had = lab.seen.length
      const { answer, seen } = await withDoor(lab, [{ domain: host, credential: 'bearer' }], [], (door) =>
        through(door, host, {}),
      )
      assert.equal(answer.status, 502)
      assert.match(answer.body, new RegExp(`certificate of ${host} could not be verified`))
      assert.deepEqual([seen.length, lab.seen.length], [0, had])
    })

  test('87, 88: redirects pass as they are, and what follows is judged and set anew', async () => {
    const allow = [{ domain: 'api.test', credential: 'bearer' }, { domain: 'other.test' }]
    const { answer, seen } = await withDoor(lab, allow, [], async (door) => {
      const away = await through(door, 'api.test', { path: '/away' })
      assert.deepEqual([away.status, away.headers['location']], [302, 'https://other.test/landed'])
      await through(door, 'other.test', { path: '/landed' })
      const inside = await through(door, 'api.test', { path: '/inside' })
      assert.equal(inside.headers['location'], 'http://127.0.0.1/')
      const text = await raw(door, 'GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n')
      return { status: Number(text.slice(9, 12)), headers: {}, body: text }
    })
    assert.equal(answer.status, 403)
    assert.deepEqual(
      seen.map((one) => [one.url, arrived(one, 'authorization').length]),
      [
        ['/away', 1],
        ['/landed', 0],
        ['/inside', 1],
      ],
    )
  })

  test('the runtime follows no redirect', async () => {
    const request = { method: 'GET', url: 'https://api.test/away', headers: {}, timeout: 5000, limit: 1000 }
    const answer = await lab.egress.request({ allowlist: use('bearer') }, 'env', request)
    assert.ok(answer.ok && answer.status === 302)
  })
})

test('100: no secret is in an event or in a file of the door or the store', () => {
  assert.ok(lab.events.length > 15)
  assert.doesNotMatch(JSON.stringify(lab.events), new RegExp(SECRET))
  for (const name of readdirSync(dir, { recursive: true, withFileTypes: true }))
    if (name.isFile()) assert.doesNotMatch(readFileSync(join(name.parentPath, name.name), 'utf8'), new RegExp(SECRET))
})
