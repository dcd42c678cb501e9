/** Runs a command line against a map of verbs. */
import { buildApplication, buildRouteMap, run } from '@stricli/core'
import type { Context } from './flags.ts'
import { EXIT, type Io } from './io.ts'
import { version } from './version.ts'

const BRIEF: Readonly<Record<string, string>> = {
  sallyport: 'Guards AI coding agents: every tool call becomes deny, ask or pass before it runs.',
  agb: 'The guard under the name that its published contract uses.',
  ctx: 'Keeps all that commands write, shows little of it, and finds the rest again by its address.',
}

/** Bad usage as one sentence that names the verb, and the way out where a command was not put behind `--`. */
function complaint(part: string, name: string, verb: string): string {
  if (part.trim() === '') return ''
  const behind = /^(?:check|explain|run)$/.test(verb) && /registered for/.test(part) ? '; a command goes behind --' : ''
  return `${part.startsWith(name) ? '' : `${name} ${verb}: `}${part.trimEnd()}${behind}\n`
}

/** Runs a verb of `routes`. Usage errors print one sentence and give 2. */
export async function runRoutes(name: string, routes: object, argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === '--version' || argv[0] === '-v' || argv[0] === 'version') {
    io.out(`${name} ${version()}\n`)
    return EXIT.ok
  }
  if (Object.keys(routes).length === 0) {
    io.err(`${name}: no verb of ${name} is built in this version; use sallyport --help\n`)
    return EXIT.usage
  }
  if (argv[0] !== undefined && argv[0] !== 'help' && !argv[0].startsWith('-') && !Object.hasOwn(routes, argv[0])) {
    io.err(`${name}: there is no verb ${JSON.stringify(argv[0])}; the verbs are ${Object.keys(routes).join(', ')}\n`)
    return EXIT.usage
  }
  const app = buildApplication(
    buildRouteMap<string, Context>({ routes: routes as never, docs: { brief: BRIEF[name] ?? BRIEF['sallyport']! } }),
    {
      name,
      scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
      documentation: { disableAnsiColor: !io.colour },
    },
  )
  let code: number | string | null | undefined
  const context = {
    io,
    program: name,
    argv,
    exit: EXIT.ok as number,
    process: {
      stdout: { write: (part: string) => io.out(part) },
      stderr: {
        write: (part: string) => io.err(complaint(part, name, argv[0] ?? '')),
      },
      get exitCode() {
        return code
      },
      set exitCode(value) {
        code = value
      },
    },
  }
  const asked = argv.length === 0 || argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv]
  await run(app, asked, context as never)
  if (typeof code === 'number' && code !== 0) {
    // Of a run every other code is the command's own.
    if (argv[0] === 'run') return EXIT.ownFailure
    // To whoever merges, 2 of the check of rails means violations and nothing else.
    if (code < 0) return argv[0] === 'rails' ? EXIT.problem : EXIT.usage
    return EXIT.internal
  }
  return context.exit
}
