/** Git and the programs around it. */
import type { Group } from '../registry.ts'

export const git: Group = {
  id: 'git',
  rows: [],
  readers: {},
}
