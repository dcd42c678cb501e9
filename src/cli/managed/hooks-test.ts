/** `sallyport hooks test`: runs the handlers of a `hooks.json` on one call, commands in a sandbox, and shows the trace. */
import type { HookCall, HookVerdict, HookWarning, HookWorld } from '../../managed/contract.ts'
import { SANDBOX_TOOLS } from '../../managed/contract.ts'
import { makeHooks } from '../../managed/hooks/engine.ts'
import type { ArgsStyle } from '../../managed/hooks/payload.ts'
import { LARGEST } from '../../managed/hooks/schema.ts'
import { EXIT, type Io } from '../io.ts'
import { type HooksInput, InputError, readHooksInput } from './hooks-input.ts'
import { noSandbox, openScratch, type Scratch } from './scratch.ts'

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
}

/** How the environment of a trial is called in the event. */
const ENVIRONMENT = 'env_test'

/** Exit code: 0; 1 where a handler fails or answers in a form that decides nothing, or the decision is not the expected one; 2 for bad input. */
export async function hooksTest(flags: HooksTestFlags, file: string | undefined, io: Io): Promise<number> {
  let input: HooksInput
  let call: HookCall
  let scratch: Scratch
  try {
    call = callOf(flags)
    input = readHooksInput(io, file, flags.environment)
    const lacking = await noSandbox()
    if (lacking !== undefined) throw new InputError(`handlers run in a sandbox only, and there is none: ${lacking}`)
    scratch = openScratch(input.files)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    io.err(`sallyport hooks test: ${error.message}\n`)
    return EXIT.usage
  }
  try {
    const verdict = await tried(flags, call, input, scratch)
    const wrong = verdict.warnings.some(({ id }) => /^(?:failed|answer|file\.broken)/.test(id))
    const missed = flags.expect !== undefined && flags.expect !== verdict.decision
    if (flags.json) io.out(`${JSON.stringify({ v: 1, ...verdict }, undefined, 2)}\n`)
    else io.out(asText(verdict))
    if (missed) io.err(`sallyport hooks test: the decision is ${verdict.decision}, not ${flags.expect}\n`)
    return wrong || missed ? EXIT.problem : EXIT.ok
  } finally {
    scratch.close()
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

async function tried(flags: HooksTestFlags, call: HookCall, input: HooksInput, scratch: Scratch): Promise<HookVerdict> {
  const { files } = input
  const world: HookWorld = {
    environment: ENVIRONMENT,
    roots: input.roots,
    networkDisabled: input.network?.is === 'disabled',
    files: {
      real: async (path) => (files.has(path) ? path : undefined),
      stamp: async (path) => (files.has(path) ? 'fixed' : undefined),
      read: async (path, limit) => files.get(path)?.bytes.subarray(0, Math.min(limit, LARGEST + 1)),
    },
    run: scratch.run,
    request: async () => ({ ok: false, why: 'a trial calls nobody', refused: false, timedOut: false }),
  }
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
