/**
 * Runs every test, or those of the files that the arguments name. Tests whose system program is absent are listed as not
 * run, with a count; where `SALLYPORT_REQUIRE_ALL=1` they count as a failure. The last line is `N passed, N failed, N skipped`.
 */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** The whole run ends by then, whatever hangs: longer than this nobody waits. */
const MOST_MS = 12 * 60_000
/** One file. */
const MOST_FILE_MS = 5 * 60_000

/** These take longest and begin first: at the end one of them would run alone. */
const LONGEST = ['setup-kills', 'drive', 'transparency', 'setup', 'deadline', 'hook-process', 'adlc-published'].map(
  (name) => join('test', `${name}.test.ts`),
)

const patterns = process.argv.slice(2)
const found = globSync(
  patterns.length > 0 ? patterns : ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
).sort()
const files = [...LONGEST.filter((file) => found.includes(file)), ...found.filter((file) => !LONGEST.includes(file))]
if (files.length === 0) {
  process.stderr.write(`test: no test file matches ${patterns.join(' ')}\n`)
  process.exit(2)
}

process.stdout.write(`${files.length} files with tests; the longest begin, and each is shown when it has ended\n`)

let passed = 0
const failures: string[] = []
const notRun: string[] = []

// Each test file is a process of its own, and many start more: what they share is stripped of its types and compiled once.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/sallyport')

const stream = run({
  files,
  concurrency: Math.max(2, availableParallelism()),
  timeout: MOST_FILE_MS,
  signal: AbortSignal.timeout(MOST_MS),
})
/** Where a test stands, for the lists at the end. */
const at = (name: string, file: string | undefined) => (file === undefined ? name : `${relative('.', file)}: ${name}`)

stream.on('test:pass', ({ name, file, skip, details }) => {
  if (skip !== undefined && skip !== false)
    notRun.push(`${at(name, file)}${skip === true || skip === '' ? '' : ` (${skip})`}`)
  else if (details.type !== 'suite') passed++
})
stream.on('test:fail', ({ name, file, details }) => {
  if (details.type !== 'suite') failures.push(at(name, file))
})
const shown = stream.compose(spec())
shown.pipe(process.stdout)
await finished(shown)

if (notRun.length > 0) {
  process.stdout.write(`\nNot run: ${notRun.length}\n`)
  for (const line of notRun) process.stdout.write(`  ${line}\n`)
}
if (failures.length > 0) {
  process.stdout.write(`\nFailed: ${failures.length}\n`)
  for (const line of failures) process.stdout.write(`  ${line}\n`)
}
process.stdout.write(`\n${passed} passed, ${failures.length} failed, ${notRun.length} skipped\n`)
const incomplete = process.env['SALLYPORT_REQUIRE_ALL'] === '1' && notRun.length > 0
if (failures.length > 0 || passed === 0 || incomplete) process.exitCode = 1
