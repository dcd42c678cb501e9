/**
 * Judges what was run, with a fault planted into the guard. Arguments: the mutant's id (`unchanged`: none) and a file with what was run. The
 * first hole's seed goes to stdout, or `none`.
 */
import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
import { MUTANTS, plant, UNCHANGED } from './mutants.ts'
import type { Ran } from './run.ts'

const [id, file] = process.argv.slice(2)
const mutant = MUTANTS.find((one) => one.id === id)
if (file === undefined || (mutant === undefined && id !== UNCHANGED)) throw new Error('an id and a file are needed')
if (mutant) plant(mutant)
// The guard is loaded only now.
const { isHole, judgeRan } = await import('./run.ts')
const all = deserialize(readFileSync(file)) as readonly Ran[]
const found = all.find((ran) => isHole(judgeRan(ran)))
process.stdout.write(found === undefined ? 'none\n' : `${found.sequence.seed}\n`)
