/** Package managers and build tools. */
import { npm, npx } from '../packages/npm.ts'
import type { Group } from '../registry.ts'

export const packages: Group = {
  id: 'packages',
  rows: [],
  readers: {
    npm,
    npx,
  },
}
