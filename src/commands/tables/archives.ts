/** Packing and unpacking. */
import type { Group } from '../registry.ts'

export const archives: Group = {
  id: 'archives',
  rows: [],
  readers: {},
}
