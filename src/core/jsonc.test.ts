import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readJsonc } from './jsonc.ts'

const value = (text: string): unknown => {
  const read = readJsonc(text)
  assert.ok(read.ok, JSON.stringify(read))
  return read.value
}

test('jsonc equals JSON.parse on JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(4), (text, indent) => {
      assert.deepEqual(value(text), JSON.parse(text))
      const spread = JSON.stringify(JSON.parse(text), null, indent)
      assert.deepEqual(value(spread), JSON.parse(spread))
    }),
  )
})

test('jsonc takes exactly what JSON.parse takes, comments and trailing commas aside', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"a"',
    '"\\u0041"',
    '"\\x"',
    '1',
    '-',
    '01',
    '1e5',
    '.5',
    'true',
    'nul',
    ' ',
    '\n',
    '"',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      let expected: { value: unknown } | undefined
      try {
        expected = { value: JSON.parse(text) }
      } catch {
        expected = undefined
      }
      const read = readJsonc(text)
      if (expected) assert.deepEqual(read.ok && read.value, expected.value)
      else if (read.ok) assert.match(text, /,\s*[}\]]/, `only a trailing comma makes ${text} ours alone`)
    }),
    { numRuns: 2000 },
  )
})

test('jsonc ends and never throws for any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const read = readJsonc(text)
      if (!read.ok) assert.ok(read.place.line >= 1 && read.place.column >= 1)
    }),
  )
})

test('comments and trailing commas', () => {
  assert.deepEqual(
    value('// top\n{ /* a */ "a": [1, 2, /* no more */ ], // end\n "b": "// not a comment", }\n// last'),
    {
      a: [1, 2],
      b: '// not a comment',
    },
  )
  assert.deepEqual(value('\ufeff{}'), {})
})

test('errors name line and column', () => {
  const rows: readonly (readonly [string, number, number, RegExp])[] = [
    ['', 1, 1, /ends where a value/],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /`,` or `}` should stand here, not `"`/],
    ['{\n  a: 1\n}', 2, 3, /key in double quotes/],
    ['{"a": 1} x', 1, 10, /more after the end/],
    ['[1, /* open', 1, 5, /comment is not closed/],
    ['["a\n"]', 1, 2, /string is not closed/],
    ['["a\tb"]', 1, 4, /control character/],
    ['["\\q"]', 1, 3, /unknown escape/],
    ['[01]', 1, 3, /`,` or `]`/],
    ['[,]', 1, 2, /a value should stand here/],
    ['[1,,]', 1, 4, /a value/],
    ['{"a" 1}', 1, 6, /`:`/],
    ["{'a': 1}", 1, 2, /double quotes/],
    ['[NaN]', 1, 2, /a value/],
  ]
  for (const [text, line, column, message] of rows) {
    const read = readJsonc(text)
    assert.ok(!read.ok, text)
    assert.deepEqual(read.place, { line, column }, text)
    assert.match(read.message, message)
  }
})

test('depth and size are bounded', () => {
  const deep = readJsonc('['.repeat(5000) + ']'.repeat(5000))
  assert.ok(!deep.ok)
  assert.match(deep.message, /nested/)
  const long = readJsonc(`"${'a'.repeat(1 << 20)}"`)
  assert.ok(!long.ok)
  assert.match(long.message, /longer/)
  assert.ok(readJsonc('['.repeat(90) + ']'.repeat(90)).ok)
})

test('values know their places, and a key may hold anything', () => {
  const read = readJsonc('{\n  "a": {\n    "b/c": [1,\n      2]\n  },\n  "": {"x": 0},\n  "__proto__": {"y": 1}\n}')
  assert.ok(read.ok)
  assert.deepEqual(read.place([]), { line: 1, column: 1 })
  assert.deepEqual(read.place(['a', 'b/c', 1]), { line: 4, column: 7 })
  assert.deepEqual(read.place(['', 'x']), { line: 6, column: 13 })
  assert.equal(read.place(['a', 'b', 'c']), undefined)
  assert.ok(Object.hasOwn(read.value as object, '__proto__'))
  assert.equal(Object.getPrototypeOf(read.value), Object.prototype)
  assert.equal(({} as Record<string, unknown>)['y'], undefined)
})

test('a key written twice is told', () => {
  const read = readJsonc('{"a": 1,\n "a": 2}')
  assert.ok(read.ok)
  assert.deepEqual(read.value, { a: 2 })
  assert.deepEqual(read.repeated, [{ key: 'a', place: { line: 2, column: 2 } }])
})
