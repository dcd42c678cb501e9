/** The store of credentials: what it takes, what it tells, what lies on the disk, and renewing access tokens. */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ManagedError, type OutAnswer, type OutRequest } from '../contract.ts'
import { createCredentials } from './credentials.ts'
import { readKey } from './key.ts'
import { openVault } from './vault.ts'

let scratch: string
before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'credentials-'))
})
after(() => rmSync(scratch, { recursive: true, force: true }))
const fresh = (): string => mkdtempSync(join(scratch, 'd'))

const offline = (): Promise<OutAnswer> =>
  Promise.resolve({ ok: false, why: 'There is no network.', refused: false, timedOut: false })
const clockAt = (start = 1_000_000) => {
  const clock = { time: start, now: () => clock.time }
  return clock
}
const storeIn = (dir = fresh(), request: (request: OutRequest) => Promise<OutAnswer> = offline, clock = clockAt()) =>
  createCredentials({ dir, clock, request })

const BEARER = { id: 'api', type: 'bearer_token', token: 's3cret-EXAMPLE-token' }
const VARIABLE = {
  id: 'var',
  type: 'environment_variable',
  value: 's3cret-EXAMPLE-value',
  injection_location: 'header',
}
const OAUTH = {
  id: 'oauth',
  type: 'oauth2',
  client_id: 'client',
  client_secret: 's3cret-EXAMPLE-client',
  refresh_token: 's3cret-EXAMPLE-refresh-0',
  token_url: 'https://auth.example.test/token',
}

const fails = (status: number, says: RegExp | string) => (error: unknown) => {
  assert.ok(error instanceof ManagedError, String(error))
  assert.equal(error.status, status)
  if (typeof says === 'string') assert.equal(error.message, says)
  else assert.match(error.message, says)
  assert.doesNotMatch(error.message, /s3cret/)
  return true
}

const WRONG: readonly (readonly [name: string, body: unknown, says: RegExp])[] = [
  ['no object', 'x', /must be an object/],
  ['no type', { id: 'a', token: 's3cret' }, /Missing required field 'type'/],
  ['another type', { type: 'bearer', token: 's3cret' }, /'type' must be one of/],
  ['a misspelt type', { type: 'bearer_tokn', token: 's3cret' }, /Did you mean "bearer_token"\?/],
  ['no token', { type: 'bearer_token' }, /Missing required field 'token'/],
  ['a misspelt field', { ...BEARER, tokn: 's3cret' }, /Unknown field 'tokn'\. Did you mean "token"\?/],
  ['a field of another type', { ...BEARER, trusted_domains: [] }, /Unknown field 'trusted_domains'\./],
  ['a value that is no text', { ...BEARER, token: 5 }, /Field 'token' must be a string/],
  ['a line break', { ...BEARER, token: 's3cret\r\nX: y' }, /Field 'token' holds a line break/],
  ['a header of the connection', { ...BEARER, header_name: 'Host' }, /'header_name': the header Host/],
  ['a bad id', { ...BEARER, id: '../x' }, /Field 'id'/],
  ['two underscores', { ...BEARER, id: 'a__b' }, /Field 'id'/],
  ['no place', { ...VARIABLE, injection_location: [] }, /'injection_location' must name at least one/],
  ['another place', { ...VARIABLE, injection_location: ['header', 'path'] }, /one or more of header, query, body/],
  ['a bad domain', { ...VARIABLE, trusted_domains: ['a.test', 'api.*.com'] }, /'trusted_domains\[1\]' has a wildcard/],
  ['http', { ...OAUTH, token_url: 'http://auth.example.test/' }, /must be an https address/],
  ['scopes as text', { ...OAUTH, scopes: 'a b' }, /'scopes' must be a list/],
]

describe('creating', () => {
  for (const [name, body, says] of WRONG)
    test(`400: ${name}`, async () => {
      const store = storeIn()
      await assert.rejects(store.create(body), fails(400, says))
      assert.deepEqual(store.list(), [])
    })

  test('tells id, type, status and times, nothing else', async () => {
    const view = await storeIn().create(BEARER)
    assert.deepEqual(view, {
      id: 'api',
      type: 'bearer_token',
      status: 'active',
      createTime: 1_000_000,
      updateTime: 1_000_000,
    })
  })

  test('makes an id where none is given', async () => {
    const { id: _, ...rest } = BEARER
    assert.match((await storeIn().create(rest)).id, /^[0-9a-f]{8}-[0-9a-f]{4}-/)
  })

  test('123: an id that is taken is 409', async () => {
    const store = storeIn()
    await store.create(BEARER)
    const says = "Credential 'api' already exists.; CreateCredential call failed"
    await assert.rejects(store.create({ ...BEARER, token: 'other' }), fails(409, says))
    assert.deepEqual(await store.header('api'), { name: 'Authorization', value: 'Bearer s3cret-EXAMPLE-token' })
  })

  test('of two at the same time one wins', async () => {
    const dir = fresh()
    const made = await Promise.allSettled([storeIn(dir).create(BEARER), storeIn(dir).create(BEARER)])
    assert.deepEqual(made.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })
})

describe('headers', () => {
  const ROWS: readonly (readonly [object, string, string])[] = [
    [{}, 'Authorization', 'Bearer s3cret-EXAMPLE-token'],
    [{ header_name: 'X-Api-Key', prefix: '' }, 'X-Api-Key', 's3cret-EXAMPLE-token'],
    [{ prefix: 'token' }, 'Authorization', 'token s3cret-EXAMPLE-token'],
    [{ prefix: 'token ' }, 'Authorization', 'token s3cret-EXAMPLE-token'],
  ]
  for (const [more, name, value] of ROWS)
    test(`${JSON.stringify(more)}: ${name}`, async () => {
      const store = storeIn()
      await store.create({ ...BEARER, ...more })
      assert.deepEqual(await store.header('api'), { name, value })
    })
})

describe('changing', () => {
  test('counts at once, also in a store that another process opened', async () => {
    const dir = fresh()
    const [one, other] = [storeIn(dir), storeIn(dir)]
    await one.create(BEARER)
    assert.equal((await other.header('api')).value, 'Bearer s3cret-EXAMPLE-token')
    await one.update('api', { type: 'bearer_token', token: 'new' })
    assert.equal((await other.header('api')).value, 'Bearer new')
    await other.remove('api')
    await assert.rejects(one.header('api'), /the credential api does not exist/)
  })

  test('keeps what is not given', async () => {
    const store = storeIn()
    await store.create({ ...BEARER, header_name: 'X-Key', prefix: '' })
    await store.update('api', { type: 'bearer_token', token: 'new' })
    assert.deepEqual(await store.header('api'), { name: 'X-Key', value: 'new' })
  })

  test('123: needs the type, and does not change it', async () => {
    const store = storeIn()
    await store.create(BEARER)
    await assert.rejects(store.update('api', { token: 'x' }), fails(400, /Missing required field 'type'/))
    await assert.rejects(store.update('api', VARIABLE), fails(400, /cannot be changed/))
    await assert.rejects(store.update('api', { type: 'bearer_token', tken: 'x' }), fails(400, /Did you mean "token"/))
    await assert.rejects(store.update('gone', { type: 'bearer_token' }), fails(404, /^Result not found\.;/))
    await assert.rejects(store.remove('gone'), fails(404, 'Result not found.; DeleteCredential call failed'))
    assert.equal((await store.header('api')).value, 'Bearer s3cret-EXAMPLE-token')
  })
})

describe('variables', () => {
  test('a placeholder for this type alone, a value for the proxy', async () => {
    const store = storeIn()
    await store.create({ ...VARIABLE, trusted_domains: ['api.example.test'] })
    await store.create(BEARER)
    assert.equal(store.placeholder('var'), '__GEMINI_CRED_var__')
    assert.equal(store.placeholder('api'), undefined)
    assert.equal(store.placeholder('gone'), undefined)
    assert.deepEqual(store.variable('var'), {
      value: 's3cret-EXAMPLE-value',
      places: new Set(['header']),
      trusted: [{ is: 'exact', name: 'api.example.test' }],
    })
    assert.equal(store.variable('api'), undefined)
    await assert.rejects(store.header('var'), /sets no header/)
  })
})

describe('at rest', () => {
  test('no secret lies in the directory, and files are for the owner alone', async () => {
    const dir = fresh()
    const store = storeIn(dir)
    await store.create(BEARER)
    await store.create(VARIABLE)
    assert.deepEqual(readdirSync(dir).sort(), ['credentials.json', 'key'])
    for (const name of readdirSync(dir)) {
      assert.doesNotMatch(readFileSync(join(dir, name), 'utf8'), /s3cret/)
      assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600)
    }
    assert.equal((await storeIn(dir).header('api')).value, 'Bearer s3cret-EXAMPLE-token')
  })

  test('another key, a missing key and a key that others can read are said in one sentence', async () => {
    const dir = fresh()
    await storeIn(dir).create(BEARER)
    assert.throws(() => openVault(dir, Buffer.alloc(32)).entries(), /cannot be opened with this key/)
    chmodSync(join(dir, 'key'), 0o644)
    assert.throws(() => storeIn(dir), /can be read by others/)
    rmSync(join(dir, 'key'))
    assert.throws(() => storeIn(dir), /is missing/)
  })

  test('an entry cannot be put in the place of another', async () => {
    const dir = fresh()
    const store = storeIn(dir)
    await store.create(BEARER)
    await store.create({ ...BEARER, id: 'other', token: 'other' })
    const file = join(dir, 'credentials.json')
    const stored = JSON.parse(readFileSync(file, 'utf8'))
    stored.entries[0].id = 'other'
    stored.entries[1].id = 'api'
    writeFileSync(file, JSON.stringify(stored))
    assert.throws(() => storeIn(dir), /changed by somebody else/)
  })

  test('a store that is damaged is an error, not an empty store', async () => {
    const dir = fresh()
    await storeIn(dir).create(BEARER)
    writeFileSync(join(dir, 'credentials.json'), '{')
    assert.throws(() => storeIn(dir), /damaged/)
  })

  test('a key given by the operator leaves no key file', async () => {
    const dir = fresh()
    const key = readKey('ab'.repeat(32), 'the variable')
    await createCredentials({ dir, key, clock: clockAt(), request: offline }).create(BEARER)
    assert.deepEqual(readdirSync(dir), ['credentials.json'])
    assert.throws(() => readKey('abc', 'the variable X'), /the variable X must hold 32 bytes/)
  })

  test('a lock that a dead process left is taken away', async () => {
    const dir = fresh()
    writeFileSync(join(dir, 'lock'), '999999999')
    await storeIn(dir).create(BEARER)
    assert.deepEqual(readdirSync(dir).sort(), ['credentials.json', 'key'])
  })

  test('many changes from two sides are all kept', async () => {
    const dir = fresh()
    const stores = [storeIn(dir), storeIn(dir)]
    await Promise.all(Array.from({ length: 12 }, (_, i) => stores[i % 2]!.create({ ...BEARER, id: `c${i}` })))
    assert.equal(storeIn(dir).list().length, 12)
  })
})

/** A token endpoint that rotates its refresh tokens: each is good once. */
function endpoint(options: { life?: number; form?: boolean; rotate?: boolean; delay?: number } = {}) {
  const made = {
    asked: 0,
    good: 's3cret-EXAMPLE-refresh-0',
    refuse: undefined as undefined | string,
    async request({ url, method, body }: OutRequest): Promise<OutAnswer> {
      assert.equal(url, OAUTH.token_url)
      assert.equal(method, 'POST')
      made.asked++
      if (options.delay) await new Promise((resolve) => setTimeout(resolve, options.delay))
      const form = new URLSearchParams(Buffer.from(body!).toString())
      const reply = (status: number, said: Record<string, string | number>): OutAnswer => ({
        ok: true,
        status,
        headers: {},
        cut: false,
        body: Buffer.from(
          options.form
            ? new URLSearchParams(Object.entries(said).map(([k, v]): [string, string] => [k, String(v)])).toString()
            : JSON.stringify(said),
        ),
      })
      if (made.refuse !== undefined) return reply(400, { error: made.refuse, error_description: 's3cret' })
      if (form.get('refresh_token') !== made.good) return reply(400, { error: 'invalid_grant' })
      if (options.rotate) made.good = `s3cret-EXAMPLE-refresh-${made.asked}`
      return reply(200, {
        access_token: `access-${made.asked}`,
        token_type: 'Bearer',
        expires_in: options.life ?? 3600,
        ...(options.rotate ? { refresh_token: made.good } : {}),
      })
    },
  }
  return made
}

describe('77: oauth2', () => {
  test('an endpoint that says no: nothing is created', async () => {
    const auth = endpoint()
    auth.refuse = 'invalid_client'
    const store = storeIn(fresh(), auth.request)
    await assert.rejects(store.create(OAUTH), fails(400, /could not be validated.*answered 400 \(invalid_client\)/))
    await assert.rejects(storeIn().create(OAUTH), fails(400, /could not be asked: There is no network/))
    assert.deepEqual(store.list(), [])
  })

  for (const form of [false, true])
    test(`the token of the validation is used until it ends (${form ? 'form' : 'JSON'})`, async () => {
      const [auth, clock] = [endpoint({ form }), clockAt()]
      const store = storeIn(fresh(), auth.request, clock)
      await store.create(OAUTH)
      assert.deepEqual(await store.header('oauth'), { name: 'Authorization', value: 'Bearer access-1' })
      clock.time += 3_600_000
      assert.equal((await store.header('oauth')).value, 'Bearer access-2')
      assert.equal(auth.asked, 2)
    })

  test('20 at the same time renew once, and the rotated refresh token is kept over a restart', async () => {
    const [auth, clock, dir] = [endpoint({ rotate: true, delay: 20 }), clockAt(), fresh()]
    const store = storeIn(dir, auth.request, clock)
    await store.create(OAUTH)
    clock.time += 3_600_000
    const headers = await Promise.all(Array.from({ length: 20 }, () => store.header('oauth')))
    assert.deepEqual([...new Set(headers.map(({ value }) => value))], ['Bearer access-2'])
    assert.equal(auth.asked, 2)
    assert.equal((await storeIn(dir, auth.request, clock).header('oauth')).value, 'Bearer access-3')
  })

  test('a failure is said without a secret, and the next try asks again', async () => {
    const [auth, clock] = [endpoint(), clockAt()]
    const store = storeIn(fresh(), auth.request, clock)
    await store.create(OAUTH)
    clock.time += 3_600_000
    auth.refuse = 'temporarily_unavailable'
    await assert.rejects(store.header('oauth'), (error: Error) => {
      assert.match(error.message, /oauth could not be refreshed.*temporarily_unavailable/)
      assert.doesNotMatch(error.message, /s3cret/)
      return true
    })
    auth.refuse = undefined
    assert.equal((await store.header('oauth')).value, 'Bearer access-3')
  })

  test('a refresh token that is void revokes the credential; a new one revives it', async () => {
    const [auth, clock] = [endpoint(), clockAt()]
    const store = storeIn(fresh(), auth.request, clock)
    await store.create(OAUTH)
    clock.time += 3_600_000
    auth.good = 's3cret-EXAMPLE-other'
    await assert.rejects(store.header('oauth'), /invalid_grant/)
    assert.equal(store.get('oauth')?.status, 'revoked')
    await assert.rejects(store.header('oauth'), /is revoked/)
    await store.update('oauth', { type: 'oauth2', refresh_token: 's3cret-EXAMPLE-other' })
    assert.equal(store.get('oauth')?.status, 'active')
    assert.match((await store.header('oauth')).value, /access-/)
  })

  test('a change that the endpoint refuses changes nothing', async () => {
    const auth = endpoint()
    const store = storeIn(fresh(), auth.request)
    await store.create(OAUTH)
    await assert.rejects(store.update('oauth', { type: 'oauth2', refresh_token: 'bad' }), fails(400, /validated/))
    assert.equal((await store.header('oauth')).value, 'Bearer access-1')
  })

  test('an access token that the server refused is renewed, not more often than it makes sense', async () => {
    const [auth, clock] = [endpoint(), clockAt()]
    const store = storeIn(fresh(), auth.request, clock)
    await store.create(OAUTH)
    store.rejected('oauth')
    assert.equal((await store.header('oauth')).value, 'Bearer access-1')
    clock.time += 11_000
    store.rejected('oauth')
    assert.equal((await store.header('oauth')).value, 'Bearer access-2')
  })
})
