/** The published cases of the endpoint, 105 to 130, through the SDK, with real sandboxes. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, describe, type TestContext, test } from 'node:test'
import { TestClock } from '../../src/managed/sandbox/sandbox.testing.ts'
import {
  AGENT,
  canIsolate,
  command,
  inline,
  type Running,
  resultsOf,
  script,
  startRuntime,
  textOf,
  until,
} from './support.ts'

let server: Running | undefined
after(async () => server?.close())

async function ready(t: TestContext): Promise<Running | undefined> {
  if (!canIsolate(t)) return undefined
  server ??= await startRuntime()
  return server
}

/** Whether any process of the machine has this text among its words. */
const isRunning = (word: string): boolean =>
  globSync('/proc/[0-9]*/cmdline').some((file) => {
    try {
      return readFileSync(file, 'utf8')
        .split('\0')
        .some((one) => one.split(/[\s;]+/).includes(word))
    } catch {
      return false
    }
  })

const agent = AGENT

/** What is read of an event. */
interface Event {
  readonly event_type: string
  readonly event_id?: string
  readonly interaction?: { readonly id: string; readonly environment_id?: string }
  readonly delta?: { readonly type: string; readonly text?: string }
}

describe('streams and the background', () => {
  test('case 107, 110: the text of a stream is that of the answer; a stream is taken up again', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { interactions } = own.client
    const stream = await interactions.create({ agent, input: 'Run `seq 3`', environment: 'remote', stream: true })
    const events: Event[] = []
    for await (const event of stream) events.push(event as Event)
    const [created, completed] = [events[0]!, events.at(-1)!]
    assert.deepEqual([created.event_type, completed.event_type], ['interaction.created', 'interaction.completed'])
    const { id, environment_id } = created.interaction!
    assert.ok(environment_id)
    assert.equal(completed.interaction?.environment_id, environment_id)
    const text = events.flatMap((one) => (one.delta?.type === 'text' ? [one.delta.text] : [])).join('')
    const whole = await interactions.get(id)
    assert.equal(text, whole.output_text)
    const rest: Event[] = []
    const again = await interactions.get(id, { stream: true, last_event_id: events[4]!.event_id! })
    for await (const event of again) rest.push(event as Event)
    assert.deepEqual(rest, events.slice(5))
  })

  test('case 109, 113: what is refused is a BadRequestError, before any event', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const wrong = { agent, input: 'x', environment: { type: 'remote', sources: [inline('/', 'x')] }, stream: true }
    await assert.rejects(own.client.interactions.create(wrong as never), { name: 'BadRequestError', status: 400 })
    await assert.rejects(own.client.interactions.create({ agent: 'nobody', input: 'x' }), { name: 'NotFoundError' })
    await assert.rejects(own.client.interactions.create({ agent, model: 'scripted', input: 'x' } as never), {
      status: 400,
    })
  })

  test('case 111: cancelling kills the command, with all it started', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { interactions } = own.client
    const begun = Date.now()
    const made = await interactions.create({
      agent,
      input: command('sleep 60.0111 & sleep 60.0112'),
      environment: 'remote',
      background: true,
    })
    assert.ok(Date.now() - begun < 1_500)
    assert.equal(made.status, 'in_progress')
    await until(() => (isRunning('60.0112') ? true : undefined))
    const asked = Date.now()
    assert.equal((await interactions.cancel(made.id)).status, 'cancelled')
    await until(() => (isRunning('60.0111') || isRunning('60.0112') ? undefined : true), 2_000)
    assert.ok(Date.now() - asked < 4_000)
    assert.equal((await interactions.cancel(made.id)).status, 'cancelled')
  })

  test('case 112: who breaks out of a stream ends the run', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { interactions } = own.client
    const stream = await interactions.create({
      agent,
      input: command('sleep 60.0121'),
      environment: 'remote',
      stream: true,
    })
    let id = ''
    for await (const event of stream) {
      if (event.event_type === 'interaction.created') id = event.interaction.id
      if (isRunning('60.0121')) break
      if (event.event_type === 'step.stop' && event.index === 1) {
        await until(() => (isRunning('60.0121') ? true : undefined))
        break
      }
    }
    await until(async () => ((await interactions.get(id)).status === 'cancelled' ? true : undefined))
    await until(() => (isRunning('60.0121') ? undefined : true), 3_000)
  })
})

describe('environments', () => {
  test('case 115, 125: files stay for the next run, also after a failure', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const first = await own.run(
      script({ calls: [{ name: 'code_execution', args: { code: 'echo one > a' } }] }, { fail: 'gone' }),
      { environment: 'remote' },
    )
    assert.equal(first.status, 'failed')
    const second = await own.run('Run `cat a`', { environment: first.environment_id })
    assert.match(resultsOf(second)[0]!.text, /^one/)
    const third = await own.run('Run `ls`', { environment: 'remote' })
    assert.notEqual(third.environment_id, first.environment_id)
    assert.doesNotMatch(resultsOf(third)[0]!.text, /^a$/m)
  })

  const sources: readonly (readonly [name: string, list: readonly object[], index: number])[] = [
    ['more than 1 MB', [inline('a', 'x'), inline('b', 'x'.repeat(1024 * 1024 + 1))], 1],
    ['more than 2 MB in all', [0, 1, 2].map((n) => inline(`a${n}`, 'x'.repeat(900_000))), 2],
    ['the root', [inline('/', 'x')], 0],
    ['upwards', [inline('a', 'x'), inline('../x', 'x')], 1],
  ]
  for (const [name, list, index] of sources)
    test(`case 117: ${name} is refused by its number`, async (t) => {
      const own = await ready(t)
      if (own === undefined) return
      const before = (await own.ask('GET', '/v1/environments?page_size=1000')).text
      const told = await own.ask('POST', '/v1/interactions', {
        agent,
        input: 'x',
        environment: { type: 'remote', sources: list },
      })
      assert.equal(told.status, 400)
      assert.match(told.body.error.message, new RegExp(`\\b${index}\\b`))
      assert.equal((await own.ask('GET', '/v1/environments?page_size=1000')).text, before)
    })

  test('case 118, 121: binary content; variables in commands and hooks', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const bytes = Buffer.from([0, 255, 10, 128, 13])
    const hooks = {
      a: { post_tool_execution: [{ hooks: [{ type: 'command', command: 'echo "$WORD" > /workspace/hooked' }] }] },
    }
    const body = await own.run('Run `printenv WORD; od -An -tx1 /workspace/b`', {
      environment: {
        type: 'remote',
        sources: [
          { type: 'inline', target: 'workspace/b', content: bytes.toString('base64'), encoding: 'base64' },
          inline('.agents/hooks.json', JSON.stringify(hooks)),
        ],
        env: { WORD: 'to be seen' },
      },
    })
    assert.match(resultsOf(body)[0]!.text, /^to be seen\n 00 ff 0a 80 0d/)
    assert.equal(
      (await own.ask('GET', `/v1/environments/${body.environment_id}/files/workspace/hooked?alt=media`)).text,
      'to be seen\n',
    )
  })

  test('case 124: deleting one ends what works in it', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const made = await own.client.interactions.create({
      agent,
      input: command('sleep 60.0241'),
      environment: 'remote',
      background: true,
    })
    await until(() => (isRunning('60.0241') ? true : undefined))
    await own.client.environments.delete(made.environment_id!)
    assert.equal(isRunning('60.0241'), false)
    assert.equal((await own.client.interactions.get(made.id)).status, 'failed')
    await assert.rejects(own.client.environments.get(made.environment_id!), { name: 'NotFoundError' })
  })

  test('case 114, 126: idle ones are stopped, and gone after a week', async (t) => {
    if (!canIsolate(t)) return
    const clock = new TestClock()
    const own = await startRuntime({ clock })
    try {
      const body = await own.run(command('echo kept > a; nohup sleep 60.0261 >/dev/null 2>&1 &'), {
        environment: 'remote',
      })
      const environment = body.environment_id
      clock.turn(16 * 60_000)
      await until(() => (isRunning('60.0261') ? undefined : true))
      assert.match(resultsOf(await own.run('Run `cat a`', { environment }))[0]!.text, /^kept/)
      clock.turn(8 * 24 * 60 * 60_000)
      await until(async () =>
        (await own.ask('POST', '/v1/interactions', { agent, input: 'x', environment })).status === 404
          ? true
          : undefined,
      )
    } finally {
      await own.close()
    }
  })

  test('case 130: twenty at once on one environment lose nothing', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { environment_id: environment } = await own.run('Run `echo 0 > n`', { environment: 'remote' })
    const add = command('n=$(cat n); sleep 0.05; echo $((n + 1)) > n')
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        own.client.interactions.create({ agent, input: add, environment: environment! }),
      ),
    )
    assert.deepEqual(
      all.map(({ status }) => status),
      all.map(() => 'completed'),
    )
    assert.match(resultsOf(await own.run('Run `cat n`', { environment }))[0]!.text, /^20\n/)
  })

  test('case 128: a saved agent begins anew each time', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { agents } = own.client
    await agents.create({
      ...{ id: 'keeper', base_agent: AGENT },
      base_environment: { type: 'remote', sources: [{ type: 'inline', target: 'workspace/a', content: 'as made' }] },
    })
    const first = await own.run('Run `echo changed > a`', { agent: 'keeper' })
    assert.equal(first.status, 'completed')
    assert.match(resultsOf(await own.run('Run `cat a`', { agent: 'keeper' }))[0]!.text, /^as made/)
    assert.match(
      resultsOf(await own.run('Run `cat a`', { agent: 'keeper', environment: first.environment_id }))[0]!.text,
      /^changed/,
    )
    await agents.delete('keeper')
    await assert.rejects(agents.get('keeper'), { name: 'NotFoundError' })
  })

  test('what the AGENTS.md of the environment says reaches the model', async (t) => {
    if (!canIsolate(t)) return
    const heard: string[] = []
    const own = await startRuntime({
      models: () => ({
        name: 'listening',
        async turn({ instructions }) {
          heard.push(instructions)
          return { text: 'heard', calls: [], tokens: { input: 1, output: 1 } }
        },
      }),
    })
    try {
      const sources = [inline('AGENTS.md', 'Speak in rhymes.'), inline('.agents/AGENTS.md', 'Never shout.')]
      await own.run('hello', { environment: { type: 'remote', sources }, system_instruction: 'Be kind.' })
      for (const word of ['Speak in rhymes.', 'Never shout.', 'Be kind.']) assert.ok(heard[0]!.includes(word), word)
    } finally {
      await own.close()
    }
  })
})

test('a conversation and its environment outlive a restart', async (t) => {
  const own = await ready(t)
  if (own === undefined) return
  const first = await own.run('Run `echo kept > a`', { environment: 'remote' })
  await own.again()
  assert.deepEqual((await own.ask('GET', `/v1/interactions/${first.id}`)).body, first)
  const second = await own.run('Run `cat a`', { environment: first.environment_id, previous_interaction_id: first.id })
  assert.match(textOf(second), /kept/)
})
