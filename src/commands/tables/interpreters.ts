/** Programs that run code. */
import type { Group } from '../registry.ts'

export const interpreters: Group = {
  id: 'interpreters',
  rows: [],
  readers: {},
}
