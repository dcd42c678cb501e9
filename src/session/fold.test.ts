import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  effectLine,
  fingerprint,
  fitting,
  foldSession,
  MOST_LINES,
  newestLines,
  parseLine,
  pathLines,
  splitLine,
} from './fold.ts'
import type { SessionLine, SessionState } from './session.ts'

interface Row {
  readonly id: string
  readonly now: number
  readonly lines: readonly SessionLine[]
  readonly expect: Partial<SessionState>
}

const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('../../cases/policy/session.json', import.meta.url), 'utf8'),
)

for (const row of rows) {
  test(`session: ${row.id}`, () => {
    for (const line of row.lines) assert.deepEqual(parseLine(JSON.stringify(line)), line)
    const state = foldSession(row.lines, row.now)
    for (const [key, value] of Object.entries(row.expect))
      assert.deepEqual(state[key as keyof SessionState], value, key)
  })
}

const identity = fc.record({ act: fc.constantFrom('delete', 'write'), target: fc.string(), tree: fc.boolean() })

test('a fingerprint does not know order and repetition, and knows all else', () => {
  fc.assert(
    fc.property(fc.array(identity, { minLength: 1 }), identity, (effects, other) => {
      const print = fingerprint(effects)
      assert.match(print, /^[0-9a-f]{32}$/)
      assert.equal(fingerprint([...effects].reverse()), print)
      assert.equal(fingerprint([...effects, ...effects]), print)
      const known = effects.some((e) => e.act === other.act && e.target === other.target && e.tree === other.tree)
      assert.equal(fingerprint([...effects, other]) === print, known)
    }),
  )
})

test('the newest 512 lines count', () => {
  const lines = Array.from({ length: 2000 }, (_, i) => pathLines('created', i, [`/f${i}`])[0]!)
  const kept = newestLines(lines)
  assert.deepEqual(kept, lines.slice(-MOST_LINES))
})

test('a flood of one kind does not push out what was denied', () => {
  const denied = effectLine('denied', 0, [{ act: 'delete', target: '/home/dev/proj', tree: true }])
  const flood = Array.from({ length: 5000 }, (_, i) => pathLines('written', i, [`/f${i}`])[0]!)
  const state = foldSession([denied, ...flood], 0)
  assert.deepEqual(state.denied, denied.effects)
  assert.ok(state.written.includes('/f4999'))
  assert.ok(newestLines([denied, ...flood]).length <= MOST_LINES)
})

test('where room is short, what was denied stays and the order is kept', () => {
  const denied = effectLine('denied', 0, [{ act: 'delete', target: '/home/dev/proj', tree: true }])
  const written = Array.from({ length: 50 }, (_, i) => pathLines('written', i + 1, [`/f${i}`])[0]!)
  const kept = fitting([denied, ...written], 2000)
  assert.deepEqual(kept[0], denied)
  assert.deepEqual(kept.slice(1), written.slice(-(kept.length - 1)))
  assert.ok(kept.length > 2 && kept.map((line) => JSON.stringify(line).length + 1).reduce((a, b) => a + b) <= 2000)
})

test('anything may stand in a line, and only lines are lines', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const line = parseLine(text)
      if (line) assert.equal(typeof line.t, 'number')
    }),
  )
  for (const text of [
    'null',
    '{}',
    '{"t":"1","kind":"seen","fingerprint":"","acts":[],"paths":[]}',
    '{"t":1,"kind":"toString","fingerprint":"","acts":[],"paths":[]}',
    '{"t":1,"kind":"denied","fingerprint":"","acts":[],"paths":[],"effects":[{"act":"a"}]}',
    '{"t":1,"kind":"seen","fingerprint":"","acts":[1],"paths":[]}',
  ])
    assert.equal(parseLine(text), undefined, text)
})

test('long lines are split, and nothing is lost', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 300 }), { maxLength: 80 }),
      fc.array(identity, { maxLength: 80 }),
      (paths, effects) => {
        const whole: SessionLine = { t: 1, kind: 'denied', fingerprint: 'f', acts: [], paths, effects }
        const parts = splitLine(whole)
        assert.deepEqual(
          parts.flatMap((line) => line.paths),
          paths,
        )
        assert.deepEqual(
          parts.flatMap((line) => line.effects ?? []),
          effects,
        )
        for (const part of parts) {
          const single = part.paths.length <= 1 && (part.effects?.length ?? 0) <= 1
          assert.ok(single || Buffer.byteLength(JSON.stringify(part)) <= 4000)
        }
      },
    ),
  )
})
