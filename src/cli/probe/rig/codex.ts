/** Drives Codex (`codex exec`) against a scripted model of the Responses API. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CTX, FAILING_FLOOD, FLOOD_SCRIPT, failingHandle, UNKNOWN_FLOOD, unknownHandle } from './contained.ts'
import { responsesModel } from './responses-model.ts'
import { closing, type Driver, fixed, HANG_TIMEOUT, labArgs, oneByOne, type Scenario } from './scenario.ts'
import type { Scratch } from './scratch.ts'
import type { Call } from './script.ts'
import { DENIED, draft, FAILING, installed, letter, marker, note, PASSED, RAN, REMOVE, throughProxy } from './shared.ts'

/** A model that is offered the plain tools, and one that is offered code mode. */
const PLAIN_MODEL = 'gpt-5.5'
const CODE_MODEL = 'gpt-5.6-sol'

const shell = (id: string, cmd: string) => ({ id, tool: 'exec_command', input: { cmd } })
const patch = (id: string, text: string) => ({ id, tool: 'apply_patch', input: text })
const touch = {
  judged: 'call_touch',
  touches: marker,
  script: () => oneByOne(shell('call_touch', 'touch marker')),
}

const scenarios: readonly Scenario[] = [
  {
    id: 'shell-deny',
    claim: 'pre.deny yes: a denied shell call did not run, and the model saw our reason',
    judged: 'call_remove',
    touches: letter,
    script: () => oneByOne(shell('call_remove', REMOVE)),
    mode: 'bypass',
    expect: DENIED,
  },
  {
    id: 'two-hooks',
    claim: 'pre.deny yes: of two hooks, one that denies and one that allows another input, the denial held',
    judged: 'call_remove',
    touches: letter,
    script: () => oneByOne(shell('call_remove', REMOVE)),
    mode: 'bypass',
    beside: fixed('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'touch marker' } }),
    expect: DENIED,
  },
  {
    id: 'shell-pass',
    claim: 'pre.pass yes: silence leaves the call to the host; it ran',
    ...touch,
    mode: 'bypass',
    expect: PASSED,
  },
  {
    id: 'shell-ask',
    claim: 'pre.ask no: the host has no ask; ours is a deny, which held',
    judged: 'call_discard',
    touches: draft,
    script: () => oneByOne(shell('call_discard', 'git checkout -- draft.txt')),
    mode: 'bypass',
    expect: DENIED,
  },
  {
    id: 'patch-pass',
    claim: 'pre.pass yes: a patch in the project was applied',
    judged: 'call_note',
    touches: note,
    script: () => oneByOne(patch('call_note', addFile('note.txt', 'noted'))),
    mode: 'bypass',
    expect: PASSED,
  },
  {
    id: 'patch-deny',
    claim: "pre.deny yes: a patch of the host's own settings was not applied, and the model saw our reason",
    judged: 'call_settings',
    touches: configFile,
    script: (at) =>
      oneByOne(patch('call_settings', `*** Begin Patch\n*** Delete File: ${configFile(at)}\n*** End Patch\n`)),
    mode: 'bypass',
    expect: DENIED,
  },
  {
    id: 'code-mode-deny',
    claim: 'pre.deny yes: a shell call inside code mode did not run, and the model saw our reason',
    judged: 'call_code',
    touches: letter,
    script: () => oneByOne(inCodeMode('call_code', REMOVE)),
    mode: 'bypass',
    model: CODE_MODEL,
    expect: DENIED,
  },
  {
    id: 'code-mode-pass',
    claim: 'pre.pass yes: a shell call inside code mode ran',
    judged: 'call_code',
    touches: marker,
    script: () => oneByOne(inCodeMode('call_code', 'touch marker')),
    mode: 'bypass',
    model: CODE_MODEL,
    expect: PASSED,
  },
  {
    id: 'mcp-deny',
    claim: 'mcp yes: a call of an MCP tool reached the hook; denied by a rule of the user, it did not run',
    policy: closing('mcp__lab__note'),
    judged: 'call_mcp',
    touches: letter,
    script: (at) => oneByOne(lab('call_mcp', letter(at))),
    mode: 'bypass',
    mcp: true,
    expect: DENIED,
  },
  {
    id: 'mcp-pass',
    claim: 'mcp yes: a call of an MCP tool reached the hook; passed, it ran',
    judged: 'call_mcp',
    touches: note,
    script: (at) => oneByOne(lab('call_mcp', note(at))),
    mode: 'bypass',
    mcp: true,
    expect: PASSED,
  },
  ...FAILING.map(([key, instead, what]) => failure(`fail-${key}`, `fail.${key}`, instead, what)),
  failure('ask-dropped', 'pre.ask', asking(), 'a hook that answers ask'),
  ...abilities(),
  ...containment(),
]

function failure(id: string, key: string, instead: string, what: string): Scenario {
  return {
    id,
    claim: `${key} no: ${what}: the call ran`,
    ...touch,
    mode: 'bypass',
    instead,
    timeout: HANG_TIMEOUT,
    expect: RAN,
  }
}

function asking(): string {
  return fixed('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'Is this wanted?' })
}

/** What the host lets a hook do beyond a verdict: change the call, change or annotate the result. */
function abilities(): readonly Scenario[] {
  const updatedInput = { command: 'echo rewritten > marker' }
  const show = {
    judged: 'call_show',
    touches: marker,
    script: () => oneByOne(shell('call_show', 'echo original | tee marker')),
    mode: 'bypass' as const,
  }
  return [
    {
      ...show,
      id: 'rewrite',
      claim: 'pre.rewrite yes: updatedInput with allow: the new command ran in place of the old one',
      instead: fixed('PreToolUse', { permissionDecision: 'allow', updatedInput }),
      expect: { ...RAN, hidden: 'original' },
    },
    {
      ...show,
      id: 'rewrite-bare',
      claim: 'rewrite.keepsPrompt no: updatedInput without allow was dropped: the old command ran',
      instead: fixed('PreToolUse', { updatedInput }),
      expect: { ...RAN, shown: 'original' },
    },
    {
      ...show,
      id: 'post-replace',
      claim: 'post.replace partial: there is no field for it, but the reason of a block is what the model saw',
      event: 'PostToolUse',
      instead: fixed('PostToolUse', {}, { decision: 'block', reason: 'REPLACED' }),
      expect: { ...RAN, shown: 'REPLACED', hidden: 'original' },
    },
    {
      ...show,
      id: 'post-replace-stop',
      claim: 'post.replace yes: the reason of a stop is what the model saw of the call, and the turn went on',
      event: 'PostToolUse',
      instead: fixed('PostToolUse', {}, { continue: false, stopReason: 'REPLACED' }),
      expect: { ...RAN, shown: 'REPLACED', hidden: 'original' },
    },
    {
      ...show,
      id: 'post-replace-code-mode',
      claim: 'post.replace no: inside code mode the script got the original',
      event: 'PostToolUse',
      script: () => oneByOne(inCodeMode('call_show', 'echo original | tee marker')),
      model: CODE_MODEL,
      instead: fixed('PostToolUse', {}, { continue: false, stopReason: 'REPLACED' }),
      expect: { ...RAN, shown: 'original', hidden: 'REPLACED' },
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

/** Floods that our hook contains. */
function containment(): readonly Scenario[] {
  const flood = {
    judged: 'call_flood',
    touches: marker,
    mode: 'bypass' as const,
    gates: true as const,
  }
  const get = (handle: string, line: number) => shell('call_get', `${CTX} get ${handle} --lines ${line}:${line}`)
  const contained = { ...RAN, shown: `| ${failingHandle()} |`, hidden: 'line 2000 of 4000' }
  const whole = unknownHandle((text) => text)
  return [
    {
      ...flood,
      id: 'contain-run',
      claim:
        'pre.rewrite yes: a failing flood ran under our capture: its digest, its exit code, and a line of it by its address',
      script: () => oneByOne(shell('call_flood', FAILING_FLOOD), get(failingHandle(), 2718)),
      expect: { ...contained, also: { call_flood: 'exited with code 3', call_get: 'the odd one out' } },
    },
    {
      ...flood,
      id: 'contain-run-code-mode',
      claim: 'pre.rewrite yes: the same inside code mode',
      script: () => oneByOne(inCodeMode('call_flood', FAILING_FLOOD)),
      model: CODE_MODEL,
      expect: { ...contained, also: { call_flood: '"exit_code":3' } },
    },
    {
      ...flood,
      id: 'contain-rules',
      claim: 'pre.pass yes: where rules of the user may stop a command, no line is rewritten, and the rule held',
      script: () => oneByOne(shell('call_flood', FAILING_FLOOD)),
      rules: { 'user.rules': 'prefix_rule(pattern = ["node"], decision = "forbidden")\n' },
      expect: { ran: false, said: 'pass', saw: 'result', shown: 'rejected' },
    },
    throughProxy('bypass', (path) => ({ ...lab('call_mcp', path), tool: 'flood' })),
    {
      ...flood,
      id: 'contain-result',
      claim:
        'post.replace yes: the result of a program that no table knows became a digest, and a line of it came by its address',
      files: { 'flood.sh': FLOOD_SCRIPT },
      script: () => oneByOne(shell('call_flood', UNKNOWN_FLOOD), get(whole, 700)),
      expect: {
        ...contained,
        shown: `| ${whole} |`,
        hidden: 'line 700 of 1500',
        also: { call_get: 'line 700 of 1500' },
      },
    },
  ]
}

/** A script of code mode that runs one shell command and shows what came of it. */
function inCodeMode(id: string, cmd: string): Call {
  const run = `text(await tools.exec_command(${JSON.stringify({ cmd })}))`
  return { id, tool: 'exec', input: `try { ${run} } catch (error) { text(String(error)) }` }
}

function lab(id: string, path: string): Call {
  return { id, tool: 'note', namespace: 'mcp__lab', input: { path, text: 'noted' } }
}

function addFile(path: string, line: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+${line}\n*** End Patch\n`
}

function configFile(at: Scratch): string {
  return join(at.home, '.codex', 'config.toml')
}

export const codex: Driver = {
  host: 'codex',
  file: 'src/cli/probe/rig/codex.ts',
  package: '@openai/codex',
  version: '0.171.0',
  program: installed('node_modules/@openai/codex/bin/codex.js'),
  scenarios,
  startModel: responsesModel,
  configure: (at, registered, commands, model, scenario) => {
    const { matcher, timeout } = registered
    mkdirSync(join(at.home, '.codex'), { recursive: true })
    const groups = Object.entries(commands).map(([event, all]) => [
      event,
      [{ matcher, hooks: all.map((command) => ({ type: 'command', command, timeout })) }],
    ])
    const hooks = { hooks: Object.fromEntries(groups) }
    writeFileSync(join(at.home, '.codex', 'hooks.json'), JSON.stringify(hooks, null, 2) + '\n')
    for (const [name, text] of Object.entries(scenario.rules ?? {})) {
      mkdirSync(join(at.home, '.codex', 'rules'), { recursive: true })
      writeFileSync(join(at.home, '.codex', 'rules', name), text)
    }
    const toml = [
      `model = "${scenario.model ?? PLAIN_MODEL}"`,
      'model_provider = "drive"',
      'approval_policy = "never"',
      `sandbox_mode = "${scenario.sandbox ?? 'danger-full-access'}"`,
      '[model_providers.drive]',
      'name = "drive"',
      `base_url = "${model.url}/v1"`,
      'env_key = "DRIVE_KEY"',
      'wire_api = "responses"',
      'stream_max_retries = 0',
      'request_max_retries = 0',
      ...(scenario.mcp
        ? [
            '[mcp_servers.lab]',
            `command = "${process.execPath}"`,
            `args = ${JSON.stringify(labArgs(scenario.mcp))}`,
            'required = true',
          ]
        : []),
      '[analytics]',
      'enabled = false',
    ]
    writeFileSync(configFile(at), toml.join('\n') + '\n')
  },
  words: () => [...['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', 'hi']],
  environment: (at) => ({ CODEX_HOME: join(at.home, '.codex'), DRIVE_KEY: 'none' }),
}
