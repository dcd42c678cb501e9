import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, ms, quantile, table } from './stats.ts'

test('quantiles of samples in any order', () => {
  const samples = [5, 1, 4, 2, 3]
  assert.equal(median(samples), 3)
  assert.equal(quantile(samples, 0), 1)
  assert.equal(quantile(samples, 1), 5)
  assert.equal(
    quantile(
      Array.from({ length: 101 }, (_, i) => 100 - i),
      0.95,
    ),
    95,
  )
  assert.ok(Number.isNaN(median([])))
})

test('a table keeps its columns in line', () => {
  assert.equal(
    table([
      ['what', 'ms'],
      ['a', '10.5'],
    ]),
    'what    ms\na     10.5',
  )
})

test('times show the digits that say something', () => {
  assert.deepEqual([0.1234, 1.234, 12.34, Number.NaN].map(ms), ['0.123', '1.23', '12.3', '-'])
})
