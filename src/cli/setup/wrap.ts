/** `ctx wrap`: a host with our gates, for good or for one session. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { gateChecks } from '../../setup/checks.ts'
import { detect } from '../../setup/detect.ts'
import { subjects } from '../../setup/doctor.ts'
import { codeOf } from '../../setup/edit/disk.ts'
import { applyHost, isDoable, type Known, planHost } from '../../setup/hosts.ts'
import { onceWords } from '../../setup/once.ts'
import { ownText, snippetOf } from '../../setup/plan.ts'
import { dropRecord, readRecord, writeRecord } from '../../setup/record.ts'
import { applyRemoval, backToFound, planRemoval } from '../../setup/remove.ts'
import { plannedRuntime, type Runtime } from '../../setup/runtime.ts'
import { pathOf } from '../../setup/wire/row.ts'
import { EXIT, type Io } from '../io.ts'
import { detectVerb } from './detect.ts'
import { aboutOf, Halt, halting, namedHosts, packageRoot, sourceOf, stateOf, surroundingsOf } from './places.ts'
import { setupVerb } from './setup.ts'

export interface WrapFlags {
  readonly printConfig?: boolean
  readonly json?: boolean
}

/** The host's program is not there. */
const NOT_FOUND = 127

/** `args`: what follows `--`; undefined where there is no `--`: then the host is wired for good. */
export const wrapVerb = (
  flags: WrapFlags,
  what: string | undefined,
  args: readonly string[] | undefined,
  io: Io,
  program: string,
): Promise<number> =>
  halting(io, `${program} wrap`, async () => {
    if (what === undefined) throw new Halt('name a host, or detect', EXIT.usage)
    if (what === 'detect') return detectVerb(flags, io)
    if (what === 'setup' || what === 'all') return setupVerb({ yes: true }, io, program)
    const [known] = namedHosts(what) ?? []
    if (flags.printConfig) return printConfig(known!, io)
    return args === undefined ? setupVerb({ yes: true, host: what }, io, program) : once(known!, args, io)
  })

/** What setup would write, and where. */
function printConfig({ row }: Known, io: Io): number {
  const about = aboutOf(io)
  const { version } = detect(row, about.at)
  const runtime = runtimeHere(io)
  for (const target of row.files) {
    // A host without settings of a user is wired in each project.
    const place = target.settings.user ?? target.settings.project
    if (place === undefined) continue
    io.out(`# ${pathOf(place, about.at)}\n`)
    io.out(target.is === 'own' ? ownText(row, target, runtime, about.root) : snippetOf(row, target, runtime, version))
  }
  return EXIT.ok
}

function runtimeHere(io: Io): Runtime {
  try {
    return plannedRuntime(sourceOf(io))
  } catch (error) {
    throw new Halt(codeOf(error), EXIT.problem)
  }
}

/** Starts the host for one session. Gives its exit code; 128 and the number of a signal that ended it. */
async function once(known: Known, args: readonly string[], io: Io): Promise<number> {
  const { row } = known
  const at = surroundingsOf(io)
  const { program, version } = detect(row, at)
  if (program === undefined) throw new Halt(`no program ${row.programs.join(' or ')} is on the PATH`, NOT_FOUND)
  const state = stateOf(io)
  if (stands(known, io, state)) return run(program, args, io)
  // For so short a time the package itself will do.
  const root = packageRoot()
  const runtime = { dir: root, node: process.execPath, hook: join(root, 'dist', 'hook.cjs') }
  runtimeHere(io)
  const scratch = mkdtempSync(join(tmpdir(), 'sallyport-wrap-'))
  try {
    const given = onceWords(row, runtime, version, at, scratch, args)
    if (given !== undefined && 'refused' in given)
      throw new Halt(`${given.refused}; wire it for good: ctx wrap ${row.host}`, EXIT.problem)
    if (given !== undefined) {
      if (given.file !== undefined) writeFileSync(given.file.path, given.file.text, { mode: 0o600, flag: 'wx' })
      return await run(program, [...given.words, ...args], io)
    }
    return await edited(known, runtime, state, io, () => run(program, args, io))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Whether the host is wired for good already, and its gate stands. */
function stands({ row }: Known, io: Io, state: string): boolean {
  const about = aboutOf(io)
  const wired = subjects(state, [row.host]).filter(({ wired: { scope } }) => scope === 'user')
  return wired.some((subject) => gateChecks(subject, about).every(({ level }) => level !== 'fail'))
}

/** Edits the settings, and puts them back behind the session. */
async function edited(
  known: Known,
  runtime: Runtime,
  state: string,
  io: Io,
  session: () => Promise<number>,
): Promise<number> {
  const about = aboutOf(io)
  const before = readRecord(state, known.row.host)
  const plan = planHost(known, 'user', about.at, runtime, state, about.root)
  if (!isDoable(plan)) {
    const refused = plan.plans.find((one) => 'refused' in one)
    throw new Halt(
      `${refused?.path ?? known.host.title} is left as it is: ${refused?.refused ?? 'it has no settings'}`,
      EXIT.problem,
    )
  }
  const wired = applyHost(plan, about.at, runtime, state, { now: new Date(), sallyport: about.version })
  try {
    return await session()
  } finally {
    const back = before === undefined ? backToFound(wired) : wired
    for (const removal of planRemoval(known.row, back, state)) {
      if ('refused' in removal) io.err(`ctx wrap: ${removal.path} still holds our entries: ${removal.refused}\n`)
      else applyRemoval(removal, state)
    }
    if (before === undefined) dropRecord(state, known.row.host)
    else writeRecord(state, before)
  }
}

/** Runs the host on our terminal. Signals that the terminal sends reach it by themselves. */
function run(program: string, args: readonly string[], io: Io): Promise<number> {
  const ignore = () => {}
  const signals = ['SIGINT', 'SIGQUIT', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, ignore)
  const child = spawn(program, args, { cwd: io.cwd, env: io.env as NodeJS.ProcessEnv, stdio: 'inherit' })
  const pass = () => child.kill('SIGTERM')
  process.on('SIGTERM', pass)
  return new Promise<number>((resolve) => {
    child.once('error', (error) => {
      io.err(`ctx wrap: ${program} does not start (${codeOf(error)})\n`)
      resolve(NOT_FOUND)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0)))
  }).finally(() => {
    for (const signal of signals) process.off(signal, ignore)
    process.off('SIGTERM', pass)
  })
}
