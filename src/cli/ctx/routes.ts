/** Verbs of containment, for `ctx` and `sallyport` alike. A verb that is not built is absent. */
import { digestCommand } from './digest.ts'

export const CTX_ROUTES = { digest: digestCommand } as const
