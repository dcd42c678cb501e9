import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import picomatch from 'picomatch'
import { POSIX } from '../paths/lexical.ts'
import { normaliseRail } from './rail-text.ts'
import { newRail, type RailKind, railsOf } from './rails.ts'
import { canonicalName, hasShardForm, isNameOf } from './ticket.ts'
import { casesOf, ROOT } from './world.testing.ts'

const cases = casesOf<{
  rows: [string, string[] | string, number?][]
  meets: [string, string, RailKind | null, 'tree'?][]
}>('rail-texts')

const railOf = (text: string) => newRail(text, ['T1'], 'x', ROOT, POSIX)

test('what a rail is taken for', () => {
  for (const [text, expected, notes] of cases.rows) {
    const read = normaliseRail(text, ROOT)
    if (typeof expected === 'string') {
      assert.ok(read.problem?.includes(expected), `${JSON.stringify(text)}: ${JSON.stringify(read)}`)
      assert.equal(railOf(text).problem, read.problem)
    } else {
      assert.deepEqual(read.globs, expected, JSON.stringify(text))
      assert.equal(read.notes.length, notes, `${JSON.stringify(text)}: ${read.notes.join('; ')}`)
      assert.equal(railOf(text).problem, undefined)
    }
  }
})

test('how paths meet rails', () => {
  for (const [text, path, kind, tree] of cases.meets) {
    assert.equal(
      railOf(text).meets(`${ROOT}/${path}`, tree === 'tree') ?? null,
      kind,
      `${text} ← ${path} ${tree ?? ''}`,
    )
  }
})

test('a rail over the limit fails closed and costs no time', () => {
  const rail = railOf(`${'{a,b}'.repeat(300)}x`)
  assert.match(rail.problem ?? '', /longer than 1024/)
  assert.equal(rail.meets(`${ROOT}/src/x`), 'closed')
})

const segment = fc.constantFrom('lib', 'a', 'b', '.x', '*', '**', '?', '*.mjs', '[ab]', '@(a|b)', '{a,b}', 'l*b')
const name = fc.constantFrom('lib', 'a', 'b', '.x', 'x.mjs', 'lb')

test('a rail meets at least what the published reading meets', () => {
  const rail = fc
    .tuple(
      fc.constantFrom('', './', '/', ' '),
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '/', ' '),
    )
    .map(([before, parts, after]) => before + parts.join('/') + after)
  fc.assert(
    fc.property(rail, fc.array(name, { minLength: 1, maxLength: 4 }), (text, names) => {
      const rel = names.join('/')
      const published =
        rel === text || rel.startsWith(`${text}/`) || picomatch.isMatch(rel, text, { dot: true, nonegate: true })
      if (published) assert.notEqual(railOf(text).meets(`${ROOT}/${rel}`), undefined, `${text} ← ${rel}`)
    }),
    { numRuns: 3000 },
  )
})

test('the union of rails does not hang on the order of tickets', () => {
  const ticket = fc.record({
    id: fc.constantFrom('T1', 'T2', 'T3'),
    rails: fc.array(fc.constantFrom('a', 'b/**', 'c/', ' a'), { maxLength: 4 }),
    active: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(ticket, { maxLength: 5 }), (list) => {
      const tickets = list.map((one) => ({
        ...one,
        title: 't',
        status: undefined,
        scope: undefined,
        edges: [],
        file: one.id,
      }))
      const texts = (of: typeof tickets) =>
        railsOf(of, ROOT, POSIX)
          .map((rail) => [rail.text, [...rail.tickets].sort()])
          .sort()
      assert.deepEqual(texts(tickets), texts([...tickets].reverse()))
      const wanted = new Set(list.filter(({ active }) => active).flatMap(({ rails }) => rails))
      assert.equal(texts(tickets).length, wanted.size)
    }),
  )
})

test('file names of shards', () => {
  for (const [id, slug] of casesOf<[string, string][]>('names')) {
    const digest = createHash('sha256').update(id).digest('hex')
    assert.equal(canonicalName(id), `${slug}${digest}.json`)
  }
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (id) => {
      assert.ok(hasShardForm(canonicalName(id)))
      assert.ok(isNameOf(canonicalName(id), id))
      assert.ok(!isNameOf(canonicalName(`${id}x`), id))
    }),
  )
})
