/** How Windsurf (Cascade) is wired: one event for each kind of action. */
import type { WireRow } from '../row.ts'
import { SECONDS } from './common.ts'

export const windsurf: WireRow = {
  host: 'windsurf',
  byExit: true,
  programs: ['windsurf'],
  used: ['~/.codeium/windsurf'],
  files: [
    {
      is: 'entries',
      settings: {
        user: { dir: '~/.codeium/windsurf', file: 'hooks.json' },
        project: { dir: './.windsurf', file: 'hooks.json' },
      },
      reads: 'json',
      readsMark: false,
      // It has no word for a timeout. What a gate says is shown to the person.
      form: {
        is: 'flat',
        at: ['hooks'],
        command: 'command',
        also: { show_output: false },
        closed: { also: { show_output: true } },
      },
    },
  ],
  events: [
    { name: 'pre_run_command', is: 'gate' },
    { name: 'pre_write_code', is: 'gate', mute: true },
    { name: 'pre_read_code', is: 'gate', mute: true },
    { name: 'pre_mcp_tool_use', is: 'gate', mute: true },
    { name: 'post_run_command', is: 'after' },
    { name: 'post_write_code', is: 'after' },
    { name: 'post_mcp_tool_use', is: 'after' },
  ],
  seconds: SECONDS,
  off: [],
  uncovered: [
    'this host was not driven: what is said of it is contract only',
    'actions for which the host has no event (searches, listings) reach no hook',
    'how long the host waits for a hook is told nowhere',
  ],
  payload: (command, cwd, event) => ({
    agent_action_name: event,
    trajectory_id: 'sallyport-canary',
    execution_id: 'canary',
    timestamp: '1970-01-01T00:00:00Z',
    tool_info: {
      ...(event === 'pre_run_command' ? { command_line: command, cwd } : {}),
      ...(event === 'pre_mcp_tool_use'
        ? { mcp_server_name: 'sallyport-canary', mcp_tool_name: 'read', mcp_tool_arguments: {} }
        : { file_path: `${cwd}/sallyport-canary/none.txt`, edits: [{ old_string: '', new_string: '' }] }),
    },
  }),
}
