/**
 * The scenarios that every host is driven through, from what a host's driver says of its words: how its model calls tools,
 * how its hooks answer, and what it does with each.
 */
import { join } from 'node:path'
import { CTX, FAILING_FLOOD, FLOOD_SCRIPT, failingHandle, UNKNOWN_FLOOD } from './contained.ts'
import { closing, HANG_TIMEOUT, oneByOne, type Scenario, says } from './scenario.ts'
import type { Scratch } from './scratch.ts'
import type { Call, Json, Script } from './script.ts'
import { DENIED, draft, FAILING, letter, marker, note, PASSED, RAN, REMOVE, throughProxy } from './shared.ts'

type Input = Readonly<Record<string, unknown>>

export interface Words {
  /** What the host does where nobody can be asked: `bypass` where it was told to ask nobody. */
  readonly mode: Scenario['mode']
  readonly shell: (command: string) => readonly [tool: string, input: Input]
  readonly write: (path: string, content: string) => readonly [tool: string, input: Input]
  readonly edit: (path: string, from: string, to: string) => readonly [tool: string, input: Input]
  /** Absent where the model has no such tool. */
  readonly patch?: (text: string) => readonly [tool: string, input: Input]
  /** A file that must be read before it is edited is read by this call. */
  readonly read?: (path: string) => readonly [tool: string, input: Input]
  /** The names of the tools `note` and `flood` of the server `lab`, to the model and in the payload. */
  readonly mcp: { readonly note: string; readonly flood: string; readonly seen: string }
  /** The model's words for a tool of that server, where it reaches it through another one. */
  readonly through?: (tool: string, input: Input) => readonly [tool: string, input: Input]
  /** A first agent that starts a second one, which makes the call. Absent where there are none to drive. */
  readonly subagent?: (call: Call) => Script
  /** Answers of a hook that says one thing; absent where there are no words for it. */
  readonly answers: {
    readonly rewrite?: (tool: string, input: Input) => Json
    readonly replace?: (text: string) => Json
    readonly note?: (text: string) => Json
  }
  /** What the host does. */
  readonly does: {
    /** An ask of ours where nobody can answer. */
    readonly ask: Pick<Scenario['expect'], 'ran' | 'said' | 'saw'> & { readonly claim: string }
    /** `open`: the call runs. */
    readonly crash: 'open' | 'closed'
    readonly timeout: 'open' | 'closed'
    readonly garbage: 'open' | 'closed'
    readonly rewrite: boolean
    readonly replace: boolean
    readonly note: boolean
    /** A replaced result is marked as a failure. */
    readonly replacedFails?: true
    /** A denial ends the run: nothing is told to the model. */
    readonly denialEnds?: true
    /** Of a long result the host itself shows a part, with these words. */
    readonly cuts?: string
    /** Floods that a table knows are refused, and the way to run them is named. */
    readonly names?: true
    /** Such floods run under our capture. */
    readonly captures?: true
  }
}

/** The scenarios of a host. */
export function standard(words: Words): readonly Scenario[] {
  return [...verdicts(words), ...tools(words), ...failures(words), ...abilities(words)]
}

/** Settings of another agent, in the project: hosts write their own ones when they start, and some see no others. */
const settings = (at: Scratch) => join(at.cwd, '.claude', 'settings.json')
const files = { '.claude/settings.json': '{}\n' }

const call = (id: string, [tool, input]: readonly [string, Input]): Call => ({ id, tool, input })
const deniedBy = ({ does }: Words): Scenario['expect'] => ({
  ...DENIED,
  ...(does.denialEnds ? { saw: 'end' } : {}),
})

function verdicts(words: Words): readonly Scenario[] {
  const { mode, shell, subagent, does } = words
  const denied = deniedBy(words)
  const remove = call('call_remove', shell(REMOVE))
  const touch = call('call_touch', shell('touch marker'))
  const toModel = does.denialEnds ? 'which ended the run' : 'and the model saw our reason'
  const removal = { judged: 'call_remove', touches: letter, mode, expect: denied }
  const passing = { judged: 'call_touch', touches: marker, mode, expect: PASSED }
  const { claim, ...asked } = does.ask
  return [
    {
      ...removal,
      id: 'shell-deny',
      claim: `pre.deny yes: a denied shell call did not run, ${toModel}`,
      script: () => oneByOne(remove),
    },
    {
      ...passing,
      id: 'shell-pass',
      claim: 'pre.pass yes: what we let pass is left to the host; it ran',
      script: () => oneByOne(touch),
    },
    {
      id: 'shell-ask',
      claim,
      judged: 'call_discard',
      touches: draft,
      script: () => oneByOne(call('call_discard', shell('git checkout -- draft.txt'))),
      mode,
      expect: asked,
    },
    {
      ...removal,
      id: 'two-hooks',
      claim: 'pre.deny yes: of two hooks, one that denies and one that lets pass, the denial held',
      script: () => oneByOne(remove),
      beside: words.answers.rewrite === undefined ? 'true' : says(words.answers.rewrite(...shell('touch marker'))),
    },
    ...(subagent === undefined
      ? []
      : [
          {
            ...removal,
            id: 'subagent-deny',
            claim: 'subagents yes: a call of a sub-agent reached the hook; denied, it did not run',
            script: () => subagent(remove),
          },
          {
            ...passing,
            id: 'subagent-pass',
            claim: 'subagents yes: a call of a sub-agent reached the hook; passed, it ran',
            script: () => subagent(touch),
          },
        ]),
  ]
}

function tools(words: Words): readonly Scenario[] {
  const { mode, write, edit, patch, read, mcp } = words
  const denied = deniedBy(words)
  const through = words.through ?? ((tool, input) => [tool, input])
  const first = (path: string): readonly Call[] => (read === undefined ? [] : [call('call_read', read(path))])
  const lab = (id: string, tool: string, path: string) => call(id, through(tool, { path, text: 'noted' }))
  return [
    {
      id: 'write-pass',
      claim: 'pre.pass yes: a file in the project was written',
      judged: 'call_note',
      touches: note,
      script: (at) => oneByOne(call('call_note', write(note(at), 'noted\n'))),
      mode,
      expect: PASSED,
    },
    {
      id: 'write-deny',
      claim: 'pre.deny yes: settings of an agent were not written',
      judged: 'call_settings',
      touches: settings,
      files,
      script: (at) => oneByOne(...first(settings(at)), call('call_settings', write(settings(at), '{}\n'))),
      mode,
      expect: denied,
    },
    {
      id: 'edit-deny',
      claim: 'pre.deny yes: settings of an agent were not edited',
      judged: 'call_settings',
      touches: settings,
      files,
      script: (at) => oneByOne(...first(settings(at)), call('call_settings', edit(settings(at), '{', '{ '))),
      mode,
      expect: denied,
    },
    ...(patch === undefined
      ? []
      : [
          {
            id: 'patch-deny',
            claim: "pre.deny yes: a patch of an agent's settings was not applied",
            judged: 'call_settings',
            touches: settings,
            files,
            script: (at: Scratch) =>
              oneByOne(
                call('call_settings', patch(`*** Begin Patch\n*** Delete File: ${settings(at)}\n*** End Patch\n`)),
              ),
            mode,
            expect: denied,
          },
        ]),
    {
      id: 'mcp-deny',
      claim: 'mcp yes: a call of an MCP tool reached the hook; denied by a rule of the user, it did not run',
      judged: 'call_mcp',
      touches: letter,
      script: (at) => oneByOne(lab('call_mcp', mcp.note, letter(at))),
      mode,
      mcp: true,
      policy: closing(mcp.seen),
      expect: denied,
    },
    {
      id: 'mcp-pass',
      claim: 'mcp yes: a call of an MCP tool reached the hook; passed, it ran',
      judged: 'call_mcp',
      touches: note,
      script: (at) => oneByOne(lab('call_mcp', mcp.note, note(at))),
      mode,
      mcp: true,
      expect: PASSED,
    },
    throughProxy(mode, (path) => lab('call_mcp', mcp.flood, path)),
  ]
}

function failures({ mode, shell, does }: Words): readonly Scenario[] {
  return FAILING.map(([key, instead, what]) => ({
    id: `fail-${key}`,
    claim:
      does[key] === 'open' ? `fail.${key} no: ${what}: the call ran` : `fail.${key} yes: ${what}: the call did not run`,
    judged: 'call_touch',
    touches: marker,
    script: () => oneByOne(call('call_touch', shell('touch marker'))),
    mode,
    instead,
    timeout: HANG_TIMEOUT,
    expect: does[key] === 'open' ? RAN : { ran: false, said: 'nothing', saw: 'refusal' },
  }))
}

/** What the host lets a hook do beyond a verdict: change the call, change or annotate the result. */
function abilities({ mode, shell, answers, does }: Words): readonly Scenario[] {
  const [tool, input] = shell('echo original | tee marker')
  const show = {
    judged: 'call_show',
    touches: marker,
    script: () => oneByOne({ id: 'call_show', tool, input }),
    mode,
  }
  const kept = { ...RAN, shown: 'original' }
  const out: Scenario[] = []
  if (answers.rewrite !== undefined)
    out.push({
      ...show,
      id: 'rewrite',
      claim: does.rewrite
        ? 'pre.rewrite yes: the new command ran in place of the old one'
        : 'pre.rewrite no: a new input was dropped: the old command ran',
      instead: says(answers.rewrite(...shell('echo rewritten > marker'))),
      expect: does.rewrite ? { ...RAN, hidden: 'original' } : kept,
    })
  if (answers.replace !== undefined)
    out.push({
      ...show,
      id: 'post-replace',
      claim: does.replace
        ? 'post.replace yes: the text of the hook is what the model saw'
        : 'post.replace no: the text of the hook was dropped: the model saw the original',
      event: 'PostToolUse',
      instead: says(answers.replace('REPLACED')),
      expect: does.replace
        ? {
            ...RAN,
            shown: 'REPLACED',
            hidden: 'original',
            ...(does.replacedFails ? { failed: true } : {}),
          }
        : kept,
    })
  if (answers.note !== undefined)
    out.push({
      ...show,
      id: 'post-context',
      claim: does.note
        ? 'post.context yes: a note of the hook reached the model'
        : 'post.context no: a note of the hook did not reach the model',
      event: 'PostToolUse',
      instead: says(answers.note('NOTE-OF-OURS')),
      expect: does.note ? { ...kept, told: 'NOTE-OF-OURS' } : kept,
    })
  out.push({
    id: 'contain-result',
    claim: does.cuts
      ? 'post.replace partial: of a long result the host itself shows a part'
      : does.replace
        ? 'post.replace yes: the result of a program that no table knows became a digest'
        : 'post.replace no: the result of a program that no table knows stayed as it was',
    judged: 'call_flood',
    touches: marker,
    files: { 'flood.sh': FLOOD_SCRIPT },
    script: () => oneByOne(call('call_flood', shell(UNKNOWN_FLOOD))),
    mode,
    gates: true,
    expect: does.cuts
      ? { ...PASSED, shown: does.cuts, hidden: 'line 700 of 1500' }
      : does.replace
        ? {
            ...RAN,
            shown: '[ctx exit',
            hidden: 'line 700 of 1500',
            ...(does.replacedFails ? { failed: true } : {}),
          }
        : { ...PASSED, shown: 'line 1 of 1500' },
  })
  if (does.names)
    out.push({
      id: 'contain-named',
      claim: 'pre.deny yes: a flood that a table knows was refused, and the bounded form of it was named',
      judged: 'call_flood',
      touches: marker,
      script: () => oneByOne(call('call_flood', shell(FAILING_FLOOD))),
      mode,
      gates: true,
      expect: { ...DENIED, shown: 'CTX_CONTEXT_GUARD: routed through ctx' },
    })
  if (does.captures)
    out.push({
      id: 'contain-run',
      claim: 'pre.rewrite yes: a failing flood ran under our capture: its digest, and a line of it by its address',
      judged: 'call_flood',
      touches: marker,
      script: () =>
        oneByOne(
          call('call_flood', shell(FAILING_FLOOD)),
          call('call_get', shell(`${CTX} get ${failingHandle()} --lines 2718:2718`)),
        ),
      mode,
      gates: true,
      expect: {
        ...RAN,
        shown: `| ${failingHandle()} |`,
        hidden: 'line 2000 of 4000',
        also: { call_get: 'the odd one out' },
      },
    })
  return out
}
