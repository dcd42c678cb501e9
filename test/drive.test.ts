import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DRIVEN, type DrivenHost, readAnswer } from '../src/cli/probe/rig/answers.ts'
import { messagesModel } from '../src/cli/probe/rig/anthropic-model.ts'
import { chatModel } from '../src/cli/probe/rig/chat-model.ts'
import { DRIVERS } from '../src/cli/probe/rig/drivers.ts'
import { geminiModel } from '../src/cli/probe/rig/gemini-model.ts'
import { normaliser, problems, type Receipt } from '../src/cli/probe/rig/receipt.ts'
import { responsesModel } from '../src/cli/probe/rig/responses-model.ts'
import { drive, PROJECT, SOURCE_HOOK } from '../src/cli/probe/rig/scenario.ts'
import { driveDirectory } from '../src/cli/probe/rig/scratch.ts'
import { type Json, list, nextTurn, object, type Script } from '../src/cli/probe/rig/script.ts'
import type { Host, HostAnswer, Launch } from '../src/hosts/host.ts'
import { hostOf } from '../src/hosts/registry.ts'

const DIRECTORY = join(PROJECT, 'receipts')
const files = readdirSync(DIRECTORY, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
const receipts = files.map((name) => ({
  name,
  receipt: JSON.parse(readFileSync(join(DIRECTORY, name), 'utf8')) as Receipt,
}))
/** What a denial or a refusal came to, where the host ends the run with it: nothing is told to the model. */
const ENDS: ReadonlySet<string> = new Set(['cline'])
const NO_LAUNCH: Launch = { version: undefined, unattended: false, env: {} }

describe('receipts', () => {
  for (const host of DRIVEN)
    test(`there is one of ${host}, with fourteen scenarios or more`, () => {
      const own = receipts.filter(({ receipt }) => receipt.host === host)
      assert.equal(own.length, 1)
      assert.ok(own[0]!.receipt.scenarios.length >= 14)
    })

  test('every driver has its receipt, in the version that it installs', () => {
    assert.deepEqual(DRIVERS.map(({ host, version }) => `${host}/${version}.json`).sort(), [...files].sort())
  })

  for (const { name, receipt } of receipts) {
    test(`${name} is well-formed and every claim holds`, () => {
      assert.deepEqual(problems(receipt), [])
      assert.equal(name, `${receipt.host}/${receipt.version}.json`)
      assert.deepEqual(
        receipt.scenarios.filter((one) => !one.ok).map((one) => one.id),
        [],
      )
    })

    test(`${name} shows a denied call that did not run and whose reason the model saw, and a passed one that ran`, () => {
      const denied = receipt.scenarios.filter(({ answer, observed }) => {
        const { said, reason } = readAnswer(receipt.host as DrivenHost, answer)
        const told = ENDS.has(receipt.host) ? observed.modelSaw === '' : observed.modelSaw.includes(reason)
        return said === 'deny' && reason !== '' && !observed.ran && told
      })
      const passed = receipt.scenarios.filter(
        ({ answer, exit, observed }) =>
          readAnswer(receipt.host as DrivenHost, answer).said === 'pass' &&
          exit === 0 &&
          observed.ran &&
          observed.modelSaw !== '',
      )
      assert.ok(denied.length > 0 && passed.length > 0, `${denied.length} denied, ${passed.length} passed`)
    })

    for (const scenario of receipt.scenarios)
      test(`${name} ${scenario.id} replays through the adapter`, () => replay(receipt, scenario))
  }
})

/** The stored payload is read as a call, and the stored answer is what the adapter writes for its verdict. */
function replay(receipt: Receipt, scenario: Receipt['scenarios'][number]): void {
  const host = hostOf(receipt.host)
  assert.ok(host)
  // Where the hook is registered for two events, the payload tells which of them was answered.
  const registered = object(scenario.registered)
  const events = [String(registered['event']), ...list(registered['also']).map(String)]
  const text = JSON.stringify(scenario.payload)
  const post = events.find((one) => host.events.post.includes(one))
  // Where the hook is registered for two events, the payload tells which of them was answered.
  const isPost = post !== undefined && (events.length === 1 || POST_MARKS.test(text))
  const event = isPost ? post : events[0]!
  const decoded = host.decode(placed(scenario.payload), event, NO_LAUNCH)
  assert.equal(decoded.is, isPost ? 'post' : 'pre')
  if (decoded.is !== 'pre' && decoded.is !== 'post') return
  const call = decoded.is === 'pre' ? decoded.call : decoded.result.call
  assert.equal(call.host, receipt.host)
  assert.equal(call.cwd, '/home/dev/work/repo')
  assert.notEqual(call.session, 'unknown')
  assert.ok(text.includes(JSON.stringify(call.tool)))
  for (const action of call.actions) assert.ok(action.is !== 'malformed' && action.is !== 'unknown', action.is)
  // A hook in place of ours, broken or with a fixed answer, need not write what the adapter writes.
  if (!String(registered['command']).endsWith(` ${receipt.host} ${registered['event']}`)) return
  assert.equal(scenario.exit, 0)
  const { said, reason } = readAnswer(receipt.host as DrivenHost, scenario.answer, isPost)
  if (said === 'nothing') assert.equal(again(host, object(JSON.parse(scenario.answer))), scenario.answer)
  else if (isPost) assert.equal(host.encodePost(NO_LAUNCH), scenario.answer)
  else assert.equal(host.encodePre({ decision: said, reason }, NO_LAUNCH, event), scenario.answer)
}

/** What only payloads of events after a run hold. */
const POST_MARKS = /"(?:PostToolUse|AfterTool|tool\.execute\.after|tool_result|toolResult)"/

/** What the adapter writes for the input or the result that an answer put in place. */
function again(host: Host, answer: Json): string | undefined {
  const output = object(answer['hookSpecificOutput'])
  const input = (output['updatedInput'] ?? answer['input'] ?? answer['args']) as HostAnswer['input']
  const note = output['additionalContext'] as string | undefined
  if (input !== undefined)
    return host.encodePre({ decision: 'pass', reason: '', input, ...(note === undefined ? {} : { note }) }, NO_LAUNCH)
  const result =
    output['updatedToolOutput'] ??
    answer['stopReason'] ??
    answer['content'] ??
    answer['output'] ??
    object(answer['modifiedResult'])['textResultForLlm'] ??
    answer['reason']
  return host.encodeResult?.(result as Parameters<NonNullable<Host['encodeResult']>>[0])
}

/** Puts paths in place of the names of a receipt. */
function placed(payload: unknown): unknown {
  const text = JSON.stringify(payload)
  return JSON.parse(text.replaceAll('$CWD', '/home/dev/work/repo').replaceAll('$HOME', '/home/dev')) as unknown
}

describe('forms', () => {
  const good = receipts[0]!.receipt
  const bad: readonly (readonly [string, unknown])[] = [
    ['another version of the form', { ...good, v: 2 }],
    ['a key too many', { ...good, note: '' }],
    ['a date with a time', { ...good, date: '2026-01-31T10:00:00Z' }],
    ['no scenario', { ...good, scenarios: [] }],
    ['an id twice', { ...good, scenarios: [good.scenarios[0], good.scenarios[0]] }],
    ['a claim without a capability', { ...good, scenarios: [{ ...good.scenarios[0], claim: 'it works' }] }],
    ['a path of the machine', { ...good, scenarios: [{ ...good.scenarios[0], answer: '/tmp/x/home' }] }],
  ]
  for (const [what, value] of bad) test(`${what} is a problem`, () => assert.notDeepEqual(problems(value), []))

  test('paths and ids are normalised wherever they stand', () => {
    const at = { root: '/scratch', home: '/scratch/home', cwd: '/scratch/home/work/repo', records: '/scratch/records' }
    const plain = normaliser(at, '/project')
    const id = '01a22bdc-64d5-7fc1-9d24-7021c89c1ced'
    const value = { cwd: at.cwd, list: [`${at.home}/.claude/projects/-scratch-home-work-repo/${id}.jsonl`], n: 1 }
    assert.deepEqual(plain(value), { cwd: '$CWD', list: ['$HOME/.claude/projects/-CWD/<id>.jsonl'], n: 1 })
  })

  const answers: readonly (readonly [string, string, string])[] = [
    ['', 'pass', ''],
    ['{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"R"}}', 'deny', 'R'],
    ['{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"R"}}', 'ask', 'R'],
    ['{"hookSpecificOutput":{"permissionDecision":"allow"}}', 'nothing', ''],
    ['{not json', 'nothing', ''],
  ]
  for (const [answer, said, reason] of answers)
    test(`the answer ${answer || '(silence)'} reads as ${said}`, () =>
      assert.deepEqual(readAnswer('claude', answer), { said, reason }))
})

const SCRIPT: Script = {
  turns: [
    {
      calls: [
        { id: 'a', tool: 'Bash', input: { command: 'true' } },
        { id: 'b', tool: 'Bash', input: { command: 'false' } },
      ],
    },
    { calls: [{ id: 'c', tool: 'apply_patch', input: 'text' }] },
  ],
  others: [{ when: 'OTHER', turns: [{ calls: [{ id: 'o', tool: 'Bash', input: {} }] }] }],
}

describe('scripted models', () => {
  const turns: readonly (readonly [string, number, string])[] = [
    ['hi', 0, 'a,b'],
    ['hi', 2, 'c'],
    ['hi', 3, ''],
    ['do OTHER', 0, 'o'],
    ['do OTHER', 1, ''],
  ]
  for (const [first, results, ids] of turns)
    test(`"${first}" with ${results} results gets ${ids || 'the end'}`, () => {
      const calls = nextTurn(SCRIPT, first, results)?.calls ?? []
      assert.equal(calls.map((call) => call.id).join(','), ids)
    })

  test('Messages: streamed and whole replies hold the same calls, and results are kept', async () => {
    const model = await messagesModel(SCRIPT)
    try {
      const request = { model: 'm', tools: [{ name: 'Bash' }], messages: [{ role: 'user', content: 'hi' }] }
      const whole = object(JSON.parse(await post(`${model.url}/v1/messages`, request)))
      assert.deepEqual(
        list(whole['content']).map((block) => object(block)['id']),
        ['a', 'b'],
      )
      const streamed = events(await post(`${model.url}/v1/messages?beta=true`, { ...request, stream: true }))
      assert.deepEqual(
        streamed
          .filter((one) => one['type'] === 'content_block_start')
          .map((one) => object(one['content_block'])['id']),
        ['a', 'b'],
      )
      const parts = streamed.filter((one) => one['type'] === 'content_block_delta').map((one) => object(one['delta']))
      assert.equal(parts[0]!['partial_json'], '{"command":"true"}')
      assert.equal(streamed.at(-1)!['type'], 'message_stop')
      const side = await post(`${model.url}/v1/messages`, { model: 'm', messages: request.messages })
      assert.equal(object(JSON.parse(side))['stop_reason'], 'end_turn')
      const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'no' }], is_error: true }
      await post(`${model.url}/v1/messages`, { ...request, messages: [{ role: 'user', content: [result] }] })
      assert.deepEqual(model.shown().get('a'), { id: 'a', text: 'no', error: true })
    } finally {
      await model.close()
    }
  })

  test('Responses: calls come as events of whole items, free-form input as it is', async () => {
    const model = await responsesModel(SCRIPT)
    try {
      const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }
      const out = (id: string) => ({ type: 'function_call_output', call_id: id, output: `out ${id}` })
      const request = { model: 'm', stream: true, tools: [{}], input: [user, out('a'), out('b')] }
      const streamed = events(await post(`${model.url}/v1/responses`, request))
      const item = object(streamed.find((one) => one['type'] === 'response.output_item.done')?.['item'])
      assert.deepEqual([item['type'], item['call_id'], item['input']], ['custom_tool_call', 'c', 'text'])
      assert.equal(streamed.at(-1)!['type'], 'response.completed')
      assert.equal(model.shown().get('b')?.text, 'out b')
    } finally {
      await model.close()
    }
  })

  test('Chat Completions: streamed and whole replies hold the same calls, and results are kept', async () => {
    const model = await chatModel(SCRIPT)
    try {
      const user = { role: 'user', content: 'hi' }
      const request = { model: 'm', tools: [{}], messages: [user] }
      const whole = object(JSON.parse(await post(`${model.url}/v1/chat/completions`, request)))
      const message = object(object(list(whole['choices'])[0])['message'])
      const ids = (calls: unknown) => list(calls).map((call) => object(call)['id'])
      assert.deepEqual(ids(message['tool_calls']), ['a', 'b'])
      const text = await post(`${model.url}/v1/chat/completions`, { ...request, stream: true })
      assert.match(text, /data: \[DONE\]\n\n$/)
      const [chunk] = [...text.matchAll(/^data: (\{.*)$/gm)].map((match) => object(JSON.parse(match[1]!)))
      assert.deepEqual(ids(object(object(list(chunk!['choices'])[0])['delta'])['tool_calls']), ['a', 'b'])
      const result = { role: 'tool', tool_call_id: 'a', content: 'out a' }
      await post(`${model.url}/v1/chat/completions`, { ...request, messages: [user, result] })
      assert.deepEqual(model.shown().get('a'), { id: 'a', text: 'out a', error: false })
      const side = await post(`${model.url}/v1/chat/completions`, { model: 'm', messages: [user] })
      assert.match(side, /"finish_reason":"stop"/)
    } finally {
      await model.close()
    }
  })

  test('Gemini: calls are parts of the reply, and results are told apart by id', async () => {
    const model = await geminiModel(SCRIPT)
    try {
      const user = { role: 'user', parts: [{ text: 'hi' }] }
      const request = { tools: [{}], contents: [user] }
      const whole = object(JSON.parse(await post(`${model.url}/v1beta/models/m:generateContent`, request)))
      const parts = list(object(object(list(whole['candidates'])[0])['content'])['parts'])
      assert.deepEqual(
        parts.map((part) => object(object(part)['functionCall'])['id']),
        ['a', 'b'],
      )
      const streamed = await post(`${model.url}/v1beta/models/m:streamGenerateContent`, request)
      assert.match(streamed, /^data: .*"functionCall".*\n\n$/)
      const out = { functionResponse: { id: 'b', name: 'Bash', response: { error: 'no' } } }
      await post(`${model.url}/v1beta/models/m:generateContent`, {
        ...request,
        contents: [user, { role: 'user', parts: [out] }],
      })
      assert.deepEqual(model.shown().get('b'), { id: 'b', text: 'no', error: true })
    } finally {
      await model.close()
    }
  })

  test('a way out is refused and noted', async () => {
    const model = await messagesModel(SCRIPT)
    try {
      const { request } = await import('node:http')
      const { hostname, port } = new URL(model.url)
      const closed = await new Promise<number | undefined>((resolve, reject) => {
        const tunnel = request({ hostname, port, method: 'CONNECT', path: 'example.com:443' })
        tunnel.on('connect', (response) => resolve(response.statusCode))
        tunnel.on('error', reject)
        tunnel.end()
      })
      assert.equal(closed, 403)
      assert.deepEqual(model.strays, ['example.com:443'])
    } finally {
      await model.close()
    }
  })
})

async function post(url: string, body: unknown): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return response.text()
}

function events(text: string): readonly Json[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map((match) => object(JSON.parse(match[1]!)))
}

/** Driven where they are installed. The others are replayed from their receipts, and driven where that is asked for. */
const ALWAYS: ReadonlySet<string> = new Set(['claude', 'codex'])
const all = process.env['SALLYPORT_DRIVE'] === 'all'

for (const driver of DRIVERS.filter(({ host }) => all || ALWAYS.has(host)))
  describe(`real ${driver.host}`, () => {
    const program = driver.program(driveDirectory())
    const skip = program === undefined && !all && process.env['SALLYPORT_REQUIRE_ALL'] !== '1' && 'not installed'
    for (const scenario of driver.scenarios)
      test(`${scenario.id}: ${scenario.claim}`, { skip }, async () => {
        assert.ok(program, `install it with: node test/drive/main.ts --install ${driver.host}`)
        const { receipt, trouble } = await drive(driver, program, scenario, SOURCE_HOOK)
        assert.equal(trouble, '')
        assert.equal(receipt.ok, true)
      })
  })
