/**
 * Cases of our own beside the published ones: ways around the guard that were found and closed, and ordinary work that
 * must not be stopped. Each row must get exactly its verdict.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { readCases, runCases } from '../src/cli/check/cases.ts'

for (const file of [
  'cases/guard-own.jsonl',
  'cases/guard-harmless.jsonl',
  'cases/guard-more.jsonl',
  'cases/guard-more-ledger.jsonl',
  'cases/guard-more-windows.jsonl',
  'cases/guard-windows.jsonl',
]) {
  describe(file, { skip: !existsSync(file) }, () => {
    test('every row gets its verdict, under an id of its own', () => {
      const rows = readCases(file)
      assert.ok(rows.length > 0)
      assert.equal(new Set(rows.map((row) => row.id)).size, rows.length)
      const missed = runCases(rows, 'cases/worlds').flatMap((line, i) =>
        line.verdict === line.expected
          ? []
          : [`${line.id}: ${line.expected} expected, ${line.verdict} given (${line.rule}): ${rows[i]?.command ?? ''}`],
      )
      assert.deepEqual(missed, [])
    })
  })
}
