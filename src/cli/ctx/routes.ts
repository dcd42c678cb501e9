/** Verbs of containment, for `ctx` and `sallyport` alike. A verb that is not built is absent. */
import { digestCommand } from './digest.ts'
import { gainCommand } from './gain.ts'
import { getCommand } from './get.ts'
import { jobCommand } from './job.ts'
import { jobsCommand } from './jobs.ts'
import { profileRoutes } from './profile.ts'
import { runCommand } from './run.ts'
import { searchCommand } from './search.ts'

export const CTX_ROUTES = {
  digest: digestCommand,
  gain: gainCommand,
  get: getCommand,
  profile: profileRoutes,
  run: runCommand,
  search: searchCommand,
  jobs: jobsCommand,
  job: jobCommand,
} as const
