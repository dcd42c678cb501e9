/** Files that decide whether and how an agent is guarded: who writes there switches the gate. Reading them is free. */
import type { PlaceRow } from './row.ts'

export const TRUST_ROOT: readonly PlaceRow[] = [
  {
    why: 'hooks, permissions and plugins of Claude Code',
    at: [
      '~/.claude/settings*.json',
      '~/.claude/hooks/',
      '~/.claude/plugins/',
      '~/.claude/remote-settings.json',
      './.claude/settings*.json',
      './.claude/hooks/',
      './.claude-plugin/',
    ],
  },
  { why: 'folder trust and servers of Claude Code', at: ['~/.claude.json'] },
  {
    why: 'managed settings of Claude Code',
    at: [
      '/etc/claude-code/',
      '/Library/Application Support/ClaudeCode/',
      'C:/ProgramData/ClaudeCode/',
      'C:/Program Files/ClaudeCode/',
    ],
  },
  {
    why: 'hooks, trust and approval rules of Codex',
    at: [
      '~/.codex/config.toml',
      '~/.codex/hooks.json',
      '~/.codex/requirements.toml',
      '~/.codex/hooks/',
      '~/.codex/rules/',
      '~/.codex/plugins/',
      './.codex/config.toml',
      './.codex/hooks.json',
      './.codex/hooks/',
      './.codex/rules/',
      '/etc/codex/',
    ],
  },
  {
    why: 'hooks, policies, plugins and settings of Gemini CLI and Antigravity',
    at: ['~/.gemini/'],
    // What these hosts let their agents write as part of the work.
    except: ['tmp/', 'history/', 'antigravity/brain/', 'antigravity-cli/brain/', 'antigravity/scratch/', 'GEMINI.md'],
  },
  {
    why: 'hooks, policies and settings of Gemini CLI in a project',
    at: ['./.gemini/settings.json', './.gemini/hooks/', './.gemini/policies/', './.gemini/extensions/'],
  },
  {
    why: 'managed settings of Gemini CLI',
    at: ['/etc/gemini-cli/', '/Library/Application Support/GeminiCli/', 'C:/ProgramData/gemini-cli/'],
  },
  {
    why: 'hooks of Antigravity in a workspace',
    at: ['./.agents/hooks.json', './.agent/hooks.json', './_agents/hooks.json', './_agent/hooks.json'],
  },
  {
    why: 'hooks, permissions and servers of Cursor',
    at: [
      '~/.cursor/hooks.json',
      '~/.cursor/hooks/',
      '~/.cursor/plugins/',
      '~/.cursor/permissions.json',
      '~/.cursor/cli-config.json',
      '~/.cursor/mcp.json',
      './.cursor/hooks.json',
      './.cursor/hooks/',
      './.cursor/cli.json',
      './.cursor/permissions.json',
      './.cursor/mcp.json',
      '/etc/cursor/',
      '/Library/Application Support/Cursor/',
      'C:/ProgramData/Cursor/',
    ],
  },
  {
    why: 'hooks, settings and servers of Copilot CLI',
    at: [
      '~/.copilot/hooks/',
      '~/.copilot/settings*.json',
      '~/.copilot/config.json',
      '~/.copilot/permissions-config.json',
      '~/.copilot/mcp-config.json',
      './.github/hooks/',
      './.github/copilot/settings*.json',
      '/etc/github-copilot/',
    ],
  },
  {
    why: 'user settings of VS Code, where tools are approved',
    at: [
      '$config/Code/User/settings.json',
      '~/Library/Application Support/Code/User/settings.json',
      '~/AppData/Roaming/Code/User/settings.json',
      '$config/Code - Insiders/User/settings.json',
      '~/Library/Application Support/Code - Insiders/User/settings.json',
      '~/AppData/Roaming/Code - Insiders/User/settings.json',
      '$config/VSCodium/User/settings.json',
      '~/Library/Application Support/VSCodium/User/settings.json',
      '~/AppData/Roaming/VSCodium/User/settings.json',
    ],
  },
  {
    why: 'plugins and permissions of OpenCode',
    at: [
      '$config/opencode/opencode.json',
      '$config/opencode/opencode.jsonc',
      '$config/opencode/config.json',
      '$config/opencode/plugins/',
      '$config/opencode/plugin/',
      './opencode.json',
      './opencode.jsonc',
      './.opencode/opencode.json',
      './.opencode/opencode.jsonc',
      './.opencode/plugins/',
      './.opencode/plugin/',
    ],
  },
  {
    why: 'hooks and settings of Qwen Code',
    at: [
      '~/.qwen/settings.json',
      '~/.qwen/extensions/',
      './.qwen/settings.json',
      './.qwen/extensions/',
      '/etc/qwen-code/',
    ],
  },
  {
    why: 'hooks and servers of Windsurf',
    at: [
      '~/.codeium/windsurf/hooks.json',
      '~/.codeium/windsurf/mcp_config.json',
      './.windsurf/hooks.json',
      '/etc/windsurf/',
      '/Library/Application Support/Windsurf/',
      'C:/ProgramData/Windsurf/',
    ],
  },
  {
    why: 'hooks and settings of Devin',
    at: ['$config/devin/', './.devin/hooks.v1.json', './.devin/config.json', './.devin/config.local.json'],
  },
  {
    // Its servers stand in a file of the settings.
    why: 'hooks, agents and settings of Kiro',
    at: [
      '~/.kiro/hooks/',
      '~/.kiro/agents/',
      '~/.kiro/settings/',
      './.kiro/hooks/',
      './.kiro/agents/',
      './.kiro/settings/',
    ],
  },
  {
    why: 'hooks, plugins and servers of Cline',
    at: [
      '~/.cline/hooks/',
      '~/.cline/plugins/',
      '~/.cline/data/settings/cline_mcp_settings.json',
      '~/Documents/Cline/Hooks/',
      './.cline/hooks/',
      './.cline/plugins/',
      './.clinerules/hooks/',
    ],
  },
  {
    why: 'plugins and permissions of Amp',
    at: [
      '$config/amp/plugins/',
      '$config/amp/settings.json',
      '$config/amp/settings.jsonc',
      './.amp/plugins/',
      './.amp/settings.json',
      './.amp/settings.jsonc',
      '/etc/ampcode/',
      '/Library/Application Support/ampcode/',
      'C:/ProgramData/ampcode/',
    ],
  },
  {
    why: 'plugins and permissions of Goose',
    at: ['~/.agents/plugins/', './.agents/plugins/', '$config/goose/config.yaml', '$config/goose/permission.yaml'],
  },
  {
    why: 'extensions, settings and servers of pi',
    at: [
      '~/.pi/agent/extensions/',
      '~/.pi/agent/settings.json',
      '~/.pi/agent/mcp.json',
      './.pi/extensions/',
      './.pi/settings.json',
    ],
  },
  {
    why: 'hooks, settings and servers of Droid',
    at: [
      '~/.factory/hooks.json',
      '~/.factory/settings*.json',
      '~/.factory/hooks/',
      '~/.factory/plugins/',
      '~/.factory/mcp.json',
      './.factory/hooks.json',
      './.factory/settings*.json',
      './.factory/hooks/',
      './.factory/mcp.json',
    ],
  },
  {
    why: 'hooks and settings of Grok',
    at: [
      '~/.grok/hooks/',
      '~/.grok/hooks-paths',
      // Names of hooks that are switched off.
      '~/.grok/disabled-hooks',
      '~/.grok/trusted_folders.toml',
      '~/.grok/config.toml',
      '~/.grok/managed_config.toml',
      '~/.grok/requirements.toml',
      '~/.grok/plugins/',
      '~/.grok/user-settings.json',
      './.grok/hooks/',
      // Permissions and plugins of a project.
      './.grok/config.toml',
      './.grok/plugins/',
      '/etc/grok/',
    ],
  },
  {
    // A server of a project is started with the session.
    why: 'hooks, plugins and servers of Kimi Code',
    at: [
      '~/.kimi-code/config.toml',
      '~/.kimi-code/plugins/',
      '~/.kimi-code/mcp.json',
      './.kimi-code/mcp.json',
      '~/.kimi/config.toml',
    ],
  },
  { why: 'hooks of Augment', at: ['~/.augment/settings.json', '/etc/augment/'] },
  { why: 'agents of Amazon Q', at: ['~/.aws/amazonq/cli-agents/', './.amazonq/cli-agents/'] },
  {
    why: 'policy, state and log of Sallyport itself',
    at: [
      '$config/sallyport/',
      '$state/sallyport/',
      '$data/sallyport/',
      '/etc/sallyport/',
      './.sallyport/',
      'C:/ProgramData/sallyport/',
    ],
  },
  {
    why: 'state of the published guard',
    at: ['$config/antigravity-booster/', '~/.config/antigravity-booster/'],
  },
  { why: 'programs that git runs by itself', at: ['.../.git/hooks/'] },
]

/** Places that the published guard protects besides; they count under its profile alone. Home-relative or absolute. */
export const PUBLISHED_ROOTS: readonly string[] = [
  '~/.gemini/',
  '~/.config/antigravity-booster/',
  '~/.local/bin/agb',
  '~/.local/share/fnm/',
  '~/.local/share/mise/',
  '~/.asdf/',
  '~/.volta/',
  '~/.nodenv/',
  '~/.nvm/',
  '~/n/',
  '/opt/homebrew/',
  '/usr/local/',
]

/** Data of the published guard, where even reading is denied under its profile. */
export const PUBLISHED_DATA_ROOTS: readonly string[] = [
  '~/.gemini/antigravity-cli/plugin_data/antigravity-booster/',
  '~/.config/antigravity-booster/',
]
