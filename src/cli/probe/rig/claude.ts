/** Drives Claude Code in print mode against a scripted model of the Messages API. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messagesModel } from './anthropic-model.ts'
import { bash, claudeContainment } from './claude-contained.ts'
import { BROKEN, closing, type Driver, fixed, HANG_TIMEOUT, labArgs, oneByOne, type Scenario } from './scenario.ts'
import type { Scratch } from './scratch.ts'
import type { Call, Script } from './script.ts'
import {
  bySecond,
  DENIED,
  draft,
  FAILING,
  installed,
  letter,
  marker,
  note,
  PASSED,
  RAN,
  REMOVE,
  TASK,
} from './shared.ts'

const removal = { judged: 'toolu_remove', touches: letter, script: () => oneByOne(bash('toolu_remove', REMOVE)) }
const discard = {
  judged: 'toolu_discard',
  touches: draft,
  script: () => oneByOne(bash('toolu_discard', 'git checkout -- draft.txt')),
}
const touch = {
  judged: 'toolu_touch',
  touches: marker,
  script: () => oneByOne(bash('toolu_touch', 'touch marker')),
}

const mcpConfig = (mcp: Scenario['mcp']): string =>
  JSON.stringify({ mcpServers: { lab: { command: process.execPath, args: labArgs(mcp) } } })

const scenarios: readonly Scenario[] = [
  {
    id: 'shell-deny',
    claim: 'pre.deny yes: a denied Bash call did not run although the tool is allowed, and the model saw our reason',
    ...removal,
    mode: 'allowed',
    expect: DENIED,
  },
  {
    id: 'shell-pass',
    claim: 'pre.pass yes: silence leaves the call to the host; it ran',
    ...touch,
    mode: 'allowed',
    expect: PASSED,
  },
  {
    id: 'write-pass',
    claim: 'pre.pass yes: a Write call in the project ran',
    judged: 'toolu_note',
    touches: note,
    script: (at) => oneByOne(write('toolu_note', note(at), 'noted\n')),
    mode: 'allowed',
    expect: PASSED,
  },
  {
    id: 'write-deny',
    claim: "pre.deny yes: a Write call to the host's own settings did not run, and the model saw our reason",
    judged: 'toolu_settings',
    touches: settingsFile,
    script: (at) =>
      oneByOne(
        // The host refuses to overwrite a file that was not read before.
        { id: 'toolu_read', tool: 'Read', input: { file_path: settingsFile(at) } },
        write('toolu_settings', settingsFile(at), '{}\n'),
      ),
    mode: 'bypass',
    expect: DENIED,
  },
  {
    id: 'edit-deny',
    claim: "pre.deny yes: an Edit call to the host's own settings did not run, and the model saw our reason",
    judged: 'toolu_settings',
    touches: settingsFile,
    script: (at) =>
      oneByOne(
        { id: 'toolu_read', tool: 'Read', input: { file_path: settingsFile(at) } },
        {
          id: 'toolu_settings',
          tool: 'Edit',
          // The host itself refuses an edit after which its settings are none.
          input: {
            file_path: settingsFile(at),
            old_string: '{\n  "hooks"',
            new_string: '{\n  "cleanupPeriodDays": 30,\n  "hooks"',
          },
        },
      ),
    mode: 'bypass',
    expect: DENIED,
  },
  {
    id: 'two-hooks',
    claim: 'pre.deny yes: of two hooks, one that denies and one that allows another input, the denial held',
    ...removal,
    mode: 'allowed',
    beside: fixed('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'touch marker' } }),
    expect: DENIED,
  },
  {
    id: 'shell-ask-print',
    claim: 'print yes: an ask in print mode is refused by the host, and the model saw our reason',
    ...discard,
    mode: 'allowed',
    expect: { ran: false, said: 'ask', saw: 'reason' },
  },
  {
    id: 'shell-deny-bypass',
    claim: 'pre.deny yes: a deny holds where permissions are skipped',
    ...removal,
    mode: 'bypass',
    expect: DENIED,
  },
  {
    id: 'shell-ask-bypass',
    claim: 'pre.deny yes: where permissions are skipped our ask is a deny, which held',
    ...discard,
    mode: 'bypass',
    expect: DENIED,
  },
  {
    id: 'subagent-deny',
    claim: 'subagents yes: a call of a sub-agent reached the hook; denied, it did not run',
    judged: 'toolu_remove',
    touches: letter,
    script: () => bySubagent(bash('toolu_remove', REMOVE)),
    mode: 'allowed',
    expect: DENIED,
  },
  {
    id: 'subagent-pass',
    claim: 'subagents yes: a call of a sub-agent reached the hook; passed, it ran',
    ...touch,
    script: () => bySubagent(bash('toolu_touch', 'touch marker')),
    mode: 'allowed',
    expect: PASSED,
  },
  {
    id: 'mcp-deny',
    claim: 'mcp yes: a call of an MCP tool reached the hook; denied by a rule of the user, it did not run',
    policy: closing('mcp__lab__note'),
    judged: 'toolu_mcp',
    touches: letter,
    script: (at) =>
      oneByOne({ id: 'toolu_mcp', tool: 'mcp__lab__note', input: { path: letter(at), text: 'overwritten' } }),
    mode: 'allowed',
    mcp: true,
    expect: DENIED,
  },
  {
    id: 'mcp-pass',
    claim: 'mcp yes: a call of an MCP tool reached the hook; passed, it ran',
    judged: 'toolu_mcp',
    touches: note,
    script: (at) => oneByOne({ id: 'toolu_mcp', tool: 'mcp__lab__note', input: { path: note(at), text: 'noted' } }),
    mode: 'allowed',
    mcp: true,
    expect: PASSED,
  },
  ...failures(),
  ...abilities(),
  ...claudeContainment(),
]

/** What the host does when the hook fails, with and without the setting that makes it close. */
function failures(): readonly Scenario[] {
  const open = (id: string, key: string, instead: string, what: string): Scenario => ({
    id,
    claim: `${key} no: ${what}: the call ran`,
    ...touch,
    mode: 'allowed',
    instead,
    timeout: HANG_TIMEOUT,
    expect: RAN,
  })
  const closed = (id: string, key: string, instead: string, what: string): Scenario => ({
    ...open(id, key, instead, what),
    claim: `${key} yes: ${what}, registered with onFailure block: the call did not run`,
    onFailure: 'block',
    expect: { ran: false, said: 'nothing', saw: 'refusal' },
  })
  return [
    ...FAILING.map(([key, instead, what]) => open(`fail-${key}`, `fail.${key}`, instead, what)),
    ...FAILING.slice(0, 2).map(([key, instead, what]) => closed(`fail-${key}-closed`, `fail.${key}`, instead, what)),
    {
      ...open('fail-garbage-closed', 'fail.garbage', BROKEN.garbage, 'the hook writes no JSON'),
      claim: 'fail.garbage no: the hook writes no JSON, registered with onFailure block: the call ran all the same',
      onFailure: 'block',
    },
  ]
}

/** What the host lets a hook do beyond a verdict: change the call, change or annotate the result. */
function abilities(): readonly Scenario[] {
  const updatedInput = { command: 'echo rewritten > marker', description: 'Work' }
  const stdout = { stdout: 'REPLACED', stderr: '', interrupted: false, isImage: false }
  const show = {
    judged: 'toolu_show',
    touches: marker,
    script: () => oneByOne(bash('toolu_show', 'echo original | tee marker')),
    mode: 'allowed' as const,
  }
  return [
    {
      ...show,
      id: 'rewrite',
      claim: 'pre.rewrite yes: updatedInput without a decision: the new command ran in place of the old one',
      instead: fixed('PreToolUse', { updatedInput }),
      expect: { ...RAN, hidden: 'original' },
    },
    {
      ...show,
      id: 'rewrite-prompt',
      claim: 'rewrite.keepsPrompt yes: updatedInput without a decision where the tool is not allowed: it did not run',
      mode: 'default',
      instead: fixed('PreToolUse', { updatedInput }),
      expect: { ran: false, said: 'nothing', saw: 'refusal' },
    },
    {
      ...show,
      id: 'rewrite-rule',
      claim: 'rewrite.keepsPrompt partial: a rule that denies the old command did not see it in the new one, which ran',
      mode: 'bypass',
      permissions: { deny: ['Bash(tee:*)'] },
      instead: fixed('PreToolUse', { updatedInput }),
      expect: { ...RAN, hidden: 'original' },
    },
    {
      ...show,
      id: 'post-replace',
      claim: "post.replace yes: updatedToolOutput in the tool's own shape is what the model saw",
      event: 'PostToolUse',
      instead: fixed('PostToolUse', { updatedToolOutput: stdout }),
      expect: { ...RAN, shown: 'REPLACED', hidden: 'original' },
    },
    {
      ...show,
      id: 'post-replace-text',
      claim: 'post.replace partial: updatedToolOutput that is a bare text was dropped: the model saw the original',
      event: 'PostToolUse',
      instead: fixed('PostToolUse', { updatedToolOutput: 'REPLACED' }),
      expect: { ...RAN, shown: 'original' },
    },
    {
      ...show,
      id: 'post-context',
      claim: 'post.context yes: additionalContext reached the model',
      event: 'PostToolUse',
      instead: fixed('PostToolUse', { additionalContext: 'NOTE-FROM-HOOK' }),
      expect: { ...RAN, shown: 'original', told: 'NOTE-FROM-HOOK' },
    },
  ]
}

const bySubagent = (call: Call): Script =>
  bySecond(
    {
      id: 'toolu_agent',
      tool: 'Agent',
      input: { description: 'Clean', prompt: TASK, subagent_type: 'general-purpose' },
    },
    call,
  )

function write(id: string, path: string, content: string) {
  return { id, tool: 'Write', input: { file_path: path, content } }
}

function settingsFile(at: Scratch): string {
  return join(at.home, '.claude', 'settings.json')
}

export const claude: Driver = {
  host: 'claude',
  file: 'src/cli/probe/rig/claude.ts',
  package: '@anthropic-ai/claude-code',
  version: '2.1.332',
  program: installed(
    `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    'node_modules/@anthropic-ai/claude-code/bin/claude.exe',
  ),
  scenarios,
  startModel: messagesModel,
  configure: (at, registered, hooks, _model, { permissions }) => {
    const { matcher, timeout, onFailure } = registered
    const handler = (command: string) => ({ type: 'command', command, timeout, ...(onFailure ? { onFailure } : {}) })
    mkdirSync(join(at.home, '.claude'), { recursive: true })
    const groups = Object.entries(hooks).map(([event, commands]) => [
      event,
      [{ matcher, hooks: commands.map(handler) }],
    ])
    const settings = { hooks: Object.fromEntries(groups), ...(permissions ? { permissions } : {}) }
    writeFileSync(settingsFile(at), JSON.stringify(settings, null, 2) + '\n')
  },
  words: (scenario) => [
    ...['-p', 'hi', '--output-format', 'json'],
    ...(scenario.mode === 'bypass' ? ['--dangerously-skip-permissions'] : []),
    ...(scenario.mode === 'allowed'
      ? ['--allowedTools', 'Bash', 'Write', 'Read', 'Agent', 'mcp__lab__note', 'mcp__lab__flood']
      : []),
    ...(scenario.mcp ? ['--mcp-config', mcpConfig(scenario.mcp)] : []),
  ],
  environment: (_at, model) => ({
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'none',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Without it the host refuses to skip permissions when root drives it.
    IS_SANDBOX: '1',
  }),
}
