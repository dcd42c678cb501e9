/** Which agent host started us, by the variables that hosts set for what they run. */

export interface Caller {
  /** The host's id; `none` for a person. */
  readonly host: string
  /** The host's name of its session; empty where it gives none. */
  readonly session: string
}

/** Variables that name the host, and where there is one the variable with its session. */
const MARKS: readonly { readonly host: string; readonly by: string; readonly session?: string }[] = [
  { host: 'claude', by: 'CLAUDECODE', session: 'CLAUDE_SESSION_ID' },
  { host: 'codex', by: 'CODEX_THREAD_ID', session: 'CODEX_THREAD_ID' },
  { host: 'codex', by: 'CODEX_SANDBOX' },
  { host: 'gemini', by: 'GEMINI_CLI' },
  { host: 'cursor', by: 'CURSOR_AGENT' },
  { host: 'antigravity', by: 'ANTIGRAVITY_AGENT' },
]

/** The caller, as far as the environment tells. */
export function callerOf(env: Readonly<Record<string, string | undefined>>): Caller {
  const mark = MARKS.find(({ by }) => env[by])
  return { host: mark?.host ?? 'none', session: env[mark?.session ?? 'CTX_CONVERSATION_ID'] ?? '' }
}
