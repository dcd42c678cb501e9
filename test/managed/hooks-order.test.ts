/** The published cases of hooks against a running server: order, files, and what runs after a tool. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deny, environment, gate, group, look, put, ready, rule, run, server, sh } from './hooks-support.ts'
import { calls, canIsolate, command, inline, resultsOf, startRuntime } from './support.ts'

describe('order and files', () => {
  const mark = (name: string, then = 'echo {}') => sh(`echo ${name} >>/workspace/marks; ${then}`)
  const marks = async (at = environment) => {
    const told = await server!.ask('GET', `/v1/environments/${at}/files/workspace/marks?alt=media`)
    return told.status === 200 ? told.text.trim().split('\n') : []
  }
  const fresh = () => put({ 'workspace/marks': '' })

  test('case 31, 32: all run, and the first deny gives the reason', async (t) => {
    if (!(await ready(t))) return
    await fresh()
    const second = await run({ a: group([mark('a')]), b: group([mark('b', deny('of b'))]) })
    assert.equal(second.text, 'Tool call denied by hook: of b')
    const first = await run({ a: group([mark('a', deny('of a'))]), b: group([mark('b', deny('of b'))]) })
    assert.equal(first.text, 'Tool call denied by hook: of a')
    assert.deepEqual(await marks(), ['a', 'b', 'a', 'b'])
  })

  test('case 32: with stopOnDeny the rest does not run', async (t) => {
    if (!canIsolate(t)) return
    const own = await startRuntime({ hooks: { stopOnDeny: true } })
    try {
      const hooks = { a: group([mark('a', deny('of a'))]), b: group([mark('b')]) }
      const body = await own.run(command('true'), {
        environment: { type: 'remote', sources: [inline('.agents/hooks.json', JSON.stringify(hooks))] },
      })
      assert.equal(resultsOf(body)[0]?.text, 'Tool call denied by hook: of a')
      const told = await own.ask('GET', `/v1/environments/${body.environment_id}/files/workspace/marks?alt=media`)
      assert.equal(told.text, 'a\n')
    } finally {
      await own.close()
    }
  })

  test('case 33, 34, 35: handlers and groups in the order of the file; groups that are off', async (t) => {
    if (!(await ready(t))) return
    await fresh()
    // Written by hand: an object of JavaScript would put the numbers first.
    const one = (name: string, more = '') =>
      `${JSON.stringify(name)}: {${more}"pre_tool_execution": [{"hooks": ${JSON.stringify([mark(`${name}1`), mark(`${name}2`), mark(`${name}3`)])}}]}`
    await run(`{${one('10')}, ${one('2', '"enabled": true, ')}, ${one('a')}, ${one('off', '"enabled": false, ')}}`)
    assert.deepEqual(await marks(), ['101', '102', '103', '21', '22', '23', 'a1', 'a2', 'a3'])
  })

  test('case 36, 37: the file of the root first, then that of the working directory, each once', async (t) => {
    if (!(await ready(t))) return
    const made = (await server!.ask('POST', '/v1/environments', {})).body.id
    await put({ 'workspace/.agents/hooks.json': JSON.stringify({ work: group([mark('work')]) }) }, made)
    await run({ root: group([mark('root')]) }, command('true'), made)
    assert.deepEqual(await marks(made), ['root', 'work'])
    await server!.run(command('rm -r /workspace/.agents && ln -s /.agents /workspace/.agents && rm /workspace/marks'), {
      environment: made,
    })
    await server!.run(command('true'), { environment: made })
    assert.deepEqual(await marks(made), ['root'])
  })

  test('case 40: broken JSON: the tool runs, and log, trace and environment say so', async (t) => {
    if (!(await ready(t))) return
    const made = await server!.ask('POST', '/v1/environments', { sources: [inline('.agents/hooks.json', '{"a": [')] })
    const ran = await look(await server!.run(command('echo ran'), { environment: made.body.id }))
    assert.match(ran.text, /^ran/)
    assert.match(ran.warned, /JSON/)
    assert.ok(
      server!.events.some(
        ({ kind, environment: at, text }) => kind.startsWith('hooks.') && at === made.body.id && /JSON/.test(text),
      ),
    )
    const { body } = await server!.ask('GET', `/v1/environments/${made.body.id}`)
    assert.match((body.warnings ?? []).join('\n'), /JSON/)
  })

  test('case 41, 42: what is malformed or of another tool is left out, the rest works', async (t) => {
    if (!(await ready(t))) return
    const good = group([sh(deny('of the good one'))])
    assert.equal(
      (await run({ bad: { pre_tool_execution: 'x' }, good })).text,
      'Tool call denied by hook: of the good one',
    )
    const other = await run({ agy: { PreToolUse: [rule([sh(deny('x'))])] } })
    assert.match(other.text, /^ran/)
    assert.match(other.warned, /pre_tool_execution[\s\S]*post_tool_execution/)
  })

  test('case 43: hooks that the agent writes count at its next call', async (t) => {
    if (!(await ready(t))) return
    const made = (await server!.ask('POST', '/v1/environments', {})).body.id
    const hooks = JSON.stringify({ new: group([sh(deny('newly written'))]) })
    const body = await server!.run(
      calls(
        ['write_to_file', { path: '/workspace/.agents/hooks.json', content: hooks }],
        ['code_execution', { code: 'echo ran' }],
      ),
      { environment: made },
    )
    assert.deepEqual(
      resultsOf(body).map(({ isError }) => isError),
      [false, true],
    )
  })

  test('case 43, 44: frozen hooks stay as they were', async (t) => {
    if (!canIsolate(t)) return
    const own = await startRuntime({ hooks: { pinned: true } })
    try {
      const script = 'if grep -q forbidden; then echo \'{"decision":"deny","reason":"as made"}\'; else echo {}; fi'
      const sources = [
        inline('.agents/hooks.json', JSON.stringify(gate('sh /.agents/hooks-scripts/gate.sh'))),
        inline('.agents/hooks-scripts/gate.sh', script),
      ]
      const body = await own.run(
        calls(
          [
            'code_execution',
            {
              code: 'echo "echo {}" > /.agents/hooks-scripts/gate.sh; rm -rf /.agents; mkdir -p /.agents && echo {} > /.agents/hooks.json',
            },
          ],
          ['write_to_file', { path: '/.agents/hooks.json', content: '{}', overwrite: true }],
          [
            'write_to_file',
            { path: '/workspace/.agents/hooks.json', content: JSON.stringify(gate(deny('newly written'))) },
          ],
          ['code_execution', { code: 'echo forbidden' }],
          ['code_execution', { code: 'echo fine' }],
        ),
        { environment: { type: 'remote', sources } },
      )
      const [shell, write, , forbidden, fine] = resultsOf(body)
      assert.equal(shell?.isError, true)
      assert.equal(write?.isError, true)
      assert.equal(forbidden?.text, 'Tool call denied by hook: as made')
      assert.match(fine!.text, /^fine/)
    } finally {
      await own.close()
    }
  })
})

describe('after a tool', () => {
  const post = (line: string, more: object = {}) => ({ after: group([sh(line, more)], 'post_tool_execution') })
  const seen = async () =>
    JSON.parse((await server!.ask('GET', `/v1/environments/${environment}/files/workspace/post.json?alt=media`)).text)
  const keep = post('cat >/workspace/post.json; echo {}')

  const rows: readonly (readonly [n: string, input: string, error: string | undefined | RegExp])[] = [
    ['46: nothing went wrong', command('echo fine'), undefined],
    ['47: stderr of what succeeded', command('echo x >&2; exit 0'), 'x'],
    ['48: a status alone', command('exit 3'), 'exit status 3'],
    ['49: a file that is not there', calls(['view_file', { path: '/workspace/none' }]), /none/],
  ]
  for (const [n, input, error] of rows)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      const { body } = await run(keep, input)
      const told = await seen()
      if (error === undefined) assert.equal('error' in told, false)
      else if (typeof error === 'string') assert.equal(told.error.trim(), error)
      else assert.match(told.error, error)
      if (n.startsWith('49')) assert.equal(resultsOf(body)[0]?.isError, true)
    })

  test('case 50, 51: what it says or does changes nothing, and it is waited for', async (t) => {
    if (!(await ready(t))) return
    const lines = [deny('x'), 'exit 1', 'no-such-program-of-ours'] as const
    for (const line of lines) assert.match((await run(post(line))).text, /^ran/)
    const begun = Date.now()
    const ran = await run(post('sleep 50.0511', { timeout: 1 }))
    assert.match(ran.text, /^ran/)
    assert.ok(Date.now() - begun >= 1_000)
    assert.deepEqual(
      ran.handlers.map(({ outcome }) => outcome),
      ['failed'],
    )
  })

  test('case 52: not after a denied tool', async (t) => {
    if (!(await ready(t))) return
    const { handlers } = await run({ before: group([sh(deny('x'))]), ...post('true') })
    assert.deepEqual(
      handlers.map(({ group: name }) => name),
      ['before'],
    )
  })
})
