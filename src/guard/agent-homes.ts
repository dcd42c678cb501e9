/** Variables by which agent programs find their settings, and with them their hooks, or load none. */
const AGENTS_OWN =
  /^(?:CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|GEMINI_CLI_HOME|QWEN_HOME|GROK_HOME|KIMI_CODE_HOME|KIRO_HOME|FACTORY_HOME_OVERRIDE|PI_CODING_AGENT_DIR|CLINE_HOOKS_DIR|OPENCODE_(?:CONFIG(?:_DIR|_CONTENT)?|PURE))$/

/** Variables of many programs that do the same to an agent's. */
const OF_MANY = /^(?:HOME|USERPROFILE|XDG_CONFIG_HOME|PLUGINS)$/

/** Whether an agent program that is started with the variable may find other settings than its usual ones. */
export const movesAgent = (name: string): boolean => OF_MANY.test(name) || AGENTS_OWN.test(name)
