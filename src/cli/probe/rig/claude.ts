/** Drives Claude Code in print mode against a scripted model of the Messages API. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messagesModel } from './anthropic-model.ts'
import { bash, claudeContainment } from './claude-contained.ts'
import { BROKEN, closing, type Driver, fixed, HANG_TIMEOUT, labArgs, oneByOne, type Scenario } from './scenario.ts'
import type { Scratch } from './scratch.ts'
import type { Call, Script } from './script.ts'

const letter = (at: Scratch) => join(at.home, 'precious', 'letter.txt')
const removal = { judged: 'toolu_remove', touches: letter, script: () => oneByOne(bash('toolu_remove', REMOVE)) }
const discard = {
  judged: 'toolu_discard',
  touches: (at: Scratch) => join(at.cwd, 'draft.txt'),
  script: () => oneByOne(bash('toolu_discard', 'git checkout -- draft.txt')),
}
const touch = {
  judged: 'toolu_touch',
  touches: (at: Scratch) => join(at.cwd, 'marker'),
  script: () => oneByOne(bash('toolu_touch', 'touch marker')),
}
const REMOVE = 'rm -rf ~/precious'

const mcpConfig = (mcp: Scenario['mcp']): string =>
  JSON.stringify({ mcpServers: { lab: { command: process.execPath, args: labArgs(mcp) } } })

const scenarios: readonly Scenario[] = [
  {
    id: 'shell-deny',
    claim: 'pre.deny yes: a denied Bash call did not run although the tool is allowed, and the model saw our reason',
    ...removal,
    mode: 'allowed',
    expect: { ran: false, said: 'deny', saw: 'reason' },
  },
  {
    id: 'shell-pass',
    claim: 'pre.pass yes: silence leaves the call to the host; it ran',
    ...touch,
    mode: 'allowed',
    expect: { ran: true, said: 'pass', saw: 'result' },
  },
  {
    id: 'write-pass',
    claim: 'pre.pass yes: a Write call in the project ran',
    judged: 'toolu_note',
    touches: (at) => join(at.cwd, 'note.txt'),
    script: (at) => oneByOne(write('toolu_note', join(at.cwd, 'note.txt'), 'noted\n')),
    mode: 'allowed',
    expect: { ran: true, said: 'pass', saw: 'result' },
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
    expect: { ran: false, said: 'deny', saw: 'reason' },
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
    expect: { ran: false, said: 'deny', saw: 'reason' },
  },
  {
    id: 'two-hooks',
    claim: 'pre.deny yes: of two hooks, one that denies and one that allows another input, the denial held',
    ...removal,
    mode: 'allowed',
    beside: fixed('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'touch marker' } }),
    expect: { ran: false, said: 'deny', saw: 'reason' },
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
    expect: { ran: false, said: 'deny', saw: 'reason' },
  },
  {
    id: 'shell-ask-bypass',
    claim: 'pre.deny yes: where permissions are skipped our ask is a deny, which held',
    ...discard,
    mode: 'bypass',
    expect: { ran: false, said: 'deny', saw: 'reason' },
  },
  {
    id: 'subagent-deny',
    claim: 'subagents yes: a call of a sub-agent reached the hook; denied, it did not run',
    judged: 'toolu_remove',
    touches: letter,
    script: () => bySubagent(bash('toolu_remove', REMOVE)),
    mode: 'allowed',
    expect: { ran: false, said: 'deny', saw: 'reason' },
  },
  {
    id: 'subagent-pass',
    claim: 'subagents yes: a call of a sub-agent reached the hook; passed, it ran',
    ...touch,
    script: () => bySubagent(bash('toolu_touch', 'touch marker')),
    mode: 'allowed',
    expect: { ran: true, said: 'pass', saw: 'result' },
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
    expect: { ran: false, said: 'deny', saw: 'reason' },
  },
  {
    id: 'mcp-pass',
    claim: 'mcp yes: a call of an MCP tool reached the hook; passed, it ran',
    judged: 'toolu_mcp',
    touches: (at) => join(at.cwd, 'note.txt'),
    script: (at) =>
      oneByOne({ id: 'toolu_mcp', tool: 'mcp__lab__note', input: { path: join(at.cwd, 'note.txt'), text: 'noted' } }),
    mode: 'allowed',
    mcp: true,
    expect: { ran: true, said: 'pass', saw: 'result' },
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
    expect: { ran: true, said: 'nothing', saw: 'result' },
  })
  const closed = (id: string, key: string, instead: string, what: string): Scenario => ({
    ...open(id, key, instead, what),
    claim: `${key} yes: ${what}, registered with onFailure block: the call did not run`,
    onFailure: 'block',
    expect: { ran: false, said: 'nothing', saw: 'refusal' },
  })
  return [
    open('fail-crash', 'fail.crash', BROKEN.crash, 'the hook exits 1'),
    open('fail-timeout', 'fail.timeout', BROKEN.hang, 'the hook hangs'),
    open('fail-garbage', 'fail.garbage', BROKEN.garbage, 'the hook writes no JSON'),
    closed('fail-crash-closed', 'fail.crash', BROKEN.crash, 'the hook exits 1'),
    closed('fail-timeout-closed', 'fail.timeout', BROKEN.hang, 'the hook hangs'),
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
    touches: touch.touches,
    script: () => oneByOne(bash('toolu_show', 'echo original | tee marker')),
    mode: 'allowed' as const,
  }
  return [
    {
      ...show,
      id: 'rewrite',
      claim: 'pre.rewrite yes: updatedInput without a decision: the new command ran in place of the old one',
      instead: fixed('PreToolUse', { updatedInput }),
      expect: { ran: true, said: 'nothing', saw: 'result', hidden: 'original' },
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
      expect: { ran: true, said: 'nothing', saw: 'result', hidden: 'original' },
    },
    {
      ...show,
      id: 'post-replace',
      claim: "post.replace yes: updatedToolOutput in the tool's own shape is what the model saw",
      event: 'PostToolUse',
      instead: fixed('PostToolUse', { updatedToolOutput: stdout }),
      expect: { ran: true, said: 'nothing', saw: 'result', shown: 'REPLACED', hidden: 'original' },
    },
    {
      ...show,
      id: 'post-replace-text',
      claim: 'post.replace partial: updatedToolOutput that is a bare text was dropped: the model saw the original',
      event: 'PostToolUse',
      instead: fixed('PostToolUse', { updatedToolOutput: 'REPLACED' }),
      expect: { ran: true, said: 'nothing', saw: 'result', shown: 'original' },
    },
    {
      ...show,
      id: 'post-context',
      claim: 'post.context yes: additionalContext reached the model',
      event: 'PostToolUse',
      instead: fixed('PostToolUse', { additionalContext: 'NOTE-FROM-HOOK' }),
      expect: { ran: true, said: 'nothing', saw: 'result', shown: 'original', told: 'NOTE-FROM-HOOK' },
    },
  ]
}

/** The first agent starts a second one, which makes the call. */
function bySubagent(call: Call): Script {
  const input = { description: 'Clean', prompt: 'CLEAN-UP-TASK', subagent_type: 'general-purpose' }
  return {
    turns: [{ calls: [{ id: 'toolu_agent', tool: 'Agent', input }] }],
    others: [{ when: 'CLEAN-UP-TASK', turns: [{ calls: [call] }] }],
  }
}

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
  program: (directory) =>
    [
      `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
      'node_modules/@anthropic-ai/claude-code/bin/claude.exe',
    ]
      .map((name) => join(directory, name))
      .find((path) => existsSync(path)),
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
