/**
 * The published cases of hooks, 1 to 64, against a running server with real sandboxes. The scripts stand here and run inside
 * a sandbox only.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, type TestContext, test } from 'node:test'
import { SANDBOX_TOOLS } from '../../src/managed/contract.ts'
import { arrived, type Lab, startLab } from '../../src/managed/egress/lab.testing.ts'
import { TestClock } from '../../src/managed/sandbox/sandbox.testing.ts'
import { need } from '../need.ts'
import {
  type Body,
  calls,
  canIsolate,
  command,
  inline,
  type Running,
  resultsOf,
  script,
  startRuntime,
  until,
} from './support.ts'

const OK = 'hooks.example.test:443'
let lab: Lab
let server: Running | undefined
let environment: string | undefined

before(async () => {
  lab = await startLab({
    hosts: [OK, 'other.test:443', 'closed.test:443'],
    answer: (_, response) => answerWith(response),
  })
})
after(async () => {
  await server?.close()
  await lab.close()
})

/** What the upstream answers next. */
let answerWith: (response: import('node:http').ServerResponse) => void = (response) => void response.end('{}')

const NETWORK = { allowlist: [{ domain: 'hooks.example.test' }] }

/** The server of this file with one environment; false where there are no sandboxes. */
async function ready(t: TestContext): Promise<boolean> {
  if (!canIsolate(t) || !need(t, 'python3')) return false
  if (server !== undefined) return true
  server = await startRuntime({ operator: { upstreams: lab.upstreams } })
  environment = (await server.ask('POST', '/v1/environments', { network: NETWORK })).body.id
  return true
}

/** Writes files of the environment from outside, as a client does. */
async function put(files: Readonly<Record<string, string>>, at = environment): Promise<void> {
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
async function run(hooks: unknown, input = command('echo ran'), at = environment): Promise<Ran> {
  await put({ '.agents/hooks.json': typeof hooks === 'string' ? hooks : JSON.stringify(hooks) }, at)
  return await look(await server!.run(input, { environment: at }))
}

async function look(body: Body): Promise<Ran> {
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

type Event = 'pre_tool_execution' | 'post_tool_execution'

const rule = (handlers: readonly object[], matcher?: string) => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: handlers,
})
const sh = (line: string, more: object = {}) => ({ type: 'command', command: line, ...more })
const group = (handlers: readonly object[], event: Event = 'pre_tool_execution', matcher?: string) => ({
  [event]: [rule(handlers, matcher)],
})
/** One group with one command before every tool. */
const gate = (line: string, more: object = {}) => ({ gate: group([sh(line, more)]) })
const deny = (reason: string) => `printf '{"decision":"deny","reason":"${reason}"}'`

const SEED = `import sys, json
data = json.load(sys.stdin)
cmd = str(data.get("tool_call", {}).get("args", {}))
if "rm -rf" in cmd:
    print(json.dumps({"decision": "deny", "reason": "Destructive command blocked by security gate."}))
else:
    print(json.dumps({"decision": "allow"}))
`

/** Whether any process of the machine has this text among its words. */
const isRunning = (word: string): boolean =>
  globSync('/proc/[0-9]*/cmdline').some((file) => {
    try {
      return readFileSync(file, 'utf8').split('\0').includes(word)
    } catch {
      return false
    }
  })

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

describe('http', () => {
  const http = (url: string, more: object = {}, event: Event = 'pre_tool_execution') => ({
    web: group([{ type: 'http', url, ...more }], event),
  })
  const URL_OK = 'https://hooks.example.test/gate'
  const reply = (
    status: number,
    body: string,
    headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  ) => {
    answerWith = (response) => {
      response.writeHead(status, headers)
      response.end(body)
    }
  }
  const DENY = '{"decision":"deny","reason":"from afar"}'
  const arrivals = () => lab.seen.splice(0)

  const rows: readonly (readonly [
    n: string,
    status: number,
    body: string,
    skipped: boolean,
    headers?: Readonly<Record<string, string>>,
  ])[] = [
    ['54: 200 and a deny', 200, DENY, true],
    ['55: 500', 500, DENY, false],
    ['55: 404', 404, DENY, false],
    ['55: 302', 302, DENY, false, { location: 'https://hooks.example.test/other' }],
    ['56: HTML', 200, '<html>deny</html>', false, { 'content-type': 'text/html' }],
    ['56: 204', 204, '', false],
    ['57: a deny as plain text', 200, DENY, true, { 'content-type': 'text/plain' }],
  ]
  for (const [n, status, body, skipped, headers] of rows)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      arrivals()
      reply(status, body, headers)
      const ran = await run(http(URL_OK))
      assert.equal(ran.skipped, skipped, ran.text)
      if (skipped) assert.equal(ran.text, 'Tool call denied by hook: from afar')
      assert.deepEqual(
        arrivals().map(({ url, method }) => [method, url]),
        [['POST', '/gate']],
      )
    })

  const blocked: readonly (readonly [n: string, url: string])[] = [
    ['58: clear text', 'http://hooks.example.test/gate'],
    ['59: 127.0.0.1', 'https://127.0.0.1:8443/'],
    ['59: localhost', 'https://localhost/'],
    ['59: [::1]', 'https://[::1]/'],
    ['60: a host that is not listed', 'https://other.test/gate'],
    ['55: a host that is not there', 'https://hooks.example.test:444/gate'],
  ]
  for (const [n, url] of blocked)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      arrivals()
      reply(200, DENY)
      const ran = await run(http(url))
      assert.match(ran.text, /^ran/)
      assert.deepEqual(arrivals(), [])
      assert.match(ran.warned, /./)
    })

  test('case 61, 62: its headers arrive, but for those that the rules set; the token is nowhere inside', async (t) => {
    if (!(await ready(t))) return
    arrivals()
    reply(200, '{}')
    const network = {
      allowlist: [{ domain: 'hooks.example.test', transform: { Authorization: 'Bearer the-real-one' } }],
    }
    const made = (await server!.ask('POST', '/v1/environments', { network })).body.id
    const headers = { 'X-Event-Source': 'agent-sandbox', Authorization: 'Bearer of-the-hook' }
    const ran = await run(http(URL_OK, { headers }), command('env; cat /.agents/hooks.json'), made)
    const [seen] = arrivals()
    assert.deepEqual(arrived(seen!, 'x-event-source'), ['agent-sandbox'])
    assert.deepEqual(arrived(seen!, 'authorization'), ['Bearer the-real-one'])
    assert.match(arrived(seen!, 'content-type')[0]!, /^application\/json/)
    assert.equal(JSON.parse(seen!.body).environment_id, made)
    assert.doesNotMatch(ran.text, /the-real-one/)
  })

  test('case 63: headers at once and no end', async (t) => {
    if (!(await ready(t))) return
    answerWith = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"decision":')
    }
    const begun = Date.now()
    const ran = await run(http(URL_OK, { timeout: 1 }))
    assert.match(ran.text, /^ran/)
    assert.ok(Date.now() - begun >= 1_000 && Date.now() - begun < 10_000)
    reply(200, '{}')
  })

  test('case 64: no network at all', async (t) => {
    if (!(await ready(t))) return
    arrivals()
    const sources = [inline('.agents/hooks.json', JSON.stringify(http(URL_OK)))]
    const made = await server!.ask('POST', '/v1/environments', { network: 'disabled', sources })
    assert.match((await server!.ask('GET', `/v1/environments/${made.body.id}`)).body.warnings!.join('\n'), /network/)
    const ran = await look(await server!.run(command('echo ran'), { environment: made.body.id }))
    assert.match(ran.text, /^ran/)
    assert.deepEqual(arrivals(), [])
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
