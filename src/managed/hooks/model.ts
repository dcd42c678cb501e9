/** A `hooks.json` as it was understood. */
import type { Finding } from './findings.ts'
import type { ForeignHandler } from './foreign.ts'
import type { Matcher } from './matcher.ts'

export const EVENTS = ['pre_tool_execution', 'post_tool_execution'] as const
export type Event = (typeof EVENTS)[number]

export interface CommandHandler {
  readonly is: 'command'
  readonly command: string
  /** Seconds. */
  readonly timeout: number
  readonly line: number
}

export interface HttpHandler {
  readonly is: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Seconds. */
  readonly timeout: number
  readonly line: number
}

/** Stands where a handler, a rule or an event cannot be understood: it is skipped, and fails where failures deny. */
export interface BrokenHandler {
  readonly is: 'broken'
  readonly why: string
  readonly line: number
}

export type Handler = CommandHandler | HttpHandler | BrokenHandler

export interface Rule {
  readonly matcher: Matcher
  readonly handlers: readonly Handler[]
}

export interface Group {
  readonly name: string
  readonly enabled: boolean
  readonly line: number
  readonly rules: Readonly<Record<Event, readonly Rule[]>>
}

export interface HookFile {
  /** Inside the environment. */
  readonly path: string
  /** The directory that holds this `.agents`: where its commands run. */
  readonly cwd: string
  readonly groups: readonly Group[]
  readonly findings: readonly Finding[]
  /** What stands under events that are none here. */
  readonly foreign: readonly ForeignHandler[]
  /** The text of a file that is no configuration at all, for groups whose failures deny. */
  readonly unread?: string
}
