/** The plugin's own program: `agb` and nothing else of what a package of this program holds. */
import { AGB_ROUTES } from './agb-routes.ts'
import { EXIT, processIo } from './io.ts'
import { runRoutes } from './run-routes.ts'

/** Runs a command line of `agb`. Returns the exit code. */
export async function agbMain(argv: readonly string[]): Promise<number> {
  try {
    return await runRoutes('agb', AGB_ROUTES, argv, processIo())
  } catch (error) {
    process.stderr.write(`agb: an internal error came up: ${error instanceof Error ? error.message : String(error)}\n`)
    return EXIT.internal
  }
}
