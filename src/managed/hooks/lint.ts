/** Everything that can be said of a `hooks.json` before it runs. */
import { posix } from 'node:path'
import { parseShell } from '../../shell/parse.ts'
import { simpleCommands } from '../../shell/walk.ts'
import { type About, type Finding, finding, quoted } from './findings.ts'
import { type ForeignHandler, nearestEvent } from './foreign.ts'
import { habitsOf } from './habits.ts'
import { compileMatcher } from './matcher.ts'
import { MatcherFindings } from './matcher-findings.ts'
import { type CommandHandler, EVENTS, type Event, type Group, type HookFile, type HttpHandler } from './model.ts'
import type { ArgsStyle } from './payload.ts'
import { programsOf } from './programs.ts'
import { readHookBytes } from './schema.ts'

export interface LintFile {
  /** Inside the environment, as `/.agents/hooks.json`. */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface ScriptFile {
  readonly text: string
  readonly executable: boolean
}

/** What is known of the environment. */
export interface LintContext {
  /** A file of the environment; `absent` where it is certainly not there, undefined where that is not known. */
  script(path: string): ScriptFile | 'absent' | undefined
  /** Why the network rules keep an address from being called; undefined where they let it through. */
  refuses(url: URL): string | undefined
  /** Whether the network rules are known, or only those that always hold. */
  readonly networkKnown: boolean
  readonly pinned: boolean
  readonly argsStyle: ArgsStyle
}

export interface Linted {
  readonly file: HookFile
  readonly findings: readonly Finding[]
}

/** Reads one configuration and its scripts. Runs nothing, never throws. */
export function lintHooks({ path, bytes }: LintFile, context: LintContext): Linted {
  const cwd = posix.dirname(posix.dirname(path))
  const file = readHookBytes({ path, cwd }, bytes)
  const linter = new Linter(file, context)
  return { file, findings: [...file.findings, ...linter.run()] }
}

class Linter {
  private readonly file: HookFile
  private readonly context: LintContext
  private readonly findings: Finding[] = []
  /** A script that several handlers run is looked at once for each event. */
  private readonly seen = new Set<string>()
  private readonly odd = new MatcherFindings()

  constructor(file: HookFile, context: LintContext) {
    this.file = file
    this.context = context
  }

  run(): readonly Finding[] {
    const groups = this.file.groups.filter(({ enabled }) => enabled)
    for (const group of groups)
      for (const event of EVENTS)
        for (const { handlers } of group.rules[event])
          for (const handler of handlers) {
            const about = { file: this.file.path, group: group.name, line: handler.line }
            if (handler.is === 'command') this.command(handler, event, about)
            else if (handler.is === 'http') this.http(handler, event, about)
          }
    for (const one of this.file.foreign) this.foreign(one)
    if (this.file.unread === undefined) this.whole(groups)
    return this.findings
  }

  private whole(groups: readonly Group[]): void {
    const file = { file: this.file.path }
    const handlers = groups.flatMap(({ rules }) => EVENTS.flatMap((event) => rules[event]))
    if (!handlers.some((rule) => rule.handlers.some(({ is }) => is !== 'broken')))
      this.say('note', 'file.nothing', `no hook of ${this.file.path} can run`, file)
    const guarded = groups.flatMap(({ rules }) => rules.pre_tool_execution)
    const gates = (tool: string) => guarded.some(({ matcher }) => matcher.matches(tool))
    const open = ['view_file', 'write_to_file', 'replace_file_content', 'delete_file'].find(gates)
    if (open !== undefined && !gates('code_execution'))
      this.say(
        'note',
        'matcher.around',
        `${open} is looked at, but code_execution can do the same to files and is not`,
        file,
      )
    if (!this.context.pinned) {
      const way = 'pin it (--pinned), or mount it from a read-only source'
      this.say(
        'note',
        'file.writable',
        `an agent that can write files can change ${posix.dirname(this.file.path)}: ${way}`,
        file,
      )
    }
  }

  /** What somebody will carry over: names and scripts that mean other things here. */
  private foreign({ group, event, matcher, command, line }: ForeignHandler): void {
    const about = { file: this.file.path, group, line }
    const rule = matcher === undefined ? '' : `, which is for ${quoted(matcher)},`
    this.say('note', 'event.handler', `${quoted(command)} under ${quoted(event)}${rule} never runs`, about)
    if (matcher !== undefined) this.findings.push(...this.odd.of(compileMatcher(matcher), about))
    const here = nearestEvent(event)
    this.habits({ text: command, name: quoted(command), by: 'sh' }, here, about, true)
    for (const { path, by } of programsOf(command)) {
      const script = this.context.script(posix.resolve(this.file.cwd, path))
      if (script !== undefined && script !== 'absent')
        this.habits({ text: script.text, name: path, ...(by === undefined ? {} : { by }) }, here, about, false)
    }
  }

  private http({ url }: HttpHandler, event: Event, about: About): void {
    const refused = this.context.refuses(new URL(url))
    const so = event === 'pre_tool_execution' ? 'every call is allowed' : 'no event arrives'
    if (refused !== undefined)
      this.say('allows', 'http.refused', `${quoted(url)} cannot be called, so ${so}: ${refused}`, about)
    else if (!this.context.networkKnown)
      this.say('note', 'http.allowlist', `network.allowlist must name the host of ${quoted(url)}, or ${so}`, about)
  }

  private command({ command }: CommandHandler, event: Event, about: About): void {
    const { cwd } = this.file
    const pre = event === 'pre_tool_execution'
    if (inBackground(command))
      this.say(
        pre ? 'allows' : 'note',
        'command.background',
        `${quoted(command)} goes on in the background: its answer comes too late, and it is killed`,
        about,
      )
    if (readsProfile(command))
      this.say(
        'note',
        'command.profile',
        `${quoted(command)} starts a shell with its profile; what that prints voids the answer`,
        about,
      )
    this.habits({ text: command, name: quoted(command), by: 'sh' }, event, about, true)
    for (const { path: written, by } of programsOf(command)) {
      const path = posix.resolve(cwd, written)
      const script = this.context.script(path)
      if (script === 'absent') {
        if (!/^\/(?:usr|bin|sbin|lib\w*|etc|opt)\//.test(path)) {
          const so = pre ? 'every call is allowed' : 'it does nothing'
          this.say('allows', 'command.absent', `${path} is not there, so ${so}`, about)
        }
      } else if (script !== undefined) {
        if (by === undefined && !script.executable)
          this.say('allows', 'command.mode', `${path} is not executable: name its interpreter in the command`, about)
        this.habits({ text: script.text, name: path, ...(by === undefined ? {} : { by }) }, event, about, false)
      }
    }
  }

  /** `inline`: the command line itself, which need not speak of a decision. */
  private habits(script: Parameters<typeof habitsOf>[0], event: Event, about: About, inline: boolean): void {
    const key = `${event}\0${script.name}`
    if (this.seen.has(key)) return
    this.seen.add(key)
    for (const one of habitsOf(script, event, this.context.argsStyle, about))
      if (!inline || one.id !== 'script.no-decision') this.findings.push(one)
  }

  private say(weight: Finding['weight'], id: string, text: string, about: About): void {
    this.findings.push(finding(weight, id, text, about))
  }
}

function inBackground(command: string): boolean {
  const { script, status } = parseShell(command)
  return status === 'complete' && script.statements.at(-1)?.background === true
}

const readsProfile = (command: string): boolean => {
  const { script, text } = parseShell(command)
  return simpleCommands(script, text).some(({ simple }) => {
    const words = simple.words.map(({ parts }) =>
      parts.map((part) => (part.is === 'literal' ? part.text : '?')).join(''),
    )
    return (
      /(?:^|\/)(?:ba|z|k|da)?sh$/.test(words[0] ?? '') &&
      words.some((word) => /^(?:-[a-z]*[li][a-z]*|--login)$/.test(word))
    )
  })
}
