/** Runs: streams, the background, cancelling, queues, budgets, functions, restarts. */
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { AGENT, eventsOf, KEY, type Memory, memoryRuntime, script, type Talk, talk, until } from './memory.testing.ts'
import type { Numbered } from './wire.ts'

let memory: Memory
let api: Talk
before(async () => {
  memory = memoryRuntime()
  api = await talk(memory)
})
after(async () => {
  await api.close()
  memory.clear()
})

const post = (body: object) => api.ask('POST', '/v1/interactions', { agent: AGENT, ...body })
const get = (id: string) => api.ask('GET', `/v1/interactions/${id}`)
const sleep = (seconds: number) => script({ calls: [{ name: 'code_execution', args: { code: `sleep ${seconds}` } }] })
const textIn = (events: readonly Numbered[]) =>
  events
    .flatMap((event) => (event.event_type === 'step.delta' && event.delta.type === 'text' ? [event.delta['text']] : []))
    .join('')

describe('streams', () => {
  it('case 107: created, steps, completed; ids rise; the text is that of the answer', async () => {
    const told = await post({ input: 'Run `echo hi`', environment: 'remote', stream: true })
    assert.match(told.headers.get('content-type') ?? '', /^text\/event-stream/)
    const { events, done } = eventsOf(told.text)
    assert.equal(done, true)
    const [created, last] = [events[0]!, events.at(-1)!]
    assert.ok(created.event_type === 'interaction.created' && last.event_type === 'interaction.completed')
    assert.ok(
      created.interaction.environment_id && created.interaction.environment_id === last.interaction.environment_id,
    )
    assert.deepEqual(
      events.map(({ event_id }) => Number(event_id)),
      events.map((_, at) => at + 1),
    )
    const { body } = await get(created.interaction.id)
    const final = body.steps.at(-1)
    assert.ok(final?.type === 'model_output')
    assert.equal(textIn(events), final.content[0]?.text)
    for (const [index] of body.steps.entries()) {
      const own = events
        .filter((event) => 'index' in event && event.index === index)
        .map(({ event_type }) => event_type)
      assert.deepEqual([own[0], own.at(-1)], ['step.start', 'step.stop'])
    }
  })

  it('case 108: a failure after the beginning is an event, then the end', async () => {
    const told = await post({
      input: script({ text: 'so far', calls: [{ name: 'list_dir' }] }, { fail: 'the model is away' }),
      environment: 'remote',
      stream: true,
    })
    const { events, done } = eventsOf(told.text)
    assert.deepEqual([told.status, done], [200, true])
    const last = events.at(-1)!
    assert.deepEqual(last.event_type === 'error' && last.error, { code: 'model_error', message: 'the model is away' })
  })

  it('case 109: a bad body is 400 and JSON before any event', async () => {
    for (const body of [
      { input: 'x', stream: true, colour: 1 },
      {
        input: 'x',
        stream: true,
        environment: { type: 'remote', sources: [{ type: 'inline', target: '/', content: '' }] },
      },
    ]) {
      const told = await post(body)
      assert.equal(told.status, 400)
      assert.match(told.headers.get('content-type') ?? '', /json/)
    }
  })

  it('case 110: resumes behind any event', async () => {
    const { body } = await post({ input: 'Run `echo hi`', environment: 'remote' })
    const whole = eventsOf((await api.ask('GET', `/v1/interactions/${body.id}?stream=true`)).text).events
    for (const at of [0, 1, 7, whole.length]) {
      const { events, done } = eventsOf(
        (await api.ask('GET', `/v1/interactions/${body.id}?stream=true&last_event_id=${at}`)).text,
      )
      assert.deepEqual([events, done], [whole.slice(at), true])
    }
    for (const none of ['x', whole.length + 1, 999_999_999]) {
      const { status, text } = await api.ask('GET', `/v1/interactions/${body.id}?stream=true&last_event_id=${none}`)
      assert.deepEqual([status, text.includes('last_event_id')], [400, true])
    }
  })

  it('case 110: resumes while it runs, without a gap or a double', async () => {
    const { body } = await post({
      input: script({ calls: [{ name: 'code_execution', args: { code: 'sleep 0.3' } }] }, { text: 'done' }),
      environment: 'remote',
      background: true,
    })
    const told = await api.ask('GET', `/v1/interactions/${body.id}?stream=true&last_event_id=1`)
    const { events } = eventsOf(told.text)
    assert.deepEqual(
      events.map(({ event_id }) => Number(event_id)),
      events.map((_, at) => at + 2),
    )
    assert.equal(events.at(-1)?.event_type, 'interaction.completed')
  })

  /** Begins a stream and goes away after the first event. */
  async function leave(body: object): Promise<string> {
    const gone = new AbortController()
    const answer = await fetch(`${api.base}/v1/interactions`, {
      ...{ method: 'POST', signal: gone.signal, headers: { 'x-goog-api-key': KEY } },
      body: JSON.stringify({ agent: AGENT, stream: true, ...body }),
    })
    const reader = answer.body!.getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    gone.abort()
    return /"id":"(int_\w+)"/.exec(first)![1]!
  }

  it('case 112: who leaves a stream ends the run, but not one in the background', async () => {
    const one = await leave({ input: sleep(20), environment: 'remote' })
    await until(async () => ((await get(one)).body.status === 'cancelled' ? true : undefined))
    const two = await leave({ input: script({ wait: 300, text: 'done' }), environment: 'remote', background: true })
    await until(async () => ((await get(two)).body.status === 'completed' ? true : undefined))
  })

  it('and who leaves before an answer that is no stream', async () => {
    const gone = new AbortController()
    const asked = fetch(`${api.base}/v1/interactions`, {
      ...{ method: 'POST', signal: gone.signal, headers: { 'x-goog-api-key': KEY } },
      body: JSON.stringify({ agent: AGENT, input: sleep(62), environment: 'remote' }),
    })
    await until(() => (memory.environments.ran.includes('code_execution sleep 62') ? true : undefined))
    const ends = () => memory.events.filter(({ text }) => / cancelled /.test(text)).length
    const before = ends()
    gone.abort()
    await assert.rejects(asked)
    await until(() => (ends() === before + 1 ? true : undefined))
  })
})

describe('in the background', () => {
  it('case 111: answers at once, and is done later', async () => {
    const begun = Date.now()
    const { body } = await post({
      input: script({ wait: 1_500, text: 'done' }),
      environment: 'remote',
      background: true,
    })
    assert.ok(Date.now() - begun < 1_000)
    assert.equal(body.status, 'in_progress')
    await until(async () => ((await get(body.id)).body.status === 'completed' ? true : undefined))
  })

  it('case 111: cancelling stops the command, and once more changes nothing', async () => {
    const { body } = await post({ input: sleep(60), environment: 'remote', background: true })
    await until(() => (memory.environments.ran.includes('code_execution sleep 60') ? true : undefined))
    const begun = Date.now()
    const told = await api.ask('POST', `/v1/interactions/${body.id}/cancel`)
    assert.ok(Date.now() - begun < 2_000)
    assert.deepEqual([told.status, told.body.status], [200, 'cancelled'])
    const again = await api.ask('POST', `/v1/interactions/${body.id}/cancel`)
    assert.deepEqual([again.status, again.body], [200, told.body])
    assert.equal((await api.ask('POST', '/v1/interactions/int_none/cancel')).status, 404)
  })

  it('what does not fit is refused at once there too', async () => {
    const told = await post({
      input: 'x',
      background: true,
      environment: { type: 'remote', sources: [{ type: 'inline', target: '/', content: '' }] },
    })
    assert.equal(told.status, 400)
  })

  it('case 124: what works in an environment that is deleted fails', async () => {
    const { body } = await post({ input: sleep(61), environment: 'remote', background: true })
    await until(() => (memory.environments.ran.includes('code_execution sleep 61') ? true : undefined))
    assert.equal((await api.ask('DELETE', `/v1/environments/${body.environment_id}`)).status, 200)
    const told = await get(body.id)
    assert.deepEqual([told.body.status, told.body.errors?.[0]?.code], ['failed', 'not_found'])
    assert.equal((await post({ input: 'x', environment: body.environment_id })).status, 404)
  })
})

describe('runs', () => {
  const two = (n: number) => [1, 2].map((k) => ({ name: 'code_execution', args: { code: `echo ${n}.${k}` } }))
  const pair = (n: number) => [1, 2].map((k) => `code_execution echo ${n}.${k}`)
  const twenty = Array.from({ length: 20 }, (_, n) => n)

  it('case 130: twenty at once in one environment come one after another', async () => {
    const { body } = await post({ input: 'hello', environment: 'remote' })
    const from = memory.environments.ran.length
    const environment = body.environment_id
    const all = await Promise.all(
      twenty.map((n) => post({ input: script({ calls: two(n) }, { text: 'done' }), environment })),
    )
    assert.deepEqual(
      all.map(({ body: { status } }) => status),
      twenty.map(() => 'completed'),
    )
    const ran = memory.environments.ran.slice(from)
    assert.deepEqual(ran.toSorted(), twenty.flatMap(pair).toSorted())
    for (let at = 0; at < ran.length; at += 2) assert.equal(ran[at]!.replace(/1$/, '2'), ran[at + 1])
  })

  it('case 130: and in the order in which they came', async () => {
    const { body } = await post({ input: 'hello', environment: 'remote' })
    const from = memory.environments.ran.length
    const more = { environment: body.environment_id, background: true }
    await post({ input: script({ wait: 500, text: 'first' }), ...more })
    let last = ''
    for (const n of twenty) last = (await post({ input: script({ calls: two(n) }), ...more })).body.id
    await until(async () => ((await get(last)).body.status === 'completed' ? true : undefined))
    assert.deepEqual(memory.environments.ran.slice(from), twenty.flatMap(pair))
  })

  it('one that waits can be cancelled, and the others go on', async () => {
    const { body } = await post({ input: 'hello', environment: 'remote' })
    const environment = body.environment_id
    const first = await post({ input: script({ wait: 400, text: 'first' }), environment, background: true })
    const second = await post({ input: script({ text: 'second' }), environment, background: true })
    const third = await post({ input: script({ text: 'third' }), environment, background: true })
    assert.deepEqual([second.body.status, third.body.status], ['queued', 'queued'])
    assert.equal((await api.ask('POST', `/v1/interactions/${second.body.id}/cancel`)).body.status, 'cancelled')
    await until(async () => ((await get(third.body.id)).body.status === 'completed' ? true : undefined))
    assert.equal((await get(first.body.id)).body.status, 'completed')
  })

  it('case 129: a budget that is spent ends it, and the environment stays', async () => {
    const { body } = await post({
      ...{ input: 'Run `echo hi`, then read /a.txt', environment: 'remote' },
      agent_config: { type: 'antigravity', max_total_tokens: '10' },
    })
    assert.equal(body.status, 'budget_exceeded')
    assert.ok(body.usage!.total_tokens >= 10)
    assert.equal(
      body.steps.some((step) => 'id' in step),
      false,
    )
    assert.equal((await api.ask('GET', `/v1/environments/${body.environment_id}`)).status, 200)
  })

  it('case 125: one that fails keeps its environment and its files', async () => {
    const { body } = await post({
      input: script(
        { calls: [{ name: 'write_to_file', args: { path: '/kept.txt', content: 'x' } }] },
        { fail: 'gone' },
      ),
      environment: 'remote',
    })
    assert.deepEqual([body.status, body.errors], ['failed', [{ code: 'model_error', message: 'gone' }]])
    assert.equal((await api.ask('GET', `/v1/environments/${body.environment_id}/files/kept.txt`)).status, 200)
  })

  it('case 53: a function is for the client, fires no hook, and its result goes on', async () => {
    const seen = memory.hooks.seen.length
    const tools = [
      { type: 'function', name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    ]
    const { body } = await post({ input: 'call weather with {"city":"Oslo"}', tools })
    assert.equal(body.status, 'requires_action')
    const call = body.steps.find((step) => step.type === 'function_call')!
    assert.ok(call.type === 'function_call')
    assert.deepEqual([call.name, call.arguments], ['weather', { city: 'Oslo' }])
    assert.equal(
      body.steps.some(({ type }) => type === 'function_result'),
      false,
    )
    const next = { tools, previous_interaction_id: body.id }
    const wrong = await post({ ...next, input: [{ type: 'function_result', call_id: 'no', result: 'x' }] })
    assert.equal(wrong.status, 400)
    const done = await post({
      ...next,
      input: [{ type: 'function_result', call_id: call.id, name: 'weather', result: 'rain' }],
    })
    assert.equal(done.body.status, 'completed')
    assert.match(JSON.stringify(done.body.steps.at(-1)), /rain/)
    assert.equal(memory.hooks.seen.length, seen)
  })

  it('a conversation that still runs cannot be continued', async () => {
    const { body } = await post({ input: script({ wait: 5_000 }), background: true })
    assert.equal((await post({ input: 'x', previous_interaction_id: body.id })).status, 400)
    await api.ask('DELETE', `/v1/interactions/${body.id}`)
    assert.equal((await get(body.id)).status, 404)
  })

  it('one line is reported for each', () => {
    const lines = memory.events.filter(({ kind }) => kind === 'interaction')
    assert.ok(lines.length > 10)
    for (const { text } of lines)
      assert.match(text, /^int_\w+ (?:completed|cancelled|failed|requires_action|budget_exceeded)\b[^\n]*$/)
  })
})

describe('a restart', () => {
  it('keeps what ended, and fails what was at work when the server was killed', async () => {
    const ended = (await post({ input: 'Run `echo hi`', environment: 'remote' })).body
    const open = (
      await post({
        input: script({ text: 'half', calls: [{ name: 'code_execution', args: { code: 'sleep 30' } }] }),
        environment: 'remote',
        background: true,
      })
    ).body
    await until(() => (memory.environments.ran.includes('code_execution sleep 30') ? true : undefined))
    // As a crash leaves it: nothing is ended, and the last line is cut off.
    const directory = join(memory.state, 'interactions')
    appendFileSync(join(directory, `${open.id}.jsonl`), '{"is":"event","ev')
    const other = await talk(memory.again())
    try {
      assert.deepEqual((await other.ask('GET', `/v1/interactions/${ended.id}`)).body, ended)
      const { body } = await other.ask('GET', `/v1/interactions/${open.id}`)
      assert.equal(body.status, 'failed')
      assert.match(body.errors![0]!.message, /server stopped/)
      assert.equal(body.environment_id, open.environment_id)
      const { events, done } = eventsOf((await other.ask('GET', `/v1/interactions/${open.id}?stream=true`)).text)
      assert.deepEqual([events.at(-1)?.event_type, done], ['error', true])
      assert.deepEqual(
        events.map(({ event_id }) => Number(event_id)),
        events.map((_, at) => at + 1),
      )
      const more = await other.ask('POST', '/v1/interactions', {
        agent: AGENT,
        input: 'hello',
        previous_interaction_id: open.id,
      })
      assert.equal(more.body.status, 'completed')
    } finally {
      await other.close()
    }
    const third = await talk(memory.again())
    assert.equal((await third.ask('GET', `/v1/interactions/${open.id}`)).body.status, 'failed')
    await third.close()
    for (const name of readdirSync(directory)) assert.match(name, /^int_\w+\.jsonl$/)
  })

  it('a server that stops in good order fails what is at work', async () => {
    const own = memoryRuntime()
    const first = await talk(own)
    const { body } = await first.ask('POST', '/v1/interactions', {
      agent: AGENT,
      input: sleep(30),
      environment: 'remote',
      background: true,
    })
    await until(() => (own.environments.ran.length > 0 ? true : undefined))
    await first.close()
    const second = await talk(own.again())
    const told = await second.ask('GET', `/v1/interactions/${body.id}`)
    assert.deepEqual([told.body.status, told.body.errors?.[0]?.code], ['failed', 'aborted'])
    await second.close()
    own.clear()
  })
})
