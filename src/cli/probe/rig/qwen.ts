/** Drives Qwen Code in print mode against a scripted model of Chat Completions. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatModel } from './chat-model.ts'
import { type Driver, labArgs } from './scenario.ts'
import { bySecond, installed, TASK } from './shared.ts'
import { standard } from './standard.ts'

export const qwen: Driver = {
  host: 'qwen',
  file: 'src/cli/probe/rig/qwen.ts',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  program: installed('node_modules/@qwen-code/qwen-code/cli-entry.js'),
  scenarios: standard({
    mode: 'bypass',
    shell: (command) => ['run_shell_command', { command, description: 'Work', is_background: false }],
    write: (path, content) => ['write_file', { file_path: path, content }],
    edit: (path, from, to) => ['edit', { file_path: path, old_string: from, new_string: to }],
    read: (path) => ['read_file', { file_path: path }],
    mcp: { note: 'mcp__lab__note', flood: 'mcp__lab__flood', seen: 'mcp__lab__note' },
    subagent: (call) =>
      bySecond(
        {
          id: 'call_agent',
          tool: 'agent',
          input: { description: 'Clean', prompt: TASK, subagent_type: 'general-purpose' },
        },
        call,
      ),
    answers: {
      rewrite: (_tool, updatedInput) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } }),
      replace: (text) => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: text } }),
      note: (text) => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: text } }),
    },
    does: {
      ask: {
        claim: 'print yes: an ask in print mode is refused by the host, and the model saw our reason',
        ran: false,
        said: 'ask',
        saw: 'reason',
      },
      crash: 'open',
      timeout: 'open',
      garbage: 'open',
      rewrite: false,
      replace: false,
      note: true,
      names: true,
    },
  }),
  startModel: chatModel,
  configure: (at, registered, hooks, _model, scenario) => {
    const { matcher, timeout } = registered
    const groups = Object.entries(hooks).map(([event, commands]) => [
      event,
      [{ matcher, hooks: commands.map((command) => ({ type: 'command', command, timeout })) }],
    ])
    const whole = {
      security: { auth: { selectedType: 'openai' } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
      hooks: Object.fromEntries(groups),
      ...(scenario.mcp
        ? { mcpServers: { lab: { command: process.execPath, args: labArgs(scenario.mcp), trust: true } } }
        : {}),
    }
    mkdirSync(join(at.home, '.qwen'), { recursive: true })
    writeFileSync(join(at.home, '.qwen', 'settings.json'), JSON.stringify(whole, null, 2) + '\n')
  },
  words: () => ['-p', 'hi', '-y'],
  environment: (_at, model) => ({
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_MODEL: 'drive',
    QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
  }),
}
