/** Filters and printers: what goes in comes out changed. */
import type { Group } from '../registry.ts'

export const text: Group = {
  id: 'text',
  rows: [],
  readers: {},
}
