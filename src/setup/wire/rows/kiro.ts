/** How Kiro is wired: for its third engine and the IDE. The other two know hooks inside an agent alone, and those are a person's. */
import type { WireRow } from '../row.ts'
import { asClaude, SECONDS } from './common.ts'

const hook = (name: string, trigger: string, command: string) => ({
  name,
  trigger,
  action: { type: 'command', command },
  timeout: SECONDS,
})

export const kiro: WireRow = {
  host: 'kiro',
  byExit: true,
  programs: ['kiro-cli'],
  used: ['~/.kiro'],
  files: [
    {
      is: 'own',
      settings: {
        user: { dir: '~/.kiro/hooks', file: 'sallyport.json' },
        project: { dir: './.kiro/hooks', file: 'sallyport.json' },
      },
      mode: 0o600,
      text: {
        json: (commandOf) => ({
          version: 'v1',
          hooks: [
            hook('sallyport-before', 'PreToolUse', commandOf('PreToolUse')),
            hook('sallyport-after', 'PostToolUse', commandOf('PostToolUse')),
          ],
        }),
      },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
  ],
  seconds: SECONDS,
  least: '2.21.4',
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'only the third engine (kiro-cli --v3) and the IDE take these hooks: the other two engines take some inside an agent alone, and the agent that is built in takes none',
    'hooks of the IDE before 1.0 get no payload',
    'in which form calls of MCP tools come is not settled',
  ],
  payload: (command, cwd) => ({ ...asClaude(command, cwd), tool_name: 'execute_bash' }),
}
