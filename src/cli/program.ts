/** Verbs of the program, by the name that it was called by. A verb that is not built is absent. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildApplication, buildCommand, buildRouteMap, run } from '@stricli/core'
import type { CompanionFlags, JsonFlag, MigrateFlags } from './agb.ts'
import type { CheckCommandFlags } from './check/check.ts'
import { CTX_ROUTES } from './ctx/routes.ts'
import { type Context, json, text, words } from './flags.ts'
import { EXIT, type Io } from './io.ts'
import { PERSON_ROUTES } from './person/routes.ts'
import type { RailsCheckFlags } from './rails/check.ts'
import { version } from './version.ts'

const PROFILES = ['adlc', 'standard', 'strict', 'observe'] as const
const MODES = ['interactive', 'headless', 'worker', 'readonly'] as const

const place = {
  cwd: text('where the command would run (default: here)', 'dir'),
  world: text('a frozen world that answers in place of the disk', 'file'),
  mode: { kind: 'enum', values: MODES, brief: 'who is at the keyboard', optional: true },
  ticket: text('the ticket of a worker', 'id'),
  profile: { kind: 'enum', values: PROFILES, brief: 'use this profile in place of the policy’s', optional: true },
} as const

const checkCommand = buildCommand<CheckCommandFlags, string[], Context>({
  loader: async () => {
    const { check } = await import('./check/check.ts')
    return async function (this: Context, flags, ...args) {
      this.exit = await check(flags, args, this.io)
    }
  },
  parameters: {
    flags: {
      ...place,
      cases: text('judge every row of this case file', 'file'),
      worlds: text('the directory of its frozen worlds', 'dir'),
      reports: text('replay every row of this file of public reports', 'file'),
      face: text('of these only the rows of these faces: guard, containment, hooks', 'list'),
      kind: text('… of these kinds: lint, host, egress, sandbox', 'list'),
      host: text('… of these hosts', 'list'),
      json,
    },
    positional: words,
  },
  docs: {
    brief: 'Say what the guard would answer to a command. Nothing is run.',
    fullDescription:
      'Judges one shell command (behind --), a file of cases, or a file of public reports. Exit code: 0 pass, 10 ask, 11 deny; for a file 0 where every row comes out as expected, else 1; 2 for bad input.',
  },
})

const explainCommand = buildCommand<
  Omit<CheckCommandFlags, 'cases' | 'worlds' | 'reports' | 'face' | 'kind' | 'host'>,
  string[],
  Context
>({
  loader: async () => {
    const { explain } = await import('./check/explain.ts')
    return function (this: Context, flags, ...args) {
      this.exit = explain(flags, args, this.io)
    }
  },
  parameters: { flags: { ...place, json }, positional: words },
  docs: { brief: 'Explain a verdict: the tree, the effects with their places, zones, the rule, the safer way.' },
})

const tryCommand = buildCommand<{ readonly json?: boolean }, [], Context>({
  loader: async () => {
    const { tryOut } = await import('./try/try.ts')
    return async function (this: Context, flags) {
      this.exit = await tryOut(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'Play real payloads of three hosts through the hook in a scratch repository and show the verdicts.' },
})

const policyCommand = buildCommand<{ readonly json?: boolean; readonly cwd?: string }, [], Context>({
  loader: async () => {
    const { policyCheck } = await import('./policy-check.ts')
    return function (this: Context, flags) {
      const argv = [...(flags.json ? ['--json'] : [])]
      const cwd = resolve(this.io.cwd, flags.cwd ?? '.')
      if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
        this.io.err(`sallyport policy check: there is no directory ${cwd}\n`)
        this.exit = EXIT.usage
      } else this.exit = policyCheck(argv, { ...this.io, cwd })
    }
  },
  parameters: { flags: { json, cwd: text('the project (default: here)', 'dir') } },
  docs: { brief: 'Print the effective policy with the file and line of each value.' },
})

const adlcCommand = (verb: 'lint' | 'status', brief: string) =>
  buildCommand<{ readonly json?: boolean; readonly cwd?: string }, [], Context>({
    loader: async () => {
      const { adlcVerb } = await import('./adlc.ts')
      return function (this: Context, flags) {
        const argv = [verb, ...(flags.json ? ['--json'] : [])]
        this.exit = adlcVerb(argv, { ...this.io, cwd: flags.cwd ?? this.io.cwd })
      }
    },
    parameters: { flags: { json, cwd: text('the repository (default: here)', 'dir') } },
    docs: { brief },
  })

const railsCommand = buildCommand<RailsCheckFlags, [], Context>({
  loader: async () => {
    const { railsCheck } = await import('./rails/check.ts')
    return function (this: Context, flags) {
      this.exit = railsCheck(flags, this.io)
    }
  },
  parameters: {
    flags: {
      base: text('the commit whose tickets and rails hold (needed)', 'ref'),
      head: text('the commit that is checked (default: HEAD)', 'ref'),
      staged: { kind: 'boolean', brief: 'check what is staged in place of a commit', optional: true },
      ticket: text('the ticket that the work belongs to (default: the current one)', 'id'),
      everyCommit: {
        kind: 'boolean',
        brief: 'what one commit did and another undid is a violation, too',
        optional: true,
      },
      json,
      cwd: text('the repository (default: here)', 'dir'),
    },
  },
  docs: {
    brief: 'Check a range of commits against what its base froze.',
    fullDescription:
      'Compares the head with the base without looking for renames. Rails, scope and policy are those of the base, so a change cannot free itself. Exit code: 0 clean, 1 where that cannot be told, 2 where something is violated.',
  },
})

const railsRoutes = buildRouteMap({ routes: { check: railsCommand }, docs: { brief: 'Check what rails freeze.' } })

const logCommand = buildCommand<
  {
    readonly json?: boolean
    readonly follow?: boolean
    readonly verify?: boolean
    readonly session?: string
    readonly count?: string
  },
  [],
  Context
>({
  loader: async () => {
    const { logVerb } = await import('./log.ts')
    return async function (this: Context, flags) {
      const argv = [
        ...(flags.json ? ['--json'] : []),
        ...(flags.follow ? ['--follow'] : []),
        ...(flags.session === undefined ? [] : ['--session', flags.session]),
        ...(flags.verify ? ['--verify'] : []),
        ...(flags.count === undefined ? [] : ['-n', flags.count]),
      ]
      this.exit = await logVerb(argv, this.io)
    }
  },
  parameters: {
    flags: {
      json,
      follow: { kind: 'boolean', brief: 'go on printing as verdicts come', optional: true },
      session: text('only this session', 'id'),
      verify: { kind: 'boolean', brief: 'check that each line carries the hash of an earlier one', optional: true },
      count: text('this many of the newest (default: 20)', 'n'),
    },
    aliases: { f: 'follow', n: 'count' },
  },
  docs: { brief: 'Show the verdicts that were given.' },
})

const hookCommand = buildCommand<Record<never, never>, string[], Context>({
  loader: async () => {
    const { hookMain } = await import('./hook.ts')
    return (_flags, ...args) => hookMain(args)
  },
  parameters: {
    flags: {},
    positional: {
      kind: 'array',
      parameter: { brief: 'host and event, as registered with the host', parse: String, placeholder: 'host event' },
    },
  },
  docs: {
    brief: 'Answer one event of a host: payload on stdin, its answer on stdout. Hosts call this; always exits 0.',
  },
})

const agbStatusCommand = buildCommand<JsonFlag, [], Context>({
  loader: async () => {
    const { agbStatus } = await import('./agb.ts')
    return function (this: Context, flags) {
      this.exit = agbStatus(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'Say which plugin judges here, which tickets are active and what they freeze.' },
})

const agbDoctorCommand = buildCommand<JsonFlag, [], Context>({
  loader: async () => {
    const { agbDoctor } = await import('./agb.ts')
    return function (this: Context, flags) {
      this.exit = agbDoctor(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'Try the plugin’s hook on a repository made for that, and check how it is installed.' },
})

const flag = (brief: string) => ({ kind: 'boolean', brief, optional: true }) as const

const agbMigrateCommand = buildCommand<MigrateFlags, [], Context>({
  loader: async () => {
    const { agbMigrate, confirmed } = await import('./agb.ts')
    return function (this: Context, flags) {
      this.exit = agbMigrate(flags, this.io, confirmed)
    }
  },
  parameters: {
    flags: {
      rollback: flag('put everything back as it was before'),
      force: flag('install the plugin anew; with --break-lock: do not ask'),
      forceRollback: flag('roll back although the plugin was changed since'),
      breakLock: flag('remove the lock of a run that is gone'),
      finishUninstall: flag('finish a rollback that was cut off'),
    },
  },
  docs: { brief: 'Move an installation of the booster, or hooks wired by hand, to this plugin, and back.' },
})

const agbCompanionCommand = buildCommand<CompanionFlags, [string?], Context>({
  loader: async () => {
    const { agbCompanionInstall } = await import('./agb.ts')
    return function (this: Context, flags, what) {
      this.exit = agbCompanionInstall(flags, what, this.io)
    }
  },
  parameters: {
    flags: { sha512: text('the digest of the archive, from whoever you trust', 'digest') },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'an archive, or a package with its version', parse: String, placeholder: 'archive', optional: true },
      ],
    },
  },
  docs: { brief: 'Install the companion plugin from an archive whose digest you name.' },
})

/** Verbs by program name. */
const ROUTES = {
  sallyport: {
    check: checkCommand,
    explain: explainCommand,
    try: tryCommand,
    policy: buildRouteMap({ routes: { check: policyCommand }, docs: { brief: 'Look at policies.' } }),
    log: logCommand,
    adlc: buildRouteMap({
      routes: {
        lint: adlcCommand('lint', 'List malformed rails with their ticket, file and what they are taken for.'),
        status: adlcCommand('status', 'Show active tickets, what is frozen by whom, and what may be written here.'),
      },
      docs: { brief: 'Look at the tickets of an ADLC repository.' },
    }),
    rails: railsRoutes,
    hook: hookCommand,
    ...PERSON_ROUTES,
    ...CTX_ROUTES,
  },
  agb: {
    status: agbStatusCommand,
    doctor: agbDoctorCommand,
    migrate: agbMigrateCommand,
    companion: buildRouteMap({ routes: { install: agbCompanionCommand }, docs: { brief: 'The companion plugin.' } }),
    rails: railsRoutes,
    hook: hookCommand,
  },
  ctx: CTX_ROUTES,
} as const

const BRIEF: Readonly<Record<string, string>> = {
  sallyport: 'Guards AI coding agents: every tool call becomes deny, ask or pass before it runs.',
  agb: 'The guard under the name that its published contract uses.',
}

/** Bad usage as one sentence that names the verb, and the way out where a command was not put behind `--`. */
function complaint(part: string, name: string, verb: string): string {
  if (part.trim() === '') return ''
  const behind = /^(?:check|explain|run)$/.test(verb) && /registered for/.test(part) ? '; a command goes behind --' : ''
  return `${part.startsWith(name) ? '' : `${name} ${verb}: `}${part.trimEnd()}${behind}\n`
}

/** Runs a verb. Usage errors print one sentence and give 2. */
export async function runProgram(name: string, argv: readonly string[], io: Io): Promise<number> {
  const routes = ROUTES[name as keyof typeof ROUTES] ?? ROUTES.sallyport
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
