/** `ctx run`: the command line's side of it. */
import { homedir } from 'node:os'
import { inheritedDescriptors } from '../../containment/run/inherited.ts'
import { type RunFlags, runOptions } from '../../containment/run/options.ts'
import { OWN_FAILURE, runCommand } from '../../containment/run/run.ts'
import type { Io } from '../io.ts'
import { servicesOf } from './run-services.ts'
import { settingsOf } from './run-settings.ts'

/** Runs the command. Gives the exit code; never throws for what the command does. */
export async function runVerb(flags: RunFlags, argv: readonly string[], io: Io): Promise<number> {
  const inherited = inheritedDescriptors(io.env['MAKEFLAGS'])
  const home = io.env['HOME'] || homedir()
  const settings = await settingsOf(io.env, home, io.cwd)
  const options = runOptions(flags, argv, io.cwd, settings.digest)
  if ('refused' in options) {
    io.err(`ctx run: ${options.refused}\n`)
    return OWN_FAILURE
  }
  const services = servicesOf(io, home, settings)
  try {
    return await runCommand(options, inherited, io.env as NodeJS.ProcessEnv, services)
  } catch (error) {
    services.say(`an internal error came up: ${error instanceof Error ? error.message : String(error)}`)
    if (io.env['SALLYPORT_DEBUG'] && error instanceof Error) io.err(`${error.stack}\n`)
    return OWN_FAILURE
  }
}
