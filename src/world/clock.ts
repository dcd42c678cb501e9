/**
 * Milliseconds since this process began, monotonic. `performance.now()` says the same, but the first look at `performance`
 * loads modules that cost more than a verdict.
 */
export const clock = (): number => process.uptime() * 1000
