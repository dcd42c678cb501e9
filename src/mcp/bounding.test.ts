import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../core/call.ts'
import { Bounding, type Oversized } from './bounding.ts'

const LONG = 'x'.repeat(20_000)

function watched(allows = true) {
  const seen: Oversized[] = []
  const bounding = new Bounding({
    most: 16_384,
    contain: (result) => {
      seen.push(result)
      return `[ctx short for ${result.name}]`
    },
    allows: () => allows,
  })
  return { bounding, seen }
}

const call = (id: Json, name = 'lab'): Json => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
})
const answer = (id: Json, result: Json): Json => ({ jsonrpc: '2.0', id, result })
const text = (value: string): Json => ({ type: 'text', text: value })

describe('what the proxy changes', () => {
  it('is the result of a call that is over budget, by the id that it was asked with', () => {
    const { bounding } = watched()
    bounding.fromHost(call(1, 'one'))
    bounding.fromHost(call('1', 'two'))
    const big = { content: [text(LONG)] }
    assert.deepEqual(bounding.fromServer(answer('1', big)), answer('1', { content: [text('[ctx short for two]')] }))
    assert.deepEqual(bounding.fromServer(answer(1, big)), answer(1, { content: [text('[ctx short for one]')] }))
    // An answer to nothing that was asked, a second answer, a request of the server with the same id.
    for (const message of [answer(1, big), answer(7, big), { jsonrpc: '2.0', id: 1, method: 'x', params: big }])
      assert.equal(bounding.fromServer(message), message)
  })

  it('is nothing of a result that is small, ours, an error of the protocol, or of another method', () => {
    const { bounding, seen } = watched()
    for (const result of [
      { content: [text('x'.repeat(16_384))] },
      { content: [text(`[ctx digest]${LONG}`)] },
      { content: [] },
      {},
      'text',
    ]) {
      bounding.fromHost(call(1))
      const message = answer(1, result)
      assert.equal(bounding.fromServer(message), message)
    }
    bounding.fromHost(call(2))
    const failed = { jsonrpc: '2.0', id: 2, error: { code: -1, message: LONG } }
    assert.equal(bounding.fromServer(failed), failed)
    bounding.fromHost({ jsonrpc: '2.0', id: 3, method: 'prompts/get', params: { name: 'lab' } })
    const prompt = answer(3, { messages: [], description: LONG })
    assert.equal(bounding.fromServer(prompt), prompt)
    assert.deepEqual(seen, [])
  })

  it('is looked for in lists of messages as well', () => {
    const { bounding } = watched()
    bounding.fromHost([call(1), call(2)])
    const small = answer(2, { content: [text('small')] })
    const [first, second] = bounding.fromServer([answer(1, { content: [text(LONG)] }), small]) as Json[]
    assert.deepEqual(first, answer(1, { content: [text('[ctx short for lab]')] }))
    assert.equal(second, small)
    const list = [small]
    assert.equal(bounding.fromServer(list), list)
  })

  it('leaves structured content whole where its schema allows no less of it', () => {
    const listed = answer(1, { tools: [{ name: 'lab', outputSchema: { type: 'object' } }] })
    const structuredContent = { rows: Array.from({ length: 2000 }, (_, at) => `row number ${at}`) }
    const result = { content: [text('see there')], structuredContent }
    for (const allows of [true, false]) {
      const { bounding } = watched(allows)
      bounding.fromHost({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      bounding.fromServer(listed)
      bounding.fromHost(call(2))
      const { result: given } = bounding.fromServer(answer(2, result)) as { result: typeof result }
      assert.deepEqual(given.content, [text('[ctx short for lab]')])
      if (allows) assert.equal(given.structuredContent.rows.length, 20)
      else assert.deepEqual(given.structuredContent, structuredContent)
    }
  })

  it('is the text of a resource inside a result, which stays a resource', () => {
    const { bounding, seen } = watched()
    bounding.fromHost(call(1))
    const embedded = (body: string): Json => ({ type: 'resource', resource: { uri: 'file:///log', text: body } })
    const result = { content: [text('see'), embedded(LONG)], isError: true }
    assert.deepEqual(
      bounding.fromServer(answer(1, result)),
      answer(1, {
        content: [text('[ctx short for lab]'), embedded('[ctx 20000 bytes, in the text above]')],
        isError: true,
      }),
    )
    assert.equal(seen[0]?.text, `see\n${LONG}`)
    assert.deepEqual(JSON.parse(seen[0]!.json!), result)
  })

  it('is of several resources what is over budget together', () => {
    const { bounding } = watched()
    bounding.fromHost({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'u' } })
    const half = 'x'.repeat(10_000)
    const contents = ['a', 'b', 'c'].map((uri) => ({ uri, text: uri === 'c' ? 'small' : half }))
    assert.deepEqual(
      bounding.fromServer(answer(1, { contents })),
      answer(1, { contents: [contents[0]!, { uri: 'b', text: '[ctx short for u]' }, contents[2]!] }),
    )
  })

  it('ends for any messages, and passes what holds no long text as the same value', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).map((value) => value as Json)
    const message = fc.oneof(
      json,
      fc.constantFrom<Json>(call(1), call(2), { id: 1, method: 'tools/list' }),
      fc
        .record({ jsonrpc: fc.constant('2.0'), id: fc.constantFrom<Json>(1, 2), result: json })
        .map((value) => value as Json),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), message), { maxLength: 12 }), (messages) => {
        const { bounding } = watched()
        for (const [fromHost, one] of messages) {
          if (fromHost) bounding.fromHost(one)
          else if (JSON.stringify(one).length < 16_384) assert.equal(bounding.fromServer(one), one)
        }
      }),
    )
  })
})
