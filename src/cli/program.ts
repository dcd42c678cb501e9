/** Verbs of the program, by the name that it was called by. A verb that is not built is absent. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildCommand, buildRouteMap } from '@stricli/core'
import { AGB_ROUTES, hookCommand, railsRoutes } from './agb-routes.ts'
import type { CheckCommandFlags } from './check/check.ts'
import { maskedErrors } from './ctx/masked.ts'
import { CTX_ROUTES } from './ctx/routes.ts'
import { type Context, json, text, words } from './flags.ts'
import { EXIT, type Io } from './io.ts'
import { credentialRoutes } from './managed/credential-routes.ts'
import { MANAGED_ROUTES } from './managed/routes.ts'
import { SERVE_ROUTES } from './managed/serve-routes.ts'
import { PERSON_ROUTES } from './person/routes.ts'
import { PROBE_ROUTES } from './probe/routes.ts'
import { runRoutes } from './run-routes.ts'
import { GATE_ROUTES } from './setup/routes.ts'

const PROFILES = ['adlc', 'standard', 'strict', 'observe'] as const
const MODES = ['interactive', 'headless', 'worker', 'readonly'] as const

const place = {
  cwd: text('where the command would run (default: here)', 'dir'),
  world: text('a frozen world that answers in place of the disk', 'file'),
  mode: { kind: 'enum', values: MODES, brief: 'who is at the keyboard', optional: true },
  ticket: text('the ticket of a worker', 'id'),
  profile: { kind: 'enum', values: PROFILES, brief: 'use this profile in place of the policy’s', optional: true },
} as const

/** Where a verb looks; undefined, and said, where that is no directory. */
function directoryOf(given: string | undefined, io: Io, verb: string): string | undefined {
  const dir = resolve(io.cwd, given ?? '.')
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return dir
  io.err(`${verb}: there is no directory ${dir}\n`)
  return undefined
}

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
      'Judges one shell command (behind --: one word is a line, several are a command and its arguments), a file of cases, or a file of public reports. Exit code: 0 pass, 10 ask, 11 deny; for a file 0 where every row comes out as expected, else 1; 2 for bad input.',
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
      const cwd = directoryOf(flags.cwd, this.io, 'sallyport policy check')
      this.exit = cwd === undefined ? EXIT.usage : policyCheck(argv, { ...this.io, cwd })
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
        const cwd = directoryOf(flags.cwd, this.io, `sallyport adlc ${verb}`)
        this.exit = cwd === undefined ? EXIT.usage : adlcVerb(argv, { ...this.io, cwd })
      }
    },
    parameters: { flags: { json, cwd: text('the repository (default: here)', 'dir') } },
    docs: { brief },
  })

const logCommand = buildCommand<
  {
    readonly json?: boolean
    readonly follow?: boolean
    readonly verify?: boolean
    readonly session?: string
    readonly canaries?: boolean
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
        ...(flags.canaries ? ['--canaries'] : []),
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
      canaries: { kind: 'boolean', brief: 'also the calls by which setup and doctor try the gates', optional: true },
      verify: { kind: 'boolean', brief: 'check that each line carries the hash of an earlier one', optional: true },
      count: text('this many of the newest (default: 20)', 'n'),
    },
    aliases: { f: 'follow', n: 'count' },
  },
  docs: { brief: 'Show the verdicts that were given.' },
})

/** Verbs by program name. */
export const ROUTES = {
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
    ...GATE_ROUTES,
    ...PROBE_ROUTES,
    ...MANAGED_ROUTES,
    credential: credentialRoutes,
    ...PERSON_ROUTES,
    ...SERVE_ROUTES,
    ...CTX_ROUTES,
  },
  agb: AGB_ROUTES,
  ctx: CTX_ROUTES,
} as const

/** Runs a verb of the program that goes by this name. Usage errors print one sentence and give 2. */
export async function runProgram(name: string, argv: readonly string[], io: Io): Promise<number> {
  const routes = ROUTES[name as keyof typeof ROUTES] ?? ROUTES.sallyport
  if (name !== 'ctx' && !Object.hasOwn(CTX_ROUTES, argv[0] ?? '')) return runRoutes(name, routes, argv, io)
  // The verbs name themselves as their contract does; who called `sallyport` reads that name.
  const err = name === 'ctx' ? io.err : (text: string) => io.err(text.replace(/^ctx (?=[a-z]+: )/, `${name} `))
  const said = maskedErrors({ ...io, err })
  try {
    return await runRoutes(name, routes, argv, said.io)
  } finally {
    await said.done()
  }
}
