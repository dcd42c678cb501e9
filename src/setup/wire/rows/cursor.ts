/** How Cursor is wired: its own file alone, though it also runs the hooks of Claude Code. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

export const cursor: WireRow = {
  host: 'cursor',
  byExit: true,
  programs: ['cursor-agent', 'cursor'],
  used: ['~/.cursor'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { dir: '~/.cursor', file: 'hooks.json' },
        project: { dir: './.cursor', file: 'hooks.json' },
      },
      // It takes comments out by a rule that breaks addresses: a file with one is left alone.
      reads: 'json',
      readsMark: false,
      form: {
        is: 'flat',
        at: ['hooks'],
        command: 'command',
        timeout: { key: 'timeout', perSecond: 1 },
        also: { type: 'command' },
        closed: { also: { failClosed: true } },
        needed: [{ at: ['version'], value: 1 }],
      },
    },
  ],
  events: [
    { name: 'preToolUse', is: 'gate' },
    { name: 'beforeShellExecution', is: 'gate' },
    { name: 'beforeMCPExecution', is: 'gate' },
    // In some builds the IDE reads files without the first.
    { name: 'beforeReadFile', is: 'gate', mute: true },
    { name: 'postToolUse', is: 'after' },
    { name: 'postToolUseFailure', is: 'after' },
    { name: 'sessionStart', is: 'session' },
    { name: 'sessionEnd', is: 'session' },
  ],
  seconds: SECONDS,
  least: '2026.05.20',
  // The program of the terminal counts by days, the editor does not.
  leastOf: /^\d{4}\./,
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'files that are open in the editor are read without any hook',
    'cloud agents load hooks of the project only',
    'an unknown event or a faulty pattern of anybody makes it drop the whole file',
  ],
  payload: (command, cwd) => ({
    conversation_id: 'sallyport-canary',
    generation_id: 'canary',
    hook_event_name: 'preToolUse',
    cursor_version: 'canary',
    workspace_roots: [cwd],
    tool_name: 'Shell',
    tool_input: { command, cwd },
    tool_use_id: 'canary',
    cwd,
    command,
    file_path: `${cwd}/sallyport-canary.txt`,
    content: '',
  }),
}
