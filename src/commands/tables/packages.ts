/** Package managers and build tools. */
import { bun, bunx } from '../packages/bun.ts'
import { make } from '../packages/make.ts'
import { npm, npx } from '../packages/npm.ts'
import { pnpm } from '../packages/pnpm.ts'
import { yarn } from '../packages/yarn.ts'
import type { Group } from '../registry.ts'

export const packages: Group = {
  id: 'packages',
  rows: [],
  readers: {
    npm,
    npx,
    pnpm,
    'yarn yarnpkg': yarn,
    bun,
    bunx,
    'make gmake': make,
  },
}
