/** Programs that change files in place. */
import type { Group } from '../registry.ts'

export const editors: Group = {
  id: 'editors',
  rows: [],
  readers: {},
}
