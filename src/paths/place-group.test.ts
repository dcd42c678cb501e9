import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { entriesAt, groupOf, linesOf } from './place-group.ts'
import { writtenPlaces } from './place-index.ts'

const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '1', '|') })
const entries = fc.string({ unit: fc.constantFrom('1', '2', '/', ':', '*', '|'), minLength: 1 })
const pairs = fc.uniqueArray(fc.tuple(path, entries), { selector: ([at]) => at, minLength: 1 })
/** What a call may name: the same, and signs that lines are made of. */
const asked = fc.string({ unit: fc.constantFrom('a', 'b', '/', '1', '|', '\n', '\t') })

test('a group gives back what it was made of, and nothing for any other path', () => {
  fc.assert(
    fc.property(pairs, asked, (made, at) => {
      const map = new Map(made)
      const group = groupOf(map)
      assert.deepEqual(linesOf(group), made)
      for (const [key, value] of made) assert.equal(entriesAt(group, key), value)
      assert.equal(entriesAt(group, at), map.get(at))
    }),
    { numRuns: 2000 },
  )
})

test('a path that spells a line and the next one is none of them', () => {
  for (const group of Object.values(writtenPlaces().by)) {
    assert.equal(entriesAt(group, group.slice(1, -1)), undefined)
    for (const [at, list] of linesOf(group)) assert.equal(entriesAt(group, `${at}\t${list}\n`), undefined)
  }
})

test('what a line cannot hold is refused', () => {
  assert.throws(() => groupOf(new Map([['a\tb', '1']])))
  assert.throws(() => groupOf(new Map([['a', '1\n']])))
})
