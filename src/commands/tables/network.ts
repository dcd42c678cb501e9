/** Programs that talk to other machines. */
import type { Group } from '../registry.ts'

export const network: Group = {
  id: 'network',
  rows: [],
  readers: {},
}
