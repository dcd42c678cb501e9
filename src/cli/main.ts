/** The program for people: `sallyport`, and the same under the names `ctx` and `agb`. */
import { EXIT, processIo } from './io.ts'

/** Runs a command line under the name that the program was called by. Returns the exit code. */
export async function main(name: string, argv: readonly string[]): Promise<number> {
  if (argv[0] === 'hook' && !argv.includes('--help')) {
    // Hosts wait for this one: nothing but the hook is loaded.
    const { hookMain } = await import('./hook.ts')
    hookMain(argv.slice(1) as string[])
    return EXIT.ok
  }
  try {
    const { runProgram } = await import('./program.ts')
    return await runProgram(name, argv, processIo())
  } catch (error) {
    process.stderr.write(
      `${name}: an internal error came up: ${error instanceof Error ? error.message : String(error)}\n`,
    )
    if (process.env['SALLYPORT_DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack}\n`)
    return EXIT.internal
  }
}
