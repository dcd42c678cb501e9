import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { redactionKey } from './key.ts'
import { KINDS } from './kinds.ts'
import { hmac, MARKER, marker, mask, maskSlice, secretsIn } from './redact.ts'
import { StreamMask } from './stream.ts'

const KEY = 'a key for tests'

/** Bytes with their secrets masked, and how many there were. */
function maskBytes(all: Uint8Array, key: string): { bytes: Uint8Array; masked: number } {
  const stream = new StreamMask(key)
  const first = stream.push(all)
  return { bytes: Buffer.concat([first, stream.end()]), masked: stream.masked }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const secret = fc
  .string({ unit: fc.constantFrom(...letters), minLength: 24, maxLength: 60 })
  .filter((text) => /\d/.test(text) && /[A-Za-z]/.test(text))
const line64 = fc.string({ unit: fc.constantFrom(...letters, '+', '/'), minLength: 64, maxLength: 64 })
const body = fc.array(line64, { minLength: 1, maxLength: 30 })
const block = body.map((lines) =>
  ['-----BEGIN PRIVATE', ' KEY-----\n', lines.join('\n'), '\nAbc=\n-----END PRIVATE', ' KEY-----'].join(''),
)

const carriers: readonly ((value: string) => string)[] = [
  (v) => `> Authorization: Bearer ${v}`,
  (v) => `API_KEY=${v}`,
  (v) => `DB_PASSWORD='${v}'`,
  (v) => `{"client_secret": "${v}"}`,
  (v) => `{\\"token\\": \\"${v}\\"}`,
  (v) => `origin https://user:${v}@git.example/x.git (fetch)`,
  (v) => `+ tool --api-key=${v} --verbose`,
  (v) => `  password: ${v}`,
  (v) => `found gh${'p_'}${v}`,
  (v) => `"sk-${'ant-'}${v}"`,
  (v) => `npm${'_'}${v}`,
]

/** Lines as outputs are full of. */
const plain = fc.oneof(
  fc.constantFrom(
    'ok',
    '',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    '      "integrity": "sha512-qQ4Ou5A9lZk3Jq9XWbTz81LmN0pQrStUvWxYz01aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdefghij==",',
    'héllo – wörld',
    '\u001b[31mred\u001b[0m',
    'src/a.ts:12:3 error TS2304: Cannot find name',
  ),
  fc.string({ maxLength: 40, unit: fc.constantFrom('a', 'b', ' ', '.', '1', '/', '-', 'é') }),
)
const planted = fc.oneof(
  { weight: 4, arbitrary: plain },
  { weight: 1, arbitrary: fc.tuple(secret, fc.constantFrom(...carriers)).map(([value, carry]) => carry(value)) },
  { weight: 1, arbitrary: block },
)
const output = fc.array(planted, { maxLength: 20 }).map((lines) => lines.join('\n'))

test('planted secrets are gone, the lines around them stay', () => {
  fc.assert(
    fc.property(
      fc.array(plain),
      secret,
      fc.constantFrom(...carriers),
      fc.array(plain),
      (before, value, carry, behind) => {
        const out = mask([...before, carry(value), ...behind].join('\n'), KEY).text
        assert.ok(!out.includes(value), out)
        const lines = out.split('\n')
        assert.equal(lines.length, before.length + 1 + behind.length)
        assert.deepEqual([...lines.slice(0, before.length), ...lines.slice(before.length + 1)], [...before, ...behind])
      },
    ),
    { numRuns: 1500 },
  )
})

test('a private key goes as a whole, whatever stands before its lines', () => {
  fc.assert(
    fc.property(
      fc.array(plain),
      block,
      fc.constantFrom('', '  ', '+', 'k.pem:', '│ '),
      fc.array(plain),
      (before, key, prefix, behind) => {
        const text = [...before, ...key.split('\n').map((line) => prefix + line), ...behind].join('\n')
        const out = mask(text, KEY)
        assert.equal(out.masked, 1, out.text)
        assert.deepEqual(out.text.split('\n'), [...before, `${prefix}${out.text.match(MARKER)![0]}`, ...behind])
      },
    ),
  )
})

test('a slice shows no more than the whole, however it is cut', () => {
  fc.assert(
    fc.property(fc.array(plain), block, fc.array(plain), fc.nat(), fc.nat(), (before, key, behind, a, b) => {
      const text = [...before, key, ...behind].join('\n')
      const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y) as [number, number]
      const out = maskSlice(text.slice(0, from), text.slice(from, to), text.slice(to), KEY).text
      for (const line of key.split('\n').slice(1, -2))
        for (let i = 0; i + 12 <= line.length; i += 4) assert.ok(!out.includes(line.slice(i, i + 12)), out)
    }),
  )
})

test('masking twice is masking once, in any text', () => {
  fc.assert(
    fc.property(fc.oneof(output, fc.string(), fc.string({ unit: 'binary' })), (text) => {
      const once = mask(text, KEY).text
      assert.deepEqual(mask(once, KEY), { text: once, masked: 0, names: [] })
    }),
    { numRuns: 1500 },
  )
})

/** Lines with what decides over lines that are near: names of hashes, logins, data, words before long runs. */
const telling = fc.oneof(
  planted,
  secret,
  line64,
  fc.constantFrom(
    '',
    'login ana',
    'password s3cr3t-of-ana',
    'machine a.example login ana password s3cr3t-of-ana',
    '  sha256:',
    'integrity',
    'x --token',
    'token',
    'the key of the session, and a cookie',
    '?sig=aB3dE5gH7jK9mN1p',
  ),
  fc.tuple(fc.constantFrom('token   ', 'key=', 'hash: ', 'id '), secret).map((parts) => parts.join('')),
)

test('what is far from a slice decides nothing in it', () => {
  fc.assert(
    fc.property(fc.array(telling, { maxLength: 30 }), fc.nat(), fc.nat(), (lines, a, b) => {
      const whole = lines.join('\n')
      const [from, to] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y) as [number, number]
      let [expected, at] = ['', from]
      for (const found of secretsIn(whole)) {
        if (found.to <= from || found.from >= to) continue
        expected += whole.slice(at, Math.max(at, found.from))
        expected += marker(found.name, whole.slice(found.from, found.to), KEY)
        at = Math.min(found.to, to)
      }
      const { text } = maskSlice(whole.slice(0, from), whole.slice(from, to), whole.slice(to), KEY)
      assert.equal(text, expected + whole.slice(at, to))
    }),
    { numRuns: 3000 },
  )
})

test('a line is masked alike whether or not other lines look suspicious', () => {
  const decoys = 'the key, pass and token of ana@host over a cookie: sk- AKIA [?&]sig and PRIVATE KEY'
  assert.equal(mask(decoys, KEY).masked, 0)
  const examples = KINDS.flatMap(({ examples, harmless }) => [
    ...examples.map((one) => one.replace('|', '')),
    ...harmless,
  ])
  fc.assert(
    fc.property(fc.oneof(telling, fc.constantFrom(...examples)), (line) => {
      const far = '\n'.repeat(20)
      assert.equal(
        mask(`${decoys}${far}${line}${far}${decoys}`, KEY).text.slice(decoys.length).slice(0, -decoys.length),
        `${far}${mask(line, KEY).text}${far}`,
      )
    }),
    { numRuns: 3000 },
  )
})

test('masks that are there already make no text slow', () => {
  const began = performance.now()
  mask('[ctx:redacted:jwt:01234567] key=Abc123Def456Ghi7 '.repeat(40_000), KEY)
  assert.ok(performance.now() - began < 20_000)
})

test('bytes in pieces are masked as the whole is', () => {
  fc.assert(
    fc.property(
      output,
      fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 12 }),
      fc.nat(3),
      (text, cuts, times) => {
        // Long enough that something is handed on before the end.
        const whole = Buffer.from(
          `${text}\n${'a line of no interest, with the number 12\n'.repeat(times * 2000)}${text}`,
        )
        const stream = new StreamMask(KEY)
        const out: Uint8Array[] = []
        for (let at = 0, i = 0; at < whole.length; i++) {
          const length = cuts[i % cuts.length]!
          out.push(stream.push(whole.subarray(at, at + length)).slice())
          at += length
        }
        out.push(stream.end())
        const expected = mask(whole.toString(), KEY)
        // Not compared by `assert.equal`: the difference of long texts takes it minutes.
        assert.ok(Buffer.concat(out).toString() === expected.text)
        assert.equal(stream.masked, expected.masked)
        assert.deepEqual([...stream.names].sort(), expected.names)
      },
    ),
    { numRuns: 200 },
  )
})

test('bytes that are no text stay as they are', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.uint8Array({ maxLength: 400 }),
      secret,
      (before, behind, value) => {
        const key = Buffer.from(`\nAPI_KEY=${value}\n`)
        const out = maskBytes(Buffer.concat([before, key, behind]), KEY)
        const at = Buffer.from(out.bytes).indexOf('\nAPI_KEY=[ctx:redacted:')
        assert.ok(at >= 0)
        if (out.masked === 1) {
          assert.ok(Buffer.from(out.bytes.subarray(0, at)).equals(before))
          assert.ok(Buffer.from(out.bytes.subarray(out.bytes.length - behind.length)).equals(behind))
        }
      },
    ),
  )
})

test('the same secret has the same mask for one user, another for another, and none of it shows', () => {
  const text = `API_KEY=abcdef0123456789 and again API_KEY=abcdef0123456789`
  const out = mask(text, KEY).text.match(MARKER)!
  assert.equal(new Set(out).size, 1)
  assert.notEqual(mask(text, 'another key').text, mask(text, KEY).text)
  assert.equal(
    Buffer.from(maskBytes(Buffer.from('PASSWORD=schlüssel9'), KEY).bytes).toString(),
    mask('PASSWORD=schlüssel9', KEY).text,
  )
})

test('the code of masks is HMAC-SHA-256', () => {
  // RFC 4231, cases 1, 2 and 6.
  assert.equal(
    hmac(new Uint8Array(20).fill(0x0b), 'Hi There'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  )
  assert.equal(
    hmac('Jefe', 'what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
  assert.equal(
    hmac(new Uint8Array(131).fill(0xaa), 'Test Using Larger Than Block-Size Key - Hash Key First'),
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  )
})

test('no text takes long', () => {
  const units = [
    'a',
    'password',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    'AAAAAAAAAAAAAAAAAAAAAAA\n',
    'http://',
    'x:/',
    '=',
    '"',
    '/',
    'a_',
    'aB1',
    '\\"',
    'token ',
    'secret=',
    'cookie: a=',
    'eyJa.',
    'bearer ',
    '--pass ',
    'key:',
    '\n',
    ' ',
  ]
  for (const unit of units) {
    const many = unit.repeat(Math.ceil(400_000 / unit.length))
    const text = `${many}!\n+-----BEGIN PRIVATE KEY-----\n${many}!`
    const start = performance.now()
    mask(text, KEY)
    maskBytes(Buffer.from(text), KEY)
    assert.ok(performance.now() - start < 20_000, JSON.stringify(unit))
  }
})

test('kinds are named once, and the table has a reason for each', () => {
  assert.equal(new Set(KINDS.map(({ name }) => name)).size, KINDS.length)
  for (const { name, reason, examples, harmless } of KINDS) {
    assert.match(name, /^[a-z-]{1,32}$/)
    assert.ok(reason.length > 10 && examples.length > 0 && harmless.length > 0, name)
  }
})

test('the key of masks is made once, kept for its user alone, and never taken from a file that others may read', () => {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-key-'))
  try {
    const env = { XDG_STATE_HOME: join(root, 'state') }
    const key = redactionKey(env, root)
    assert.equal(key.length, 32)
    assert.deepEqual(redactionKey(env, root), key)
    const file = join(root, 'state', 'sallyport', 'redact.key')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(new Uint8Array(readFileSync(file)), new Uint8Array(key))
    chmodSync(file, 0o644)
    assert.notDeepEqual(redactionKey(env, root), key)
    chmodSync(file, 0o600)
    writeFileSync(file, 'short')
    assert.equal(redactionKey(env, root).length, 32)
    assert.notDeepEqual(redactionKey({ XDG_STATE_HOME: join(root, 'other') }, root), key)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
