/** Programs that run another program. */
import type { Group } from '../registry.ts'

export const prefixes: Group = {
  id: 'prefixes',
  rows: [],
  readers: {},
}
