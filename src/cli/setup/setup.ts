/** `sallyport setup`, `ctx setup`: wires the hosts of this machine, and says what that gives. */
import { runtimesNamed } from '../../setup/by-hand.ts'
import { canaryChecks } from '../../setup/checks.ts'
import { reportOn, subjects } from '../../setup/doctor.ts'
import { codeOf } from '../../setup/edit/disk.ts'
import { applyHost, type Doable, type HostPlan, isDoable, KNOWN, planHost } from '../../setup/hosts.ts'
import type { FilePlan } from '../../setup/plan.ts'
import { allRecords } from '../../setup/record.ts'
import { dropRuntimes, plannedRuntime, putRuntime, type Runtime, runtimesIn } from '../../setup/runtime.ts'
import { wakeCheck } from '../../setup/wake.ts'
import { eventsOf } from '../../setup/wire/entries.ts'
import type { Scope } from '../../setup/wire/row.ts'
import { EXIT, type Io } from '../io.ts'
import { askTerminal, type Surroundings, surroundings, whyNoPerson } from '../person/person.ts'
import { alone } from './alone.ts'
import {
  aboutOf,
  Halt,
  halting,
  namedHosts,
  notKeptByNpm,
  packageRoot,
  scopeOf,
  sourceOf,
  stateOf,
  surroundingsOf,
} from './places.ts'
import { showChecks } from './show.ts'

export interface SetupFlags {
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly host?: string
  readonly scope?: string
}

export interface Answering {
  readonly around: Surroundings
  ask(question: string): string
}

/** Whether a person's answer to a question is a yes. */
export const isYes = (answer: string): boolean => /^\s*y(?:es)?\s*$/i.test(answer)

/** The terminal of this process. */
export const terminal = (io: Io): Answering => ({ around: surroundings(io.env), ask: askTerminal })

/** Exit 0 where every host is wired as planned, 1 where one could not be, 2 for bad usage. */
export const setupVerb = (flags: SetupFlags, io: Io, program: string, asker = () => terminal(io)): Promise<number> =>
  halting(io, `${program} setup`, () => {
    notKeptByNpm(flags, io, `${program} setup`)
    const go = () => setUp(flags, io, asker)
    return flags.dryRun ? go() : alone(stateOf(io), io, `${program} setup`, go)
  })

async function setUp(flags: SetupFlags, io: Io, asker: () => Answering): Promise<number> {
  const named = namedHosts(flags.host)
  const scope = scopeOf(flags.scope)
  const state = stateOf(io)
  const runtime = runtimeHere(io)
  const plans = (named ?? KNOWN).map((known) =>
    planHost(known, scope, surroundingsOf(io), runtime, state, packageRoot()),
  )
  const chosen = plans.filter(
    (plan) => named !== undefined || plan.detected.program !== undefined || plan.former !== undefined,
  )
  showPlans(plans, chosen, scope, io)
  if (chosen.length === 0) {
    io.err('sallyport setup: no host was found on the PATH; name one with --host and it is wired all the same\n')
    return EXIT.problem
  }
  const refused = chosen.some((plan) => !isDoable(plan) && (plan.plans.length > 0 || named !== undefined))
  const pasted = chosen.some(({ plans: files }) => files.some((file) => 'refused' in file && file.snippet !== ''))
  if (flags.dryRun) {
    io.out('nothing was changed (--dry-run)\n')
    return refused ? EXIT.problem : EXIT.ok
  }
  const todo = chosen.filter(isDoable)
  const changes = todo.some(
    ({ plans: files, former }) => former === undefined || files.some(({ does }) => does !== 'keep'),
  )
  if (changes && !flags.yes) agree(todo, asker())
  let failed = refused
  try {
    // What a snippet names is there for whoever puts it in by hand.
    if (todo.length > 0 || pasted) putRuntime(sourceOf(io))
  } catch (error) {
    throw new Halt(
      `the runtime could not be put to ${runtime.dir} (${codeOf(error)}); nothing was changed`,
      EXIT.problem,
    )
  }
  for (const plan of todo) failed = !(await wire(plan, runtime, state, io)) || failed
  const wired = todo.some(({ row, scope: one }) =>
    subjects(state, [row.host]).some((found) => found.wired.scope === one),
  )
  dropRuntimes(
    sourceOf(io).to,
    new Set([
      ...allRecords(state).flatMap(({ wired }) => wired.map((one) => one.runtime)),
      ...(pasted ? [runtime.dir] : []),
      ...runtimesNamed(runtimesIn(sourceOf(io).to), surroundingsOf(io)),
    ]),
    KEPT_DAYS,
  )
  if (changes && wired) io.out('sessions that are running now go on as they began: start them anew\n')
  return failed ? EXIT.problem : EXIT.ok
}

/** Runtimes that nobody is registered with any more stay this long: sessions that run were begun with them. */
const KEPT_DAYS = 14

function runtimeHere(io: Io): Runtime {
  try {
    return plannedRuntime(sourceOf(io))
  } catch (error) {
    throw new Halt(error instanceof Error ? error.message : String(error), EXIT.problem)
  }
}

function agree(todo: readonly Doable[], { around, ask }: Answering): void {
  const why = whyNoPerson(around)
  if (why !== undefined) throw new Halt(`${why}; or say --yes`, EXIT.problem)
  const names = todo.map(({ host }) => host.title).join(', ')
  if (!isYes(ask(`Wire ${names}? Type yes: `))) throw new Halt('nothing was changed', EXIT.problem)
}

const DOES: Readonly<Record<FilePlan['does'], string>> = {
  make: 'makes',
  add: 'adds to',
  renew: 'renews its entries in',
  keep: 'leaves as it is, wired already:',
}

function showPlans(all: readonly HostPlan[], chosen: readonly HostPlan[], scope: Scope, io: Io): void {
  for (const plan of all) {
    const { host, row, detected } = plan
    if (!chosen.includes(plan)) {
      if (detected.used)
        io.out(
          `${host.title}: was used here, but no program ${row.programs.join(' or ')} is on the PATH; --host ${host.id} wires it\n`,
        )
      continue
    }
    const found =
      detected.program === undefined
        ? isDoable(plan)
          ? 'its program was not found; it is wired all the same'
          : 'its program was not found'
        : `${detected.version ?? 'of unknown version'} at ${detected.program}`
    io.out(`${host.title}: ${found}\n`)
    if (plan.plans.length === 0) {
      const other = scope === 'user' ? 'project' : 'user'
      io.out(`  has no settings of a ${scope}; --scope ${other} --host ${host.id} wires it\n`)
    }
    for (const file of plan.plans)
      if ('refused' in file) showRefusal(file, io)
      else io.out(`  ${DOES[file.does]} ${file.path}\n`)
    if (!isDoable(plan)) continue
    const events = eventsOf(row, detected.version).map(({ name }) => name)
    io.out(`  events: ${events.join(', ')}\n`)
    if (scope === 'project') io.out('  it names paths of this machine: keep it out of version control\n')
  }
}

function showRefusal({ path, refused, snippet }: { path: string; refused: string; snippet: string }, io: Io): void {
  io.out(`  leaves ${path} as it is: ${refused}\n`)
  if (snippet === '') return
  io.out(`  mend it and run setup again, or put this there yourself:\n${snippet.replace(/^/gm, '    ').trimEnd()}\n`)
}

/** Wires one host and tries it. True where its gates answer. */
async function wire(plan: Doable, runtime: Runtime, state: string, io: Io): Promise<boolean> {
  const { host, row, scope } = plan
  const about = aboutOf(io)
  try {
    applyHost(plan, about.at, runtime, state, { now: new Date(), sallyport: about.version })
  } catch (error) {
    io.out(`${host.title}: it could not be wired (${codeOf(error)}); its files are as they were\n`)
    return false
  }
  const subject = subjects(state, [host.id]).find(
    (one) => one.wired.scope === scope && (scope === 'user' || one.wired.root === about.at.project),
  )
  if (subject === undefined) return false
  const report = reportOn(subject, about, false)
  const trusted = !report.checks.some(({ name, level }) => name === 'trust' && level === 'fail')
  const woken = scope === 'user' && trusted ? await wakeCheck(subject, about.at, state) : undefined
  const checks = [...report.checks, ...canaryChecks(subject, about), ...(woken === undefined ? [] : [woken])]
  io.out(`${host.title}: wired in ${plan.plans.map(({ path }) => path).join(', ')}\n`)
  // A step that is left to the person is told as such below.
  showChecks(
    checks.filter(({ name, level }) => level !== 'ok' && name !== 'trust'),
    io,
  )
  const stands = !checks.some(({ name, level }) => level === 'fail' && name !== 'trust')
  if (stands) for (const line of report.enforcement) io.out(`  ${line}\n`)
  else io.out('  NOTHING is guarded there yet: mend what failed, then run setup again\n')
  if (row.step !== undefined && !trusted) io.out(`  NOT YET: one step is yours: ${row.step}\n`)
  return stands
}
