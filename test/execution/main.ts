/**
 * Runs random writers in a sandbox and judges them: `node test/execution/main.ts [--count N] [--from SEED] [--alarms]`, one
 * sequence with `--from SEED --count 1 --show`; with `--mutants`, plants faults and says which are found. Exit code 1 for a
 * hole, for too many false alarms, and for too many faults that survive.
 */
import { parseArgs } from 'node:util'
import { hunt } from './hunt.ts'
import { MUTANTS } from './mutants.ts'
import { judgeRan, minimised, type Outcome, type Ran, runSeeds, show, summaryOf } from './run.ts'
import { openSandbox } from './sandbox.ts'

/** Of harmless sequences this part must pass, and of planted faults this many must be found. */
const LEAST_PASSED = 0.9
const LEAST_FOUND = 18

const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    from: { type: 'string', default: '1' },
    mutants: { type: 'boolean', default: false },
    alarms: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
})
const count = Number(values.count ?? (values.mutants ? 1_500 : 500))
const seeds = Array.from({ length: count }, (_, i) => Number(values.from) + i)
const say = (text: string) => process.stdout.write(`${text}\n`)

const sandbox = await openSandbox()
try {
  if (values.mutants) {
    const all: Ran[] = []
    await runSeeds(seeds, sandbox, (ran) => all.push(ran))
    say(`${all.length} sequences ran; ${MUTANTS.length} faults are planted one by one`)
    const found = await hunt(all, ({ id, seed }) =>
      say(`${seed === undefined ? 'SURVIVES' : 'found   '}  ${id}${seed === undefined ? '' : ` (seed ${seed})`}`),
    )
    const n = found.filter(({ seed }) => seed !== undefined).length
    say(`${n} of ${MUTANTS.length} faults found`)
    if (n < LEAST_FOUND) process.exitCode = 1
  } else {
    const outcomes: Outcome[] = []
    await runSeeds(seeds, sandbox, (ran) => outcomes.push(judgeRan(ran)))
    outcomes.sort((a, b) => a.sequence.seed - b.sequence.seed)
    if (values.show) for (const outcome of outcomes) say(show(outcome))
    const { holes, alarms, ...rest } = summaryOf(outcomes)
    if (values.alarms) for (const alarm of alarms) say(show(alarm))
    for (const hole of holes) say(show(await minimised(hole, sandbox)))
    say(
      `${rest.sequences} sequences: ${rest.changed} changed something protected, ${holes.length} of them although the guard passed; ` +
        `of ${rest.harmless} that changed nothing protected ${(rest.passed * 100).toFixed(1)} % passed`,
    )
    if (holes.length > 0 || rest.passed < LEAST_PASSED) process.exitCode = 1
  }
} finally {
  sandbox.close()
}
