/** Drives Cline's CLI with a file hook against a scripted model of Chat Completions. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatModel } from './chat-model.ts'
import { type Driver, labArgs } from './scenario.ts'
import { bySecond, installed, TASK } from './shared.ts'
import { standard } from './standard.ts'

export const cline: Driver = {
  host: 'cline',
  file: 'src/cli/probe/rig/cline.ts',
  package: 'cline',
  version: '3.0.65',
  program: installed(`node_modules/@cline/cli-${process.platform}-${process.arch}/bin/cline`),
  scenarios: standard({
    mode: 'bypass',
    shell: (command) => ['run_commands', { commands: [command] }],
    write: (path, new_text) => ['editor', { path, new_text }],
    edit: (path, old_text, new_text) => ['editor', { path, old_text, new_text }],
    mcp: { note: 'lab__note', flood: 'lab__flood', seen: 'lab__note' },
    subagent: (call) =>
      bySecond({ id: 'call_agent', tool: 'spawn_agent', input: { systemPrompt: 'You clean.', task: TASK } }, call),
    answers: {
      rewrite: (_tool, overrideInput) => ({ cancel: false, overrideInput }),
      note: (context) => ({ cancel: false, context }),
    },
    does: {
      ask: {
        claim: 'pre.ask no: a hook cannot ask; ours is a deny, which held',
        ran: false,
        said: 'deny',
        saw: 'end',
      },
      crash: 'open',
      timeout: 'open',
      garbage: 'open',
      rewrite: true,
      replace: false,
      note: true,
      denialEnds: true,
    },
  }),
  startModel: chatModel,
  configure: (at, _registered, hooks, model, scenario) => {
    const provider = 'openai-compatible'
    const settings = { provider, apiKey: 'none', model: 'drive', baseUrl: `${model.url}/v1` }
    const entry = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
    const whole = { version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } }
    const directory = join(at.home, '.cline', 'data', 'settings')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'providers.json'), JSON.stringify(whole) + '\n')
    if (scenario.mcp) {
      const lab = { type: 'stdio', command: process.execPath, args: labArgs(scenario.mcp) }
      writeFileSync(join(directory, 'cline_mcp_settings.json'), JSON.stringify({ mcpServers: { lab } }) + '\n')
    }
    for (const [event, commands] of Object.entries(hooks))
      for (const [n, command] of commands.entries()) {
        // One file a directory and event: a second hook lies where the workspace has its own.
        const place = n === 0 ? join(at.home, '.cline', 'hooks') : join(at.cwd, '.cline', 'hooks')
        mkdirSync(place, { recursive: true })
        writeFileSync(join(place, event), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
      }
  },
  words: () => ['Do what you were told to do.'],
  environment: () => ({ CLINE_TELEMETRY_DISABLED: '1' }),
}
