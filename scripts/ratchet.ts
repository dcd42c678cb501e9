/**
 * Writes down the cases that come out wrong today: `cases/guard.ratchet.json` and `cases/reports.ratchet.json`, or the
 * one of them that is named (`guard`, `reports`). `test/cases.test.ts` and `test/reports.test.ts` read them.
 */
import { writeFileSync } from 'node:fs'
import { readCases, runCases } from '../src/cli/check/cases.ts'
import { type ReportLine, replay } from '../src/cli/check/reports.ts'
import { readReports } from '../src/cli/check/reports-read.ts'

const which = process.argv[2]
if (which !== 'reports') guard()
if (which !== 'guard') await reports()

function guard(): void {
  const lines = runCases(readCases('cases/guard.jsonl'), 'cases/worlds')
  const missed = lines.filter((line) => line.verdict !== line.expected)
  const ratchet = {
    denied: lines.filter((line) => line.expected === 'deny' && line.verdict === 'deny').length,
    stopped: lines.filter((line) => line.expected === 'pass' && line.verdict !== 'pass').length,
    missed: Object.fromEntries(missed.map((line) => [line.id, line.verdict])),
  }
  write('cases/guard.ratchet.json', ratchet)
  process.stdout.write(
    `${lines.length} cases, ${missed.length} missed, ${ratchet.denied} denied, ${ratchet.stopped} stopped\n`,
  )
}

async function reports(): Promise<void> {
  const lines: ReportLine[] = []
  for (const row of readReports('cases/reports.jsonl')) lines.push(await replay(row, 'cases/worlds'))
  const of = (ok: boolean | null) => lines.filter((line) => line.ok === ok).map((line) => [line.id, line.why_not])
  write('cases/reports.ratchet.json', { missed: Object.fromEntries(of(false)), notRun: Object.fromEntries(of(null)) })
  process.stdout.write(`${lines.length} reports, ${of(false).length} missed, ${of(null).length} not run\n`)
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}
