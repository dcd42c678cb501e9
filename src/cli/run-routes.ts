/** Runs a command line against a map of verbs. */
import { buildApplication, buildRouteMap, run } from '@stricli/core'
import type { Context } from './flags.ts'
import { texts } from './help/complaints.ts'
import { helpText, targetOf } from './help/help.ts'
import { EXIT, type Io } from './io.ts'
import { version } from './version.ts'

const BRIEF: Readonly<Record<string, string>> = {
  sallyport: 'Guards AI coding agents: every tool call becomes deny, ask or pass before it runs.',
  agb: 'The guard under the name that its published contract uses.',
  ctx: 'Keeps all that commands write, shows little of it, and finds the rest again by its address.',
}

/** A sentence about the command line that names the verb, and the way out where a command was not put behind `--`. */
function complaint(part: string, name: string, verb: string): string {
  if (part.trim() === '') return ''
  const behind = /^(?:check|explain|run)$/.test(verb) && /there is no option/.test(part)
  const said = behind ? part.trimEnd().replace(/;.*$/s, '') + '; a command goes behind --' : part.trimEnd()
  return `${name}${verb === '' ? '' : ` ${verb}`}: ${said}\n`
}

const asksForHelp = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => /^(?:-h|--help|--help-all|--helpAll)$/.test(word))
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
  const brief = BRIEF[name] ?? BRIEF['sallyport']!
  const root = buildRouteMap<string, Context>({ routes: routes as never, docs: { brief } })
  const words = argv[0] === 'help' ? argv.slice(1) : argv
  const { target, path } = targetOf(root, words)
  const whole = path.length === words.length
  const help = argv[0] === 'help' ? whole || !('getAllEntries' in target) : whole && 'getAllEntries' in target
  if (help || asksForHelp(words)) {
    io.out(helpText(root, words, { name, brief, width: Math.min(io.columns ?? 100, 120), colour: io.colour }))
    return EXIT.ok
  }
  const app = buildApplication(root, {
    name,
    scanner: {
      ...{ caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
      // One slip of the fingers: what is further away is another word, and may do harm.
      distanceOptions: { threshold: 3, weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 0 } },
    },
    documentation: { disableAnsiColor: true },
    localization: { text: texts(name, io.env['SALLYPORT_DEBUG'] !== undefined) },
  })
  let code: number | string | null | undefined
  const context = {
    io,
    program: name,
    argv,
    exit: EXIT.ok as number,
    process: {
      stdout: { write: (part: string) => io.out(part) },
      stderr: {
        write: (part: string) => io.err(complaint(part, name, path.join(' '))),
      },
      get exitCode() {
        return code
      },
      set exitCode(value) {
        code = value
      },
    },
  }
  await run(app, [...words], context as never)
  if (typeof code === 'number' && code !== 0) {
    // Of a run every other code is the command's own.
    if (argv[0] === 'run') return EXIT.ownFailure
    // To whoever merges, 2 of the check of rails means violations and nothing else.
    if (code < 0) return argv[0] === 'rails' ? EXIT.problem : EXIT.usage
    return EXIT.internal
  }
  return context.exit
}
