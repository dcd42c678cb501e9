/** Making, copying, moving, deleting and describing files. */
import type { Group } from '../registry.ts'

export const files: Group = {
  id: 'files',
  rows: [],
  readers: {},
}
