/** Which family reads an output. */
import { FAMILIES } from './families/index.ts'
import type { Family, Probe } from './family.ts'

/** Families that take the output for theirs, in the order of the list. A family whose `detect` throws says no. */
export const familiesOf = (probe: Probe, families: readonly Family[] = FAMILIES): readonly Family[] =>
  families.filter((family) => {
    try {
      return family.detect(probe)
    } catch {
      return false
    }
  })
