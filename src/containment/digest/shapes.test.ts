import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../bytes.ts'
import { type Analysis, analyse } from './analysis.ts'
import { RUN_WINDOWS } from './digest.ts'
import { occurrencesOf } from './occurrences.ts'

const read = (lines: readonly string[], windows = RUN_WINDOWS): Analysis =>
  analyse(bytesOf(Buffer.from(lines.map((line) => `${line}\n`).join(''))), windows)

/** Lines that are of one shape, and lines of which no two are. */
const SAME: readonly (readonly string[])[] = [
  ['took 4 ms', 'took 12 ms', 'took 1,204 ms', 'took 1.5 ms'],
  ['at 2026-05-04T10:00:00Z', 'at 2026-12-31T23:59:59.123Z'],
  ['id 9b2e7f3a-4b1c-4d5e-8f90-1234567890ab ok', 'id 00000000-0000-0000-0000-000000000000 ok'],
  ['commit 3f54535b08338cce782929cc3c730c3975cf8f04', 'commit deadbeefdeadbeef'],
  ['===== end =====', '=========== end ==='],
  ['from 10.0.0.1:8080 in', 'from 192.168.1.250:22 in'],
  ['    indented by four', '  indented by four'],
  ['a  b', 'a b'],
  ['v1.2.3 of tool', 'v10.0.1 of tool'],
]
const APART: readonly (readonly string[])[] = [
  ['state: active', 'state: disputed', 'state: ACTIVE'],
  ['+line 1', '-line 1', ' line 1'],
  ['1,a,ok', '2,b,"on hold, see 4"'],
  ['count 4', 'count -4', 'count four'],
  ['ok done', 'ok done.', 'ok, done'],
  ['a.b', 'a/b', 'a:b', 'a b'],
]

for (const lines of SAME)
  test(`one shape: ${lines.join(' | ')}`, () => {
    const { shapes } = read(lines)
    assert.deepEqual(
      shapes.map(({ count }) => count),
      [lines.length],
    )
  })

for (const lines of APART)
  test(`no two alike: ${lines.join(' | ')}`, () => assert.equal(read(lines).shapes.length, lines.length))

test('a place that took many words is a variable, a place that did not is none', () => {
  const names = Array.from(
    { length: 300 },
    (_, i) => `n${String.fromCharCode(97 + (i % 26))}${'xyz'[i % 3]}${'pq'[i % 2]}`,
  )
  const { shapes } = read([...names.map((name) => `host ${name} is up`), 'host nax is drained'])
  assert.deepEqual(
    shapes.map(({ count }) => count),
    [300, 1],
  )
})

test('every line is counted once, whatever comes, and shapes are bounded', () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/)
  const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
      const { shapes, counted } = read(lines)
      assert.equal(counted, lines.length)
      assert.equal(
        shapes.reduce((sum, { count }) => sum + count, 0),
        lines.length,
      )
    }),
  )
  // No two alike: sentences of every length and of every structure.
  const marks = '.,:;!?/|+*'
  const flood = Array.from({ length: 60_000 }, (_, i) =>
    Array.from({ length: 1 + (i % 9) }, (_, k) => `w${(i * 7919 + k * 104729).toString(36).replace(/\d/g, '')}`).join(
      ` ${marks[i % 10]}${marks[(i >> 3) % 10]}${marks[(i >> 6) % 10]} `,
    ),
  )
  const { shapes } = read(flood)
  assert.ok(shapes.length <= 4100, `${shapes.length} shapes`)
  assert.equal(
    shapes.reduce((sum, { count }) => sum + count, 0),
    flood.length,
  )
})

test('lines that repeat are counted as if each were read', () => {
  const pool = ['ok', 'error: none', '\u001b[32mok\u001b[0m then', 'a\rb', 'tick  tock.', '', 'x'.repeat(5000)]
  const blocks = fc.array(fc.tuple(fc.constantFrom(...pool), fc.constantFrom(1, 2, 39, 41, 85, 400)), { maxLength: 8 })
  fc.assert(
    fc.property(blocks, (blocks) => {
      const raw = Buffer.from(blocks.map(([line, count]) => `${line}\n`.repeat(count)).join(''))
      const quick = analyse(bytesOf(raw), RUN_WINDOWS)
      // A stray line between any two keeps each from being equal to the one before.
      const apart = raw.toString().replaceAll('\n', '\n§\n')
      const slow = analyse(bytesOf(Buffer.from(apart)), RUN_WINDOWS)
      const facts = (shapes: Analysis['shapes'], line: (n: number) => number) =>
        shapes
          .filter(({ sample }) => sample !== '§')
          .map(({ sample, count, first, last }) => ({ sample, count, first: line(first.n), last: line(last.n) }))
      assert.deepEqual(
        facts(quick.shapes, (n) => n),
        facts(slow.shapes, (n) => (n + 1) / 2),
      )
      assert.equal(quick.lines * 2, slow.lines)
      assert.deepEqual(
        quick.tail.map(({ n }) => n),
        Array.from({ length: Math.min(80, quick.lines) }, (_, i) => quick.lines - Math.min(80, quick.lines) + 1 + i),
      )
    }),
  )
})

test('occurrences: each line of a shape, in order, and no other', () => {
  const lines = Array.from({ length: 500 }, (_, i) =>
    i % 7 === 3 ? `failed to settle order ${i}` : `settled order ${i}`,
  )
  const raw = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const { shapes } = analyse(bytesOf(raw), RUN_WINDOWS)
  for (const [at, shape] of shapes.entries()) {
    const places = occurrencesOf(bytesOf(raw), RUN_WINDOWS, at + 1)
    assert.ok(!('refused' in places))
    assert.equal(places.length, shape.count)
    for (const { n, from, to } of places) assert.equal(raw.subarray(from, to).toString(), lines[n - 1])
  }
  assert.deepEqual(occurrencesOf(bytesOf(raw), RUN_WINDOWS, 3), {
    refused: 'there is no shape 3; the shapes are 1 to 2',
  })
})
