/** Database clients. */
import type { Group } from '../registry.ts'

export const databases: Group = {
  id: 'databases',
  rows: [],
  readers: {},
}
