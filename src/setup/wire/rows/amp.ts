/** How Amp is wired. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

export const amp: WireRow = {
  host: 'amp',
  programs: ['amp'],
  used: ['$config/amp'],
  files: [
    {
      is: 'own',
      settings: {
        user: { dir: '$config/amp/plugins', file: 'sallyport.js' },
        project: { dir: './.amp/plugins', file: 'sallyport.js' },
      },
      mode: 0o600,
      text: { plugin: 'plugin/amp/sallyport.js' },
    },
  ],
  events: [
    { name: 'tool.call', is: 'gate' },
    { name: 'tool.result', is: 'after' },
  ],
  seconds: SECONDS,
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'PLUGINS=off loads no plugins',
    'amp -x may begin before plugins are loaded: start it with --plugin-ready-timeout',
    'the plugin interface is called experimental by its makers',
  ],
  payload: (command, cwd) => ({
    name: 'tool.call',
    cwd,
    session: 'sallyport-canary',
    event: { toolUseID: 'canary', tool: 'shell_command', input: { command }, thread: { id: 'sallyport-canary' } },
  }),
}
