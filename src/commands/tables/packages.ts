/** Package managers and build tools. */
import type { Group } from '../registry.ts'

export const packages: Group = {
  id: 'packages',
  rows: [],
  readers: {},
}
