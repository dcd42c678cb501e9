/**
 * The published guard's behaviour, its holes and its false alarms, row by row: each case in its frozen world and in the
 * same world on disk. Rows 176 to 196, which concern the runner, are tested with it.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { keyOf } from '../src/core/driver.ts'
import { compareStrictness, PUBLISHED_RAIL } from '../src/core/verdict.ts'
import {
  canBeLaid,
  faultsOf,
  isClosed,
  isNoCall,
  judgeCase,
  type Laid,
  lay,
  readCases,
} from './adlc-published.testing.ts'
import { need } from './need.ts'

const FILES = ['shell', 'tools', 'bypasses', 'false-alarms'] as const
const all = FILES.flatMap(readCases)
/** The others are tested with the staged plugin. */
const cases = all.filter((row) => !isNoCall(row))

test('every row of the published table is there, and ids are unique', () => {
  const rows = new Set(all.map(({ row }) => row))
  for (let row = 1; row <= 175; row++) assert.ok(rows.has(row), `row ${row}`)
  for (let row = 1; row <= 34; row++) assert.ok(rows.has(`B${String(row).padStart(2, '0')}`), `B${row}`)
  for (let row = 1; row <= 14; row++) assert.ok(rows.has(`F${String(row).padStart(2, '0')}`), `F${row}`)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
})

describe('in frozen worlds', () => {
  for (const file of FILES) {
    test(`${file}: every verdict is the published one, or the one that closes the hole`, () => {
      assert.deepEqual(faultsOf(readCases(file).filter((row) => !isNoCall(row))), [])
    })
  }
})

describe('laws of the profile', () => {
  /** A tenth of the cases, always the same; those of great size take too long for this. */
  const sample = cases.filter((row, i) => i % 10 === 3 && row.row !== 157 && row.row !== 158 && row.row !== 84)

  test('the recorded answers give the same verdict again', () => {
    for (const row of sample) {
      const first = judgeCase(row, 'adlc')
      const known = new Map((first.facts ?? []).map((fact) => [keyOf(fact.question), fact.answer]))
      const again = judgeCase(row, 'adlc', undefined, (world) => ({
        now: () => world.now(),
        answer(question) {
          const reply = known.get(keyOf(question))
          assert.ok(reply !== undefined, `${row.id} asks ${keyOf(question)} anew`)
          return reply
        },
      }))
      assert.deepEqual(again, first, row.id)
    }
  })

  test('a fact that is not to be had never turns a deny into a pass', () => {
    for (const row of sample) {
      const first = judgeCase(row, 'adlc')
      if (first.decision !== 'deny') continue
      for (const { question } of first.facts ?? []) {
        const key = keyOf(question)
        const { decision } = judgeCase(row, 'adlc', undefined, (world) => ({
          now: () => world.now(),
          answer: (asked, left) => (keyOf(asked) === key ? 'unknown' : world.answer(asked, left)),
        }))
        assert.notEqual(decision, 'pass', `${row.id} without ${key}`)
      }
    }
  })

  test('what is protected is of a family that neither an approval nor a pause lifts, and a rail is said as published', () => {
    const PROTECTED = /^Target path matches frozen rail: |is protected in every ADLC repository/
    const found = cases.map((row) => judgeCase(row, 'adlc')).filter(({ reason }) => PROTECTED.test(reason))
    assert.ok(found.length > 30, `${found.length}`)
    assert.deepEqual(
      found.filter(({ rule }) => !/^(?:frozen|trust-root)\./.test(rule)),
      [],
    )
    const rails = found.filter(({ rule }) => rule === PUBLISHED_RAIL)
    assert.ok(rails.length > 10, `${rails.length}`)
    for (const { reason } of rails) assert.match(reason, /^Target path matches frozen rail: [^;]+$/)
  })

  test('strict is never milder than standard or adlc', () => {
    for (const row of sample) {
      const strict = judgeCase(row, 'strict')
      for (const profile of ['standard', 'adlc'] as const) {
        const other = judgeCase(row, profile)
        assert.ok(compareStrictness(strict.decision, other.decision) >= 0, `${row.id} [${profile}]`)
      }
    }
  })
})

/** A user that owns nothing. */
const NOBODY = 65_534

describe('on disk', () => {
  const worlds = [...new Set(cases.map(({ world }) => world))].filter(canBeLaid)
  const laid = new Map<string, Laid>()
  before(() => {
    for (const world of worlds) laid.set(world, lay(world))
  })
  after(() => {
    for (const one of laid.values()) one.remove()
  })
  for (const world of worlds) {
    test(`world ${world}`, (t) => {
      if (isClosed(world) && process.getuid?.() === 0) {
        // Nothing is closed to root: somebody else has to look.
        if (!need(t, 'setpriv')) return
        const look = [process.execPath, 'test/adlc-published-child.ts', world, laid.get(world)!.base]
        const argv = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...look]
        const { stdout, stderr } = spawnSync('setpriv', argv, { encoding: 'utf8' })
        assert.deepEqual([stdout, stderr], ['[]\n', ''])
      } else {
        const rows = cases.filter((row) => row.world === world)
        assert.deepEqual(faultsOf(rows, laid.get(world)), [])
      }
    })
  }
})
