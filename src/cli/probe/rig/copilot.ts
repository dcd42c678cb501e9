/** Drives GitHub Copilot CLI in print mode, without its own service, against a scripted model of Chat Completions. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatModel } from './chat-model.ts'
import { type Driver, labArgs } from './scenario.ts'
import { bySecond, installed, TASK } from './shared.ts'
import { standard } from './standard.ts'

export const copilot: Driver = {
  host: 'copilot',
  file: 'src/cli/probe/rig/copilot.ts',
  package: '@github/copilot',
  version: '1.0.102',
  program: installed(`node_modules/@github/copilot-${process.platform}-${process.arch}/copilot`),
  events: { pre: 'preToolUse', post: 'postToolUse' },
  scenarios: standard({
    mode: 'bypass',
    shell: (command) => ['bash', { command, description: 'Work' }],
    write: (path, file_text) => ['create', { path, file_text }],
    edit: (path, old_str, new_str) => ['edit', { path, old_str, new_str }],
    mcp: { note: 'lab-note', flood: 'lab-flood', seen: 'lab-note' },
    subagent: (call) =>
      bySecond(
        {
          id: 'call_agent',
          tool: 'task',
          input: {
            description: 'Clean',
            prompt: TASK,
            agent_type: 'general-purpose',
            name: 'clean',
            mode: 'sync',
          },
        },
        call,
      ),
    answers: {
      rewrite: (_tool, input) => ({ modifiedArgs: input }),
      replace: (text) => ({ modifiedResult: { textResultForLlm: text, resultType: 'success' } }),
      note: (text) => ({ additionalContext: text }),
    },
    does: {
      ask: {
        claim: 'print yes: an ask in print mode is refused by the host, and the model saw our reason',
        ran: false,
        said: 'ask',
        saw: 'reason',
      },
      crash: 'closed',
      timeout: 'open',
      garbage: 'open',
      rewrite: true,
      replace: true,
      note: true,
      cuts: 'Output too large to read at once',
    },
  }),
  startModel: chatModel,
  configure: (at, registered, hooks, _model, scenario) => {
    const handlers = Object.entries(hooks).map(([event, commands]) => [
      event,
      commands.map((command) => ({ type: 'command', command, timeoutSec: registered.timeout })),
    ])
    mkdirSync(join(at.home, '.copilot', 'hooks'), { recursive: true })
    const whole = { version: 1, hooks: Object.fromEntries(handlers) }
    writeFileSync(join(at.home, '.copilot', 'hooks', 'sallyport.json'), JSON.stringify(whole, null, 2) + '\n')
    if (!scenario.mcp) return
    const lab = { type: 'local', command: process.execPath, args: labArgs(scenario.mcp), tools: ['*'] }
    writeFileSync(join(at.home, '.copilot', 'mcp-config.json'), JSON.stringify({ mcpServers: { lab } }) + '\n')
  },
  words: () => ['-p', 'hi', '--allow-all-tools', '--no-color'],
  environment: (_at, model) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${model.url}/v1`,
    COPILOT_MODEL: 'drive',
    COPILOT_PROVIDER_API_KEY: 'none',
  }),
}
