import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Fact } from '../core/driver.ts'
import type { Effect } from '../core/effect.ts'
import type { Decision, Finding, Verdict } from '../core/verdict.ts'
import { EMPTY_POLICY } from '../policy/policy.ts'
import { type LogContext, lineHash, logLine, MOST_LINE } from './log-line.ts'
import { MOST_REASON, reasonFor } from './reason.ts'
import { buildRecord, type VerdictRecord } from './record.ts'

const effect = (over: Partial<Effect> = {}): Effect => ({
  act: 'delete',
  target: { is: 'path', path: '/home/dev/proj/build', tree: true, follow: false },
  when: 'always',
  via: [{ source: 'call', span: { from: 3, to: 8 }, text: 'x' }],
  provenance: 'literal',
  by: 'rm',
  ...over,
})

const verdict = (over: Partial<Verdict> = {}): Verdict => ({
  decision: 'deny',
  rule: 'loss.tree',
  reason: 'rm would lose 3 files',
  status: 'complete',
  findings: [],
  effects: [effect()],
  ...over,
})

const finding = (decision: Decision): Finding => ({ rule: 'a.b', family: 'loss', decision, reason: 'r' })

const input = { policy: EMPTY_POLICY, facts: [] as readonly Fact[], ms: 1.23456, seed: 's' }

test('a record has exactly the keys of its version', () => {
  const record = buildRecord({
    ...input,
    verdict: verdict({
      safer: 'git stash',
      loss: { paths: Array.from({ length: 12 }, (_, i) => `f${i}`), files: 12, bytes: 9, commits: 0 },
    }),
    call: 'é😀 rm -rf build',
    zones: () => ['temp', 'project'],
  })
  assert.deepEqual(Object.keys(record), [
    'v',
    'id',
    'verdict',
    'rule',
    'reason',
    'safer',
    'effects',
    'loss',
    'status',
    'profile',
    'facts',
    'policy',
    'ms',
  ])
  assert.match(record.id, /^v_[0-9a-f]{12}$/)
  assert.equal(record.loss?.paths.length, 8)
  assert.equal(record.ms, 1.23)
  assert.deepEqual(record.effects, [
    {
      act: 'delete',
      target: '/home/dev/proj/build/',
      zones: ['project', 'temp'],
      when: 'always',
      // The two characters in front take two and four bytes, three UTF-16 units.
      via: [{ source: 'call', from: 6, to: 11 }],
      provenance: 'literal',
    },
  ])
})

test('spans in files are bytes of the text that the verdict saw; elsewhere they are left out', () => {
  const facts: readonly Fact[] = [
    { question: { ask: 'text', path: '/s.sh', limit: 9 }, answer: { text: 'ü\nrm -rf x', cut: false } },
  ]
  const via = [
    { source: 'call', span: { from: 0, to: 4 }, text: '' },
    { source: '/s.sh', span: { from: 2, to: 10 }, line: 2, text: '' },
    { source: 'scripts.build', span: { from: 0, to: 1 }, text: '' },
  ]
  const record = buildRecord({ ...input, facts, verdict: verdict({ effects: [effect({ via })] }) })
  assert.deepEqual(record.effects[0]!.via, [
    { source: 'call' },
    { source: '/s.sh', from: 3, to: 11, line: 2 },
    { source: 'scripts.build' },
  ])
})

test('equal input gives equal bytes, and only id and ms know seed and time', () => {
  const one = buildRecord({ ...input, verdict: verdict() })
  assert.deepEqual(buildRecord({ ...input, verdict: verdict() }), one)
  const other = buildRecord({ ...input, verdict: verdict(), seed: 't', ms: 99 })
  assert.notEqual(other.id, one.id)
  assert.deepEqual({ ...other, id: one.id, ms: one.ms }, one)
  const facts: readonly Fact[] = [{ question: { ask: 'env', name: 'A' }, answer: 'unset' }]
  assert.notEqual(buildRecord({ ...input, verdict: verdict(), facts }).facts, one.facts)
  const store = (text: string, mark?: string): string => {
    const entry = { name: 'a', kind: 'file', text: { text, cut: false }, ...(mark !== undefined && { mark }) } as const
    const question = { ask: 'texts', dir: '/d', limit: 1, each: 9, total: 9 } as const
    const all: readonly Fact[] = [{ question, answer: { entries: [entry], cut: false } }]
    return buildRecord({ ...input, verdict: verdict(), facts: all }).facts
  }
  assert.notEqual(store('a'), store('b'))
  assert.notEqual(store('a', '1'), store('a', '2'))
  assert.equal(store('a', '1'), store('a', '1'))
  assert.notEqual(store('a', '1'), store('a'))
  assert.notEqual(
    buildRecord({ ...input, verdict: verdict(), policy: { ...EMPTY_POLICY, transparent: ['x'] } }).policy,
    one.policy,
  )
})

test('targets are shown as people read them', () => {
  const rows: readonly (readonly [Effect['target'], string])[] = [
    [{ is: 'path', path: '/a', tree: false, follow: true }, '/a'],
    [{ is: 'path', path: '/a', tree: true, follow: true }, '/a/'],
    [{ is: 'path', path: '/', tree: true, follow: true }, '/'],
    [{ is: 'path', path: '/a/x-', open: true, tree: false, follow: true }, '/a/x-…'],
    [
      { is: 'path', path: '/a', pattern: [{ is: 'star' }, { is: 'text', text: '.ts' }], tree: false, follow: true },
      '/a/*.ts',
    ],
    [{ is: 'unknown', what: '$X' }, '$X'],
    [{ is: 'remote', service: 'npm', name: 'left' }, 'npm left'],
    [{ is: 'git', repo: '/r', op: { is: 'stash-drop', all: true } }, '/r stash-drop'],
    [{ is: 'process', name: 'node' }, 'node'],
  ]
  for (const [target, shown] of rows)
    assert.equal(
      buildRecord({ ...input, verdict: verdict({ effects: [effect({ target })] }) }).effects[0]!.target,
      shown,
    )
})

const SECRET = 'aB3dE5gH7jK9mN1pQ3sT5vW7'

test('no secret in a record or a line, wherever it stands', () => {
  const url = `https://me:${SECRET}@x.example/r`
  const record = buildRecord({
    ...input,
    verdict: verdict({
      reason: `sends TOKEN=${SECRET}`,
      safer: `curl -H "Authorization: Bearer ${SECRET}"`,
      loss: { paths: [`k/${SECRET}`], files: 1, bytes: 1, commits: 0 },
      effects: [
        effect({
          target: { is: 'remote', service: 'http', name: url },
          via: [{ source: `alias p=${SECRET}`, span: { from: 0, to: 1 }, text: '' }],
        }),
      ],
    }),
  })
  assert.ok(!JSON.stringify(record).includes(SECRET), JSON.stringify(record))
  const text = logLine(
    record,
    {
      ...context,
      call: `git push ${url}`,
      answered: `API_KEY=${SECRET}`,
      cwd: `/x/${SECRET}`,
      session: SECRET,
      tool: url,
    },
    '',
  )
  assert.ok(!text.includes(SECRET), text)
})

const context: LogContext = {
  ts: '2026-01-01T00:00:00.000Z',
  host: 'claude',
  hostVersion: '2.1.0',
  event: 'PreToolUse',
  session: 'abc',
  cwd: '/home/dev/proj',
  tool: 'Bash',
  call: 'rm -rf build',
  answered: '{"decision":"deny"}',
  via: 'hook',
}

test('a line is the record and its context, and names the line before', () => {
  const record = buildRecord({ ...input, verdict: verdict() })
  const first = logLine(record, context, '')
  const line = JSON.parse(first)
  assert.deepEqual(line, { ...record, ...context, prev: '' })
  const second = JSON.parse(logLine(record, context, lineHash(first.trimEnd())))
  assert.match(second.prev, /^[0-9a-f]{32}$/)
})

test('a long line gives way in order: effects, loss, call', () => {
  const many = verdict({
    effects: Array.from({ length: 150 }, () => effect()),
    loss: { paths: ['a'], files: 1, bytes: 1, commits: 0 },
  })
  const line = JSON.parse(logLine(buildRecord({ ...input, verdict: many }), context, ''))
  assert.equal(line.cut, true)
  assert.ok(line.effects.length > 0 && line.effects.length < 150)
  assert.deepEqual(line.loss.paths, ['a'])
  assert.equal(line.call, context.call)

  const long = { ...context, call: 'ls '.repeat(2000), answered: 'a b '.repeat(400) }
  const cut = JSON.parse(logLine(buildRecord({ ...input, verdict: many }), long, ''))
  assert.deepEqual(cut.effects, [])
  assert.ok(cut.call.length <= 2048 && cut.call.length >= 256)
})

test('a call that alone is too long is marked as cut', () => {
  const line = JSON.parse(
    logLine(buildRecord({ ...input, verdict: verdict() }), { ...context, call: 'ls '.repeat(800) }, ''),
  )
  assert.equal(line.cut, true)
  assert.ok(Buffer.byteLength(line.call) <= 2048)
  assert.equal(line.effects.length, 1)
})

const wild = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\u0000', '"', '\\', '😀', '\ud800', 'é', 'a '), maxLength: 6000 }),
)

test('a line is valid JSON of at most 4,096 bytes for any input', () => {
  fc.assert(
    fc.property(fc.array(wild, { minLength: 12, maxLength: 12 }), fc.nat(80), fc.double(), (texts, count, ms) => {
      const record: VerdictRecord = buildRecord({
        ...input,
        ms,
        verdict: verdict({
          reason: texts[0]!,
          rule: texts[1]!,
          safer: texts[2]!,
          effects: Array.from({ length: count }, () => effect({ target: { is: 'unknown', what: texts[3]! } })),
          loss: { paths: [texts[4]!, texts[4]!], files: 1, bytes: 1, commits: 0 },
        }),
      })
      const text = logLine(
        record,
        {
          ts: texts[5]!,
          host: texts[6]!,
          hostVersion: texts[7]!,
          event: texts[8]!,
          session: texts[9]!,
          cwd: texts[10]!,
          tool: texts[11]!,
          call: texts[3]!,
          answered: texts[4]!,
          via: 'hook',
        },
        lineHash('x'),
      )
      assert.ok(Buffer.byteLength(text) <= MOST_LINE, `${Buffer.byteLength(text)}`)
      assert.ok(text.endsWith('\n') && text.indexOf('\n') === text.length - 1)
      assert.equal(JSON.parse(text).verdict, 'deny')
    }),
    { numRuns: 300 },
  )
})

interface ReasonRow {
  readonly id: string
  readonly verdict: Partial<Verdict>
  readonly found?: readonly Decision[]
  readonly unattended?: boolean
  readonly errors?: readonly { file: string; line?: number; message: string }[]
  readonly is?: string
  readonly has?: readonly string[]
  readonly not?: readonly string[]
}

const rows: readonly ReasonRow[] = JSON.parse(
  readFileSync(new URL('../../cases/policy/reason.json', import.meta.url), 'utf8'),
)

for (const row of rows) {
  test(`reason: ${row.id}`, () => {
    const text = reasonFor(verdict({ ...row.verdict, findings: (row.found ?? []).map(finding) }), {
      policyErrors: row.errors ?? [],
      unattended: row.unattended ?? false,
    })
    if (row.is !== undefined) assert.equal(text, row.is)
    for (const part of row.has ?? []) assert.ok(text.includes(part), text)
    for (const part of row.not ?? []) assert.ok(!text.includes(part), text)
  })
}

test('a reason is one paragraph of at most 600 characters, and a safer way stands in it whole or not at all', () => {
  const words = fc.array(fc.string({ maxLength: 30 }), { maxLength: 60 }).map((list) => list.join(' '))
  fc.assert(
    fc.property(
      words,
      words,
      fc.constantFrom<Decision>('ask', 'deny'),
      fc.boolean(),
      fc.boolean(),
      (reason, safer, decision, unattended, broken) => {
        const policyErrors = broken ? [{ file: reason, line: 1, message: safer }] : []
        const text = reasonFor(verdict({ reason, safer, decision }), { policyErrors, unattended })
        assert.ok(text.length <= MOST_REASON, `${text.length}`)
        assert.ok(text.startsWith('Sallyport: '))
        assert.ok(!/[\n\r\u0000-\u001f]/.test(text))
        assert.equal(text.includes('unattended'), unattended && decision === 'ask')
        const way = safer.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
        if (text.includes(' Instead: ')) assert.ok(text.includes(way))
        else assert.ok(way === '' || way.length > 400)
      },
    ),
    { numRuns: 500 },
  )
})
