/** How pi is wired. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

export const pi: WireRow = {
  host: 'pi',
  programs: ['pi'],
  used: ['~/.pi/agent'],
  files: [
    {
      is: 'own',
      settings: {
        user: { env: 'PI_CODING_AGENT_DIR', dir: '~/.pi/agent', file: 'extensions/sallyport.js' },
        project: { dir: './.pi/extensions', file: 'sallyport.js' },
      },
      mode: 0o600,
      text: { plugin: 'plugin/pi/sallyport.js' },
    },
  ],
  events: [
    { name: 'tool_call', is: 'gate' },
    { name: 'tool_result', is: 'after' },
  ],
  seconds: SECONDS,
  off: [],
  uncovered: ['pi --no-extensions loads none', 'commands that a person types behind ! reach no hook'],
  transcripts: { place: { env: 'PI_CODING_AGENT_DIR', dir: '~/.pi/agent', file: 'sessions' }, file: /\.jsonl$/ },
  payload: (command, cwd) => ({
    cwd,
    hasUI: false,
    session: 'sallyport-canary',
    event: { type: 'tool_call', toolCallId: 'canary', toolName: 'bash', input: { command } },
  }),
}
