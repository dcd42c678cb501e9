/** Verbs of containment, for `ctx` and `sallyport` alike. A verb that is not built is absent. */
import { digestCommand } from './digest.ts'
import { gainCommand } from './gain.ts'
import { getCommand } from './get.ts'
import { runCommand } from './run.ts'

export const CTX_ROUTES = { digest: digestCommand, gain: gainCommand, get: getCommand, run: runCommand } as const
