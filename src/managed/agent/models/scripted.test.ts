/** The scripted model: what it says and asks for next, from the steps alone. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ModelError, type Reply } from '../model.ts'
import type { Step } from '../steps.ts'
import { sandboxTools } from '../tools.ts'
import { scriptedModel } from './scripted.ts'

const user = (text: string): Step => ({ type: 'user_input', content: [{ type: 'text', text }] })
const ran = (id: string, result: string, isError = false): readonly Step[] => [
  { type: 'code_execution_call', id, arguments: { code: id, language: 'bash' } },
  { type: 'code_execution_result', call_id: id, result, ...(isError ? { is_error: true } : {}) },
]

async function next(steps: readonly Step[], tools = sandboxTools(true)): Promise<Reply & { readonly told: string }> {
  let told = ''
  const { signal } = new AbortController()
  const reply = await scriptedModel.turn({ instructions: '', steps, tools, signal, text: (piece) => (told += piece) })
  return { ...reply, told }
}

describe('the scripted model', () => {
  it('asks for one call after another, then reports', async () => {
    const request = user('Run `one`, then run `two`')
    assert.deepEqual((await next([request])).calls[0]?.args['code'], 'one')
    assert.deepEqual((await next([request, ...ran('one', 'first')])).calls[0]?.args['code'], 'two')
    const last = await next([request, ...ran('one', 'first'), ...ran('two', '')])
    assert.deepEqual(last.calls, [])
    assert.match(last.text, /first[\s\S]*`two`\. There was no output/)
    assert.equal(last.told, last.text)
    assert.ok(last.tokens.input > 0 && last.tokens.output > 0)
  })

  it('reports a denial with its reason and stops there', async () => {
    const steps = [user('Run `one`, then run `two`'), ...ran('one', 'Tool call denied by hook: Not today.', true)]
    const { text, calls } = await next(steps)
    assert.deepEqual(calls, [])
    assert.match(text, /could not run `one`: Not today\./)
    assert.match(text, /one more step was asked for/)
  })

  it('goes on after a failure', async () => {
    const steps = [user('Run `one`, then run `two`'), ...ran('one', 'exit status 1', true)]
    assert.equal((await next(steps)).calls[0]?.args['code'], 'two')
  })

  it('says what it did not understand, beside what it did', async () => {
    const { text, calls } = await next([user('Run `one`, then run the tests.'), ...ran('one', 'first')])
    assert.deepEqual(calls, [])
    assert.match(text, /first[\s\S]*did not understand this, and left it out: run the tests$/)
    assert.match((await next([user('Do not delete /workspace/a.txt')])).text, /names nothing that I can do/)
  })

  const scripts: readonly (readonly [string, RegExp])[] = [
    ['{"script":[', /no JSON/],
    ['{"script":{}}', /script: /],
    ['{"script":[{"calls":[{}]}]}', /script\.0\.calls\.0\.name: /],
    ['{"script":[{"calls":[{"name":"x","args":[]}]}]}', /script\.0\.calls\.0\.args: /],
    ['{"script":[{"calls":{"name":"x"}}]}', /script\.0\.calls: /],
    ['{"script":[{"wait":-1}]}', /script\.0\.wait: /],
    ['{"script":[{"texts":"a"}]}', /texts/],
    ['{"script":[null]}', /script\.0: /],
  ]
  for (const [script, says] of scripts)
    it(`refuses ${script}`, () =>
      assert.rejects(next([user(script)]), (error) => error instanceof ModelError && says.test(error.message)))

  it('plays a script whose fields are null', async () => {
    const request = user('{"script":[{"text":null,"calls":[{"name":"x","args":null}],"wait":null,"fail":null}]}')
    assert.deepEqual((await next([request])).calls, [{ name: 'x', args: {} }])
  })

  it('begins anew with each input', async () => {
    const steps = [user('Run `one`'), ...ran('one', 'x'), user('Run `two`')]
    assert.equal((await next(steps)).calls[0]?.args['code'], 'two')
  })

  it('asks only for tools that there are', async () => {
    assert.match((await next([user('Run `one`')], [])).text, /plain requests/)
  })

  it('plays a script turn by turn', async () => {
    const request = user(
      JSON.stringify({
        script: [{ text: 'a', calls: [{ name: 'x' }, { name: 'y', args: { z: 1 } }] }, { fail: 'broken' }],
      }),
    )
    const first = await next([request])
    assert.deepEqual(
      [first.text, first.calls],
      [
        'a',
        [
          { name: 'x', args: {} },
          { name: 'y', args: { z: 1 } },
        ],
      ],
    )
    const said: Step = { type: 'model_output', content: [{ type: 'text', text: 'a' }] }
    await assert.rejects(next([request, said, ...ran('1', 'r')]), /broken/)
  })
})
