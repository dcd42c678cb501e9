/** `sallyport hooks test`: runs the handlers of a `hooks.json` on one call, commands in a sandbox, and shows the trace. */
import { resolve } from 'node:path'
import type { HookCall, HookVerdict, HookWarning, HookWorld, Network, OutAnswer } from '../../managed/contract.ts'
import { SANDBOX_TOOLS } from '../../managed/contract.ts'
import { readUpstreams } from '../../managed/egress/operator.ts'
import { makeHooks } from '../../managed/hooks/engine.ts'
import type { ArgsStyle } from '../../managed/hooks/payload.ts'
import { EXIT, type Io } from '../io.ts'
import { type HooksInput, InputError, readHooksInput } from './hooks-input.ts'
import { openTrial, type Trial } from './trial.ts'

export interface HooksTestFlags {
  readonly json?: boolean
  readonly environment?: string
  readonly tool?: string
  readonly args?: string
  readonly event?: 'pre' | 'post'
  readonly error?: string
  readonly expect?: 'allow' | 'deny'
  readonly stopOnDeny?: boolean
  readonly failClosed?: string
  readonly argsStyle?: ArgsStyle
  readonly network?: boolean
  readonly upstreams?: string
}

/**
 * Exit code: 0; 1 where a handler fails or answers in a form that decides nothing, or the decision is not the expected
 * one; 2 for bad input, or where there is no sandbox.
 */
export async function hooksTest(flags: HooksTestFlags, file: string | undefined, io: Io): Promise<number> {
  const say = (text: string): void => io.err(`sallyport hooks test: ${text}\n`)
  let call: HookCall
  let trial: Trial
  let declared: Network
  try {
    call = callOf(flags)
    const input = readHooksInput(io, file, flags.environment)
    declared = input.network?.is
    const where = input.elsewhere.join(', ')
    if (where !== '') say(`what comes from elsewhere is not fetched: ${where}`)
    trial = await open(flags, input, io)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    say(error.message)
    return EXIT.usage
  }
  try {
    const verdict = await tried(flags, call, worldOf(flags, declared, trial))
    const wrong = verdict.warnings.some(({ id }) => /^(?:failed|answer|file\.broken)/.test(id))
    const missed = flags.expect !== undefined && flags.expect !== verdict.decision
    io.out(flags.json ? `${JSON.stringify({ v: 1, ...verdict }, undefined, 2)}\n` : asText(verdict))
    if (missed) say(`the decision is ${verdict.decision}, not ${flags.expect}`)
    return wrong || missed ? EXIT.problem : EXIT.ok
  } finally {
    await trial.close()
  }
}

/** Without --network nothing leaves the sandbox, and nobody is called. */
async function open({ network, upstreams }: HooksTestFlags, input: HooksInput, io: Io): Promise<Trial> {
  const { files, roots } = input
  try {
    const operator = upstreams === undefined ? {} : { upstreams: readUpstreams(resolve(io.cwd, upstreams)) }
    return await openTrial({ files, roots, operator, network: network ? input.network?.is : 'disabled' })
  } catch (error) {
    throw new InputError((error instanceof Error ? error.message : String(error)).replace(/\.$/, ''))
  }
}

function callOf({ tool, args = '{}', event, error }: HooksTestFlags): HookCall {
  const names = SANDBOX_TOOLS.join(', ')
  if (tool === undefined) throw new InputError(`--tool is missing: one of ${names}`)
  if (!(SANDBOX_TOOLS as readonly string[]).includes(tool))
    throw new InputError(
      `--tool ${JSON.stringify(tool)} is no tool of a sandbox, so no hook runs for it: there are ${names}`,
    )
  if (error !== undefined && event !== 'post') throw new InputError('--error goes with --event post')
  let value: unknown
  try {
    value = JSON.parse(args)
  } catch {
    throw new InputError('--args is no JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError('--args must be an object, as {"code":"ls","language":"bash"}')
  return { name: tool, args: value as HookCall['args'] }
}

/** A trial that lets nothing out says so, and does not blame the rules of the environment. */
function worldOf({ network }: HooksTestFlags, declared: Network, { world }: Trial): HookWorld {
  if (network) return world
  const why = 'a trial without --network calls nobody'
  const request = async (): Promise<OutAnswer> => ({ ok: false, why, refused: false, timedOut: false })
  return { ...world, request, networkDisabled: declared === 'disabled' }
}

async function tried(flags: HooksTestFlags, call: HookCall, world: HookWorld): Promise<HookVerdict> {
  const hooks = makeHooks({
    stopOnDeny: flags.stopOnDeny ?? false,
    failClosed: flags.failClosed?.split(',').map((name) => name.trim()) ?? [],
    argsStyle: flags.argsStyle ?? 'seed',
  })
  const { signal } = new AbortController()
  return flags.event === 'post' ? hooks.after(world, call, flags.error, signal) : hooks.before(world, call, signal)
}

function asText({ decision, reason, trace, warnings }: HookVerdict): string {
  const out = trace.map(
    ({ group, event, matcher, handler, outcome, ms }, i) =>
      `${i + 1}. ${outcome.padEnd(7)} ${String(ms).padStart(5)} ms  ${group} › ${event} › ${JSON.stringify(matcher)}  ${handler}`,
  )
  if (trace.length === 0) out.push('no handler is for this call')
  if (warnings.length > 0) out.push('', ...warnings.map(({ id, text }: HookWarning) => `${id}: ${text}`))
  out.push('', reason === undefined ? `decision: ${decision}` : `decision: ${decision}: ${reason}`)
  return `${out.join('\n')}\n`
}
