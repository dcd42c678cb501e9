/** Goose: `decision: block` stops the call, silence is its pass; it has no ask. Contract only: nothing here was driven. */
import type { Action } from '../core/call.ts'
import type { Fields } from './guards.ts'
import type { Host, HostAnswer } from './host.ts'
import { decodeFlat, line, type Shape } from './payload.ts'
import { actionsOf, mcpOf, type Tools, toolOf } from './taxonomy.ts'

const SOURCE = 'docs/hosts.md, Goose'
const NO = { support: 'no', source: SOURCE } as const

const EVENTS: Host['events'] = {
  pre: ['PreToolUse'],
  post: ['PostToolUse', 'PostToolUseFailure'],
  other:
    'SessionStart SessionEnd Stop UserPromptSubmit PreToolUseResult BeforeReadFile AfterFileEdit BeforeShellExecution AfterShellExecution'.split(
      ' ',
    ),
}

const TOOLS: Tools = {
  shell: { is: 'shell', text: 'command' },
  tree: { is: 'names', path: 'path', without: 'here' },
  read_image: { is: 'read', path: 'path source', without: 'texts' },
  write: { is: 'write', path: 'path', content: 'content file_text' },
  edit: { is: 'edit', path: 'path' },
}

function toolActions(tool: string, args: Fields): readonly Action[] {
  const known = toolOf(TOOLS, tool)
  if (known !== undefined) return actionsOf(known, args)
  // A tool of an extension is the extension's name and its own, joined by two lines.
  const [, server, name] = /^(?!mcp__)(.+?)__(.+)$/.exec(tool) ?? []
  if (server !== undefined) return [{ is: 'mcp', server, tool: name!, args }]
  return [mcpOf(tool, args) ?? { is: 'unknown', args }]
}

const SHAPE: Shape = {
  host: 'goose',
  events: EVENTS,
  keys: {
    event: 'event',
    tool: 'tool_name',
    input: 'tool_input',
    id: 'tool_call_id',
    session: 'session_id',
    cwd: 'working_dir',
  },
  actions: toolActions,
  // The events after a run hold no result.
  result: (_payload, event) => ({ outcome: event === 'PostToolUseFailure' ? 'failed' : 'ok', fixed: true }),
  silent: () => true,
}

/** Said where the guard asks and nobody can answer. */
const NO_ASK = 'Goose hooks cannot ask a person, so this is refused'

function encodePre(answer: HostAnswer): string {
  if (answer.decision === 'pass') return ''
  return line({ decision: 'block', reason: answer.decision === 'ask' ? `${answer.reason} (${NO_ASK})` : answer.reason })
}

export const goose: Host = {
  id: 'goose',
  aliases: [],
  title: 'Goose',
  events: EVENTS,
  timeout: 30_000,
  capabilities: {
    'pre.deny': { support: 'yes', source: SOURCE },
    'pre.ask': { support: 'no', source: SOURCE },
    'pre.rewrite': { support: 'no', source: SOURCE },
    'rewrite.keepsPrompt': { support: 'no', source: SOURCE },
    'post.replace': { support: 'no', source: SOURCE },
    'post.context': { support: 'no', source: SOURCE },
    'fail.crash': { support: 'partial', source: SOURCE },
    'fail.timeout': { support: 'partial', source: SOURCE },
    'fail.garbage': { support: 'partial', source: SOURCE },
    subagents: { support: 'no', source: SOURCE },
    mcp: { support: 'yes', source: SOURCE },
    print: { support: 'unknown', source: SOURCE },
  },
  older: [
    { below: '1.48', capabilities: { 'fail.crash': NO, 'fail.timeout': NO, 'fail.garbage': NO } },
    { below: '1.46', capabilities: { subagents: { support: 'unknown', source: SOURCE } } },
  ],
  bounds: {},
  decode: (payload, event, launch) => decodeFlat(payload, event, launch, SHAPE),
  encodePre,
  encodePost: () => '',
}
