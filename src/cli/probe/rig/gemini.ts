/** Drives Gemini CLI in print mode against a scripted model of its API. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { geminiModel } from './gemini-model.ts'
import { type Driver, labArgs } from './scenario.ts'
import { bySecond, installed, TASK } from './shared.ts'
import { standard } from './standard.ts'

export const gemini: Driver = {
  host: 'gemini',
  file: 'src/cli/probe/rig/gemini.ts',
  package: '@google/gemini-cli',
  version: '0.61.0',
  program: installed('node_modules/@google/gemini-cli/bundle/gemini.js'),
  events: { pre: 'BeforeTool', post: 'AfterTool' },
  scenarios: standard({
    mode: 'bypass',
    shell: (command) => ['run_shell_command', { command, description: 'Work' }],
    write: (path, content) => ['write_file', { file_path: path, content }],
    edit: (path, from, to) => [
      'replace',
      { file_path: path, instruction: 'Change it', old_string: from, new_string: to },
    ],
    mcp: { note: 'mcp_lab_note', flood: 'mcp_lab_flood', seen: 'mcp_lab_note' },
    subagent: (call) =>
      bySecond({ id: 'call_agent', tool: 'invoke_agent', input: { agent_name: 'generalist', prompt: TASK } }, call),
    answers: {
      rewrite: (_tool, tool_input) => ({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } }),
      replace: (reason) => ({ decision: 'deny', reason }),
      note: (text) => ({ hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: text } }),
    },
    does: {
      ask: {
        claim: 'print yes: an ask in print mode would never end; ours is a deny there, which held',
        ran: false,
        said: 'deny',
        saw: 'reason',
      },
      crash: 'open',
      timeout: 'open',
      garbage: 'open',
      rewrite: true,
      replace: true,
      note: true,
      replacedFails: true,
    },
  }),
  startModel: geminiModel,
  configure: (at, registered, hooks, _model, scenario) => {
    const groups = Object.entries(hooks).map(([event, commands]) => [
      event,
      [
        {
          matcher: registered.matcher,
          hooks: commands.map((command) => ({ type: 'command', command, timeout: registered.timeout * 1000 })),
        },
      ],
    ])
    const whole = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
      hooks: Object.fromEntries(groups),
      ...(scenario.mcp
        ? { mcpServers: { lab: { command: process.execPath, args: labArgs(scenario.mcp), trust: true } } }
        : {}),
    }
    mkdirSync(join(at.home, '.gemini'), { recursive: true })
    writeFileSync(join(at.home, '.gemini', 'settings.json'), JSON.stringify(whole, null, 2) + '\n')
  },
  words: () => ['-p', 'hi', '-y', '--skip-trust', '-m', 'gemini-2.5-pro'],
  environment: (_at, model) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model.url }),
}
