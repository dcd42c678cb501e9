/** Verbs of containment, for `ctx` and `sallyport` alike. A verb that is not built is absent. */
export const CTX_ROUTES = {} as const
