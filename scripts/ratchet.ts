/**
 * Writes `cases/guard.ratchet.json` and `cases/reports.ratchet.json`: the cases that come out wrong today.
 * `test/cases.test.ts` and `test/reports.test.ts` read them.
 */
import { writeFileSync } from 'node:fs'
import { readCases, runCases } from '../src/cli/check/cases.ts'
import { type ReportLine, replay } from '../src/cli/check/reports.ts'
import { readReports } from '../src/cli/check/reports-read.ts'

const lines = runCases(readCases('cases/guard.jsonl'), 'cases/worlds')
const missed = lines.filter((line) => line.verdict !== line.expected)
const ratchet = {
  denied: lines.filter((line) => line.expected === 'deny' && line.verdict === 'deny').length,
  stopped: lines.filter((line) => line.expected === 'pass' && line.verdict !== 'pass').length,
  missed: Object.fromEntries(missed.map((line) => [line.id, line.verdict])),
}
writeFileSync('cases/guard.ratchet.json', `${JSON.stringify(ratchet, null, 2)}\n`)
process.stdout.write(
  `${lines.length} cases, ${missed.length} missed, ${ratchet.denied} denied, ${ratchet.stopped} stopped\n`,
)

const reports: ReportLine[] = []
for (const row of readReports('cases/reports.jsonl')) reports.push(await replay(row, 'cases/worlds'))
const idsOf = (ok: boolean | null) => reports.filter((line) => line.ok === ok).map((line) => [line.id, line.why_not])
writeFileSync(
  'cases/reports.ratchet.json',
  `${JSON.stringify({ missed: Object.fromEntries(idsOf(false)), notRun: Object.fromEntries(idsOf(null)) }, null, 2)}\n`,
)
process.stdout.write(`${reports.length} reports, ${idsOf(false).length} missed, ${idsOf(null).length} not run\n`)
