/**
 * Compares recorded traces with a fault planted into the guard. Arguments: the mutant's id (`unchanged`: none) and a file
 * with the traces. How many changes were missed, were covered by
 * nothing but an unknown, or did harm after a pass goes to stdout.
 */
import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
import { MUTANTS, plant, UNCHANGED } from '../execution/mutants.ts'
import type { Recorded } from './suite.ts'

const [id, file] = process.argv.slice(2)
const mutant = MUTANTS.find((one) => one.id === id)
if (file === undefined || (mutant === undefined && id !== UNCHANGED)) throw new Error('an id and a file are needed')
if (mutant) plant(mutant)
// The guard is loaded only now.
const { compareAll, totalsOf } = await import('./suite.ts')
const { missed, harmed, unknownOnly } = totalsOf(compareAll(deserialize(readFileSync(file)) as Recorded))
process.stdout.write(`${missed + harmed + unknownOnly}\n`)
