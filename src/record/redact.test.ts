import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { MASK, redact, redactAll } from './redact.ts'

interface Row {
  readonly text: readonly string[]
  readonly secret?: string
}

const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('../../cases/policy/redact.json', import.meta.url), 'utf8'),
)

/** Secrets in cases are written in pieces so that scanners of repositories do not take them for real ones. */
for (const { text, secret } of rows) {
  const input = text.join('')
  test(`redact: ${input.slice(0, 70).replaceAll('\n', '⏎')}`, () => {
    const out = redact(input)
    if (secret === undefined) {
      assert.equal(out, input)
    } else {
      assert.ok(input.includes(secret.replaceAll('|', '')), 'the case holds its secret')
      assert.ok(!out.includes(secret.replaceAll('|', '')), out)
      assert.ok(out.includes(MASK))
    }
  })
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const secret = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 20, maxLength: 60 })
/** As text stands around secrets in calls. */
const around = fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'é', '/', '.', 'x1'), maxLength: 60 })

const carriers: readonly ((value: string) => string)[] = [
  (v) => `curl -H "Authorization: Bearer ${v}" https://api.example.com`,
  (v) => `curl -H 'authorization: token ${v}' -X POST`,
  (v) => `export API_KEY=${v}`,
  (v) => `DB_PASSWORD='${v}' ./run`,
  (v) => `{"client_secret": "${v}"}`,
  (v) => `{\\"token\\": \\"${v}\\"}`,
  (v) => `git clone https://user:${v}@example.com/x.git`,
  (v) => `psql postgres://app:${v}@db:5432/app`,
  (v) => `tool --password ${v} --verbose`,
  (v) => `tool --api-key=${v}`,
  (v) => `mysql -u root -p${v} db`,
  (v) => `curl -u dev:${v} https://example.com`,
  (v) => `-----BEGIN RSA PRIVATE KEY-----\n${v}\n-----END RSA PRIVATE KEY-----`,
  (v) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${v}`,
  (v) => `password: ${v}`,
  (v) => `ghp_${v}`,
  (v) => `Cookie: session=${v}`,
  (v) => `AWS_SECRET_ACCESS_KEY=${v} aws s3 ls`,
]

test('planted secrets are gone, wherever they stand', () => {
  fc.assert(
    fc.property(around, secret, fc.constantFrom(...carriers), around, (before, value, carry, behind) => {
      const out = redact(`${before} ${carry(value)} ${behind}`)
      assert.ok(!out.includes(value), out)
    }),
    { numRuns: 2000 },
  )
})

test('masking twice is masking once, and ends for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.tuple(around, secret, fc.constantFrom(...carriers)).map(([a, v, c]) => a + c(v)),
      ),
      (text) => {
        const once = redact(text)
        assert.equal(redact(once), once)
      },
    ),
    { numRuns: 1000 },
  )
})

test('a long text is cut without leaving half a secret, and without taking for ever', () => {
  const key = `A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6`
  const out = redact(`${'x '.repeat(32 * 1024 - 8)}${key}${key}`)
  assert.ok(!out.includes(key.slice(0, 12)))
  for (const unit of ['a', 'password', '-----BEGIN ', 'http://', 'curl -u ', '=', '"', '/', 'a_', 'aB', '\\', 'token '])
    assert.ok(redact(unit.repeat(200_000)).length <= 512 * 1024, unit)
})

test('the quick look never spares what the patterns mask', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'ls',
      ' ',
      '-u',
      ' -p ',
      '--pat ',
      '--pin=',
      '-a ',
      'curl ',
      'mysql ',
      'docker login ',
      'x:y',
      'AKIA',
      'ghp_',
      'eyJ',
      'password ',
      '-dsn ',
      '--otp ',
      "'",
      '"',
      '=',
      ':',
      '\n',
      '$X',
      'sk-',
      'cookie',
      '-----BEGIN KEY-----',
      ...[
        'pin',
        'otp',
        'pat',
        'dsn',
        'session_id',
        'database_url',
        '--user ',
        '://',
        '@',
        'u',
        ' -U ',
        ' = ',
        '": "',
        ':=',
        '=>',
        'glab-',
        'vault:v1:',
        'github_pat_',
        '7z',
        'sshpass',
        'http',
      ],
    ),
    fc.string({ maxLength: 12 }),
    fc.stringMatching(/^[A-Za-z0-9]{4,30}$/),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('')
      assert.equal(redact(text), redactAll(text))
    }),
    { numRuns: 6000, seed: 7 },
  )
})
