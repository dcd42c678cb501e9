/**
 * Devin CLI: Claude's payload without a directory, its own names of tools, and a denial by Claude's object with exit 2.
 * Contract only: nothing here was driven.
 *
 * Settings: `~/.config/devin/config.json` (under `hooks`), `.devin/config.json`, `.devin/config.local.json`, and
 * `.devin/hooks.v1.json` (events at the top): `{"PreToolUse": [{"matcher": "", "hooks": [{"type": "command", "command": …,
 * "timeout": 10}]}]}`, in seconds. It also runs the hooks in `.claude/settings*.json`: that adapter stands down where this
 * one is wired.
 */
import type { Action } from '../core/call.ts'
import { absoluteOf, type Fields, field } from './guards.ts'
import type { Host, HostAnswer } from './host.ts'
import { CLAUDE_KEYS, decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Devin'

const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse'],
  // What PermissionRequest takes for an answer is not documented: the event before the call has judged it already.
  other: 'PermissionRequest UserPromptSubmit Stop PostCompaction SessionStart SessionEnd'.split(' '),
}

const TOOLS: Tools = {
  exec: { is: 'shell', text: 'command' },
  read: { is: 'read', path: 'file_path path', without: 'unknown' },
  grep: { is: 'search', path: 'path', without: 'here' },
  glob: { is: 'names', path: 'path', pattern: 'pattern', without: 'here' },
  write: { is: 'write', path: 'file_path path', content: 'content', without: 'unknown' },
  edit: { is: 'edit', path: 'file_path path', without: 'unknown' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  return known === undefined ? [mcpOf(tool, args) ?? { is: 'unknown', args }] : actionsOf(known, args)
}

const SHAPE: Shape = {
  host: 'devin',
  events: EVENTS,
  keys: CLAUDE_KEYS,
  actions: toolActions,
  result: (payload) => {
    const response = field(payload, 'tool_response')
    return { outcome: 'unknown', fixed: true, ...(response === undefined ? {} : { response }) }
  },
  // Whether a hook can ask is not known, so it never does.
  silent: () => true,
  roots: (_payload, { env }) => [absoluteOf(env.DEVIN_PROJECT_DIR)],
}

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'pass') return ''
  const permission = { permissionDecision: 'deny', permissionDecisionReason: answer.reason }
  return line({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...permission } })
}

export const devin: Host = {
  id: 'devin',
  aliases: ['devin-cli'],
  title: 'Devin',
  events: EVENTS,
  exits: 'beside',
  // No page tells it, so only our own deadline counts.
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'unknown', source: SOURCE },
    'pre.rewrite': { support: 'unknown', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'unknown', source: SOURCE },
    'post.replace': { support: 'unknown', source: SOURCE },
    'post.context': { support: 'partial', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'unknown', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'unknown', source: SOURCE },
    mcp: { support: 'unknown', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  bounds: {},
  decode: (payload, event, launch) => decodeFlat(payload, event, launch, SHAPE),
  encodePre,
  encodePost: () => '',
}
