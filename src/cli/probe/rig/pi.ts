/** Drives pi in print mode with our extension against a scripted model of Chat Completions. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatModel } from './chat-model.ts'
import { plug } from './plugged.ts'
import { type Driver, labArgs } from './scenario.ts'
import { installed } from './shared.ts'
import { standard } from './standard.ts'

export const pi: Driver = {
  host: 'pi',
  file: 'src/cli/probe/rig/pi.ts',
  package: '@earendil-works/pi-coding-agent',
  version: '1.6.0',
  program: installed('node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js'),
  events: { pre: 'tool_call', post: 'tool_result' },
  scenarios: standard({
    mode: 'bypass',
    shell: (command) => ['bash', { command }],
    write: (path, content) => ['write', { path, content }],
    edit: (path, oldText, newText) => ['edit', { path, edits: [{ oldText, newText }] }],
    mcp: { note: 'mcp__lab__note', flood: 'mcp__lab__flood', seen: 'mcp__lab__note' },
    answers: {
      rewrite: (_tool, input) => ({ input }),
      replace: (text) => ({ content: [{ type: 'text', text }] }),
    },
    does: {
      ask: {
        claim: 'print yes: without a person at a screen an ask is a deny, which held',
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
      captures: true,
    },
  }),
  startModel: chatModel,
  configure: (at, registered, hooks, model, scenario) => {
    const directory = join(at.home, '.pi', 'agent')
    mkdirSync(directory, { recursive: true })
    const drive = {
      baseUrl: `${model.url}/v1`,
      api: 'openai-completions',
      apiKey: 'none',
      models: [{ id: 'drive' }],
    }
    writeFileSync(join(directory, 'models.json'), JSON.stringify({ providers: { drive } }) + '\n')
    if (scenario.mcp) {
      const lab = { command: process.execPath, args: labArgs(scenario.mcp), exposure: 'direct' }
      writeFileSync(join(directory, 'mcp.json'), JSON.stringify({ mcpServers: { lab } }) + '\n')
    }
    plug('pi', join(directory, 'extensions'), registered, hooks)
  },
  words: () => [...['-p', 'hi', '--provider', 'drive', '--model', 'drive', '--offline']],
  environment: () => ({ PI_OFFLINE: '1' }),
}
