/** Tests that need a program of the machine. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * Whether `program` is on PATH. Where it is absent the test is skipped and listed as not run; with
 * `SALLYPORT_REQUIRE_ALL=1` (for runs that must leave nothing out) that is an error instead.
 */
export function need(t: TestContext, program: string): boolean {
  if (onPath(program)) return true
  if (process.env['SALLYPORT_REQUIRE_ALL'] === '1') throw new Error(`${program} is absent, and every test is required`)
  t.skip(`not run: ${program} is absent`)
  return false
}

function onPath(program: string): boolean {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      accessSync(join(dir, program), constants.X_OK)
      return true
    } catch {
      // Not in this directory.
    }
  }
  return false
}
