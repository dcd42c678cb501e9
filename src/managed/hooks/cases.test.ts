/** Every case of `cases/managed/hooks.json`: configuration, what the handlers give, and what must come of it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { HandlerTrace, HookCall, HookOptions, HookVerdict, OutRequest } from '../contract.ts'
import { makeHooks } from './engine.ts'
import { type FakeWorld, fakeWorld, type Scripted } from './world.testing.ts'

type Content = string | { readonly repeat: string; readonly times: number } | { readonly base64: string } | object

interface Expected {
  readonly decision?: 'allow' | 'deny'
  readonly reason?: string
  /** Words of the reason. */
  readonly says_reason?: readonly string[]
  /** What was called, in order. */
  readonly ran?: readonly string[]
  readonly cwds?: readonly string[]
  readonly outcomes?: readonly HandlerTrace['outcome'][]
  /** Ids of the warnings, sorted. */
  readonly warned?: readonly string[]
  /** Words of the warnings. */
  readonly says?: readonly string[]
  readonly lacks?: readonly string[]
  readonly payload?: unknown
  readonly argv?: readonly string[]
  readonly cwd?: string
  readonly timeout?: number
  readonly outputLimit?: number
  readonly request?: Partial<OutRequest>
}

interface Step {
  readonly tool: string
  readonly args: HookCall['args']
  readonly event?: 'post'
  readonly error?: string
  /** Before the call. */
  readonly write?: Readonly<Record<string, Content>>
  readonly remove?: readonly string[]
  readonly expect: Expected
}

interface Case {
  readonly case: number | string
  readonly name: string
  readonly files: Readonly<Record<string, Content>>
  readonly links?: Readonly<Record<string, string>>
  readonly roots?: readonly string[]
  readonly results?: Readonly<Record<string, Scripted>>
  readonly options?: HookOptions
  readonly networkDisabled?: boolean
  readonly provision?: boolean
  /** Ids of what is said when the environment is made. */
  readonly provisioned?: readonly string[]
  readonly freeze?: readonly string[]
  readonly calls: readonly Step[]
}

const cases: readonly Case[] = JSON.parse(readFileSync('cases/managed/hooks.json', 'utf8'))

/** The published cases that a world of processes and one of networks show elsewhere. */
const ELSEWHERE: Readonly<Record<number, string>> = {
  22: 'a real process',
  23: 'a real process',
  24: 'the network of the sandbox',
}

test('every published case of hooks has its row', () => {
  const numbers = new Set(cases.map((one) => one.case))
  const missing = Array.from({ length: 65 }, (_, i) => i + 1).filter((n) => !numbers.has(n))
  assert.deepEqual(missing.map(String), Object.keys(ELSEWHERE))
})

const bytesOf = (content: Content): Uint8Array => {
  if (typeof content === 'string') return Buffer.from(content)
  if ('repeat' in content) return Buffer.from((content.repeat as string).repeat(content.times))
  if ('base64' in content) return Buffer.from(content.base64 as string, 'base64')
  return Buffer.from(JSON.stringify(content))
}

for (const one of cases) {
  test(`${one.case}: ${one.name}`, async () => {
    const { options, links, roots, results, networkDisabled } = one
    const files = Object.fromEntries(Object.entries(one.files).map(([path, content]) => [path, bytesOf(content)]))
    const world = fakeWorld({
      files,
      ...(links === undefined ? {} : { links }),
      ...(roots === undefined ? {} : { roots }),
      ...(results === undefined ? {} : { results }),
      ...(networkDisabled === undefined ? {} : { networkDisabled }),
    })
    const hooks = makeHooks(options)
    if (one.provision) {
      const { warnings, pin } = await hooks.provision(world)
      assert.deepEqual(
        warnings.map(({ id }) => id),
        one.provisioned ?? [],
      )
      assert.equal(pin !== undefined, options?.pinned === true)
      if (one.freeze) assert.deepEqual(pin?.freeze, one.freeze)
    }
    for (const step of one.calls) {
      for (const [path, content] of Object.entries(step.write ?? {})) world.tree.set(path, bytesOf(content))
      for (const path of step.remove ?? []) world.tree.delete(path)
      for (const list of [world.called, world.runs, world.requests]) list.length = 0
      const call = { name: step.tool, args: step.args }
      const { signal } = new AbortController()
      const verdict =
        step.event === 'post'
          ? await hooks.after(world, call, step.error, signal)
          : await hooks.before(world, call, signal)
      check(verdict, world, step.expect)
    }
  })
}

function check(verdict: HookVerdict, world: FakeWorld, expect: Expected): void {
  const { decision, reason, trace, warnings } = verdict
  const said = warnings.map(({ text }) => text).join('\n')
  if (expect.decision) assert.equal(decision, expect.decision)
  if (decision === 'allow') assert.equal(reason, undefined)
  else assert.ok(reason)
  if (expect.reason !== undefined) assert.equal(reason, expect.reason)
  for (const word of expect.says_reason ?? []) assert.ok(reason?.includes(word), `${reason} lacks ${word}`)
  if (expect.ran) assert.deepEqual(world.called, expect.ran)
  if (expect.cwds)
    assert.deepEqual(
      world.runs.map(({ cwd }) => cwd),
      expect.cwds,
    )
  if (expect.outcomes)
    assert.deepEqual(
      trace.map(({ outcome }) => outcome),
      expect.outcomes,
    )
  if (expect.warned) assert.deepEqual(warnings.map(({ id }) => id).sort(), [...expect.warned].sort())
  for (const word of expect.says ?? []) assert.ok(said.includes(word), `${said} lacks ${word}`)
  for (const word of expect.lacks ?? []) assert.ok(!JSON.stringify(verdict).includes(word), `${word} is shown`)
  const [run] = world.runs
  const [request] = world.requests
  if (expect.payload !== undefined) {
    const text = request === undefined ? String(run?.stdin) : `${Buffer.from(request.body!)}\n`
    assert.equal(text.indexOf('\n'), text.length - 1, 'one line')
    assert.deepEqual(JSON.parse(text), expect.payload)
  }
  if (expect.argv) assert.deepEqual(run?.argv, expect.argv)
  if (expect.cwd) assert.equal(run?.cwd, expect.cwd)
  if (expect.timeout !== undefined) assert.equal((run ?? request)?.timeout, expect.timeout)
  if (expect.outputLimit !== undefined) {
    assert.equal(run?.outputLimit, expect.outputLimit)
    assert.equal(run?.killAtLimit, true)
  }
  for (const [key, value] of Object.entries(expect.request ?? {}))
    assert.deepEqual(request?.[key as keyof OutRequest], value, key)
}
