/**
 * A host is data plus two small functions. `decode` reads what the host sent; `encode` writes exactly what it accepts.
 * The registry (`registry.ts`) is the only source of what a host can do.
 */
import type { HostId, Json, ToolCall, ToolResult } from '../core/call.ts'
import type { Decision } from '../core/verdict.ts'

export type Support = 'yes' | 'no' | 'partial' | 'unknown'

/** What a host enforces, each with the receipt or source that it rests on. */
export interface Capability {
  readonly support: Support
  /** `receipt:<file>`, or the section of the contract that says so. */
  readonly source: string
}

export type CapabilityKey =
  | 'pre.deny'
  | 'pre.ask'
  | 'pre.rewrite'
  | 'rewrite.keepsPrompt'
  | 'post.replace'
  | 'post.context'
  | 'fail.crash'
  | 'fail.timeout'
  | 'fail.garbage'
  | 'subagents'
  | 'mcp'
  | 'print'

/** Versions before `below`, and what of the capabilities is otherwise there. */
export interface Older {
  readonly below: string
  readonly capabilities: Readonly<Partial<Record<CapabilityKey, Capability>>>
}

/** The little that the guard decides, ready for a host. */
export interface HostAnswer {
  readonly decision: Decision
  /** For the model that reads it; at most 600 characters. Empty for a pass. */
  readonly reason: string
  /** For a pass: the whole input that the host is to use in place of the call's. It grants nothing. */
  readonly input?: { readonly [key: string]: Json }
  /** For a pass with an input: a sentence for the model. */
  readonly note?: string
}

/** A tool whose result can be bounded before it runs. */
export interface Bound {
  readonly of: 'lines' | 'matches'
  /** The argument that bounds it, where the host lets a hook set one. */
  readonly by?: string
  /** Arguments with which a call is bounded already, or asks for something else. */
  readonly unless: readonly string[]
  /** Only calls with this argument give much. */
  readonly only?: { readonly key: string; readonly is: Json }
  /** The argument that says where to begin: a line, from 1. */
  readonly from?: string
  /** The argument with what is searched for. */
  readonly query?: string
}

/** What the entry point knows of the launch, beside the payload. */
export interface Launch {
  /** Version that setup or doctor probed, never probed in the hook. */
  readonly version: string | undefined
  readonly unattended: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** Hosts in which our hook is registered as well: a call stands down only for one that another adapter will judge. */
  readonly adapters?: readonly HostId[]
  /** The words that the host was started with; undefined where they cannot be told. */
  readonly started?: () => readonly string[] | undefined
}

/** A session that begins, where the host lets a hook tell it something. */
export interface Starting {
  /** Absolute. */
  readonly cwd: string
  readonly session: string
}

export type Decoded =
  | { readonly is: 'pre'; readonly call: ToolCall }
  | { readonly is: 'post'; readonly result: ToolResult }
  /** An event without a tool call that we register for but have nothing to say on. */
  | { readonly is: 'other'; readonly start?: Starting }
  /** Another adapter judges this call (cross-loading): silence. */
  | { readonly is: 'stand-down'; readonly why: string }
  /** Not readable as this host's payload. `changes`: assume that the call could change something. */
  | { readonly is: 'bad'; readonly why: string; readonly event: 'pre' | 'post' }

export interface Host {
  readonly id: HostId
  readonly aliases: readonly string[]
  readonly title: string
  /** Event names that we answer, in the host's spelling. */
  readonly events: {
    readonly pre: readonly string[]
    readonly post: readonly string[]
    /** Events that the host has and that carry no tool call for us: known, so that a stray registration is no alarm. */
    readonly other?: readonly string[]
  }
  /**
   * Set where the host takes a denial by exit code 2 (`bin/exit-code.sh`): whether the object of the answer stands on stdout
   * beside it, or the reason on stderr stands alone.
   */
  readonly exits?: 'alone' | 'beside'
  /** Milliseconds that the host waits for a hook when nothing is configured. */
  readonly timeout: number
  /** Of current versions. */
  readonly capabilities: Readonly<Record<CapabilityKey, Capability>>
  /** What differs in versions below one (`capabilitiesOf`). */
  readonly older?: readonly Older[]
  /** Reads and searches by the name of the tool. */
  readonly bounds: Readonly<Record<string, Bound>>
  decode(payload: unknown, event: string, launch: Launch): Decoded
  /**
   * The exact bytes for stdout of a pre event; empty where silence is the host's pass.
   * `event`: the event that is answered, in the host's spelling; the first of `events.pre` when absent.
   */
  encodePre(answer: HostAnswer, launch: Launch, event?: string): string
  /** The exact bytes for stdout of a post event that says nothing. */
  encodePost(launch: Launch): string
  /** The exact bytes that tell a session something at its start; absent where the host takes nothing then. */
  encodeStart?(text: string): string
  /** The exact bytes that put a result in place of a tool's; undefined where the host takes none of this shape. */
  encodeResult?(result: Json): string | undefined
  /** The exact bytes of a post event that hand the model a note beside the result; absent where the host takes none. */
  encodeNote?(note: string): string
}
