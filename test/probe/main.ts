/**
 * Proves the probe: a host that keeps to its contract comes out clean, and each that breaks it in one point is found out.
 * `npm run probe-proof`; exits 1 where the first fails, or where of 25 faults fewer than 24 are found.
 */
import { FAULTS } from './fake-host.ts'
import { probeFault } from './faulted.ts'

/** Of 25 faults, so many. */
const LEAST = 24 / 25

const sound = await probeFault('none')
const wrong = sound.filter(({ holds }) => holds !== true)
process.stdout.write(`a host without a fault: ${sound.length - wrong.length} of ${sound.length} hold\n`)
for (const { id, why } of wrong) process.stdout.write(`  ${id}: ${why}\n`)

let found = 0
for (const fault of FAULTS) {
  const differs = (await probeFault(fault)).filter(({ holds }) => holds === false).map(({ id }) => id)
  if (differs.length > 0) found++
  process.stdout.write(`${differs.length > 0 ? 'found ' : 'MISSED'}  ${fault.padEnd(28)} ${differs.join(' ')}\n`)
}
process.stdout.write(`${found} of ${FAULTS.length} faults are found\n`)
if (wrong.length > 0 || found < FAULTS.length * LEAST) process.exitCode = 1
