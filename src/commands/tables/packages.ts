/** Package managers and build tools. */
import { make } from '../packages/make.ts'
import { npm, npx } from '../packages/npm.ts'
import type { Group } from '../registry.ts'

export const packages: Group = {
  id: 'packages',
  rows: [],
  readers: {
    npm,
    npx,
    'make gmake': make,
  },
}
