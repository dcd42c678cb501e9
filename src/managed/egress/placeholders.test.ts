/** Placeholders of credentials in requests, by the log of the upstreams. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type InjectionLab, SECRET, startInjection, through, withDoor } from './injection.testing.ts'
import { type Ask, arrived, type Lab, raw, type Seen } from './lab.testing.ts'

let own: InjectionLab
let lab: Lab
before(async () => {
  own = await startInjection()
  lab = own.lab
})
after(() => own.close())

const P = '__GEMINI_CRED_var__'
const H = '__GEMINI_CRED_head__'
const VALUE = `${SECRET}/"1`

interface PlaceRow {
  readonly name: string
  readonly host?: string
  readonly ids?: readonly string[]
  readonly open?: true
  readonly request: Ask
  /** What arrived, or the refusal. */
  readonly sees?: (seen: Seen) => void
  readonly says?: RegExp
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
const equal = (header: string, value: string) => (seen: Seen) => assert.deepEqual(arrived(seen, header), [value])
const body = (text: string) => (seen: Seen) => {
  assert.equal(seen.body, text)
  assert.deepEqual(arrived(seen, 'content-length'), [String(Buffer.byteLength(text))])
}

const PLACES: readonly PlaceRow[] = [
  {
    name: 'in a header',
    request: { headers: { Authorization: `Bearer ${H}` } },
    sees: equal('authorization', `Bearer ${SECRET}-2`),
  },
  {
    name: 'as all of Basic',
    request: { headers: { Authorization: `Basic ${H}` } },
    sees: equal('authorization', `Basic ${SECRET}-2`),
  },
  {
    name: 'inside the base64 of Basic',
    request: { headers: { Authorization: basic(`me:${H}`) } },
    sees: equal('authorization', basic(`me:${SECRET}-2`)),
  },
  {
    name: 'in a query, escaped',
    request: { path: `/x?a=1&k=${P}&b` },
    sees: (seen) => assert.equal(seen.url, `/x?a=1&k=${encodeURIComponent(VALUE)}&b`),
  },
  {
    name: 'in a query, written with escapes',
    request: { path: `/x?k=${P.replaceAll('_', '%5F')}` },
    sees: (seen) => assert.equal(seen.url, `/x?k=${encodeURIComponent(VALUE)}`),
  },
  { name: 'in a body, as it is', request: { method: 'POST', body: `a ${P} b` }, sees: body(`a ${VALUE} b`) },
  {
    name: 'in JSON, escaped',
    request: { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: `{"k":"${P}"}` },
    sees: body(JSON.stringify({ k: VALUE })),
  },
  {
    name: 'in a form, escaped',
    request: { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: `k=${P}` },
    sees: body(`k=${encodeURIComponent(VALUE)}`),
  },
  {
    name: 'below a wildcard',
    host: 'sub.api.test',
    request: { headers: { 'X-K': H } },
    sees: equal('x-k', `${SECRET}-2`),
  },
  {
    name: 'where the network is open',
    open: true,
    request: { headers: { 'X-K': H } },
    sees: equal('x-k', `${SECRET}-2`),
  },
  {
    name: 'a compressed body goes as it is',
    request: { method: 'POST', headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(P) },
    sees: (seen) => assert.equal(seen.body, gzipSync(P).toString('latin1')),
  },
  {
    name: 'a body that speaks of another placeholder',
    request: { method: 'POST', body: '__GEMINI_CRED_else__' },
    sees: body('__GEMINI_CRED_else__'),
  },
  {
    name: 'a binary body',
    request: { method: 'POST', body: Buffer.from([0, 255, 254, 95, 95, 13, 10]) },
    sees: (seen) => assert.equal(seen.body, '\0\xff\xfe__\r\n'),
  },
  {
    name: 'another domain',
    host: 'other.test',
    request: { headers: { Authorization: `Bearer ${H}` } },
    says: /other\.test carries the placeholder of the credential head, and the credential does not trust this domain/,
  },
  {
    name: 'another domain, in Basic',
    host: 'other.test',
    request: { headers: { Authorization: basic(`a:${H}`) } },
    says: /does not trust/,
  },
  {
    name: 'another domain, in the body',
    host: 'other.test',
    request: { method: 'POST', body: P },
    says: /does not trust/,
  },
  {
    name: 'a query where only headers are allowed',
    request: { path: `/?k=${H}` },
    says: /not allowed in the query, only in: header/,
  },
  {
    name: 'a body where only headers are allowed',
    request: { method: 'POST', body: `x${H}` },
    says: /not allowed in the body/,
  },
  { name: 'the path', request: { path: `/${P}/x` }, says: /not allowed in the path/ },
  { name: 'the name of a header', request: { headers: { [`X-${P}`]: '1' } }, says: /named after/ },
  {
    name: 'no trusted domain: trusted nowhere',
    ids: ['nowhere'],
    request: { headers: { 'X-K': '__GEMINI_CRED_nowhere__' } },
    says: /does not trust/,
  },
  {
    name: 'a credential of another environment',
    ids: ['var'],
    request: { headers: { 'X-K': H } },
    says: /no credential of this environment/,
  },
  {
    name: 'no such credential',
    ids: ['gone'],
    request: { headers: { 'X-K': '__GEMINI_CRED_gone__' } },
    says: /no credential of this environment/,
  },
  {
    name: 'a bearer token has no placeholder',
    ids: ['bearer'],
    request: { headers: { 'X-K': '__GEMINI_CRED_bearer__' } },
    says: /no credential of this environment/,
  },
]

describe('78: placeholders', () => {
  for (const { name, host = 'api.test', ids = ['var', 'head'], open, request, sees, says } of PLACES)
    test(name, async () => {
      const { answer, seen } = await withDoor(lab, open ? undefined : [{ domain: '*' }], ids, (door) =>
        through(door, host, request),
      )
      assert.doesNotMatch(answer.body, new RegExp(SECRET))
      if (says === undefined) {
        assert.equal(answer.status, 200, answer.body)
        assert.equal(seen.length, 1)
        sees!(seen[0]!)
      } else {
        assert.equal(answer.status, 403)
        assert.match(answer.body, says)
        assert.equal(seen.length, 0)
      }
    })

  test('clear text, also to a trusted domain: refused', async () => {
    const { answer, seen } = await withDoor(lab, [{ domain: 'api.test' }], ['head'], async (door) => {
      const text = await raw(door, `GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\nX-K: ${H}\r\n\r\n`)
      return { status: Number(text.slice(9, 12)), headers: {}, body: text }
    })
    assert.deepEqual([answer.status, seen.length], [403, 0])
    assert.match(answer.body, /never sent over plain http/)
  })

  test('a long body in pieces: replaced across the seam of two pieces', async () => {
    const text = `${'x'.repeat((1 << 20) + 100)}${P}${'y'.repeat(70_000)}${P}`
    const { answer, seen } = await withDoor(lab, [{ domain: 'api.test' }], ['var'], (door) =>
      through(door, 'api.test', { method: 'POST', body: text }),
    )
    assert.equal(answer.status, 200)
    assert.equal(seen[0]!.bytes, text.length + 2 * (VALUE.length - P.length))
    assert.deepEqual(arrived(seen[0]!, 'transfer-encoding'), ['chunked'])
  })

  test('a long body with a placeholder that may not go there: cut off before it', async () => {
    const text = `${'x'.repeat((1 << 20) + 100)}${H}tail`
    const { answer, seen } = await withDoor(lab, [{ domain: 'api.test' }], ['head'], (door) =>
      through(door, 'api.test', { method: 'POST', body: text }),
    )
    assert.equal(answer.status, 403)
    assert.ok(seen.every(({ bytes }) => bytes < text.length - 4))
  })
})
