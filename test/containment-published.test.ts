/**
 * Each published case of the containment, and each public report on other tools that has an input and an answer, is held
 * by a test, or it says in a sentence why by none. A row of `cases/containment-published.json` is `{id, test, name}`,
 * with `cases` where the test makes one test a row of that file: `name` is then a text of the row, or the file's own
 * name. Several rows an id are the parts of its case.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fault, type Held, type Without } from './published.testing.ts'

const rows = JSON.parse(readFileSync('cases/containment-published.json', 'utf8')) as readonly (Held | Without)[]

/** First and last numbers, both included. */
const numbers = (...ranges: readonly (readonly [number, number])[]): readonly number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))

const PUBLISHED = numbers([1, 92])
/** Those of the 101 reports that have a concrete input and a required answer. */
const REPORTS = numbers(
  ...([
    [1, 17],
    [19, 32],
    [36, 44],
    [46, 47],
    [49, 54],
    [57, 62],
    [64, 64],
    [70, 72],
    [76, 79],
    [81, 81],
    [86, 87],
    [89, 89],
    [91, 92],
    [95, 95],
    [97, 97],
  ] as const),
)

describe('what was published about containment', () => {
  test('there are 92 cases and 70 reports, and each has its rows', () => {
    assert.deepEqual([PUBLISHED.length, REPORTS.length], [92, 70])
    const ids = [...PUBLISHED.map((n) => `containment ${n}`), ...REPORTS.map((n) => `lesson ${n}`)]
    assert.deepEqual([...new Set(rows.map(({ id }) => id))], ids)
  })

  test('no row stands twice, and what is without a test has none', () => {
    assert.equal(new Set(rows.map((row) => JSON.stringify(row))).size, rows.length)
    for (const row of rows)
      if ('without' in row) {
        assert.match(row.without, /^[A-Z].{20,}\.$/)
        assert.equal(rows.filter(({ id }) => id === row.id).length, 1, row.id)
      }
  })

  for (const id of new Set(rows.map((row) => row.id)))
    test(id, () => {
      const held = rows.filter((row): row is Held => row.id === id && 'test' in row)
      assert.deepEqual(
        held.map(fault).filter((why) => why !== undefined),
        [],
      )
    })

  test('a row that holds nothing is seen', () => {
    const good: Held = {
      id: '',
      test: 'src/containment/birth.test.ts',
      cases: 'cases/gates/birth.json',
      name: 'pytest',
    }
    assert.equal(fault(good), undefined)
    for (const wrong of [
      { ...good, name: 'pytes' },
      { ...good, test: 'src/containment/none.test.ts' },
      { ...good, cases: 'cases/gates/none.json' },
      { ...good, cases: 'cases/ledger/events.json' },
      { id: '', test: good.test, name: 'the gate after a run' },
    ])
      assert.ok(fault(wrong) !== undefined, JSON.stringify(wrong))
  })
})
