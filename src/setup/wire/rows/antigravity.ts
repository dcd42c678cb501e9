/** How Antigravity is wired. */
import type { WireRow } from '../row.ts'
import { GROUPS, SECONDS } from './common.ts'

export const antigravity: WireRow = {
  host: 'antigravity',
  programs: ['agy', 'antigravity'],
  used: ['~/.gemini/config', '~/.gemini/antigravity', '~/.gemini/antigravity-cli'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { dir: '~/.gemini/config', file: 'hooks.json' },
        project: { dir: './.agents', file: 'hooks.json' },
      },
      reads: 'json',
      readsMark: false,
      form: { ...GROUPS, at: ['sallyport'] },
    },
  ],
  events: [
    { name: 'PreToolUse', is: 'gate' },
    { name: 'PostToolUse', is: 'after' },
    // It comes before each call of the model; the first one of a conversation is its start.
    { name: 'PreInvocation', is: 'session', flat: true },
  ],
  seconds: SECONDS,
  least: '1.1.2',
  off: [
    { place: { dir: '~/.gemini/config', file: 'hooks.json' }, at: ['sallyport', 'enabled'], value: false },
    { place: { dir: './.agents', file: 'hooks.json' }, at: ['sallyport', 'enabled'], value: false },
  ],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'in print mode nobody answers an ask',
    'inputs and outputs cannot be changed, so a flood is only named, never contained',
  ],
  payload: (command, cwd) => ({
    conversationId: 'sallyport-canary',
    workspacePaths: [cwd],
    stepIdx: 0,
    toolCall: { name: 'run_command', args: { CommandLine: command, Cwd: cwd } },
  }),
}
