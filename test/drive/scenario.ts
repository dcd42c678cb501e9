/** What a scenario is, what a driver of a host gives, and the one way a scenario is run. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { normaliser, type ReceiptScenario } from './receipt.ts'
import {
  type Ended,
  makeScratch,
  offline,
  quote,
  type Recorded,
  recorded,
  removeScratch,
  runIn,
  type Scratch,
} from './scratch.ts'
import { type Call, type Json, type Model, object, type Script } from './script.ts'

export type DrivenHost = 'claude' | 'codex'
export type Said = 'pass' | 'ask' | 'deny' | 'nothing'

export interface Scenario {
  readonly id: string
  /** Capability key of the receipts, a support word, and what was shown. */
  readonly claim: string
  readonly script: (at: Scratch) => Script
  /** Id of the call whose fate is observed. */
  readonly judged: string
  /** File that differs after the run if and only if the call ran. */
  readonly touches: (at: Scratch) => string
  /** `allowed`: the tools of the script are allowed beforehand; `bypass`: the host was told to ask nobody. */
  readonly mode: 'default' | 'allowed' | 'bypass'
  /** Shell text of a hook in place of the guard: broken on purpose, or with a fixed answer. */
  readonly instead?: string
  /** Event that the hook is registered for; `PreToolUse` when absent. */
  readonly event?: 'PostToolUse'
  /** Our hook is registered before and after a run, as setup does it. */
  readonly gates?: true
  /** Claude: rules for permissions in the user's settings. */
  readonly permissions?: Json
  /** An executable in the repository, by its name. */
  readonly files?: Readonly<Record<string, string>>
  /** Seconds that the host waits for the hook; `HOOK_TIMEOUT` when absent. */
  readonly timeout?: number
  /** Claude: what the host is to do when the hook fails. */
  readonly onFailure?: 'block'
  /** With the MCP server of `lab-server.ts`; `proxy`: behind our proxy. */
  readonly mcp?: boolean | 'proxy'
  /** Hooked by `stand-in.mjs`: the claim is on what the host lets a hook do, not on a judgement of ours. */
  readonly standIn?: boolean
  /** Codex: files of its rules for commands, and its sandbox. */
  readonly rules?: Readonly<Record<string, string>>
  readonly sandbox?: string
  /** Codex: model name, which selects the tools. */
  readonly model?: string
  /** What has to come out for the claim to hold. */
  readonly expect: {
    readonly ran: boolean
    /** Verdict of the guard; `nothing` where another hook stands in its place. */
    readonly said: Said
    readonly saw: 'reason' | 'result' | 'refusal'
    /** Text that has to stand in the result that the model saw, and one that may not. */
    readonly shown?: string
    readonly hidden?: string
    /** Text that has to reach the model, wherever in a request. */
    readonly told?: string
    /** Texts that have to stand in the results of other calls, by their id. */
    readonly also?: Readonly<Record<string, string>>
    /** The model is told that the judged call failed. */
    readonly failed?: true
  }
}

/** Hooks that are broken on purpose. */
export const BROKEN = { crash: 'exit 1', hang: 'sleep 20', garbage: 'echo "{not json"' }

/** Seconds that the host waits for a hook, and for one that hangs on purpose. */
export const HOOK_TIMEOUT = 30
export const HANG_TIMEOUT = 2

/** Shell text of a hook that always gives the same answer. */
export function fixed(event: 'PreToolUse' | 'PostToolUse', answer: Json, beside: Json = {}): string {
  const hookSpecificOutput = { hookEventName: event, ...answer }
  const whole = Object.keys(answer).length > 0 ? { ...beside, hookSpecificOutput } : beside
  return `printf '%s\\n' ${quote(JSON.stringify(whole))}`
}

/** How one scenario is registered in the host's settings. */
export interface Registered {
  readonly event: string
  /** The events beside it that the same hook is registered for. */
  readonly also?: readonly string[]
  readonly matcher: string
  readonly timeout: number
  readonly onFailure?: 'block'
  /** As in the settings, without the recorder. */
  readonly command: string
}

export type Hooks = Readonly<Record<string, string>>

export interface Driver {
  readonly host: DrivenHost
  /** Module that drives this host, relative to the project. */
  readonly file: string
  /** npm package, and the version that the receipts in this repository are of. */
  readonly package: string
  readonly version: string
  /** Executable in an install directory. */
  readonly program: (directory: string) => string | undefined
  readonly scenarios: readonly Scenario[]
  readonly startModel: (script: Script) => Promise<Model>
  /** Writes the host's settings; `hooks` are the commands by event, with the recorder around them. */
  readonly configure: (at: Scratch, registered: Registered, hooks: Hooks, model: Model, scenario: Scenario) => void
  readonly command: (program: string, scenario: Scenario) => readonly [string, ...string[]]
  readonly environment: (at: Scratch, model: Model) => Record<string, string>
}

export interface Outcome {
  readonly receipt: ReceiptScenario
  /** Why a scenario is not ok, for the person who drives; empty when it is. */
  readonly trouble: string
  /** Hosts that the CLI tried to reach and did not; some CLIs look for updates and plug-ins whatever they are told. */
  readonly strays: readonly string[]
}

/** Longest run of one scenario, in milliseconds. */
const LIMIT = 90_000

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** The hook of this checkout, run from source and built; the small one; and a server of MCP tools. */
export const SOURCE_HOOK = `${script('bin/sallyport.js')} hook {host} {event}`
export const BUILT_HOOK = `${script('dist/hook.cjs')} {host} {event}`
const STAND_IN = `${script('test/drive/stand-in.mjs')} {host} {event}`
export const LAB_SERVER = join(PROJECT, 'test/drive/lab-server.ts')

/** The arguments of Node that start the server, by itself or behind our proxy. */
export const labArgs = (mcp: Scenario['mcp']): readonly string[] =>
  mcp === 'proxy'
    ? [join(PROJECT, 'bin/sallyport.js'), 'mcp', 'proxy', '--', process.execPath, LAB_SERVER]
    : [LAB_SERVER]

function script(path: string): string {
  return [process.execPath, join(PROJECT, path)].map(quote).join(' ')
}

/**
 * Drives one scenario with the real CLI.
 * @param hook shell text of the guard's hook, with `{host}` and `{event}` where these belong.
 * @param keep leaves the scratch tree for a look.
 */
export async function drive(
  driver: Driver,
  program: string,
  scenario: Scenario,
  hook: string,
  keep = false,
): Promise<Outcome> {
  const at = makeScratch()
  try {
    const model = await driver.startModel(scenario.script(at))
    try {
      const registered: Registered = {
        event: scenario.event ?? 'PreToolUse',
        matcher: '*',
        timeout: scenario.timeout ?? HOOK_TIMEOUT,
        command: commandOf(scenario, hook, driver.host, scenario.event ?? 'PreToolUse'),
        ...(scenario.onFailure ? { onFailure: scenario.onFailure } : {}),
        ...(scenario.gates ? { also: ['PostToolUse'] } : {}),
      }
      for (const [name, text] of Object.entries(scenario.files ?? {}))
        writeFileSync(join(at.cwd, name), text, { mode: 0o755 })
      const recorder = fileURLToPath(new URL('recorder.ts', import.meta.url))
      const hooks = Object.fromEntries(
        [registered.event, ...(registered.also ?? [])].map((event) => {
          const command = commandOf(scenario, hook, driver.host, event)
          return [event, [process.execPath, recorder, at.records, command].map(quote).join(' ')]
        }),
      )
      driver.configure(at, registered, hooks, model, scenario)
      const before = contentOf(scenario.touches(at))
      const environment = { ...offline(model.url), ...driver.environment(at, model) }
      const ended = await runIn(at, driver.command(program, scenario), environment, LIMIT)
      const ran = contentOf(scenario.touches(at)) !== before
      if (keep) process.stderr.write(`${scenario.id}: ${at.root}\n${ended.stdout}\n${ended.stderr}\n`)
      return judge(scenario, registered, at, model, ended, ran)
    } finally {
      await model.close()
    }
  } finally {
    if (!keep) removeScratch(at)
  }
}

function commandOf(scenario: Scenario, hook: string, host: string, event: string): string {
  if (scenario.instead !== undefined) return scenario.instead
  const command = scenario.standIn ? STAND_IN : hook
  return command.replaceAll('{host}', host).replaceAll('{event}', event)
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function judge(
  scenario: Scenario,
  registered: Registered,
  at: Scratch,
  model: Model,
  ended: Ended,
  ran: boolean,
): Outcome {
  const run = runOf(scenario, at)
  const shown = model.shown().get(scenario.judged)
  const saw = shown?.text ?? ''
  const { said, reason } =
    run && scenario.instead === undefined ? readAnswer(run.answer) : { said: 'nothing' as const, reason: '' }
  const trouble: string[] = []
  const check = (good: boolean, text: string) => {
    if (!good) trouble.push(text)
  }
  check(!ended.timedOut, 'the CLI did not end in time')
  check(run !== undefined, 'the hook did not run for the call')
  check(shown !== undefined, 'the model saw no result of the call')
  check(ran === scenario.expect.ran, ran ? 'the call ran' : 'the call did not run')
  check(said === scenario.expect.said, `the hook said ${said}, expected ${scenario.expect.said}`)
  if (scenario.expect.saw === 'reason') check(reason !== '' && saw.includes(reason), 'the model did not see the reason')
  if (scenario.expect.saw === 'refusal') check(/block|hook|denied|approval/i.test(saw), 'the model saw no refusal')
  if (scenario.expect.saw === 'result')
    check(shown?.error === (scenario.expect.failed ?? false) && !/hook/i.test(saw), 'the model saw an error, or none')
  const { shown: visible, hidden, told, also } = scenario.expect
  if (visible !== undefined) check(saw.includes(visible), `the model did not see ${visible}`)
  if (hidden !== undefined) check(!saw.includes(hidden), `the model saw ${hidden}`)
  if (told !== undefined) check(JSON.stringify(model.requests).includes(told), `the model was not told ${told}`)
  for (const [id, text] of Object.entries(also ?? {}))
    check(model.shown().get(id)?.text.includes(text) === true, `the model did not see ${text} from ${id}`)
  if (trouble.length > 0) trouble.push(`exit ${ended.exit}`, tail(ended.stderr), tail(run?.stderr ?? ''))
  const plain = normaliser(at, PROJECT)
  const receipt = plain({
    id: scenario.id,
    registered,
    payload: run ? shortened(parse(run.payload)) : null,
    answer: run?.answer ?? '',
    exit: run?.exit ?? null,
    // A headless run has nobody to ask; the drivers start no other.
    observed: { ran, modelSaw: saw, prompted: false },
    claim: scenario.claim,
    ok: trouble.length === 0,
  }) as ReceiptScenario
  return { receipt, trouble: trouble.filter((line) => line !== '').join('; '), strays: [...new Set(model.strays)] }
}

/** The run of the hook for the judged call: by the call's id where the host passes it on, else any one. */
function runOf(scenario: Scenario, at: Scratch): Recorded | undefined {
  const runs = recorded(at)
  const named = runs.filter((run) => object(parse(run.payload))['tool_use_id'] === scenario.judged)
  const own = named.length > 0 ? named : runs
  // Of several events of the call, the one that something was said on.
  return own.find((run) => run.answer !== '') ?? named[0] ?? runs.at(-1)
}

/** Characters of one text of a payload that a receipt keeps. */
const MOST_TEXT = 2_000

/** A payload without the middle of its long texts. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MOST_TEXT ? `${value.slice(0, 200)}…<${value.length - 200} more>` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]))
}

/** Verdict and reason in an answer of Claude's shape; silence is a pass. */
export function readAnswer(answer: string): { readonly said: Said; readonly reason: string } {
  if (answer.trim() === '') return { said: 'pass', reason: '' }
  const inner = object(object(parse(answer))['hookSpecificOutput'])
  const said = inner['permissionDecision']
  const reason = inner['permissionDecisionReason']
  if (said !== 'deny' && said !== 'ask') return { said: 'nothing', reason: '' }
  return { said, reason: typeof reason === 'string' ? reason : '' }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function tail(text: string): string {
  return text.trim().split('\n').slice(-3).join(' | ').slice(-400)
}

/** One call after another, each in a turn of its own. */
export function oneByOne(...calls: readonly Call[]): Script {
  return { turns: calls.map((call) => ({ calls: [call] })) }
}
