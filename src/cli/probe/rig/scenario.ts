/** What a scenario is, what a driver of a host gives, and the one way a scenario is run. */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../setup/places.ts'
import { type DrivenHost, readAnswer } from './answers.ts'
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
import type { Call, Json, Model, Script } from './script.ts'

type Said = ReturnType<typeof readAnswer>['said']

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
  /** The hook is registered for the event after a run, not for the one before it. */
  readonly event?: 'PostToolUse'
  /** Shell text of a second hook for the same event. */
  readonly beside?: string
  /** A policy of the user, beside the built-in rules. */
  readonly policy?: Json
  /** Our hook is registered before and after a run, as setup does it. */
  readonly gates?: true
  /** Claude: rules for permissions in the user's settings. */
  readonly permissions?: Json
  /** Executables in the repository, by their paths. */
  readonly files?: Readonly<Record<string, string>>
  /** Seconds that the host waits for the hook; `HOOK_TIMEOUT` when absent. */
  readonly timeout?: number
  /** Claude: what the host is to do when the hook fails. */
  readonly onFailure?: 'block'
  /** With the MCP server of `lab-server.ts`; `proxy`: behind our proxy. */
  readonly mcp?: boolean | 'proxy'
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
    /** `end`: the run ended, so that no request to the model followed. */
    readonly saw: 'reason' | 'result' | 'refusal' | 'end'
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
export function fixed(event: string, answer: Json, beside: Json = {}): string {
  const hookSpecificOutput = { hookEventName: event, ...answer }
  return says(Object.keys(answer).length > 0 ? { ...beside, hookSpecificOutput } : beside)
}

/** The same for any object. */
export const says = (answer: Json): string => `printf '%s\\n' ${quote(JSON.stringify(answer))}`

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
  /** The command of a second hook. */
  readonly beside?: string
}

/** Commands by event, in the order in which they are registered. */
export type Hooks = Readonly<Record<string, readonly string[]>>

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
  /** Names of the events before and after a run, where they are not `PreToolUse` and `PostToolUse`. */
  readonly events?: { readonly pre: string; readonly post: string }
  readonly startModel: (script: Script) => Promise<Model>
  /** Writes the host's settings; `hooks` have the recorder around the first command of an event. */
  readonly configure: (at: Scratch, registered: Registered, hooks: Hooks, model: Model, scenario: Scenario) => void
  /** What stands behind the program. */
  readonly words: (scenario: Scenario) => readonly string[]
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

export const PROJECT = packageRoot()

/** The hook of this checkout, run from source and built. */
export const SOURCE_HOOK = `${script('bin/sallyport.js')} hook {host} {event}`
export const BUILT_HOOK_FILE = join(PROJECT, 'dist/hook.cjs')
export const BUILT_HOOK = `${script('dist/hook.cjs')} {host} {event}`
const LAB_SERVER = ownFile('lab-server')

/** The arguments of Node that start the server, by itself or behind our proxy. */
export const labArgs = (mcp: Scenario['mcp']): readonly string[] =>
  mcp === 'proxy'
    ? [join(PROJECT, 'bin/sallyport.js'), 'mcp', 'proxy', '--', process.execPath, LAB_SERVER]
    : [LAB_SERVER]

/** A program of the rig, from source or built. */
function ownFile(name: 'recorder' | 'lab-server'): string {
  const source = join(PROJECT, `src/cli/probe/rig/${name}.ts`)
  return existsSync(source) ? source : join(PROJECT, `dist/probe-${name}.js`)
}

/** How a program is started: a script of Node by the Node that runs here, whatever its first line asks for. */
export function startOf(program: string): readonly [string, ...string[]] {
  const real = realpathSync(program)
  return /\.[cm]?js$/.test(real) ? [process.execPath, real] : [real]
}

function script(path: string): string {
  return [process.execPath, join(PROJECT, path)].map(quote).join(' ')
}

/**
 * Drives one scenario with the real CLI.
 * @param hook shell text of the guard's hook, with `{host}` and `{event}` where these belong.
 * @param keep leaves the scratch tree for a look. @param limit milliseconds that the CLI may run.
 */
export async function drive(
  driver: Driver,
  program: string,
  scenario: Scenario,
  hook: string,
  { keep = false, limit = LIMIT }: { readonly keep?: boolean; readonly limit?: number } = {},
): Promise<Outcome> {
  const at = makeScratch()
  try {
    const model = await driver.startModel(scenario.script(at))
    try {
      const { pre, post } = driver.events ?? { pre: 'PreToolUse', post: 'PostToolUse' }
      const event = scenario.event === undefined ? pre : post
      const registered: Registered = {
        event,
        matcher: '*',
        timeout: scenario.timeout ?? HOOK_TIMEOUT,
        command: commandOf(scenario, hook, driver.host, event),
        ...(scenario.onFailure ? { onFailure: scenario.onFailure } : {}),
        ...(scenario.gates ? { also: [post] } : {}),
        ...(scenario.beside === undefined ? {} : { beside: scenario.beside }),
      }
      for (const [name, text] of Object.entries(scenario.files ?? {})) {
        mkdirSync(dirname(join(at.cwd, name)), { recursive: true })
        writeFileSync(join(at.cwd, name), text, { mode: 0o755 })
      }
      if (scenario.policy !== undefined) {
        const file = join(at.home, '.config/sallyport/policy.jsonc')
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, `${JSON.stringify(scenario.policy)}\n`)
      }
      const recorder = ownFile('recorder')
      const hooks = Object.fromEntries(
        [registered.event, ...(registered.also ?? [])].map((event) => {
          const command = commandOf(scenario, hook, driver.host, event)
          const first = [process.execPath, recorder, at.records, command].map(quote).join(' ')
          return [event, scenario.beside === undefined ? [first] : [first, scenario.beside]]
        }),
      )
      driver.configure(at, registered, hooks, model, scenario)
      const before = contentOf(scenario.touches(at))
      const environment = { ...offline(model.url), ...driver.environment(at, model) }
      const ended = await runIn(at, [...startOf(program), ...driver.words(scenario)], environment, limit)
      const ran = contentOf(scenario.touches(at)) !== before
      if (keep) process.stderr.write(`${scenario.id}: ${at.root}\n${ended.stdout}\n${ended.stderr}\n`)
      return judge(driver, scenario, registered, at, model, ended, ran)
    } finally {
      await model.close()
    }
  } finally {
    if (!keep) removeScratch(at)
  }
}

function commandOf(scenario: Scenario, hook: string, host: string, event: string): string {
  if (scenario.instead !== undefined) return scenario.instead
  return hook.replaceAll('{host}', host).replaceAll('{event}', event)
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function judge(
  { host, events }: Driver,
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
  const isAfter = run?.payload.includes(`"${events?.post ?? 'PostToolUse'}"`) === true
  const { said, reason } =
    run && scenario.instead === undefined
      ? readAnswer(host, run.answer, isAfter)
      : { said: 'nothing' as const, reason: '' }
  const trouble: string[] = []
  const check = (good: boolean, text: string) => {
    if (!good) trouble.push(text)
  }
  check(!ended.timedOut, 'the CLI did not end in time')
  check(run !== undefined, 'the hook did not run for the call')
  if (scenario.expect.saw === 'end') check(shown === undefined && ended.exit !== null, 'the run went on')
  else check(shown !== undefined, 'the model saw no result of the call')
  check(ran === scenario.expect.ran, ran ? 'the call ran' : 'the call did not run')
  check(said === scenario.expect.said, `the hook said ${said}, expected ${scenario.expect.said}`)
  if (scenario.expect.saw === 'reason') check(reason !== '' && saw.includes(reason), 'the model did not see the reason')
  if (scenario.expect.saw === 'refusal') check(REFUSAL.test(saw), 'the model saw no refusal')
  if (scenario.expect.saw === 'result')
    check(
      shown?.error === (scenario.expect.failed ?? false) && !/hook error|did not answer|denied by/i.test(saw),
      'the model saw an error, or none',
    )
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

/** What hosts call a refusal. */
const REFUSAL = /block|hook|denied|approval|refused|rejected|did not answer/i

/** The run of the hook for the judged call: by the call's id where the host passes it on, else by its input, else any one. */
function runOf(scenario: Scenario, at: Scratch): Recorded | undefined {
  const runs = recorded(at)
  const call = [scenario.script(at)]
    .flatMap(({ turns, others = [] }) => [...turns, ...others.flatMap((other) => other.turns)])
    .flatMap(({ calls }) => calls)
    .find(({ id }) => id === scenario.judged)
  const texts =
    typeof call?.input === 'object' ? Object.values(call.input).filter((one) => typeof one === 'string') : []
  const byId = runs.filter((run) => run.payload.includes(`"${scenario.judged}"`))
  const byInput = runs.filter(
    (run) => texts.length > 0 && texts.every((text) => run.payload.includes(JSON.stringify(text))),
  )
  const named = byId.length > 0 ? byId : byInput
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

/** A policy that denies every call of a tool. */
export const closing = (tool: string): Json => ({
  rules: [{ id: 'lab', match: { tool }, verdict: 'deny', reason: 'the lab is closed', must: [], must_not: [] }],
})

/** One call after another, each in a turn of its own. */
export function oneByOne(...calls: readonly Call[]): Script {
  return { turns: calls.map((call) => ({ calls: [call] })) }
}
