/** Writes `cases/guard.ratchet.json`: the cases of the guard that come out wrong today. `test/cases.test.ts` reads it. */
import { writeFileSync } from 'node:fs'
import { readCases, runCases } from '../src/cli/check/cases.ts'

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
