/** Runs every test. Tests whose system program is absent are listed as not run, with a count. */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const patterns = process.argv.slice(2)
const files = globSync(patterns.length > 0 ? patterns : ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts']).sort()
if (files.length === 0) {
  process.stderr.write(`test: no test file matches ${patterns.join(' ')}\n`)
  process.exit(2)
}

let passed = 0
let failed = 0
const notRun: string[] = []

const stream = run({ files, concurrency: Math.max(2, availableParallelism()) })
stream.on('test:pass', ({ name, skip, details }) => {
  if (details.type === 'suite') return
  if (skip !== undefined && skip !== false) notRun.push(`${name}: ${skip === true ? 'skipped' : skip}`)
  else passed++
})
stream.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') failed++
})
stream.on('end', () => {
  if (notRun.length > 0) {
    process.stdout.write(`\nNot run: ${notRun.length}\n`)
    for (const line of notRun) process.stdout.write(`  ${line}\n`)
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${notRun.length} skipped\n`)
  if (failed > 0 || passed === 0) process.exitCode = 1
})
stream.compose(spec()).pipe(process.stdout)
