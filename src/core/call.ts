/** What a host's hook payload says, in words that no host owns. */

/** Ids of hosts. They stand in files and settings and never change. */
export type HostId =
  | 'claude'
  | 'codex'
  | 'antigravity'
  | 'gemini'
  | 'cursor'
  | 'copilot'
  | 'vscode'
  | 'opencode'
  | 'qwen'
  | 'windsurf'
  | 'devin'
  | 'kiro'
  | 'cline'
  | 'amp'
  | 'goose'
  | 'pi'
  | 'droid'
  | 'grok'
  | 'kimi'
  | 'antigravity-sdk'

export type Dialect = 'posix' | 'powershell' | 'cmd'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A piece of a file that an edit takes out, and what it puts there; whole lines or parts of them. */
export interface Replacement {
  readonly removed: string
  readonly added: string
}

/** What one tool call would do, read off the tool's name and arguments. A call may hold several. */
export type Action =
  | { readonly is: 'shell'; readonly text: string; readonly dialect: Dialect; readonly cwd?: string }
  | { readonly is: 'read'; readonly path: string; readonly what: 'content' | 'names' }
  | { readonly is: 'search'; readonly path: string } // content below a directory
  | { readonly is: 'write'; readonly path: string; readonly content?: string }
  /** `changes`: what goes and what comes in its place, as far as the call says. */
  | { readonly is: 'edit'; readonly path: string; readonly changes?: readonly Replacement[] }
  | { readonly is: 'delete'; readonly path: string; readonly tree: boolean }
  | { readonly is: 'move'; readonly from: string; readonly to: string }
  | { readonly is: 'fetch'; readonly url: string }
  | { readonly is: 'mcp'; readonly server: string; readonly tool: string; readonly args: Json }
  | { readonly is: 'harmless' } // orchestration and control tools: nothing outside the host changes
  | { readonly is: 'unknown'; readonly args: Json }
  | { readonly is: 'malformed'; readonly why: string } // a known tool whose arguments do not fit: never run on a guess

/** Who is at the keyboard. `worker` belongs to a ticket; `readonly` may change nothing. */
export type Mode =
  | { readonly is: 'interactive' }
  | { readonly is: 'headless' }
  | { readonly is: 'worker'; readonly ticket: string }
  | { readonly is: 'readonly' }

export interface ToolCall {
  readonly host: HostId
  readonly hostVersion?: string
  /** The host's own id of this call, where it sends one: joins the events before and after the run. */
  readonly id?: string
  readonly event: string
  /** The host's own name of the tool. */
  readonly tool: string
  readonly actions: readonly Action[]
  /** The arguments as the host sent them, for rules that know the host's own tools. */
  readonly args?: Json
  /** Absolute working directory, or undefined where the payload names none. */
  readonly cwd: string | undefined
  /** Workspace roots that the host declared, absolute; at least the working directory where there is one. */
  readonly workspaces: readonly string[]
  readonly session: string
  readonly mode: Mode
  /** The host's own word for how it treats this session's permissions, where it says. */
  readonly permission?: string
}

/** A tool call that has run. */
export interface ToolResult {
  readonly call: ToolCall
  /** Whether it succeeded, as far as the payload says. */
  readonly outcome: 'ok' | 'failed' | 'unknown'
  /** What the tool gave, in the host's own shape; absent where the payload holds none. */
  readonly response?: Json
  /** The host takes nothing in place of what the tool gave. */
  readonly fixed?: true
}
