/** Names of events, and who is at the keyboard: what every host adapter needs. */
import type { Mode } from '../core/call.ts'
import { absoluteOf, type Fields, field, textOf } from './guards.ts'
import type { Host, Launch, Starting } from './host.ts'

export interface EventName {
  readonly kind: 'pre' | 'post' | 'other'
  /** In the host's spelling. */
  readonly name: string
}

function plain(name: string): string {
  const low = name.toLowerCase()
  // An expression that runs for the first time costs more than this look, here and wherever else one stands behind another.
  return low.includes('-') || low.includes('_') ? low.replaceAll(/[-_]/g, '') : low
}

/** The event of that name; case and hyphens are ignored. Undefined where the host has none such. */
export function eventOf(events: Host['events'], name: unknown): EventName | undefined {
  if (typeof name !== 'string' || name.length > LONGEST_NAME) return undefined
  const wanted = plain(name)
  for (const kind of ['pre', 'post', 'other'] as const)
    for (const known of events[kind] ?? []) if (plain(known) === wanted) return { kind, name: known }
  return undefined
}

/**
 * What a host with the fields of Claude Code says of a session that begins. Nothing for one that goes on: what was said at
 * its start is still there.
 */
export function startOf(payload: Fields, event: string): { readonly start?: Starting } {
  const cwd = absoluteOf(field(payload, 'cwd'))
  if (event !== 'SessionStart' || cwd === undefined || field(payload, 'source') === 'resume') return {}
  return { start: { cwd, session: textOf(field(payload, 'session_id')) ?? 'unknown' } }
}

/** The answer to such an event: words that the model reads. */
export const encodeStart = (text: string): string =>
  `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text } })}\n`

/** No host has an event name near this long: what is longer is not worth folding. */
const LONGEST_NAME = 64

/**
 * Who is at the keyboard. The worker marks win on every host; of the two, the read-only one.
 * `silent`: the host's own sign that nobody can answer.
 */
export function modeOf(launch: Launch, silent: boolean): Mode {
  if (textOf(launch.env.AGB_WORKER_MODE) !== undefined) return { is: 'readonly' }
  const ticket = textOf(launch.env.AGB_WORKER_TICKET)
  if (ticket !== undefined) return { is: 'worker', ticket }
  return silent || launch.unattended ? { is: 'headless' } : { is: 'interactive' }
}
