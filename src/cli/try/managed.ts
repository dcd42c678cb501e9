/** The managed runtime as a client of the SDK meets it: a gate that denies, and a second turn that finds another way. */
import { join } from 'node:path'
import { GoogleGenAI, type Interactions } from '@google/genai'
import { scriptedModel } from '../../managed/agent/models/scripted.ts'
import { serve } from '../../managed/interactions/server.ts'
import { type Managed, openManaged } from '../../managed/open.ts'

/** One turn: what was asked, what the hook said, what the agent answered. */
interface Turn {
  readonly asked: string
  readonly denied?: string
  readonly answer: string
}

export interface ManagedShown {
  readonly turns: readonly Turn[]
  readonly ms: number
}

const AGENT = 'antigravity-preview-09-2026'
const KEY = 'try'

const inline = (target: string, content: string) => ({ type: 'inline' as const, target, content })

/** A gate as a script: what holds `pattern` is denied. */
function gated(matcher: string, pattern: string, reason: string) {
  const hooks = [{ type: 'command', command: 'sh /.agents/hooks-scripts/gate.sh', timeout: 10 }]
  const deny = JSON.stringify({ decision: 'deny', reason })
  return [
    inline('.agents/hooks.json', JSON.stringify({ gate: { pre_tool_execution: [{ matcher, hooks }] } })),
    inline('.agents/hooks-scripts/gate.sh', `if grep -q '${pattern}'; then echo '${deny}'; else echo '{}'; fi\n`),
  ]
}

/**
 * Plays it below `scratch`. A sentence where this machine cannot isolate programs; undefined where something does not come
 * out as it should.
 */
export async function playManaged(
  scratch: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ManagedShown | string | undefined> {
  const begun = performance.now()
  let managed: Managed
  try {
    managed = await openManaged({
      ...{ state: join(scratch, 'managed'), env, home: scratch, models: () => scriptedModel },
      lookUp: async () => ({ text: 'nothing is kept here', failed: true }),
      ...{ denyNetwork: true, tell: () => {} },
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  try {
    const serving = await serve(managed, 0, { key: KEY })
    try {
      const turns = await turnsAt(`http://127.0.0.1:${serving.port}`)
      const [gate, first, second] = turns
      const isRight = gate?.denied !== undefined && first?.denied !== undefined && second?.denied === undefined
      return isRight && second?.answer.includes('42') ? { turns, ms: Math.round(performance.now() - begun) } : undefined
    } finally {
      await serving.close()
    }
  } catch {
    return undefined
  } finally {
    await managed.close()
  }
}

async function turnsAt(baseUrl: string): Promise<readonly Turn[]> {
  const { interactions } = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl } })
  const environment = (...sources: ReturnType<typeof inline>[]) => ({ type: 'remote' as const, sources })
  const inputs = [
    'Run `rm -rf /tmp/forbidden` using code_execution.',
    'Use your filesystem tool to read `/workspace/private/employees.json` and summarize it.',
    'Understood. Please read the approved `/workspace/public/summary.json` instead.',
  ] as const
  const gate = await interactions.create({
    ...{ agent: AGENT, input: inputs[0], tools: [{ type: 'code_execution' }] },
    environment: environment(...gated('code_execution', 'rm -rf', 'Destructive command blocked by security gate.')),
  })
  const first = await interactions.create({
    ...{ agent: AGENT, input: inputs[1] },
    environment: environment(
      ...gated('view_file', '/private/', 'Private records are closed; use the summary in /workspace/public/.'),
      inline('workspace/private/employees.json', '{"employees": [{"id": 1, "salary": 150000}]}'),
      inline('workspace/public/summary.json', '{"department": "Engineering", "team_size": 42}'),
    ),
  })
  const second = await interactions.create({
    ...{ agent: AGENT, input: inputs[2], previous_interaction_id: first.id },
    environment: first.environment_id ?? '',
  })
  return [gate, first, second].map((one, at) => turnOf(inputs[at]!, one))
}

function turnOf(asked: string, { steps = [], output_text = '' }: Interactions.Interaction): Turn {
  const results = steps.flatMap((step) => ('result' in step && 'is_error' in step ? [String(step.result)] : []))
  const denied = results.find((text) => text.startsWith('Tool call denied by hook: '))
  return {
    ...{ asked, answer: output_text },
    ...(denied === undefined ? {} : { denied: denied.slice('Tool call denied by hook: '.length) }),
  }
}

/** For people. */
export function managedText(shown: ManagedShown | string): string {
  if (typeof shown === 'string') return `\nManaged agents are not shown: ${shown.replace(/\.?$/, '.')}\n`
  return [
    `\nManaged agents: a server for the @google/genai SDK, agents in sandboxes, hooks of hooks.json. Three turns in ${(shown.ms / 1000).toFixed(1)} s:\n`,
    ...shown.turns.map(({ asked, denied, answer }) =>
      [
        `\n  user   ${asked}\n`,
        ...(denied === undefined ? [] : [`  hook   deny: ${denied}\n`]),
        `  agent  ${answer.replaceAll('\n', '\n         ')}\n`,
      ].join(''),
    ),
    '\n  The second and third turn share one environment. `sallyport serve` starts the server; docs/managed.md tells more.\n',
  ].join('')
}
