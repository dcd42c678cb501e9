/**
 * How programs started by an agent are known: variables that agents set for what they run, and names of the agents'
 * own programs. A person who answers for the guard has none of them around the terminal.
 */

/** Variables that say that an agent runs the shell, each with the agent that sets it. */
export const AGENT_VARIABLES: Readonly<Record<string, string>> = {
  CLAUDECODE: 'Claude Code',
  CODEX_SANDBOX: 'Codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'Codex',
  GEMINI_CLI: 'Gemini CLI',
  QWEN_CODE: 'Qwen Code',
  CURSOR_AGENT: 'Cursor',
  OPENCODE: 'OpenCode',
  CLINE_ACTIVE: 'Cline',
  AGB_WORKER_TICKET: 'a worker of ADLC',
}

/** Names of agents' programs, as they stand in a process's first words. */
export const AGENT_PROGRAMS: ReadonlySet<string> = new Set([
  'agy',
  'amp',
  'antigravity',
  'claude',
  'cline',
  'codex',
  'copilot',
  'cursor-agent',
  'devin',
  'droid',
  'gemini',
  'goose',
  'grok',
  'kimi',
  'kiro-cli',
  'kiro-cli-chat',
  'opencode',
  'qwen',
])

/** Packages of agents, for those that a runtime starts by the path of a script. */
export const AGENT_PACKAGES =
  /@anthropic-ai\/claude-code|@openai\/codex|@google\/gemini-cli|@qwen-code\/qwen-code|@github\/copilot|opencode-ai|@earendil-works\/pi-coding-agent|@sourcegraph\/amp|@ampcode\/cli|@factory\/cli|@moonshot-ai\/kimi-code/
