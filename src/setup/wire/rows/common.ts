/** What rows of several hosts share. */
/** An address at which nothing listens. */
export const NOWHERE = 'http://127.0.0.1:9'

/** Hosts wait ten seconds: the hook answers within five. */
export const SECONDS = 10

/** A call as Claude Code and the hosts that took over its hooks tell it. */
export const asClaude = (command: string, cwd: string) => ({
  session_id: 'sallyport-canary',
  transcript_path: `${cwd}/none.jsonl`,
  cwd,
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'canary',
})

export const GROUPS = {
  is: 'groups',
  matcher: '*',
  command: 'command',
  timeout: { key: 'timeout', perSecond: 1 },
  also: { type: 'command' },
} as const
