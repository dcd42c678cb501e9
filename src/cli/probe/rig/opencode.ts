/** Drives OpenCode (`opencode run`) with our plugin against a scripted model of Chat Completions. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatModel } from './chat-model.ts'
import { plug } from './plugged.ts'
import { type Driver, labArgs } from './scenario.ts'
import { bySecond, installed, TASK } from './shared.ts'
import { standard } from './standard.ts'

export const opencode: Driver = {
  host: 'opencode',
  file: 'src/cli/probe/rig/opencode.ts',
  package: 'opencode-ai',
  version: '1.18.33',
  program: installed(`node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`),
  events: { pre: 'tool.execute.before', post: 'tool.execute.after' },
  scenarios: standard({
    mode: 'bypass',
    shell: (command) => ['bash', { command, description: 'Work' }],
    write: (path, content) => ['write', { filePath: path, content }],
    edit: (path, from, to) => ['edit', { filePath: path, oldString: from, newString: to }],
    read: (path) => ['read', { filePath: path }],
    mcp: { note: 'lab_note', flood: 'lab_flood', seen: 'lab_note' },
    subagent: (call) =>
      bySecond(
        {
          id: 'call_agent',
          tool: 'task',
          input: { description: 'Clean', prompt: TASK, subagent_type: 'general' },
        },
        call,
      ),
    answers: {
      rewrite: (_tool, args) => ({ args }),
      replace: (output) => ({ output }),
    },
    does: {
      ask: {
        claim: 'pre.ask no: a plugin cannot ask; ours is a deny, which held',
        ran: false,
        said: 'deny',
        saw: 'reason',
      },
      crash: 'closed',
      timeout: 'closed',
      garbage: 'closed',
      rewrite: true,
      replace: true,
      note: false,
    },
  }),
  startModel: chatModel,
  configure: (at, registered, hooks, model, scenario) => {
    const directory = join(at.home, '.config', 'opencode')
    mkdirSync(directory, { recursive: true })
    const options = { baseURL: `${model.url}/v1`, apiKey: 'none' }
    const models = { drive: { name: 'drive', tool_call: true } }
    const whole = {
      provider: { drive: { npm: '@ai-sdk/openai-compatible', name: 'drive', options, models } },
      model: 'drive/drive',
      autoupdate: false,
      share: 'disabled',
      permission: { external_directory: 'allow' },
      ...(scenario.mcp
        ? { mcp: { lab: { type: 'local', command: [process.execPath, ...labArgs(scenario.mcp)], enabled: true } } }
        : {}),
    }
    writeFileSync(join(directory, 'opencode.json'), JSON.stringify(whole, null, 2) + '\n')
    plug('opencode', join(directory, 'plugins'), registered, hooks)
  },
  words: () => ['run', 'hi'],
  environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
}
