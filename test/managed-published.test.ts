/**
 * Each published case of the managed runtime is held by a test, most of them against a running server with real sandboxes,
 * or it says in a sentence why by none. The table is `cases/managed/published.json`; its rows are as in the one of
 * containment.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fault, type Held, type Without } from './published.testing.ts'

const rows = JSON.parse(readFileSync('cases/managed/published.json', 'utf8')) as readonly (Held | Without)[]
const CASES = 130

describe('what was published about managed agents', () => {
  test('there are 130 cases, and each has its rows', () => {
    const ids = Array.from({ length: CASES }, (_, n) => `managed ${n + 1}`)
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

  test('all are held against a running server', () => {
    const live = new Set(
      rows.flatMap((row) =>
        'test' in row && /^(?:test\/managed|src\/managed\/interactions)\//.test(row.test) ? [row.id] : [],
      ),
    )
    assert.equal(live.size, CASES)
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
    const good: Held = { id: '', test: 'test/managed/hooks.test.ts', name: '7: nothing' }
    assert.equal(fault(good), undefined)
    for (const wrong of [
      { ...good, name: '7: noth' },
      { ...good, test: 'test/managed/none.test.ts' },
      { ...good, cases: 'cases/managed/hooks-lint.json' },
    ])
      assert.ok(fault(wrong) !== undefined, JSON.stringify(wrong))
  })
})
