/** `agb status`, `doctor`, `migrate` and `companion`: the Antigravity plugin in the hands of a person. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPANION, CompanionError, companionSource, installCompanion, PACKAGE } from '../setup/companion.ts'
import { breakMigrationLock, finishRollback, lockHolder, migrate, type Outcome, rollback } from '../setup/migrate.ts'
import { planMigration, planRollback } from '../setup/migrate-plan.ts'
import { holderOf, isAlive } from '../setup/migration-lock.ts'
import { type Check, checkPlugin } from '../setup/plugin-doctor.ts'
import { bundled, OWN_NAME, ownRoot, type Places, placesOf } from '../setup/plugin-root.ts'
import { adlcVerb } from './adlc.ts'
import { homeOf } from './hook/person.ts'
import { EXIT, type Io } from './io.ts'
import { version } from './version.ts'

type Here = Omit<Io, 'colour'>

const placesHere = (io: Here): Places => placesOf(homeOf(io.env))

/** The plugin that this program is part of: its own directory, or the one beside it in a checkout or package. */
export function pluginRoot(io: Here): string {
  const here = fileURLToPath(import.meta.url)
  try {
    return ownRoot(here, io.env)
  } catch {
    return ownRoot(join(packageRoot(here), 'plugin', 'antigravity', 'plugin.json'), {})
  }
}

/** Built, this lies in `dist`; as source in `src/cli`. */
const packageRoot = (here: string): string => join(dirname(here), here.endsWith('.ts') ? '../..' : '..')

export interface JsonFlag {
  readonly json?: boolean
}

/** Prints every check. 0 where none failed, 1 else. */
export function agbDoctor({ json = false }: JsonFlag, io: Here): number {
  const checks = doctorChecks(io)
  if (json) io.out(`${JSON.stringify({ v: 1, checks }, undefined, 2)}\n`)
  else for (const { level, name, detail } of checks) io.out(`${level.padEnd(5)} ${name}: ${detail}.\n`)
  return checks.some(({ level }) => level === 'fail') ? EXIT.problem : EXIT.ok
}

export const doctorChecks = (io: Here): readonly Check[] =>
  checkPlugin({ root: pluginRoot(io), places: placesHere(io), env: io.env, now: new Date() })

/** Which plugin this is, and the tickets of the repository here. 1 where tickets cannot be read. */
export function agbStatus({ json = false }: JsonFlag, io: Here): number {
  const adlc = quiet(['status', ...(json ? ['--json'] : [])], io)
  const root = pluginRoot(io)
  const guard = io.env['AGB_HOOK_DISABLE'] ? 'switched off by AGB_HOOK_DISABLE' : 'on'
  if (json) {
    const repo = adlc.code === EXIT.usage ? null : (JSON.parse(adlc.out) as unknown)
    io.out(`${JSON.stringify({ v: 1, plugin: OWN_NAME, version: version(), root, guard, repo }, undefined, 2)}\n`)
  } else {
    io.out(`${OWN_NAME} ${version()} in ${root}, ${guard}.\n`)
    io.out(adlc.code === EXIT.usage ? `${io.cwd} lies in no ADLC repository.\n` : adlc.out)
  }
  return adlc.code === EXIT.problem ? EXIT.problem : EXIT.ok
}

/** The ADLC verb with its output kept. */
function quiet(argv: readonly string[], io: Here): { readonly code: number; readonly out: string } {
  let out = ''
  const keep = (text: string) => {
    out += text
  }
  const code = adlcVerb(argv, { ...io, out: keep, err: () => {} })
  return { code, out }
}

export interface MigrateFlags {
  readonly rollback?: boolean
  readonly force?: boolean
  readonly forceRollback?: boolean
  readonly breakLock?: boolean
  readonly finishUninstall?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

/** Asks a person; `nobody` where none is at a terminal. */
export type Ask = (question: string) => 'yes' | 'no' | 'nobody'

export const askPerson: Ask = (question) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return 'nobody'
  process.stderr.write(`${question} [y/N] `)
  const answer = Buffer.alloc(16)
  return /^y/i.test(answer.toString('utf8', 0, readSync(0, answer))) ? 'yes' : 'no'
}

/** The lock that a rollback hands over to the process that finishes it. */
const TOKEN = 'AGB_MIGRATION_TOKEN'
/** Milliseconds in which that process must have taken it. */
const HAND_OVER = 2_000
/** Milliseconds that it waits for the other to end. */
const MOST_WAIT = 10_000

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Moves to the plugin, or back. A person at a terminal is shown the steps first; without one a lock is broken by force only. */
export function agbMigrate(flags: MigrateFlags, io: Here, ask: Ask): number {
  const places = placesHere(io)
  if (flags.breakLock) {
    const holder = lockHolder(places)
    if (holder !== undefined && !flags.force && ask(`The lock is held by ${holder}. Remove it?`) !== 'yes') {
      io.err('agb migrate: the lock was left; --force removes it without asking\n')
      return EXIT.problem
    }
    return told(breakMigrationLock(places), io)
  }
  const now = () => new Date()
  const token = io.env[TOKEN]
  const back = flags.rollback || flags.forceRollback || flags.finishUninstall
  const force = (back ? flags.forceRollback : flags.force) === true
  const options = { places, source: pluginRoot(io), now, force }
  if (flags.finishUninstall && token)
    return told(
      finishRollback(options, token, (holder) => awaitEnd(holder)),
      io,
    )
  const plan = back ? planRollback(options) : planMigration(options)
  if (flags.dryRun) return told(plan, io)
  if (!flags.yes && !flags.finishUninstall && plan.code === 0) {
    const steps = plan.lines.map((line) => `  ${line}\n`).join('')
    if (ask(`agb migrate would\n${steps}Go on?`) === 'no') {
      io.err('agb migrate: nothing was changed\n')
      return EXIT.problem
    }
  }
  if (!back) return told(migrate(options), io)
  // On a system that locks programs which run, the plugin can go only when none of its own does.
  const inside = fileURLToPath(import.meta.url).startsWith(join(places.plugins, OWN_NAME, sep))
  const finisher = (lock: string) => handOver(lock, places, io)
  return told(rollback({ ...options, ...(inside && !flags.finishUninstall && { finisher }) }), io)
}

/** Starts the process that finishes a rollback. True where it has taken the lock; one that does not is ended. */
function handOver(token: string, places: Places, io: Here): boolean {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'migrate', '--finish-uninstall'], {
    ...{ cwd: homeOf(io.env), detached: true, stdio: 'ignore' },
    env: { ...io.env, [TOKEN]: token },
  })
  child.unref()
  if (child.pid === undefined) return false
  for (let waited = 0; waited < HAND_OVER; waited += 20) {
    const held = holderOf(places.data)
    if (held === 'absent' || (typeof held === 'object' && held.token !== token)) return true
    pause(20)
  }
  child.kill('SIGKILL')
  return false
}

function awaitEnd(holder: Parameters<typeof isAlive>[0]): void {
  for (let waited = 0; waited < MOST_WAIT && isAlive(holder); waited += 20) pause(20)
}

function told({ code, lines }: Outcome, io: Here): number {
  if (code === 0) for (const line of lines) io.out(`${line}\n`)
  else io.err(`agb migrate: ${lines.join('; ')}\n`)
  return code
}

export interface CompanionFlags {
  readonly sha512?: string
}

/** Installs the companion from an archive, or from the registry that npm is set to. 0, or 1 with the reason, or 2. */
export function agbCompanionInstall({ sha512 }: CompanionFlags, what: string | undefined, io: Here): number {
  const usage = (why: string): number => {
    io.err(`agb companion install: ${why}\n`)
    return EXIT.usage
  }
  if (what === undefined) {
    const source = companionSource({
      root: packageRoot(fileURLToPath(import.meta.url)),
      env: io.env,
      bundled: bundled(),
    })
    return usage(
      `name an archive or ${PACKAGE}@<version>${source === undefined ? '' : `; its source lies in ${source}`}`,
    )
  }
  if (sha512 === undefined) return usage('--sha512 is needed: the digest of the archive, from whoever you trust')
  const work = mkdtempSync(join(tmpdir(), 'agb-companion-'))
  try {
    const file = what.startsWith(`${PACKAGE}@`) ? fetched(what, work, io) : join(isAbsolute(what) ? '/' : io.cwd, what)
    const staged = installCompanion({ bytes: readFileSync(file), source: what }, sha512, placesHere(io), new Date())
    io.out(`${COMPANION} ${staged.version} is ${staged.state}\n`)
    return EXIT.ok
  } catch (error) {
    io.err(`agb companion install: ${error instanceof Error ? error.message : String(error)}\n`)
    return EXIT.problem
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The archive of one exact version, by npm, which runs nothing of it. */
function fetched(what: string, work: string, { cwd, env }: Here): string {
  const done = spawnSync('npm', ['pack', what, '--ignore-scripts', '--pack-destination', work], {
    ...{ encoding: 'utf8', cwd, env },
  })
  if (done.status !== 0)
    throw new CompanionError(`npm cannot get ${what}; not every registry has it, so name an archive`)
  const name = readdirSync(work).find((one) => one.endsWith('.tgz'))
  if (name === undefined) throw new CompanionError('npm left no archive')
  return join(work, name)
}
