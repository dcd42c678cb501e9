/** What the verbs of setup take from the process that they run in. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openState } from '../../session/store.ts'
import type { About } from '../../setup/checks.ts'
import { KNOWN, type Known, knownOf } from '../../setup/hosts.ts'
import { runtimesDir, type Source } from '../../setup/runtime.ts'
import type { Scope, Surroundings } from '../../setup/wire/row.ts'
import { homeOf as homeIn } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { version } from '../version.ts'

/** A verb cannot go on; `message` is one sentence for stderr, and `code` how the program ends. */
export class Halt extends Error {
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}

/** The same as for the hook: a `HOME` that is empty or relative must not move what is written. */
export const homeOf = (io: Pick<Io, 'env'>): string => homeIn(io.env)

/** The nearest directory with a repository above `cwd`, else `cwd` itself. */
function projectOf(cwd: string): string {
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return dir
    if (dirname(dir) === dir) return cwd
  }
}

export const surroundingsOf = (io: Pick<Io, 'env' | 'cwd'>): Surroundings => ({
  home: homeOf(io),
  env: io.env,
  project: projectOf(io.cwd),
})

/** Root of the package that runs now. Built, this lies in `dist`; as source in `src/cli/setup`. */
export function packageRoot(): string {
  const here = fileURLToPath(import.meta.url)
  return join(dirname(here), here.endsWith('.ts') ? '../../..' : '..')
}

/** Throws a `Halt` where the state directory cannot be used. */
export const aboutOf = (io: Pick<Io, 'env' | 'cwd'>): About => ({
  at: surroundingsOf(io),
  root: packageRoot(),
  version: version(),
  state: stateOf(io),
})

export const sourceOf = (io: Pick<Io, 'env'>): Source => ({
  root: packageRoot(),
  version: version(),
  node: process.execPath,
  to: runtimesDir(io.env, homeOf(io)),
})

/** The state directory. Throws a `Halt` where it cannot be used. */
export function stateOf(io: Pick<Io, 'env'>): string {
  const state = openState(io.env, homeOf(io))
  if ('refused' in state) throw new Halt(state.refused, 1)
  return state.path
}

/** Hosts by their names, separated by commas; undefined where none is named. Throws a `Halt` for a name that is none. */
export function namedHosts(names: string | undefined): readonly Known[] | undefined {
  if (names === undefined) return undefined
  return names.split(',').map((name) => {
    const known = knownOf(name.trim())
    if (known === undefined)
      throw new Halt(
        `there is no host ${JSON.stringify(name.trim())}; the hosts are ${KNOWN.map(({ host }) => host.id).join(', ')}`,
        2,
      )
    return known
  })
}

export function scopeOf(scope: string | undefined): Scope {
  if (scope === undefined || scope === 'user' || scope === 'project') return scope ?? 'user'
  throw new Halt(`--scope is user or project, not ${JSON.stringify(scope)}`, 2)
}

/** Runs a verb; a `Halt` becomes its sentence on stderr and its code. */
export async function halting(io: Io, name: string, verb: () => number | Promise<number>): Promise<number> {
  try {
    return await verb()
  } catch (error) {
    if (!(error instanceof Halt)) throw error
    io.err(`${name}: ${error.message}\n`)
    return error.code
  }
}

/** npm takes the options in front of a `--` for its own: what was meant to be tried must not be done. */
export function notKeptByNpm(flags: { readonly dryRun?: boolean }, io: Pick<Io, 'env'>, name: string): void {
  const { npm_config_dry_run: kept, npm_lifecycle_event: script } = io.env
  if (kept === 'true' && script !== undefined && flags.dryRun !== true)
    throw new Halt(
      `npm kept --dry-run for itself; put -- behind the name: npm run -s ${name.replace(' ', ' -- ')} --dry-run`,
      EXIT.usage,
    )
}
