/** Clouds, clusters, containers. */
import type { Group } from '../registry.ts'

export const infra: Group = {
  id: 'infra',
  rows: [],
  readers: {},
}
