/** What one host does with our hook, against what the table says of it: a choice of the scenarios that receipts are made of. */
import type { ReceiptScenario } from './rig/receipt.ts'
import { type Driver, drive, type Scenario } from './rig/scenario.ts'

export interface Finding {
  readonly id: string
  /** Capability, support and what should come out. */
  readonly claim: string
  /** Absent: not tried, since the time was over. */
  readonly holds?: boolean
  /** What came out in its place. */
  readonly why: string
  readonly observed?: ReceiptScenario['observed']
}

/** Milliseconds that one host may take. */
export const MOST_MS = 90_000
/** Milliseconds that one scenario gets at least; with less left it is not begun. */
const LEAST_MS = 8_000
/** Scenarios that run side by side: each has a home and a model of its own. */
const AT_ONCE = 2

/** What is tried, the weightiest first. Scenarios of containment take long and say no more. */
const ORDER: readonly string[] = (
  'shell-deny write-deny mcp-deny subagent-deny edit-deny patch-deny shell-ask shell-ask-print shell-pass two-hooks ' +
  'shell-deny-bypass shell-ask-bypass code-mode-deny fail-crash-closed fail-timeout-closed fail-crash fail-timeout ' +
  'fail-garbage rewrite rewrite-prompt post-replace post-replace-stop post-context mcp-pass subagent-pass write-pass'
).split(' ')

/** The scenarios of a host that the probe tries, in its order. */
export const probed = ({ scenarios }: Pick<Driver, 'scenarios'>): readonly Scenario[] =>
  ORDER.flatMap((id) => scenarios.find((one) => one.id === id) ?? [])

/**
 * Drives one host. `program`: its executable; `hook`: shell text of our hook with `{host}` and `{event}`; `now`: a clock in
 * milliseconds. Never throws for what the host does.
 */
export async function probeHost(
  driver: Driver,
  program: string,
  hook: string,
  now: () => number,
): Promise<readonly Finding[]> {
  const until = now() + MOST_MS
  const wanted = probed(driver)
  const found = new Map<string, Finding>()
  let next = 0
  const work = async () => {
    for (let at = next++; at < wanted.length; at = next++) {
      const scenario = wanted[at]!
      const left = until - now()
      if (left < LEAST_MS) return
      const first = await tried(driver, program, scenario, hook, left)
      // A busy machine makes a hook late: what differs has to differ twice.
      const again = first.holds === false && until - now() >= LEAST_MS
      found.set(scenario.id, again ? await tried(driver, program, scenario, hook, until - now()) : first)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return wanted.map(
    ({ id, claim }) => found.get(id) ?? { id, claim, why: `the ${MOST_MS / 1_000} s for this host were over` },
  )
}

async function tried(
  driver: Driver,
  program: string,
  scenario: Scenario,
  hook: string,
  limit: number,
): Promise<Finding> {
  const { id, claim } = scenario
  try {
    const { receipt, trouble } = await drive(driver, program, scenario, hook, { limit })
    return { id, claim, holds: receipt.ok, why: trouble, observed: receipt.observed }
  } catch (error) {
    return { id, claim, holds: false, why: error instanceof Error ? error.message : String(error) }
  }
}
