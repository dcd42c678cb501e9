import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FailureNames, failureName } from './failures.ts'
import { bareLine, continues, voiceOf } from './loud.ts'

const ROWS = JSON.parse(readFileSync(join(import.meta.dirname, '../../../cases/voices.json'), 'utf8')) as readonly {
  readonly text: string
  readonly loud: number
  readonly failure?: true
  readonly total?: true
}[]

for (const { text, loud, failure = false, total = false } of ROWS)
  test(`what a line says: ${text}`, () => assert.deepEqual(voiceOf(text), { loud, failure, total }))

const GO_ON = [
  '    at f (a.js:1:2)',
  '   |  ^~~~',
  '^^^^',
  'Caused by: x',
  'note: y',
  '  | ',
  'E   assert',
  '\tat a.B.c(B.java:1)',
]
const BEGIN = ['error: x', 'FAIL a', 'at the end', 'notes: none', '']

test('lines that go on with what was begun, and lines that begin', () => {
  for (const text of GO_ON) assert.ok(continues(text), text)
  for (const text of BEGIN) assert.ok(!continues(text), text)
})

const BARE: readonly (readonly [string, string])[] = [
  ['2026-05-04T10:00:00.1234567Z error: x', 'error: x'],
  ['[10:00:00] error: x', 'error: x'],
  ['web-1  | 2026-05-04 10:00:00,123 error: x', 'error: x'],
  ['error: x | y', 'error: x | y'],
  ['2026 was a year', '2026 was a year'],
]

for (const [text, bare] of BARE) test(`without its prefix: ${text}`, () => assert.equal(bareLine(text), bare))

const NAMES: readonly (readonly [string, string])[] = [
  ['not ok 3 - adds', 'adds'],
  ['FAILED tests/a.py::b', 'tests/a.py::b'],
  ['tests/a.py::b FAILED   [ 51%]', 'tests/a.py::b'],
  ['--- FAIL: TestX (0.00s)', 'TestX'],
  [' × adds the basket 12ms', 'adds the basket'],
  ['test_b (a.T) ... ERROR', 'test_b (a.T)'],
]

for (const [text, name] of NAMES) test(`the name in: ${text}`, () => assert.equal(failureName(text), name))

test('a failure that is told twice is one; an exact name is only itself', () => {
  const names = new FailureNames()
  names.add('subtracts the voucher')
  assert.ok(names.has('all.test.ts > subtracts the voucher', false))
  assert.ok(names.has('subtracts the voucher - 1 is not 2', false))
  assert.ok(!names.has('subtracts the voucher of the other tenant', false))
  assert.ok(!names.has('resubtracts the voucher', false))
  assert.ok(!names.has('all.test.ts > subtracts the voucher', true))
  assert.ok(names.has('subtracts the voucher', true))
})
