import type { Host } from '../hosts/host.ts'
import { HOSTS } from '../hosts/registry.ts'
import { type Detected, detect } from './detect.ts'
import { removeEmpty } from './edit/disk.ts'
import { applyPlan, type FilePlan, planFiles, type Refused, revertPlan } from './plan.ts'
import { stagedPlugin } from './plugin-root.ts'
import { readRecord, type Wired, writeRecord } from './record.ts'
import type { Runtime } from './runtime.ts'
import { commandOf, eventsOf } from './wire/entries.ts'
import type { Scope, Surroundings, WireRow } from './wire/row.ts'
import { WIRE_ROWS } from './wire/rows.ts'

/** A host that has an adapter and a row. */
export interface Known {
  readonly host: Host
  readonly row: WireRow
}

/** Hosts that can be wired, in the order of the registry. */
export const KNOWN: readonly Known[] = HOSTS.flatMap((host) => {
  const row = WIRE_ROWS.find((one) => one.host === host.id)
  return row === undefined ? [] : [{ host, row }]
})

export interface HostPlan extends Known {
  readonly detected: Detected
  readonly scope: Scope
  readonly former: Wired | undefined
  /** What becomes of each file; empty where the host has no settings of this scope. */
  readonly plans: readonly (FilePlan | Refused)[]
}

/** Where each file can be written. */
export type Doable = Omit<HostPlan, 'plans'> & { readonly plans: readonly FilePlan[] }

export const isDoable = (plan: HostPlan): plan is Doable =>
  plan.plans.length > 0 && plan.plans.every((one) => !('refused' in one))

/** One record of the same place: the user's, or that of one project. */
export const sameWiring = (a: Pick<Wired, 'scope' | 'root'>, scope: Scope, project: string): boolean =>
  a.scope === scope && (scope === 'user' || a.root === project)

/** What setup would do for one host. Changes nothing. `root`: of our package. */
export function planHost(
  known: Known,
  scope: Scope,
  at: Surroundings,
  runtime: Runtime,
  state: string,
  root: string,
): HostPlan {
  const { row } = known
  const detected = detect(row, at)
  const former = readRecord(state, row.host)?.wired.find((one) => sameWiring(one, scope, at.project))
  const { version } = detected
  const plans = planFiles({ row, scope, at, program: runtime, version, state, root, former: former?.files ?? [] })
  const twice = row.host === 'antigravity' ? stagedPlugin(at.home) : undefined
  if (twice === undefined) return { ...known, detected, scope, former, plans }
  const refused = `the plugin ${twice} judges there already, and two would judge each call; agb migrate --rollback takes it out`
  return { ...known, detected, scope, former, plans: plans.map(({ path }) => ({ refused, path, snippet: '' })) }
}

/** Does it and writes it down. Throws where something could not be written; then nothing has changed. */
export function applyHost(
  { row, detected, scope, former, plans }: Doable,
  at: Surroundings,
  runtime: Runtime,
  state: string,
  about: { readonly now: Date; readonly sallyport: string },
): Wired {
  const now = about.now.toISOString()
  const done: { readonly plan: FilePlan; readonly dirs: readonly string[] }[] = []
  try {
    const files = plans.map((plan) => {
      const file = applyPlan(
        plan,
        state,
        former?.files.find(({ path }) => path === plan.path),
      )
      done.push({ plan, dirs: file.dirs })
      return file
    })
    const wired: Wired = {
      scope,
      ...(scope === 'project' ? { root: at.project } : {}),
      at: now,
      sallyport: about.sallyport,
      runtime: runtime.dir,
      node: runtime.node,
      commands: eventsOf(row, detected.version).map(({ name }) => ({
        event: name,
        command: commandOf(runtime, row, name),
      })),
      files,
    }
    const record = readRecord(state, row.host)
    writeRecord(state, {
      ...record,
      v: 1,
      host: row.host,
      ...probedAs(detected),
      probed: now,
      wired: [...(record?.wired ?? []).filter((one) => !sameWiring(one, scope, at.project)), wired],
    })
    return wired
  } catch (error) {
    // What is not written down could not be taken out again.
    for (const { plan } of done) revertPlan(plan)
    removeEmpty(done.flatMap(({ dirs }) => dirs))
    throw error
  }
}

const probedAs = ({ program, version }: Detected): { program?: string; version?: string } => ({
  ...(program === undefined ? {} : { program }),
  ...(version === undefined ? {} : { version }),
})

/** The host of that id or alias as far as it can be wired. */
export function knownOf(name: string): Known | undefined {
  const wanted = name.toLowerCase()
  return KNOWN.find(({ host }) => host.id === wanted || host.aliases.includes(wanted))
}
