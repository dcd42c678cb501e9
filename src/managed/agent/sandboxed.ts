/** One call of a sandbox tool: the guard, the hooks before it, the tool, the hooks after it, the output gate. */
import type {
  Egress,
  Environments,
  HookPin,
  Hooks,
  HookVerdict,
  Report,
  SandboxTool,
  ToolOutcome,
} from '../contract.ts'
import { ManagedError } from '../contract.ts'
import type { GuardGate, OutputGate, Trace } from './gates.ts'
import { hookWorldOf } from './hook-world.ts'
import type { Call } from './steps.ts'

export interface Sandboxed {
  readonly environments: Environments
  readonly egress: Pick<Egress, 'request'>
  readonly hooks: Hooks
  readonly gate: OutputGate
  readonly guard?: GuardGate
  readonly report: Report
  /** What was frozen of an environment's hooks when it was made. */
  pin(environment: string): HookPin | undefined
}

export interface Result {
  readonly text: string
  readonly isError: boolean
}

/** How a denial reads to the model. Clients may look for it. */
export const deniedText = (reason: string): string => `Tool call denied by hook: ${reason}`

/**
 * Runs one call in environment `id`. A denial is a result, not an error of ours. Rejects with the signal's reason where it
 * fires, and where the environment is gone.
 */
export async function runSandboxed(
  parts: Sandboxed,
  id: string,
  call: Call & { readonly name: SandboxTool },
  signal: AbortSignal,
  trace: (trace: Trace) => void,
): Promise<Result> {
  const { environments, egress } = parts
  const world = await hookWorldOf(environments, egress, id, parts.pin(id))
  const hooked = { name: call.name, args: call.args }
  const guarded = await guardOf(parts, id, call)
  signal.throwIfAborted()
  const before = await parts.hooks.before(world, hooked, signal)
  signal.throwIfAborted()
  trace({ call: call.id, handlers: before.trace, warnings: before.warnings })
  tell(parts, id, before)
  const reason = guarded ?? (before.decision === 'deny' ? (before.reason ?? 'no reason was given.') : undefined)
  if (reason !== undefined) return { text: deniedText(reason), isError: true }
  const outcome = await toolOf(environments, id, call, signal)
  signal.throwIfAborted()
  const after = await parts.hooks.after(world, hooked, outcome.error, signal)
  signal.throwIfAborted()
  trace({ call: call.id, handlers: after.trace, warnings: after.warnings })
  tell(parts, id, after)
  const label = typeof call.args['code'] === 'string' ? call.args['code'] : call.name
  return { text: parts.gate.shown(id, call.name, label, outcome.output), isError: outcome.isError }
}

/** Runs the tool. What it refuses of the arguments is told to the model. */
async function toolOf(
  environments: Environments,
  id: string,
  { name, args }: Call & { readonly name: SandboxTool },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  try {
    return await environments.tool(id, name, args, signal)
  } catch (error) {
    if (!(error instanceof ManagedError) || error.status !== 400) throw error
    return { output: error.message, isError: true, error: error.message }
  }
}

/** The guard's reason to stop a call. An ask that nobody can answer is a denial. */
async function guardOf({ guard, report }: Sandboxed, id: string, call: Call): Promise<string | undefined> {
  if (guard === undefined) return undefined
  const { decision, reason } = await guard.judge(id, call.name, call.args)
  if (decision === 'pass') return undefined
  report({ kind: `guard.${decision}`, environment: id, text: `The guard would ${decision} ${call.name}: ${reason}` })
  return guard.mode === 'enforce' ? reason || `the guard answers ${decision}.` : undefined
}

function tell({ report }: Sandboxed, environment: string, { trace, warnings }: HookVerdict): void {
  for (const { id, text, file, group, known } of warnings)
    if (!known) report({ kind: `hooks.${id}`, environment, text, detail: { file, group } })
  for (const { outcome, group, handler, warning } of trace)
    if (outcome === 'failed' || outcome === 'deny')
      report({
        ...{ kind: `hooks.${outcome}`, environment },
        text: `Hook ${JSON.stringify(group)} (${handler}): ${warning ?? outcome}`,
      })
}
