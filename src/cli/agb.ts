/** `agb status`, `doctor`, `migrate` and `companion`: the Antigravity plugin in the hands of a person. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPANION, CompanionError, companionSource, installCompanion, PACKAGE } from '../setup/companion.ts'
import { breakMigrationLock, lockHolder, migrate, rollback } from '../setup/migrate.ts'
import { type Check, checkPlugin } from '../setup/plugin-doctor.ts'
import { bundled, OWN_NAME, ownRoot, type Places, placesOf } from '../setup/plugin-root.ts'
import { adlcVerb } from './adlc.ts'
import { EXIT, type Io } from './io.ts'
import { version } from './version.ts'

type Here = Omit<Io, 'colour'>

const homeOf = (io: Here): string => {
  const home = io.env['HOME']
  return home !== undefined && isAbsolute(home) ? home : homedir()
}

const placesHere = (io: Here): Places => placesOf(homeOf(io))

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
}

/** Asks a person at a terminal; nobody there is a no. */
export function confirmed(question: string): boolean {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  process.stderr.write(`${question} [y/N] `)
  const answer = Buffer.alloc(16)
  return /^y/i.test(answer.toString('utf8', 0, readSync(0, answer)))
}

/** `confirm` asks a person; without one only `--force` breaks a lock. */
export function agbMigrate(flags: MigrateFlags, io: Here, confirm: (question: string) => boolean): number {
  const places = placesHere(io)
  if (flags.breakLock) {
    const holder = lockHolder(places)
    if (holder !== undefined && !flags.force && !confirm(`The lock is held by ${holder}. Remove it?`)) {
      io.err('agb migrate: the lock was left; --force removes it without asking\n')
      return EXIT.problem
    }
    return told(breakMigrationLock(places), io)
  }
  const now = () => new Date()
  const options = { places, source: pluginRoot(io), now }
  const back = flags.rollback || flags.forceRollback || flags.finishUninstall
  if (back) return told(rollback({ ...options, force: flags.forceRollback === true }), io)
  return told(migrate({ ...options, force: flags.force === true }), io)
}

function told({ code, lines }: { readonly code: number; readonly lines: readonly string[] }, io: Here): number {
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
    const file = what.startsWith(`${PACKAGE}@`) ? fetched(what, work) : join(isAbsolute(what) ? '/' : io.cwd, what)
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
function fetched(what: string, work: string): string {
  const done = spawnSync('npm', ['pack', what, '--ignore-scripts', '--pack-destination', work], {
    encoding: 'utf8',
  })
  if (done.status !== 0)
    throw new CompanionError(`npm cannot get ${what}; not every registry has it, so name an archive`)
  const name = readdirSync(work).find((one) => one.endsWith('.tgz'))
  if (name === undefined) throw new CompanionError('npm left no archive')
  return join(work, name)
}
