/**
 * Everyday commands: scripts of packages, examples of manual pages, and what people type. They were written down before
 * they were first judged. Rows that a rule stops on purpose say so; the others that are stopped are listed here.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type CaseLine, type CaseRow, readCases, runCases } from '../src/cli/check/cases.ts'

/** What is stopped though it is harmless here, each with the reason why that stays: 3 of 1,788. */
const STOPPED: Readonly<Record<string, string>> = {
  'benign-0124':
    'the command line is put together from lines that are not known: one of them may end it and begin another',
  'benign-0292': 'a forced fetch moves a branch whose commits may be nowhere else',
  'benign-1568': 'which of the tracked files go is known only when it runs',
}

let rows: readonly CaseRow[] = []
let lines: readonly CaseLine[] = []
before(() => {
  rows = readCases('cases/benign.jsonl')
  lines = runCases(rows, 'cases/worlds')
})

test('there are enough of them, and most are as somebody else wrote them', () => {
  assert.ok(rows.length >= 1_500)
  assert.ok(rows.filter((row) => (row as { source?: string }).source !== 'own').length >= 900)
  assert.equal(new Set(rows.map(({ command }) => command)).size, rows.length)
})

test('what a rule stops on purpose is stopped, and says why', () => {
  for (const [i, row] of rows.entries()) {
    if (row.verdict === 'pass') continue
    assert.equal(lines[i]!.verdict, row.verdict, row.id)
    assert.ok(row.why, row.id)
  }
})

test('fewer than 3 in 1,000 are stopped without need', () => {
  const stopped = lines.filter((line, i) => rows[i]!.verdict === 'pass' && line.verdict !== 'pass')
  assert.ok(stopped.length <= rows.length * 0.003, `${stopped.length} of ${rows.length}`)
})

test('of the others only those are stopped that are known', () => {
  const stopped = lines.filter((line, i) => rows[i]!.verdict === 'pass' && line.verdict !== 'pass')
  assert.deepEqual(stopped.map(({ id }) => id).sort(), Object.keys(STOPPED).sort())
})
