/** What stands around the tools, given from outside: containment of results, the guard's rules, the way to MCP servers. */
import type { HandlerTrace, HookWarning } from '../contract.ts'
import type { Arguments } from './steps.ts'

/** The output gate: a result that is too long becomes a digest with an address. */
export interface OutputGate {
  /** The text that the model is shown. `label`: what was run, for the digest. Never throws. */
  shown(environment: string, tool: string, label: string, text: string): string
  /** Looks up a capture of that environment; `failed` where the address or the arguments are wrong. */
  lookUp(environment: string, args: Arguments): Promise<{ readonly text: string; readonly failed: boolean }>
  /** Forgets the captures of an environment that is gone. */
  forget(environment: string): void
}

/** The guard's rules as a hook that comes before all others. */
export interface GuardGate {
  readonly mode: 'observe' | 'enforce'
  /** What the guard says of a call in an environment; `reason` is empty where it passes. */
  judge(
    environment: string,
    name: string,
    args: Arguments,
  ): Promise<{ readonly decision: 'deny' | 'ask' | 'pass'; readonly reason: string }>
}

/** What the hooks and the guard said about one call. */
export interface Trace {
  readonly call: string
  readonly handlers: readonly HandlerTrace[]
  readonly warnings: readonly HookWarning[]
}
