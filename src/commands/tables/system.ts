/** Devices, processes, services, accounts. */
import type { Group } from '../registry.ts'

export const system: Group = {
  id: 'system',
  rows: [],
  readers: {},
}
