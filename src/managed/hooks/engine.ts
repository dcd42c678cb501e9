/** Hooks before and after the tools of a sandbox, as published. Source: the page on hooks of managed agents. */
import {
  type HandlerTrace,
  type HookCall,
  type HookOptions,
  type HookPin,
  type Hooks,
  type HookVerdict,
  type HookWarning,
  type HookWorld,
  SANDBOX_TOOLS,
} from '../contract.ts'
import { type Called, callCommand, callHttp } from './call.ts'
import { type Configuration, Discovery } from './discover.ts'
import { type About, type Finding, shortened } from './findings.ts'
import type { Matcher } from './matcher.ts'
import type { Event, Group, Handler, HookFile } from './model.ts'
import { payloadOf } from './payload.ts'
import { pathsToFreeze } from './pin.ts'

/** The hooks of all environments of one runtime. */
export function makeHooks(options: HookOptions = {}): Hooks {
  return new Engine(options)
}

/** A handler that is for a call, in the order in which they run. */
interface Due {
  readonly handler: Handler
  readonly group: string
  readonly matcher: string
  readonly about: About
  readonly cwd: string
  /** The failures of its group deny. */
  readonly closed: boolean
}

interface Result {
  readonly outcome: HandlerTrace['outcome']
  readonly reason?: string
  readonly findings: readonly Finding[]
}

class Engine implements Hooks {
  private readonly options: HookOptions
  private readonly discovery = new Discovery()
  private readonly pins = new Map<string, HookPin>()
  /** What was said of a configuration, by environment. */
  private readonly said = new Map<string, ReadonlySet<string>>()

  constructor(options: HookOptions) {
    this.options = options
  }

  async provision(world: HookWorld): Promise<{ readonly warnings: readonly HookWarning[]; readonly pin?: HookPin }> {
    const found = await this.configuration(world)
    const warnings = this.newOrKnown(world.environment, found.findings)
    const pin = world.pin ?? this.pins.get(world.environment)
    return { warnings, ...(pin === undefined ? {} : { pin }) }
  }

  async before(world: HookWorld, call: HookCall, signal: AbortSignal): Promise<HookVerdict> {
    return this.run(world, call, 'pre_tool_execution', undefined, signal)
  }

  async after(world: HookWorld, call: HookCall, error: string | undefined, signal: AbortSignal): Promise<HookVerdict> {
    return this.run(world, call, 'post_tool_execution', error, signal)
  }

  forget(environment: string): void {
    this.discovery.forget(environment)
    this.pins.delete(environment)
    this.said.delete(environment)
  }

  private async run(
    world: HookWorld,
    call: HookCall,
    event: Event,
    error: string | undefined,
    signal: AbortSignal,
  ): Promise<HookVerdict> {
    signal.throwIfAborted()
    if (!(SANDBOX_TOOLS as readonly string[]).includes(call.name)) return { decision: 'allow', trace: [], warnings: [] }
    const found = await this.configuration(world)
    signal.throwIfAborted()
    const payload = payloadOf(call, world.environment, this.options.argsStyle ?? 'seed', error)
    const trace: HandlerTrace[] = []
    const warnings: HookWarning[] = [...this.newOrKnown(world.environment, found.findings)]
    let denied: { readonly reason: string } | undefined
    const lost = event === 'pre_tool_execution' ? this.lostGroup(found.files) : undefined
    if (lost !== undefined) denied = { reason: lost }
    for (const due of this.dueFor(found.files, event, call.name)) {
      const line = traceOf(due, event)
      if (denied !== undefined && this.options.stopOnDeny) {
        trace.push({ ...line, outcome: 'not-run', ms: 0 })
        continue
      }
      const from = performance.now()
      const { outcome, reason, findings } = await this.result(world, due, event, payload, signal)
      const [first] = findings
      const ms = Math.round(performance.now() - from)
      trace.push({ ...line, outcome, ms, ...(first === undefined ? {} : { warning: first.text }) })
      warnings.push(...findings)
      if (outcome === 'deny') denied ??= { reason: reason ?? `Tool call denied by hook "${due.group}".` }
    }
    return { decision: denied === undefined ? 'allow' : 'deny', ...denied, trace, warnings }
  }

  private async configuration(world: HookWorld): Promise<Configuration> {
    const { environment, networkDisabled } = world
    const pin = world.pin ?? this.pins.get(environment)
    if (pin !== undefined) return this.discovery.frozen(pin, networkDisabled)
    const found = await this.discovery.find(world)
    if (!this.options.pinned) return found
    const files = found.files.map((file) => ({ path: file.path, cwd: file.cwd, text: found.texts.get(file)! }))
    const made = { files, freeze: await pathsToFreeze(found.files, world.files) }
    this.pins.set(environment, made)
    return this.discovery.frozen(made, networkDisabled)
  }

  /** A file that cannot be read may hold a group whose failures deny. */
  private lostGroup(files: readonly HookFile[]): string | undefined {
    for (const { path, unread } of files)
      for (const name of unread === undefined ? [] : (this.options.failClosed ?? []))
        if (unread === '' || unread!.includes(JSON.stringify(name)))
          return `Tool call denied: ${path} cannot be read, and the hook "${name}" must not be left out.`
    return undefined
  }

  private *dueFor(files: readonly HookFile[], event: Event, tool: string): Generator<Due> {
    for (const file of files)
      for (const group of file.groups) {
        if (!group.enabled) continue
        const closed = event === 'pre_tool_execution' && (this.options.failClosed ?? []).includes(group.name)
        for (const { matcher, handlers } of group.rules[event])
          if (matches(matcher, tool, closed))
            for (const handler of handlers)
              yield {
                handler,
                closed,
                cwd: file.cwd,
                group: group.name,
                matcher: matcher.text,
                about: aboutOf(file, group),
              }
      }
  }

  private async result(
    world: HookWorld,
    due: Due,
    event: Event,
    payload: string,
    signal: AbortSignal,
  ): Promise<Result> {
    const { handler, about, cwd, closed, group } = due
    if (handler.is === 'broken') {
      if (!closed) return { outcome: 'not-run', findings: [] }
      return { outcome: 'deny', findings: [], reason: failureOf(group, handler.why) }
    }
    const called: Called =
      handler.is === 'command'
        ? await callCommand(world, handler, payload, { cwd, about }, signal)
        : await callHttp(world, handler, payload, about, signal)
    if (called.is === 'failed') {
      const { findings, why } = called
      if (!closed) return { outcome: 'failed', findings }
      return { outcome: 'deny', findings, reason: failureOf(group, why) }
    }
    // What a hook after the tool says is ignored, even a deny.
    if (event === 'post_tool_execution') return { outcome: 'ignored', findings: [] }
    const { decision, reason, strange, findings } = called.answer
    if (decision === 'deny') return { outcome: 'deny', findings, ...(reason === undefined ? {} : { reason }) }
    if (strange && closed) return { outcome: 'deny', findings, reason: failureOf(group, 'it gave no decision') }
    return { outcome: 'allow', findings }
  }

  /** The findings of a configuration, with a mark on those that were said of this environment before. */
  private newOrKnown(environment: string, findings: readonly Finding[]): readonly HookWarning[] {
    const before = this.said.get(environment)
    const key = ({ id, text }: Finding) => `${id}\0${text}`
    this.said.set(environment, new Set(findings.map(key)))
    return findings.map((one) => (before?.has(key(one)) ? { ...one, known: true } : one))
  }
}

const failureOf = (group: string, why: string): string => `Tool call denied: the hook "${group}" failed (${why}).`

/** A matcher that cannot be compiled is for no tool, or for each where the failures of its group deny. */
const matches = (matcher: Matcher, tool: string, closed: boolean): boolean =>
  matcher.matches(tool) || (closed && matcher.broken !== undefined)

const aboutOf = ({ path: file }: HookFile, { name: group }: Group): About => ({ file, group })

function traceOf({ group, matcher, handler }: Due, event: Event): Omit<HandlerTrace, 'outcome' | 'ms'> {
  const shown = handler.is === 'command' ? handler.command : handler.is === 'http' ? handler.url : handler.why
  return { group, event, matcher, handler: shortened(shown, 200) }
}
