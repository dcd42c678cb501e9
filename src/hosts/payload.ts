/** Payloads that hold one call flat, under keys of the host's own: most hosts send these, with other names for the same things. */
import type { Action, HostId, Json, ToolCall, ToolResult } from '../core/call.ts'
import { eventOf, modeOf, startOf } from './events.ts'
import { absoluteOf, type Fields, field, fieldsOf, parsed, textOf } from './guards.ts'
import type { Decoded, Host, Launch } from './host.ts'
import { malformed } from './taxonomy.ts'

/** Keys of the payload; several in one text are alternatives, of which the first that is there counts. */
export interface Keys {
  readonly event: string
  readonly tool: string
  readonly input: string
  readonly id: string
  readonly session: string
  readonly cwd: string
}

export const CLAUDE_KEYS: Keys = {
  event: 'hook_event_name',
  tool: 'tool_name',
  input: 'tool_input',
  id: 'tool_use_id',
  session: 'session_id',
  cwd: 'cwd',
}

/** How a host fills such a payload. */
export interface Shape {
  readonly host: HostId
  readonly events: Host['events']
  readonly keys: Keys
  /** The actions of a call; `args` is what the model sent. */
  readonly actions: (tool: string, args: Fields, payload: Fields) => readonly Action[]
  /** What the payload of an event after a run says of the result. */
  readonly result: (payload: Fields, event: string) => Omit<ToolResult, 'call'>
  /** Whether nobody can answer a question. Never, where absent. */
  readonly silent?: (payload: Fields, launch: Launch) => boolean
  /** Directories that the host declared, beside the working directory. */
  readonly roots?: (payload: Fields, launch: Launch) => readonly (string | undefined)[]
  /** It can be told something at a session's start, as Claude Code can. */
  readonly starts?: true
}

/** Reads such a payload. What it says of the event goes before the registered argument. */
export function decodeFlat(raw: unknown, event: string, launch: Launch, shape: Shape): Decoded {
  const payload = fieldsOf(raw)
  const named = eventOf(shape.events, event)
  const gate = named?.kind === 'post' ? 'post' : 'pre'
  if (payload === undefined) return { is: 'bad', why: 'the payload is no JSON object', event: gate }
  const at = eventOf(shape.events, first(payload, shape.keys.event)) ?? named
  if (at === undefined) return { is: 'bad', why: 'the event is not known', event: 'pre' }
  if (at.kind === 'other') return { is: 'other', ...(shape.starts ? startOf(payload, at.name) : {}) }
  const tool = textOf(first(payload, shape.keys.tool))
  if (tool === undefined) return { is: 'bad', why: 'the payload names no tool', event: at.kind }
  const call = callOf(payload, tool, at.name, launch, shape)
  return at.kind === 'pre' ? { is: 'pre', call } : { is: 'post', result: { call, ...shape.result(payload, at.name) } }
}

function callOf(payload: Fields, tool: string, event: string, launch: Launch, shape: Shape): ToolCall {
  const { keys, host } = shape
  const said = absoluteOf(first(payload, keys.cwd))
  const id = textOf(first(payload, keys.id))
  const given = first(payload, keys.input)
  const args = given === undefined ? {} : fieldsOf(typeof given === 'string' ? parsed(given) : given)
  const named = [...(shape.roots?.(payload, launch) ?? []), said].filter((root) => root !== undefined)
  // Where nothing tells the place, it is the one that the hook was started in: a relative path must mean something.
  const roots = named.length > 0 ? named : [absoluteOf(launch.env.PWD)].filter((root) => root !== undefined)
  const permission = field(payload, 'permission_mode')
  return {
    host,
    ...(launch.version === undefined ? {} : { hostVersion: launch.version }),
    ...(id === undefined ? {} : { id }),
    event,
    tool,
    actions:
      args === undefined ? [malformed(`${keys.input.split(' ')[0]} is no object`)] : shape.actions(tool, args, payload),
    ...(args === undefined ? {} : { args }),
    cwd: said ?? roots[0],
    workspaces: [...new Set(roots)],
    session: textOf(first(payload, keys.session)) ?? 'unknown',
    mode: modeOf(launch, shape.silent?.(payload, launch) ?? false),
    ...(typeof permission === 'string' ? { permission } : {}),
  }
}

function first(payload: Fields, keys: string): Json | undefined {
  for (const key of keys.split(' ')) {
    const value = field(payload, key)
    if (value !== undefined) return value
  }
  return undefined
}

/** One line of JSON, as hosts read it. */
export const line = (answer: Json): string => `${JSON.stringify(answer)}\n`
