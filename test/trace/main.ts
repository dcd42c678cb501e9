/**
 * `npm run trace [-- PROGRAMS] [--misses]`: what the kernel saw beside what the guard foresaw, by corpus. With `--mutants`
 * faults are planted into the guard one by one, and it is said which are found. Exit 1 below a bar.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import { MUTANTS, UNCHANGED } from '../execution/mutants.ts'
import { canRun, openSandbox } from '../execution/sandbox.ts'
import type { Compared } from './compare.ts'
import { maintainerScripts, packageScripts, random, written } from './corpus.ts'
import { record, runCorpus, totalsOf } from './suite.ts'

/** Of the planted faults so many must be found. */
const LEAST_FOUND = 18

const programs = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 400)
const verbose = process.argv.includes('--misses')
const problem = canRun()
if (problem !== undefined) {
  process.stderr.write(`trace: there can be no sandbox here: ${problem}\n`)
  process.exit(1)
}
const sandbox = await openSandbox()
if (process.argv.includes('--mutants')) {
  await hunt()
  sandbox.close()
  process.exit()
}
const all: Compared[] = []
try {
  const seeds = Array.from({ length: Math.ceil(programs / 2) }, (_, i) => i + 1)
  const corpora: readonly [string, readonly string[]][] = [
    ['written', written()],
    ['random programs', random(seeds).slice(0, programs)],
    ['package scripts', packageScripts()],
    ['maintainer scripts', maintainerScripts(100)],
  ]
  for (const [name, lines] of corpora) {
    const compared = await runCorpus(lines, sandbox)
    all.push(...compared)
    show(name, compared)
  }
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

function show(name: string, compared: readonly Compared[]): void {
  const { lines, changes, foreseen, unknownOnly, missed, honest, harmed } = totalsOf(compared)
  const share = (of: number, whole: number): string => (whole === 0 ? '-' : `${((100 * of) / whole).toFixed(1)} %`)
  process.stdout.write(
    `${name}: ${lines} lines, ${changes} changes: foreseen ${share(foreseen, changes)}, unknown only ${share(unknownOnly, changes)}, missed ${missed}; without a false alarm of destruction ${share(honest, lines)}; harm after a pass ${harmed}\n`,
  )
  if (!verbose || name === 'all') return
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
    const seeds = Array.from({ length: Math.ceil(programs / 2) }, (_, i) => i + 1)
    writeFileSync(file, serialize(await record([...written(), ...random(seeds).slice(0, programs)], sandbox)))
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
