/** A running server with real sandboxes and one environment, whose hooks tests change. Scripts run inside a sandbox only. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, type TestContext } from 'node:test'
import { type Lab, startLab } from '../../src/managed/egress/lab.testing.ts'
import { need } from '../need.ts'
import { type Body, canIsolate, command, type Running, resultsOf, startRuntime } from './support.ts'

export const OK = 'hooks.example.test:443'
export let lab: Lab
export let server: Running | undefined
export let environment: string | undefined

before(async () => {
  lab = await startLab({
    hosts: [OK, 'other.test:443', 'closed.test:443'],
    answer: (_, response) => upstream.answer(response),
  })
})
after(async () => {
  await server?.close()
  await lab.close()
})

/** What the upstream answers next. */
export const upstream: { answer: (response: import('node:http').ServerResponse) => void } = {
  answer: (response) => void response.end('{}'),
}

const NETWORK = { allowlist: [{ domain: 'hooks.example.test' }] }

/** The server of this file with one environment; false where there are no sandboxes. */
export async function ready(t: TestContext): Promise<boolean> {
  if (!canIsolate(t) || !need(t, 'python3')) return false
  if (server !== undefined) return true
  server = await startRuntime({ operator: { upstreams: lab.upstreams } })
  environment = (await server.ask('POST', '/v1/environments', { network: NETWORK })).body.id
  return true
}

/** Writes files of the environment from outside, as a client does. */
export async function put(files: Readonly<Record<string, string>>, at = environment): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const told = await server!.ask('PUT', `/upload/v1/environments/${at}/files/${path}?overwrite=true`, text)
    assert.equal(told.status, 200, told.text)
  }
}

interface Ran {
  readonly body: Body
  /** Of the first call. */
  readonly text: string
  readonly skipped: boolean
  readonly handlers: readonly { readonly group: string; readonly outcome: string; readonly call: string }[]
  readonly warned: string
}

/** Runs calls in the environment under these hooks. */
export async function run(hooks: unknown, input = command('echo ran'), at = environment): Promise<Ran> {
  await put({ '.agents/hooks.json': typeof hooks === 'string' ? hooks : JSON.stringify(hooks) }, at)
  return await look(await server!.run(input, { environment: at }))
}

export async function look(body: Body): Promise<Ran> {
  assert.equal(body.status, 'completed', JSON.stringify(body))
  const { trace } = (await server!.ask('GET', `/v1/interactions/${body.id}/trace`)).body
  const [first] = resultsOf(body)
  return {
    ...{ body, text: first?.text ?? '' },
    skipped: first?.isError === true && first.text.startsWith('Tool call denied by hook: '),
    handlers: trace.flatMap(({ call, handlers }) => handlers.map(({ group, outcome }) => ({ group, outcome, call }))),
    warned: trace
      .flatMap(({ warnings, handlers }) => [
        ...warnings.map(({ text }) => text),
        ...handlers.flatMap(({ warning }) => warning ?? []),
      ])
      .join('\n'),
  }
}

export type Event = 'pre_tool_execution' | 'post_tool_execution'

export const rule = (handlers: readonly object[], matcher?: string) => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: handlers,
})
export const sh = (line: string, more: object = {}) => ({ type: 'command', command: line, ...more })
export const group = (handlers: readonly object[], event: Event = 'pre_tool_execution', matcher?: string) => ({
  [event]: [rule(handlers, matcher)],
})
/** One group with one command before every tool. */
export const gate = (line: string, more: object = {}) => ({ gate: group([sh(line, more)]) })
export const deny = (reason: string) => `printf '{"decision":"deny","reason":"${reason}"}'`

export const SEED = `import sys, json
data = json.load(sys.stdin)
cmd = str(data.get("tool_call", {}).get("args", {}))
if "rm -rf" in cmd:
    print(json.dumps({"decision": "deny", "reason": "Destructive command blocked by security gate."}))
else:
    print(json.dumps({"decision": "allow"}))
`

/** Whether any process of the machine has this text among its words. */
export const isRunning = (word: string): boolean =>
  globSync('/proc/[0-9]*/cmdline').some((file) => {
    try {
      return readFileSync(file, 'utf8').split('\0').includes(word)
    } catch {
      return false
    }
  })
