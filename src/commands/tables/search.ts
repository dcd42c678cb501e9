/** Grep-like and find-like programs. */
import type { Group } from '../registry.ts'

export const search: Group = {
  id: 'search',
  rows: [],
  readers: {},
}
