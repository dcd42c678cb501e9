/** Families in the order in which they are asked. One line each: the more particular before the more general. */
import type { Family } from '../family.ts'
import { gitDiff } from './git-diff.ts'
import { gitLog } from './git-log.ts'
import { gitStatus } from './git-status.ts'
import { grep } from './grep.ts'
import { listing } from './listing.ts'
import { pytest } from './pytest.ts'

export const FAMILIES: readonly Family[] = [pytest, gitStatus, gitLog, gitDiff, grep, listing]
