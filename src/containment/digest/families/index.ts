/** Families in the order in which they are asked. One line each: the more particular before the more general. */
import type { Family } from '../family.ts'

export const FAMILIES: readonly Family[] = []
