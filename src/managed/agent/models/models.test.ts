/** The models of providers, against servers on loopback that speak as the providers do. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Model, Turn } from '../model.ts'
import { ModelError } from '../model.ts'
import type { Step } from '../steps.ts'
import { sandboxTools } from '../tools.ts'
import { chooseModels } from './choose.ts'
import { type Stub, startStub } from './stub.testing.ts'

const PROVIDERS = ['gemini:gemini-x', 'openai:gpt-x', 'anthropic:claude-x'] as const
const KEY = 'sk-very-secret'

async function modelAt(name: string, url: string): Promise<Model> {
  const env = {
    ...{ GEMINI_API_KEY: KEY, OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY },
    ...{ GEMINI_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: `${url}/v1` },
  }
  const models = await chooseModels([name], env)
  assert.ok(typeof models === 'function')
  return models(name)!
}

const user: Step = { type: 'user_input', content: [{ type: 'text', text: 'Read the file.' }] }

async function ask(model: Model, steps: readonly Step[], signal = new AbortController().signal) {
  const pieces: string[] = []
  const turn: Turn = {
    instructions: 'Be brief.',
    steps,
    tools: sandboxTools(true),
    signal,
    text: (piece) => void pieces.push(piece),
  }
  return { reply: await model.turn(turn), pieces }
}

for (const name of PROVIDERS)
  describe(name, () => {
    let stub: Stub
    before(async () => {
      stub = await startStub()
    })
    after(() => stub.close())

    it('calls a tool, reads its result, and says what it found', async () => {
      const model = await modelAt(name, stub.url)
      const first = await ask(model, [user])
      assert.equal(first.reply.text, 'I look.')
      assert.equal(first.pieces.join(''), first.reply.text)
      const [call] = first.reply.calls
      assert.deepEqual(
        [first.reply.calls.length, call!.name, call!.args],
        [1, 'view_file', { path: '/workspace/a.txt' }],
      )
      assert.deepEqual(first.reply.tokens, { input: 11, output: 7 })
      const second = await ask(model, [
        user,
        { type: 'model_output', content: [{ type: 'text', text: first.reply.text }] },
        {
          type: 'function_call',
          id: 'call_9',
          name: call!.name,
          arguments: call!.args,
          ...(call!.signature === undefined ? {} : { signature: call!.signature }),
        },
        { type: 'function_result', call_id: 'call_9', name: call!.name, result: 'hello from the file' },
      ])
      assert.deepEqual([second.reply.text, second.reply.calls], ['It says hello.', []])
      assert.ok(second.pieces.length > 1)
      const [one, two] = stub.asked
      const [sentOne, sentTwo] = [JSON.stringify(one!.body), JSON.stringify(two!.body)]
      for (const word of ['Be brief.', 'Read the file.', 'code_execution', 'delete_file'])
        assert.ok(sentOne.includes(word), word)
      for (const word of ['hello from the file', 'I look.', 'view_file']) assert.ok(sentTwo.includes(word), word)
      if (name.startsWith('gemini')) assert.ok(sentTwo.includes('c2ln'))
      else assert.ok(sentTwo.includes('call_9'))
      assert.ok(JSON.stringify(one!.headers).includes(KEY))
      assert.doesNotMatch(sentOne, /very-secret/)
    })

    it('tells a result that is an error as one', async () => {
      const model = await modelAt(name, stub.url)
      await ask(model, [
        user,
        { type: 'code_execution_call', id: 'call_8', arguments: { code: 'x' } },
        { type: 'code_execution_result', call_id: 'call_8', result: 'Tool call denied by hook: no.', is_error: true },
      ])
      assert.match(JSON.stringify(stub.asked.at(-1)!.body), /denied by hook: no\./)
    })

    it('fails with one sentence that holds no key', async () => {
      const broken = await startStub(401)
      const model = await modelAt(name, broken.url)
      await assert.rejects(ask(model, [user]), (error: unknown) => {
        assert.ok(error instanceof ModelError, String(error))
        assert.match(error.message, /^The model \S+ failed: /)
        assert.doesNotMatch(error.message, /very-secret|\n/)
        return true
      })
      await broken.close()
    })

    it('stops when it is told to', async () => {
      const silent = await startStub('silence')
      const model = await modelAt(name, silent.url)
      const stop = new AbortController()
      const asked = ask(model, [user], stop.signal)
      setTimeout(() => stop.abort(new Error('enough')), 100)
      await assert.rejects(asked, /enough/)
      await silent.close()
    })
  })

describe('the choice of a model', () => {
  const bad: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['gemini:x', {}, /GEMINI_API_KEY/],
    ['anthropic:x', {}, /ANTHROPIC_API_KEY/],
    ['openai:x', {}, /OPENAI_BASE_URL/],
    ['gpt', {}, /gemini:NAME/],
    ['gemini:', {}, /gemini:NAME/],
  ]
  for (const [name, env, sentence] of bad)
    it(`refuses ${name}`, async () => {
      const models = await chooseModels([name], env)
      assert.ok('refused' in models && sentence.test(models.refused))
    })

  it('is the scripted model where nothing is named, whatever keys there are', async () => {
    const models = await chooseModels([], { GEMINI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY })
    assert.ok(typeof models === 'function')
    assert.equal(models(undefined)?.name, 'scripted')
    assert.equal(models('gemini-x'), undefined)
  })

  it('is the first that is named, and any other by its name', async () => {
    const models = await chooseModels(['gemini:a', 'anthropic:b'], { GEMINI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY })
    assert.ok(typeof models === 'function')
    assert.deepEqual(
      [undefined, 'b', 'anthropic:b', 'scripted'].map((name) => models(name)?.name),
      ['a', 'b', 'b', 'scripted'],
    )
  })
})
