/**
 * Factory Droid: Claude's payload and answers under its own names of tools. A denial is exit 2 with the reason on stderr;
 * exit 3 would end the run. Contract only: nothing here was driven.
 *
 * Settings: `~/.factory/hooks.json` and `.factory/hooks.json`, events at the top without a key around them; a file that
 * does not fit is dropped whole. `{"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": …,
 * "timeout": 10}]}]}`, in seconds.
 */
import type { Action } from '../core/call.ts'
import { encodeStart } from './events.ts'
import { absoluteOf, type Fields, field } from './guards.ts'
import type { Host, HostAnswer } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Droid'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse'],
  other: 'UserPromptSubmit Notification Stop SubagentStop PreCompact SessionStart SessionEnd'.split(' '),
}

const TOOLS: Tools = {
  // What the model says of the risk is its own opinion.
  Execute: { is: 'shell', text: 'command' },
  Read: { is: 'read', path: 'file_path' },
  LS: { is: 'names', path: 'directory_path', without: 'here' },
  Glob: { is: 'names', path: 'folder', without: 'here' },
  Grep: { is: 'search', path: 'path', without: 'here' },
  Create: { is: 'write', path: 'file_path', content: 'content' },
  'Edit MultiEdit': { is: 'edit', path: 'file_path' },
  ApplyPatch: { is: 'patch', text: 'input' },
  FetchUrl: { is: 'fetch', url: 'url' },
  'WebSearch Task TodoWrite ExitSpecMode AskUser Skill': { is: 'harmless' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  return known === undefined ? [mcpOf(tool, args) ?? { is: 'unknown', args }] : actionsOf(known, args)
}

/** The last line of a command's result. */
const EXIT = /\[Process exited with code (\d+)\]\s*$/

const SHAPE: Shape = {
  host: 'droid',
  events: EVENTS,
  keys: CLAUDE_KEYS,
  actions: toolActions,
  result: (payload) => {
    const response = field(payload, 'tool_response')
    const code = typeof response === 'string' ? EXIT.exec(response)?.[1] : undefined
    const outcome = code === undefined ? 'unknown' : code === '0' ? 'ok' : 'failed'
    // What a tool gave stays as it is; a note can stand beside it.
    return { outcome, fixed: true, ...(response === undefined ? {} : { response }) }
  },
  roots: (_payload, { env }) => [absoluteOf(env.FACTORY_PROJECT_DIR) ?? absoluteOf(env.DROID_PROJECT_DIR)],
  starts: true,
}

function encodePre(answer: HostAnswer): string {
  const hookEventName = 'PreToolUse'
  if (answer.decision === 'pass') {
    if (answer.input === undefined) return '{}\n'
    return line({ hookSpecificOutput: { hookEventName, updatedInput: answer.input } })
  }
  const permission = { permissionDecision: answer.decision, permissionDecisionReason: answer.reason }
  return line({ hookSpecificOutput: { hookEventName, ...permission } })
}

export const droid: Host = {
  id: 'droid',
  aliases: ['factory', 'factory-droid'],
  title: 'Droid',
  events: EVENTS,
  exits: 'alone',
  timeout: 60_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'yes', source: SOURCE },
    'pre.rewrite': { support: 'partial', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'yes', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'partial', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'yes', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  older: [
    { below: '0.211.0', capabilities: { 'pre.rewrite': { support: 'no', source: SOURCE } } },
    // Some of these builds skipped hooks.
    { below: '0.202.0', capabilities: { 'pre.deny': { support: 'unknown', source: SOURCE } } },
  ],
  bounds: {},
  decode: (payload, event, launch) => decodeFlat(payload, event, launch, SHAPE),
  encodePre,
  encodePost: () => '{}\n',
  encodeStart,
  encodeNote: (note) => line({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: note } }),
}
