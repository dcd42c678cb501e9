/**
 * Stands between a host and the hook it runs: `recorder.ts DIRECTORY COMMAND`. Passes stdin, stdout, stderr and the exit
 * code on unchanged and keeps a copy in DIRECTORY, one file a run.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [directory, command] = process.argv.slice(2)
if (directory === undefined || command === undefined) {
  writeSync(2, 'recorder: needs a directory and a command\n')
  process.exit(1)
}
const payload = readFileSync(0)
const file = join(directory, `${Date.now()}-${process.pid}.json`)
const record = { payload: payload.toString('utf8'), answer: '', stderr: '', exit: null as number | null }
// Written before the run too: a host may kill a slow hook together with this process.
writeFileSync(file, JSON.stringify(record))
const run = spawnSync('/bin/sh', ['-c', command], { input: payload })
record.answer = run.stdout.toString('utf8')
record.stderr = run.stderr.toString('utf8')
record.exit = run.status
writeFileSync(file, JSON.stringify(record))
writeSync(1, run.stdout)
writeSync(2, run.stderr)
process.exit(run.status ?? 1)
