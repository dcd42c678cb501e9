/** Variables that move directories of the tables: the places in them count where they lie, as well as where they usually do. */

/** A directory or file that a variable moved. */
export interface Moved {
  /** Absolute. */
  readonly to: string
  /** Where it usually lies, below the home directory. */
  readonly usual: string
}

/** The variable, what stands below its value, and where that usually lies below the home directory. */
const MOVES: readonly (readonly [variable: string, below: string, usual: string])[] = [
  ['XDG_CONFIG_HOME', '', '.config'],
  ['XDG_STATE_HOME', '', '.local/state'],
  ['XDG_DATA_HOME', '', '.local/share'],
  ['CLAUDE_CONFIG_DIR', '', '.claude'],
  ['CLAUDE_CONFIG_DIR', '/.claude.json', '.claude.json'],
  ['CODEX_HOME', '', '.codex'],
  ['GEMINI_CLI_HOME', '/.gemini', '.gemini'],
  ['COPILOT_HOME', '', '.copilot'],
  ['QWEN_HOME', '', '.qwen'],
  ['OPENCODE_CONFIG_DIR', '', '.config/opencode'],
  ['PI_CODING_AGENT_DIR', '', '.pi/agent'],
  ['CLINE_HOOKS_DIR', '', '.cline/hooks'],
  ['GROK_HOME', '', '.grok'],
  ['KIMI_CODE_HOME', '', '.kimi-code'],
  ['KIRO_HOME', '', '.kiro'],
  // Reports differ in whether it is the directory or the home that this one lies in.
  ['FACTORY_HOME_OVERRIDE', '', '.factory'],
  ['FACTORY_HOME_OVERRIDE', '/.factory', '.factory'],
]

/**
 * What the environment moves away from where it usually lies. `physical`: the absolute values that a variable stands for,
 * by its own name and without links; none where it is not absolute.
 */
export function movedBy(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  physical: (value: string) => readonly string[],
): readonly Moved[] {
  const out: Moved[] = []
  for (const [variable, below, usual] of MOVES) {
    const value = env[variable]
    if (value === undefined || value === '' || value === `${home}/${usual}`) continue
    for (const to of physical(value)) out.push({ to: to + below, usual })
  }
  return out
}
