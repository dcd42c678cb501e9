/** Verbs of containment, for `ctx` and `sallyport` alike. A verb that is not built is absent. */

import { mcpRoutes } from '../mcp.ts'
import { SETUP_ROUTES } from '../setup/routes.ts'
import { diffCommand } from './diff.ts'
import { digestCommand } from './digest.ts'
import { gainCommand } from './gain.ts'
import { gcCommand } from './gc.ts'
import { getCommand } from './get.ts'
import { jobCommand } from './job.ts'
import { jobsCommand } from './jobs.ts'
import { pinCommand } from './pin.ts'
import { profileRoutes } from './profile.ts'
import { purgeCommand } from './purge.ts'
import { runCommand } from './run.ts'
import { searchCommand } from './search.ts'
import { statsCommand } from './stats.ts'

export const CTX_ROUTES = {
  mcp: mcpRoutes,
  digest: digestCommand,
  gain: gainCommand,
  get: getCommand,
  profile: profileRoutes,
  run: runCommand,
  search: searchCommand,
  jobs: jobsCommand,
  job: jobCommand,
  diff: diffCommand,
  gc: gcCommand,
  pin: pinCommand,
  purge: purgeCommand,
  stats: statsCommand,
  ...SETUP_ROUTES,
} as const
