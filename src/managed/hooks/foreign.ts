/** Handlers under events that are none here: another product's file. They never run; lint looks at them all the same. */
import type { Ordered } from './json.ts'
import type { Event } from './model.ts'

export interface ForeignHandler {
  readonly group: string
  /** As it is written, as `PreToolUse`. */
  readonly event: string
  readonly matcher?: string
  readonly command: string
  readonly line: number
}

const MOST = 100

/** The command lines anywhere below the value of an event, each with the matcher that it stands under. */
export function foreignHandlers(group: string, event: string, value: Ordered): readonly ForeignHandler[] {
  const out: ForeignHandler[] = []
  const walk = (node: Ordered, matcher: string | undefined): void => {
    if (out.length >= MOST || node.is === 'scalar') return
    if (node.is === 'array') {
      for (const item of node.items) walk(item, matcher)
      return
    }
    const own = textOf(node, 'matcher') ?? matcher
    const command = textOf(node, 'command')
    if (command !== undefined && command.trim() !== '')
      out.push({ group, event, command, line: node.line, ...(own === undefined ? {} : { matcher: own }) })
    for (const member of node.members) walk(member.value, own)
  }
  walk(value, undefined)
  return out
}

const textOf = (node: Extract<Ordered, { is: 'object' }>, key: string): string | undefined => {
  const found = node.members.findLast((member) => member.key === key)?.value
  return found?.is === 'scalar' && typeof found.value === 'string' ? found.value : undefined
}

/** The event here that another product's most resembles. */
export const nearestEvent = (event: string): Event =>
  /^(?:pre|before)/i.test(event) ? 'pre_tool_execution' : 'post_tool_execution'
