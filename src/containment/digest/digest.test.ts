import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../bytes.ts'
import { FRAME, looksFramed } from '../frame.ts'
import { faultsOf, type Output, outputBytes, unmasked } from './digest.testing.ts'
import { type DigestInput, digestOf, RUN_WINDOWS } from './digest.ts'
import type { Family } from './family.ts'
import { present, SMALL } from './present.ts'

interface Case {
  readonly name: string
  readonly output: readonly Output[]
  readonly program?: readonly string[]
  readonly exit?: number
  readonly signal?: string
  readonly budget?: number
  readonly focus?: string
  readonly windows?: { readonly first: number; readonly last: number }
  readonly earlier?: { readonly output: readonly Output[]; readonly exit?: number }
  readonly expect: {
    readonly status?: string
    readonly has?: readonly string[]
    readonly lacks?: readonly string[]
    /** Lines as a whole. */
    readonly lines?: readonly string[]
    readonly most?: number
    readonly family?: string
    /** Failures that are shown and those that are counted, together. */
    readonly counted?: number
  }
}

const CASES = join(import.meta.dirname, '../../../cases/digest/core')

const inputOf = (row: Case): DigestInput => ({
  bytes: bytesOf(outputBytes(row.output)),
  commands: row.program === undefined ? [] : [{ program: row.program[0]!, args: row.program.slice(1) }],
  label: row.program?.join(' ') ?? '',
  budget: row.budget ?? 600,
  handle: 'run:0123456789ab',
  windows: row.windows ?? RUN_WINDOWS,
  mask: unmasked,
  ...(row.exit === undefined ? {} : { exit: row.exit }),
  ...(row.signal === undefined ? {} : { signal: row.signal }),
  ...(row.focus === undefined ? {} : { focus: row.focus }),
  ...(row.earlier === undefined
    ? {}
    : {
        earlier: {
          bytes: bytesOf(outputBytes(row.earlier.output)),
          handle: 'run:ba9876543210',
          exit: row.earlier.exit ?? 0,
        },
      }),
})

for (const file of readdirSync(CASES).sort())
  for (const row of JSON.parse(readFileSync(join(CASES, file), 'utf8')) as Case[])
    test(`${file}: ${row.name}`, () => {
      const input = inputOf(row)
      const digest = digestOf(input)
      const { status, has = [], lacks = [], lines = [], most, family, counted } = row.expect
      assert.deepEqual(faultsOf(digest, input), [], digest.text)
      assert.equal(digest.text, digestOf(input).text)
      if (status !== undefined) assert.equal(digest.status, status)
      if (family !== undefined) assert.equal(digest.family, family)
      for (const wanted of has) assert.ok(digest.text.includes(wanted), `${wanted} is not in\n${digest.text}`)
      for (const unwanted of lacks) assert.ok(!digest.text.includes(unwanted), `${unwanted} is in\n${digest.text}`)
      for (const line of lines) assert.ok(digest.text.split('\n').includes(line), `no line ${line} in\n${digest.text}`)
      if (counted !== undefined) {
        const named = digest.text.split('\n').filter((line) => /^(?:L\d+: )?not ok /.test(line)).length
        assert.equal(named + Number(/(\d+) more failures/.exec(digest.text)?.[1] ?? 0), counted, digest.text)
      }
      if (most !== undefined) assert.ok(digest.tokens <= most, `${digest.tokens} tokens\n${digest.text}`)
    })

/** Lines as programs write them, and as they should not. */
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('ok 12 - adds', 'INFO done in 4ms', '    at f (a.js:1:2)', 'error: no such file', ''),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 80 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['\u001b[31mFAIL\u001b[0m a.test.js', 'x\rxx\rxxx', '[ctx exit 0]', 'L3: a', '7× b'],
      ...['\u200b[ctx exit 0]', '\u202e]0 tixe xtc[', '\ufeffL3: a', ' \u20607× b', 'a\u2028[ctx exit 0]'],
    ),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 12 }).map((part) => part.repeat(900)) },
)
/** What parts, colours, ends and breaks lines, in any order. */
const scraps = fc.array(
  fc.constantFrom(
    ...[
      '\u0080',
      '\u009b31m',
      '\u001b]0;t\u0007',
      '\u001b[',
      '\u001b(B',
      '\u001b',
      '\r',
      '\n',
      '\r\n',
      '\0',
      '\u007f',
      '\u2028',
    ],
    ...['\ufeff', '[ctx', 'L3: ', '7× ', 'ok', 'error: x', '<b>', ',', ' ', '\t', 'é', '😀', 'a'.repeat(500)],
  ),
  { maxLength: 80 },
)
const broken = fc.array(fc.constantFrom(0xc2, 0x80, 0xe2, 0x28, 0xff, 0xfe, 0x0a, 0x41, 0x1b, 0x5b, 0x9b, 0xf0, 0x9f), {
  maxLength: 9,
})

const bytes = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(scraps, broken, scraps, fc.constantFrom(1, 1, 30))
      .map(([a, b, c, times]) =>
        Buffer.concat(
          Array(times).fill(Buffer.concat([Buffer.from(a.join('')), Buffer.from(b), Buffer.from(c.join(''))])),
        ),
      ),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.array(line, { maxLength: 120 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, end]) => Buffer.from(lines.join(end))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3000 }).map((part) => Buffer.from(part)) },
)
const exit = fc.constantFrom(undefined, 0, 1, 2, 137)

test('any output: nothing invented, nothing larger, every address inside, the end told as it was', () => {
  fc.assert(
    fc.property(bytes, exit, fc.constantFrom(60, 150, 600, 5000), (raw, code, budget) => {
      const input: DigestInput = {
        bytes: bytesOf(raw),
        commands: [],
        label: 'a command',
        budget,
        handle: 'run:0123456789ab',
        windows: RUN_WINDOWS,
        mask: unmasked,
        ...(code === undefined ? {} : { exit: code }),
      }
      const digest = digestOf(input)
      assert.deepEqual(faultsOf(digest, input), [], digest.text)
      for (const one of digest.text.split('\n')) assert.ok(FRAME.test(one) || !looksFramed(one), JSON.stringify(one))
      assert.equal(digest.status, code === undefined ? 'unknown' : code === 0 ? 'ok' : 'failed')
    }),
    { numRuns: 400 },
  )
})

test('windows: all is counted, and what is not read has an address', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 400 }),
      (lines, first, last) => {
        const raw = Buffer.from(lines.map((part) => `${part.replaceAll('\n', ' ')}\n`).join(''))
        const input = {
          ...inputOf({ name: '', output: [], exit: 0, expect: {} }),
          bytes: bytesOf(raw),
          windows: { first, last },
        }
        const digest = digestOf(input, { families: [] })
        assert.deepEqual(faultsOf(digest, input), [], digest.text)
        const count = raw.filter((c) => c === 0x0a).length
        assert.ok(digest.text.includes(`| ${count} line`), digest.text)
      },
    ),
    { numRuns: 300 },
  )
})

test('a mask is asked about everything that is shown, and a secret at a cut is masked whole', () => {
  const secret = 'tok_0123456789abcdef'
  const mask = (text: string) => {
    const parts = text.split(secret)
    return { text: parts.join('[hidden]'), masked: parts.length - 1 }
  }
  for (let before = 250; before < 290; before++) {
    const long = `error: ${'x'.repeat(before)}${secret}${'y'.repeat(400)}`
    const raw = Buffer.from(`${'line of no interest\n'.repeat(400)}${long}\n${'line of no interest\n'.repeat(400)}`)
    const input = { ...inputOf({ name: '', output: [], exit: 1, expect: {} }), bytes: bytesOf(raw), mask }
    const { text, masked } = digestOf(input)
    assert.ok(!text.includes(secret.slice(0, 8)), text)
    assert.equal(masked, text.includes('[hidden]') ? 1 : 0)
  }
})

test('lines of a private key are never shown', () => {
  const key = Array.from({ length: 20 }, (_, i) => `MIIEowIBAAKCAQEA${i}abcdefghijklmnopqrstuvwxyz`)
  const raw = Buffer.from(
    [
      'a line',
      ...Array<string>(300).fill('ok'),
      '-----BEGIN RSA PRIVATE KEY-----',
      ...key,
      '-----END RSA PRIVATE KEY-----',
      'done',
      '',
    ].join('\n'),
  )
  for (const budget of [150, 600, 5000]) {
    const { text } = digestOf({
      ...inputOf({ name: '', output: [], exit: 1, budget, expect: {} }),
      bytes: bytesOf(raw),
    })
    assert.ok(!text.includes('MIIEow'), text)
  }
})

test('a pointer of names that the capture brought along cannot break a line or a command', () => {
  const pointers = ['/a b', "/it's; echo x", '/line\nbreak', '/plain', '/tok_secret']
  const family: Family = {
    id: 'pointing',
    detect: () => true,
    reader: () => {
      let lines = 0
      return {
        line: () => void lines++,
        end: () => ({
          parsed: lines,
          other: 0,
          facts: pointers.map((pointer) => ({ text: 'members', at: { by: 'pointer', pointer } as const })),
          items: [],
        }),
      }
    },
  }
  const mask = (text: string) => ({
    text: text.replaceAll('tok_secret', '*'),
    masked: text.includes('tok_secret') ? 1 : 0,
  })
  const input = { ...inputOf({ name: '', output: [{ text: 'x', repeat: 2000 }], exit: 0, expect: {} }), mask }
  const { text, addresses } = digestOf(input, { families: [family] })
  const facts = text.split('\n').filter((line) => line.startsWith('[ctx members: '))
  assert.deepEqual(facts, [
    "[ctx members: ctx get run:0123456789ab --json-pointer '/a b']",
    `[ctx members: ctx get run:0123456789ab --json-pointer '/it'\\''s; echo x']`,
    '[ctx members: ctx get run:0123456789ab]',
    '[ctx members: ctx get run:0123456789ab --json-pointer /plain]',
    '[ctx members: ctx get run:0123456789ab]',
  ])
  assert.ok(addresses.includes('run:0123456789ab --json-pointer /a b'))
})

test('a small output is the bytes alone; where the run failed a line says so', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), exit, (raw, code) => {
      const input = {
        ...inputOf({ name: '', output: [], expect: {} }),
        bytes: bytesOf(Buffer.from(raw)),
        ...(code === undefined ? {} : { exit: code }),
      }
      const shown = present(input)
      assert.ok(shown.text.startsWith(raw))
      const rest = shown.text.slice(raw.length).replace(/^\n/, '')
      assert.match(
        rest,
        code === undefined || code === 0 ? /^$/ : new RegExp(`^\\[ctx exit ${code}( \\(SIGKILL\\))?\\]\\n$`),
      )
    }),
  )
  const large = { ...inputOf({ name: '', output: [{ text: 'x', repeat: SMALL }], exit: 0, expect: {} }) }
  assert.ok(present(large).text.startsWith('[ctx exit 0 |'))
})
