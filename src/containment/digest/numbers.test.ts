import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../bytes.ts'
import { unmasked } from './digest.testing.ts'
import { digestOf, RUN_WINDOWS } from './digest.ts'
import { classOf } from './numbers.ts'

const CLASSES: readonly (readonly [string, string, boolean])[] = [
  ['0', '3', false],
  ['7', '3', true],
  ['12', '99', true],
  ['12', '98127', false],
  ['200', '502', false],
  ['200', '204', true],
  ['12.5', '98.25', true],
  ['9.5', '912.5', false],
  ['1000', '9999', true],
]

for (const [a, b, same] of CLASSES)
  test(`${a} and ${b} are ${same ? 'alike' : 'unlike'}`, () => {
    const [one, other] = [a, b].map((text) => classOf(Buffer.from(text), 0, text.length))
    assert.equal(one === other, same)
  })

interface Row {
  readonly name: string
  readonly line: (i: number) => string
  readonly odd: string
  /** Whether it has to be shown; else it may not be. */
  readonly shown: boolean
}

const ROWS: readonly Row[] = [
  { name: 'one status', line: (i) => `GET /items/${i} 200 ${i % 90}ms`, odd: 'GET /items/17 500 12ms', shown: true },
  { name: 'one value', line: (i) => `probe latency_ms=${8 + (i % 7)}`, odd: 'probe latency_ms=98127', shown: true },
  { name: 'one zero', line: (i) => `  replicas: ${1 + (i % 3)}`, odd: '  replicas: 0', shown: true },
  { name: 'one that is no zero', line: () => 'checked: 0 errors found', odd: 'checked: 3 errors found', shown: true },
  { name: 'one with a unit', line: (i) => `took ${10 + (i % 80)}ms`, odd: 'took 41250ms', shown: true },
  { name: 'one that is fewer than the rest', line: (i) => `web-${i} Ready 3/3`, odd: 'web-77 Ready 1/3', shown: true },
  { name: 'one of another kind', line: (i) => `drive ${i} type 7 ok`, odd: 'drive 99 type 8 ok', shown: true },
  {
    name: 'one that begins unlike the others',
    line: (i) => `ii  ${'pack'.repeat(1 + (i % 4))}${'-x'.repeat(i % 9)}  ${'what it is for '.repeat(1 + (i % 5))}`,
    odd: 'iF  packpack-x  what it is for what it is for ',
    shown: true,
  },
  { name: 'numbers of any size', line: (i) => `size ${2 ** (i % 40)}`, odd: 'size 123456', shown: false },
]

const digest = (lines: readonly string[]): string =>
  digestOf({
    bytes: bytesOf(Buffer.from(`${lines.join('\n')}\n`)),
    ...{ commands: [], label: '', budget: 600, handle: 'run:0123456789ab', windows: RUN_WINDOWS },
    ...{ mask: unmasked, exit: 0 },
  }).text

for (const { name, line, odd, shown } of ROWS)
  test(`among many lines that differ in numbers alone: ${name}`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 2900 }), (at) => {
        const lines = Array.from({ length: 3000 }, (_, i) => line(i))
        lines[at] = odd
        assert.equal(
          digest(lines)
            .split('\n')
            .includes(`L${at + 1}: ${odd}`),
          shown,
        )
      }),
      { numRuns: 10 },
    )
  })

test('a number that counts up is never odd, wherever it stops', () => {
  for (const length of [1000, 1001, 9_999, 10_000]) {
    const text = digest(
      Array.from({ length }, (_, i) => `step ${(i * 2 < length ? i : i - length / 2) + 1} of the way`),
    )
    const middle = [...text.matchAll(/^L(\d+): /gm)].map((match) => Number(match[1])).filter((n) => n < length - 12)
    assert.deepEqual(middle, [], text)
  }
})
