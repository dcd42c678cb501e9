/** A line that is captured is judged as the line itself: whoever writes our program's name in front gains nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CaseRow, readCases, runCases } from '../src/cli/check/cases.ts'
import { type Birth, birthOf, wrapped } from '../src/containment/birth.ts'

const LAUNCHERS = ['ctx', '/opt/sallyport/bin/ctx.js', '/usr/bin/node /opt/sallyport/bin/ctx.js']

const rows = readCases('cases/guard.jsonl').flatMap((row) => {
  const birth: Birth =
    row.command === undefined || row.shell !== undefined ? { is: 'leave', why: '' } : birthOf(row.command, 'posix')
  return birth.is === 'leave' ? [] : [{ row, birth }]
})

test('there are lines worth the name', () => assert.ok(rows.length >= 60, `${rows.length}`))

for (const launcher of LAUNCHERS)
  test(`the verdict is the same behind ${launcher}`, () => {
    const before = runCases(
      rows.map(({ row }) => row),
      'cases/worlds',
    )
    const behind = rows.map(({ row, birth }): CaseRow => ({ ...row, command: wrapped(birth, launcher) }))
    const differ = runCases(behind, 'cases/worlds').flatMap((line, at) =>
      line.verdict === before[at]!.verdict
        ? []
        : [`${line.id}: ${before[at]!.verdict} became ${line.verdict} (${line.rule}): ${behind[at]!.command}`],
    )
    assert.deepEqual(differ, [])
  })
