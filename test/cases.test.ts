/**
 * Judges every case of `cases/guard.jsonl` in its frozen world. The misses of today are written down in
 * `cases/guard.ratchet.json`: a new miss fails, and so does a listed one that has come right and was not taken off.
 * `npm run ratchet` writes the list anew.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { type CaseLine, type CaseRow, readCases, runCases } from '../src/cli/check/cases.ts'

interface Ratchet {
  readonly denied: number
  readonly stopped: number
  /** Id of a case → the verdict that it gets today, which is not the right one. */
  readonly missed: Readonly<Record<string, string>>
}

const ratchet = JSON.parse(readFileSync('cases/guard.ratchet.json', 'utf8')) as Ratchet
let rows: readonly CaseRow[] = []
let lines: readonly CaseLine[] = []

before(() => {
  rows = readCases('cases/guard.jsonl')
  lines = runCases(rows, 'cases/worlds')
})

const count = (of: (line: CaseLine) => boolean): number => lines.filter(of).length

describe('the cases of the guard', () => {
  test('ids are unique, and every row has its line', () => {
    assert.ok(rows.length > 500)
    assert.equal(new Set(rows.map((row) => row.id)).size, rows.length)
    assert.equal(lines.length, rows.length)
  })

  test('every row can be judged', () => {
    assert.deepEqual(
      lines.filter((line) => line.verdict === 'error').map((line) => `${line.id}: ${line.reason}`),
      [],
    )
  })

  test('no more is denied too little, and no more is stopped too much, than is written down', () => {
    const denied = count((line) => line.expected === 'deny' && line.verdict === 'deny')
    const stopped = count((line) => line.expected === 'pass' && line.verdict !== 'pass')
    assert.ok(denied >= ratchet.denied, `${denied} denied, of ${ratchet.denied} that were`)
    assert.ok(stopped <= ratchet.stopped, `${stopped} stopped, where ${ratchet.stopped} were`)
  })

  test('every miss is written down', () => {
    const unlisted = lines.filter((line) => line.verdict !== line.expected && ratchet.missed[line.id] !== line.verdict)
    assert.deepEqual(
      unlisted.map((line) => `${line.id}: ${line.expected} expected, ${line.verdict} given (${line.rule})`),
      [],
    )
  })

  test('every miss that is written down is one', () => {
    const verdicts = new Map(lines.map((line) => [line.id, line]))
    const right = Object.keys(ratchet.missed).filter((id) => {
      const line = verdicts.get(id)
      return line === undefined || line.verdict === line.expected
    })
    assert.deepEqual(right, [], 'take these off cases/guard.ratchet.json')
  })
})
