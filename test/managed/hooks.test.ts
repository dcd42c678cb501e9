/** The published cases of hooks against a running server: what a gate may give, and what a matcher matches. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SANDBOX_TOOLS } from '../../src/managed/contract.ts'
import { TestClock } from '../../src/managed/sandbox/sandbox.testing.ts'
import { need } from '../need.ts'
import {
  deny,
  environment,
  gate,
  group,
  isRunning,
  lab,
  OK,
  put,
  ready,
  run,
  SEED,
  server,
  sh,
} from './hooks-support.ts'
import { calls, canIsolate, command, inline, resultsOf, script, startRuntime, until } from './support.ts'

describe('what a gate may give', () => {
  const rows: readonly {
    readonly n: string
    readonly line: string
    readonly more?: object
    readonly skipped?: boolean
    readonly reason?: RegExp
    readonly warned?: RegExp
  }[] = [
    { n: '4: a deny without a reason', line: `printf '{"decision":"deny"}'`, skipped: true, reason: /"gate"/ },
    {
      n: '5: a reason that is no text',
      line: `printf '{"decision":"deny","reason":42}'`,
      skipped: true,
      reason: /"gate"/,
    },
    { n: '6: plain text', line: 'echo deny', warned: /./ },
    { n: '7: nothing', line: 'true' },
    { n: '8: an empty object', line: `echo '{}'` },
    { n: '9: DENY', line: `echo '{"decision":"DENY"}'`, warned: /deny/ },
    { n: '10: block', line: `echo '{"decision":"block","reason":"x"}'`, warned: /deny/ },
    { n: '11: text before the JSON', line: `echo log line; ${deny('x')}`, warned: /JSON/ },
    { n: '12: a list', line: `echo '[{"decision":"deny"}]'` },
    { n: '13: a deny and exit 1', line: `${deny('x')}; exit 1`, warned: /1/ },
    { n: '14: exit 2', line: 'echo no >&2; exit 2', warned: /2/ },
    { n: '15: a command that is not there', line: 'no-such-program-of-ours', warned: /127/ },
    { n: '16: a crash', line: 'kill -SEGV $$', warned: /./ },
    { n: '18: a deny, and then no end', line: `${deny('x')}; sleep 5.018`, more: { timeout: 1 }, warned: /./ },
    { n: '21: five megabytes', line: "head -c 5242880 /dev/zero | tr '\\0' x", warned: /./ },
  ]
  for (const { n, line, more, skipped = false, reason, warned } of rows)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      const ran = await run(gate(line, more))
      assert.equal(ran.skipped, skipped, ran.text)
      if (!skipped) assert.match(ran.text, /^ran/)
      if (reason !== undefined) assert.match(ran.text, reason)
      if (warned !== undefined) assert.match(ran.warned, warned)
    })

  test('case 1, 2: the published gate denies one and lets the other pass', async (t) => {
    if (!(await ready(t))) return
    await put({ '.agents/hooks-scripts/gate.py': SEED })
    const hooks = gate('python3 /.agents/hooks-scripts/gate.py', { timeout: 10 })
    const denied = await run(hooks, command('rm -rf /tmp/forbidden'))
    assert.equal(denied.text, 'Tool call denied by hook: Destructive command blocked by security gate.')
    assert.equal(denied.body.steps.at(-1)?.type, 'model_output')
    assert.match((await run(hooks, command('echo hi'))).text, /^hi/)
  })

  test('case 3: what it is told', async (t) => {
    if (!(await ready(t))) return
    await run(gate('cat >/workspace/seen.json; echo {}'), command('echo ran', 'bash'))
    const { text } = await server!.ask('GET', `/v1/environments/${environment}/files/workspace/seen.json?alt=media`)
    assert.match(text, /^[^\n]*\n$/)
    assert.deepEqual(JSON.parse(text), {
      tool_call: { name: 'code_execution', args: { code: 'echo ran', language: 'bash' } },
      environment_id: environment,
    })
  })

  test('case 17: no end: the tool runs after the time, and nothing is left', async (t) => {
    if (!(await ready(t))) return
    const begun = Date.now()
    const ran = await run(gate('sleep 50.0171', { timeout: 1 }))
    assert.match(ran.text, /^ran/)
    assert.ok(Date.now() - begun >= 1_000 && Date.now() - begun < 10_000)
    assert.equal(isRunning('50.0171'), false)
  })

  test('case 19: thirty seconds where nothing is said', async (t) => {
    if (!canIsolate(t)) return
    const clock = new TestClock()
    const own = await startRuntime({ clock })
    try {
      const hooks = JSON.stringify(gate('sleep 50.0191'))
      const made = await own.ask('POST', '/v1/environments', { sources: [inline('.agents/hooks.json', hooks)] })
      const running = own.run(command('echo ran'), { environment: made.body.id })
      await until(() => (isRunning('50.0191') ? true : undefined))
      clock.turn(29_000)
      assert.equal(isRunning('50.0191'), true)
      clock.turn(2_000)
      assert.match(resultsOf(await running)[0]!.text, /^ran/)
      assert.equal(isRunning('50.0191'), false)
    } finally {
      await own.close()
    }
  })

  test('case 20: times that are none', async (t) => {
    if (!(await ready(t))) return
    const hooks = { gate: group([sh('true', { timeout: '10' }), sh('true', { timeout: -1 })]) }
    const { warned, handlers, text } = await run(hooks)
    assert.match(text, /^ran/)
    assert.equal(handlers.length, 2)
    assert.ok((warned.match(/timeout/g) ?? []).length >= 2, warned)
  })

  test('case 22: two megabytes of arguments that nobody reads', async (t) => {
    if (!(await ready(t))) return
    const ran = await run(gate(deny('too long')), command(`: ${'x'.repeat(2 * 1024 * 1024)}`))
    assert.equal(ran.text, 'Tool call denied by hook: too long')
  })

  test('case 23: a child that holds the output', async (t) => {
    if (!(await ready(t))) return
    const begun = Date.now()
    await run(gate(`sleep 50.0231 & ${deny('x')}`, { timeout: 2 }))
    assert.ok(Date.now() - begun < 10_000)
    assert.equal(isRunning('50.0231'), false)
  })

  test('case 24: its own requests follow the rules, and fire no hook', async (t) => {
    if (!(await ready(t)) || !need(t, 'curl')) return
    lab.seen.length = 0
    const tries = ['hooks.example.test', 'other.test'].map((host) => `curl -sS -m 5 https://${host}/from-gate`)
    const { handlers } = await run(gate(`${tries.join('; ')}; echo {}`))
    assert.deepEqual(
      lab.seen.map(({ host, url }) => [host, url]),
      [[OK, '/from-gate']],
    )
    assert.equal(handlers.length, 1)
  })
})

describe('matchers', () => {
  const all = calls(
    ['code_execution', { code: 'true' }],
    ['view_file', { path: '/workspace/m' }],
    ['write_to_file', { path: '/workspace/m', content: 'x' }],
    ['replace_file_content', { path: '/workspace/m', target_content: 'x', replacement_content: 'y' }],
    ['list_dir', { path: '/workspace' }],
    ['delete_file', { path: '/workspace/m' }],
  )
  const rows: readonly (readonly [
    n: string,
    matcher: string | undefined,
    tools: readonly string[],
    warned?: RegExp,
  ])[] = [
    ['25', '.*_file', ['view_file', 'write_to_file', 'delete_file']],
    ['26', '*', SANDBOX_TOOLS],
    ['26', '', SANDBOX_TOOLS],
    ['26', '.*', SANDBOX_TOOLS],
    ['26', undefined, SANDBOX_TOOLS],
    ['27', '*_file', [], /\*_file/],
    ['27', '[', [], /\[/],
    ['27', '(?=x)a', [], /./],
    ['27', '(a)\\1', [], /./],
    ['28', 'view_file|write_to_file', ['view_file', 'write_to_file']],
    ['29', 'code_exec', []],
    ['29', '(?i)CODE_EXECUTION', ['code_execution']],
    ['30', 'CODE_EXECUTION', []],
    ['45', 'read_file', [], /view_file/],
  ]
  for (const [n, matcher, tools, warned] of rows)
    test(`case ${n}: ${JSON.stringify(matcher)}`, async (t) => {
      if (!(await ready(t))) return
      const hooks = { tested: group([sh('true')], 'pre_tool_execution', matcher), always: group([sh('true')]) }
      const { body, handlers, warned: said } = await run(hooks, all)
      const names = new Map(
        body.steps.flatMap((step) =>
          'id' in step ? [[step.id, 'name' in step ? step.name : 'code_execution'] as const] : [],
        ),
      )
      const of = (name: string) => handlers.filter((one) => one.group === name).map(({ call }) => names.get(call))
      assert.deepEqual(of('tested').toSorted(), [...tools].sort())
      // Other rules go on as they are.
      assert.deepEqual(of('always').toSorted(), [...SANDBOX_TOOLS].sort())
      if (warned !== undefined) assert.match(said, warned)
    })
})

test('cancelling while a hook runs kills it, and the tool does not run', async (t) => {
  if (!(await ready(t))) return
  const made = (
    await server!.ask('POST', '/v1/environments', {
      sources: [inline('.agents/hooks.json', JSON.stringify(gate('sleep 50.0431')))],
    })
  ).body.id
  const { body } = await server!.ask('POST', '/v1/interactions', {
    ...{ agent: 'antigravity-preview-09-2026', background: true, environment: made },
    input: script({ calls: [{ name: 'code_execution', args: { code: 'echo ran >/workspace/ran' } }] }),
  })
  await until(() => (isRunning('50.0431') ? true : undefined))
  assert.equal((await server!.ask('POST', `/v1/interactions/${body.id}/cancel`)).body.status, 'cancelled')
  await until(() => (isRunning('50.0431') ? undefined : true), 2_000)
  assert.equal((await server!.ask('GET', `/v1/environments/${made}/files/workspace/ran`)).status, 404)
})
