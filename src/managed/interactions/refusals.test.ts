/** Requests that are refused, against small parts in memory: by what field, with what words. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AGENT, type Memory, memoryRuntime, type Talk, talk } from './memory.testing.ts'

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

const inline = (target: string, content: string, more: object = {}) => ({ type: 'inline', target, content, ...more })
const withSource = (source: object) => ({
  agent: AGENT,
  input: 'x',
  environment: { type: 'remote', sources: [source] },
})

/** Lists in lists. */
function nested(levels: number): unknown {
  let out: unknown = []
  for (let n = 1; n < levels; n++) out = [out]
  return out
}

it('refuses a body of thousands of levels', async () => {
  for (const levels of [1_000, 5_000, 200_000]) {
    const input = '['.repeat(levels) + ']'.repeat(levels)
    const { status, text } = await api.ask('POST', '/v1/interactions', `{"agent":"${AGENT}","input":${input}}`)
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }
    assert.deepEqual([status, error.code], [400, 'invalid_request'])
  }
})

describe('requests that are refused', () => {
  const rows: readonly (readonly [name: string, body: unknown, message: RegExp, status?: number])[] = [
    ['case 113: agent and model', { agent: AGENT, model: 'scripted', input: 'x' }, /either 'agent' or 'model'/],
    ['case 113: neither', { input: 'x' }, /Name an 'agent' or a 'model'/],
    ['case 113: an unknown agent', { agent: 'nobody', input: 'x' }, /Agent 'nobody' not found/, 404],
    ['case 113: an unknown model', { model: 'nothing', input: 'x' }, /Model 'nothing' not found/, 404],
    ['a list in lists', { agent: AGENT, input: nested(201) }, /nests deeper than 200 levels/],
    ['an object without end', { agent: AGENT, input: 'x', labels: nested(201) }, /nests deeper/],
    ['no input', { agent: AGENT }, /'input'/],
    ['an empty input', { agent: AGENT, input: [] }, /'input'/],
    ['a misspelt field', { agent: AGENT, inptu: 'x' }, /Unknown field 'inptu'. Did you mean 'input'\?/],
    [
      'a misspelt field below',
      withSource({ type: 'inline', targt: 'a', content: 'b' }),
      /Unknown field 'targt'.*Did you mean 'target'\?/,
    ],
    [
      'a misspelt field of an environment',
      { agent: AGENT, input: 'x', environment: { type: 'remote', netwrok: 'disabled' } },
      /Unknown field 'netwrok'.*'network'/,
    ],
    [
      'a misspelt field of a rule',
      { agent: AGENT, input: 'x', environment: { type: 'remote', network: { allowlist: [{ domian: 'a.test' }] } } },
      /Unknown field 'domian'.*'domain'/,
    ],
    ['a field of no contract', { agent: AGENT, input: 'x', colour: 'red' }, /Unknown field 'colour'\.$/],
    ['a wrong type', { agent: AGENT, input: 'x', stream: 'yes' }, /'stream'/],
    ['an environment that is none', { agent: AGENT, input: 'x', environment: { type: 'local' } }, /only 'remote'/],
    [
      'case 114: an unknown environment',
      { agent: AGENT, input: 'x', environment: 'env_missing' },
      /'env_missing' not found/,
      404,
    ],
    ['case 117: target /', withSource(inline('/', 'x')), /Source 0/],
    ['case 117: target ../x', withSource(inline('../x', 'x')), /Source 0/],
    [
      'case 118: an unknown type of source',
      withSource({ type: 'skill_registry', source: 'a', target: 'b' }),
      /sources\.0\.type/,
    ],
    ['case 118: no base64', withSource(inline('a', '%%%', { encoding: 'base64' })), /base64/],
    ['case 118: another encoding', withSource(inline('a', 'x', { encoding: 'hex' })), /base64/],
    [
      'case 121: an unknown credential',
      { agent: AGENT, input: 'x', environment: { type: 'remote', env: { A: { credential: 'none' } } } },
      /credential 'none'/,
    ],
    [
      'an unknown credential of a rule',
      {
        agent: AGENT,
        input: 'x',
        environment: { type: 'remote', network: { allowlist: [{ domain: 'a.test', credential: 'none' }] } },
      },
      /credential 'none'/,
    ],
    [
      'a rule that makes no sense',
      { agent: AGENT, input: 'x', environment: { type: 'remote', network: { allowlist: [{ domain: 'a/b' }] } } },
      /no domain/,
    ],
    [
      'a name that is no variable',
      { agent: AGENT, input: 'x', environment: { type: 'remote', env: { 'A B': 'x' } } },
      /no name of a variable/,
    ],
    ['a tool that is not offered', { agent: AGENT, input: 'x', tools: [{ type: 'google_search' }] }, /tools\.0\.type/],
    [
      'a function with a name of the sandbox',
      { agent: AGENT, input: 'x', tools: [{ type: 'function', name: 'view_file' }] },
      /view_file/,
    ],
    ['nothing stored, in the background', { agent: AGENT, input: 'x', store: false, background: true }, /'store'/],
    [
      'nothing stored, but continued',
      { agent: AGENT, input: 'x', store: false, previous_interaction_id: 'int_0' },
      /'store'/,
    ],
    [
      'an unknown previous interaction',
      { agent: AGENT, input: 'x', previous_interaction_id: 'int_none' },
      /not found/,
      404,
    ],
    [
      'a result without a call',
      { agent: AGENT, input: [{ type: 'function_result', call_id: 'a', result: 'b' }] },
      /previous_interaction_id/,
    ],
    [
      'a budget that is no number',
      { agent: AGENT, input: 'x', agent_config: { type: 'antigravity', max_total_tokens: 'many' } },
      /max_total_tokens/,
    ],
    ['webhooks', { agent: AGENT, input: 'x', webhook_config: {} }, /webhook_config/],
    ['a list', [1], /no JSON object/],
    ['no JSON', '{"agent":', /no JSON/],
  ]
  for (const [name, body, message, status = 400] of rows)
    it(name, async () => {
      const told = await api.ask('POST', '/v1/interactions', body)
      assert.equal(told.status, status, told.text)
      assert.match(told.body.error.message, message)
      assert.equal(told.body.error.code, status === 404 ? 'not_found' : 'invalid_request')
    })

  it('and nothing is left of them', async () => {
    assert.equal((await api.ask('GET', '/v1/environments')).body.environments.length, 0)
  })
})
