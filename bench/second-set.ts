/**
 * A second set of outputs: other tools, other seeds. Each is generated with the facts that a digest must not lose, which
 * are written down before any digest exists. The same seed gives the same set.
 */
import { HARDER } from './second/harder.ts'
import { type Corpus, randomOf } from './second/kit.ts'
import { RECORDS } from './second/records.ts'
import { RUNS } from './second/runs.ts'

/** The whole set for a seed. Throws where a needle is not in its own output: a fault of the generator. */
export function secondSet(seed: number): Corpus[] {
  return Object.entries({ ...RUNS, ...RECORDS, ...HARDER }).map(([id, make], at) => {
    const made = make(randomOf(seed * 1000 + at))
    for (const { class: kind, any } of made.needles)
      if (kind !== 'count' && !any.some((spelling) => made.text.includes(spelling)))
        throw new Error(`${id}: ${any[0]} is not in the output`)
    return { ...made, id, text: Buffer.from(made.text) }
  })
}
