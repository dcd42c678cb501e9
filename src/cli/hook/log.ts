/** The log line of one event: the record of its verdict, or of what went wrong in place of one. */
import type { Action, ToolCall } from '../../core/call.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { Verdict } from '../../core/verdict.ts'
import { EMPTY_POLICY } from '../../policy/policy.ts'
import { logLine } from '../../record/log-line.ts'
import { buildRecord } from '../../record/record.ts'
import type { Outcome, Request } from './respond.ts'

export interface Now {
  readonly now: Date
  readonly pid: number
  readonly cwd: string
}

/** Characters of a call that are looked at for the log: more than it keeps, so that secrets at its end are masked. */
const MOST_SHOWN = 16 * 1024

/** Builds the line from the hash of the line before it; undefined where an event leaves none: nothing was decided or failed. */
export function logOf(
  outcome: Outcome,
  request: Request,
  { now, pid, cwd }: Now,
): ((prev: string) => string) | undefined {
  const { call, host, answered, problem } = outcome
  if (answered === undefined && problem === undefined) return undefined
  const shell = call?.actions.flatMap((action) => (action.is === 'shell' ? [action.text] : [])) ?? []
  const record = buildRecord({
    verdict: outcome.verdict ?? failure(outcome),
    policy: outcome.policy ?? EMPTY_POLICY,
    facts: outcome.facts,
    ...(shell.length === 1 ? { call: shell[0]! } : {}),
    zones: (effect) => effect.zones ?? [],
    ms: outcome.ms,
    seed: `${now.getTime()} ${pid}`,
  })
  const context = {
    ts: isoTime(now),
    host: host.id,
    ...(call?.hostVersion === undefined ? {} : { hostVersion: call.hostVersion }),
    event: (call?.event ?? request.event).slice(0, 64),
    session: call?.session ?? '',
    cwd: call?.cwd ?? cwd,
    tool: call?.tool ?? '',
    call: call === undefined ? '' : shown(call),
    answered: outcome.stdout.trimEnd(),
    via: request.via ?? 'hook',
  } as const
  return (prev) => logLine(record, context, prev)
}

/** What stands in for a verdict where none could be had. */
const failure = ({ answered, problem = '' }: Outcome): Verdict => ({
  decision: answered?.decision ?? 'pass',
  rule: 'reading.payload',
  reason: problem,
  status: 'invalid',
  findings: [],
  effects: [],
})

/** The call as a line for people: commands as they are, other tools by their targets, never the content of a file. */
export function shown(call: ToolCall): string {
  const parts: string[] = []
  let length = 0
  for (const action of call.actions) {
    const part = shownAction(action)
    parts.push(part.slice(0, MOST_SHOWN - length))
    length += part.length
    if (length >= MOST_SHOWN) break
  }
  return parts.join('\n')
}

function shownAction(action: Action): string {
  switch (action.is) {
    case 'shell':
      return action.text
    case 'read':
    case 'search':
    case 'write':
    case 'edit':
    case 'delete':
      return `${action.is} ${action.path}`
    case 'move':
      return `move ${action.from} ${action.to}`
    case 'fetch':
      return `fetch ${action.url}`
    case 'mcp':
      return `mcp ${action.server} ${action.tool} ${json(action.args)}`
    case 'unknown':
      return `unknown ${json(action.args)}`
    case 'malformed':
      return `malformed: ${action.why}`
    case 'harmless':
      return 'harmless'
  }
}

/** Arguments may be nested deeper than a stack: then they are not shown. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '…'
  }
}
