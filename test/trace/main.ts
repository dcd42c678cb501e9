/**
 * `npm run trace [-- PROGRAMS] [--misses]`: what the kernel saw beside what the guard foresaw, by corpus. With `--from SEED`
 * random programs only, from that seed on (several such runs share a soak). With `--mutants` faults are planted into the
 * guard one by one, and it is said which are found. Exit 1 below a bar.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serialize } from 'node:v8'
import { MUTANTS, UNCHANGED } from '../execution/mutants.ts'
import { canRun, openSandbox } from '../execution/sandbox.ts'
import type { Compared } from './compare.ts'
import { maintainerScripts, packageScripts, random, written } from './corpus.ts'
import { record, runCorpus, totalsOf } from './suite.ts'

/** Seeds of random sequences that are run and compared together. */
const AT_ONCE = 100
/** Of the planted faults so many must be found. */
const LEAST_FOUND = 18

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string' },
    misses: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
  },
})
const programs = Number(positionals[0] ?? 400)
const first = Number(values.from ?? 1)
if (!Number.isInteger(programs) || !Number.isInteger(first)) {
  process.stderr.write('trace: the number of programs and the seed are whole numbers\n')
  process.exit(2)
}
const problem = canRun()
if (problem !== undefined) {
  process.stderr.write(`trace: there can be no sandbox here: ${problem}\n`)
  process.exit(1)
}
const sandbox = await openSandbox()
if (values.mutants) {
  await hunt()
  sandbox.close()
  process.exit()
}
const all: Compared[] = []
try {
  const others: readonly [string, readonly string[]][] = [
    ['written', written()],
    ['package scripts', packageScripts()],
    ['maintainer scripts', maintainerScripts(100)],
  ]
  for (const [name, lines] of values.from === undefined ? others : []) {
    const compared = await runCorpus(lines, sandbox)
    all.push(...compared)
    show(name, compared)
    list(compared)
  }
  const compared: Compared[] = []
  // A part at a time: the traces of all of them together would fill the memory.
  for (const part of parts(programs)) {
    const some = await runCorpus(part, sandbox)
    compared.push(...some)
    // A soak takes hours: what it finds is told at once.
    list(some)
    if (process.stderr.isTTY) process.stderr.write(`\r${compared.length}`)
  }
  all.push(...compared)
  show('random programs', compared)
  show('all', all)
} finally {
  sandbox.close()
}
const total = totalsOf(all)
const part = (of: number, whole: number): number => (whole === 0 ? 1 : of / whole)
const low =
  part(total.foreseen + total.unknownOnly, total.changes) < 0.995 ||
  part(total.unknownOnly, total.changes) > 0.05 ||
  part(total.honest, total.lines) < 0.95 ||
  total.harmed > 0
if (low) process.exitCode = 1

/** The calls of random sequences from the first seed on, in parts. */
function* parts(count: number): Generator<readonly string[]> {
  let left = count
  for (let seed = first; left > 0; seed += AT_ONCE) {
    const lines = random(Array.from({ length: AT_ONCE }, (_, i) => seed + i)).slice(0, left)
    left -= lines.length
    yield lines
  }
}

function show(name: string, compared: readonly Compared[]): void {
  const { lines, changes, foreseen, unknownOnly, missed, honest, harmed } = totalsOf(compared)
  const share = (of: number, whole: number): string => (whole === 0 ? '-' : `${((100 * of) / whole).toFixed(1)} %`)
  process.stdout.write(
    `${name}: ${lines} lines, ${changes} changes: foreseen ${share(foreseen, changes)}, unknown only ${share(unknownOnly, changes)}, missed ${missed}; without a false alarm of destruction ${share(honest, lines)}; harm after a pass ${harmed}\n`,
  )
}

/** What went wrong, where it is asked for. */
function list(compared: readonly Compared[]): void {
  if (!values.misses) return
  for (const one of compared) {
    const text = one.command.replaceAll('\n', ' ').slice(0, 140)
    for (const { kind, path } of one.missed.slice(0, 3))
      process.stdout.write(`   missed ${kind} ${path}: ${one.verdict}: ${text}\n`)
    for (const path of one.neverHappened.slice(0, 2)) process.stdout.write(`   never happened ${path}: ${text}\n`)
    for (const path of one.harmed.slice(0, 2)) process.stdout.write(`   HARM ${path}: ${text}\n`)
  }
}

async function hunt(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'trace-'))
  try {
    const file = join(scratch, 'traces')
    const lines = [...written(), ...[...parts(programs)].flat()]
    writeFileSync(file, serialize(await record(lines, sandbox)))
    const wrongWith = (id: string): number =>
      Number(spawnSync(process.execPath, ['test/trace/planted.ts', id, file], { encoding: 'utf8' }).stdout)
    const before = wrongWith(UNCHANGED)
    process.stdout.write(`without a fault ${before} are missed\n`)
    let found = 0
    for (const { id } of MUTANTS) {
      const wrong = wrongWith(id)
      if (wrong > before) found++
      process.stdout.write(`${wrong > before ? 'found   ' : 'SURVIVES'}  ${id} (${wrong})\n`)
    }
    process.stdout.write(`${found} of ${MUTANTS.length} faults found\n`)
    if (found < LEAST_FOUND) process.exitCode = 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
