/** `ctx run`: the command line's side of it. */
import { inheritedDescriptors } from '../../containment/run/inherited.ts'
import { type RunFlags, type RunOptions, runOptions } from '../../containment/run/options.ts'
import { OWN_FAILURE, runCommand } from '../../containment/run/run.ts'
import type { RunServices } from '../../containment/run/services.ts'
import { homeOf } from '../hook/person.ts'
import type { Io } from '../io.ts'
import { servicesOf } from './run-services.ts'
import { settingsOf } from './run-settings.ts'

/** Runs the command. Gives the exit code; never throws for what the command does. */
export async function runVerb(flags: RunFlags, argv: readonly string[], io: Io): Promise<number> {
  const inherited = inheritedDescriptors(io.env['MAKEFLAGS'])
  const home = homeOf(io.env)
  const settings = await settingsOf(io.env, home, io.cwd)
  const options = runOptions(flags, argv, io.cwd, settings.digest)
  if ('refused' in options) {
    io.err(`ctx run: ${options.refused}\n`)
    return OWN_FAILURE
  }
  const services = servicesOf(io, home, settings)
  const env = io.env as NodeJS.ProcessEnv
  try {
    if (flags.asJob !== undefined) return await asJob(flags.asJob, options, services, env)
    if (options.bgAfterMs !== undefined) {
      const { runInBackground } = await import('../../containment/run/background.ts')
      return await runInBackground(thisProgram(), options, inherited, env, services)
    }
    return await runCommand(options, inherited, env, services)
  } catch (error) {
    services.say(`an internal error came up: ${error instanceof Error ? error.message : String(error)}`)
    if (io.env['SALLYPORT_DEBUG'] && error instanceof Error) io.err(`${error.stack}\n`)
    return OWN_FAILURE
  }
}

/** How this very program is started. */
const thisProgram = (): readonly string[] => [process.execPath, ...process.execArgv, process.argv[1] ?? '', 'run']

async function asJob(
  text: string,
  options: RunOptions,
  services: RunServices,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { readOrder, superviseJob } = await import('../../containment/run/job.ts')
  const order = readOrder(text)
  if (order === undefined) {
    services.say('--as-job is for this program itself; use --bg')
    return OWN_FAILURE
  }
  return await superviseJob(options, order, await services.store(), env)
}
