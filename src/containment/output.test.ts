import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../core/call.ts'
import { canonical, isOurText, isOurTool, isOver, wholeOf } from './output.ts'

const text = (value: string): Json => ({ type: 'text', text: value })
const IMAGE: Json = { type: 'image', data: 'QUJD', mimeType: 'image/png' }

const KEYS = Array.from({ length: 12 }, (_, at) => `k${String.fromCharCode(97 + at)}`)
const resource = (uri: string, body: string): Json => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: body },
})

interface Row {
  readonly name: string
  readonly response: Json
  readonly text: string
  /** With `T` for the new text; absent where the host would not take it. */
  readonly put?: Json
  readonly more?: true
  readonly failed?: true
}

const rows: readonly Row[] = [
  { name: 'a string', response: 'a', text: 'a', put: 'T' },
  { name: 'blocks', response: [text('a'), text('b')], text: 'a\nb', put: [text('T')] },
  {
    name: 'blocks with an image',
    response: [text('a'), IMAGE, text('b')],
    text: 'a\nb',
    put: [text('T'), IMAGE],
    more: true,
  },
  { name: 'an image alone', response: [IMAGE], text: '', put: [text('T'), IMAGE], more: true },
  { name: 'no blocks', response: [], text: '', put: [text('T')] },
  { name: 'a list of something else', response: [{ a: 1 }], text: '[{"a":1}]', more: true },
  { name: 'an envelope', response: { content: [text('a')] }, text: 'a', put: { content: [text('T')] }, more: true },
  {
    name: 'a failed envelope with all there is',
    response: { content: [text('a')], isError: true, structuredContent: { b: 1 }, _meta: { c: 1 }, extra: 'x' },
    text: 'a',
    put: {
      ...{ content: [text('T')], isError: true, extra: 'x' },
      ...{ structuredContent: { ctxContained: true }, _meta: { ctxContained: true } },
    },
    more: true,
    failed: true,
  },
  {
    name: 'an envelope that holds structured content alone',
    response: { content: [], structuredContent: { b: 1 } },
    text: '{"b":1}',
    put: { content: [text('T')], structuredContent: { ctxContained: true } },
    more: true,
  },
  {
    name: 'a command',
    response: { stdout: 'a', stderr: 'b', interrupted: true, isImage: false, noOutputExpected: false },
    text: 'a\nb',
    put: { stdout: 'T', stderr: '', interrupted: true, isImage: false, noOutputExpected: false },
  },
  {
    name: 'a command with marks that are not known, small and large, and a file of the host',
    response: {
      ...{ stdout: 'a', stderr: '', interrupted: false, isImage: false },
      ...{ returnCodeInterpretation: 'No matches found', backgroundTaskId: 'b7', later: { deep: [1] }, none: null },
      ...{ rawOutput: 'x'.repeat(1100), persistedOutputPath: '/x', persistedOutputSize: 9 },
    },
    text: 'a',
    put: {
      ...{ stdout: 'T', stderr: '', interrupted: false, isImage: false },
      ...{ returnCodeInterpretation: 'No matches found', backgroundTaskId: 'b7', later: { deep: [1] }, none: null },
    },
  },
  {
    name: 'a command with more marks than anybody needs',
    response: { stdout: 'a', stderr: '', ...Object.fromEntries(KEYS.map((key) => [key, 'x'.repeat(1000)])) },
    text: 'a',
    put: {
      ...Object.fromEntries(KEYS.slice(0, 4).map((key) => [key, 'x'.repeat(1000)])),
      ...{ stdout: 'T', stderr: '', interrupted: false, isImage: false },
    },
  },
  {
    name: 'blocks with resources, of which the texts are read and the places stay',
    response: [text('a'), resource('file:///x', 'büc'), { type: 'resource', resource: { uri: 'u', blob: 'QUJD' } }],
    text: 'a\nbüc',
    put: [
      text('T'),
      resource('file:///x', '[ctx 4 bytes, in the text above]'),
      { type: 'resource', resource: { uri: 'u', blob: 'QUJD' } },
    ],
    more: true,
  },
  {
    name: 'more resources than are named',
    response: { content: KEYS.map((key) => resource(key, key)) },
    text: KEYS.join('\n'),
    put: {
      content: [text('T'), ...KEYS.slice(0, 8).map((key) => resource(key, '[ctx 2 bytes, in the text above]'))],
    },
    more: true,
  },
  { name: 'a command that printed an image', response: { stdout: 'a', stderr: '', isImage: true }, text: 'a' },
  {
    name: 'another object',
    response: { type: 'text', file: { content: 'a' } },
    text: '{"type":"text","file":{"content":"a"}}',
    more: true,
  },
]

describe('a result of a tool', () => {
  for (const { name, response, text: read, put, more, failed } of rows)
    it(`is ${name}`, () => {
      const whole = wholeOf(response)
      assert.ok(whole !== undefined)
      assert.equal(whole.text, read)
      assert.deepEqual(whole.with?.('T'), put)
      assert.equal(whole.more, more ?? false)
      assert.equal(whole.failed, failed ?? false)
    })

  for (const nothing of [undefined, null, 7, true])
    it(`is nothing: ${nothing}`, () => assert.equal(wholeOf(nothing), undefined))

  it('is read for any JSON, and keeps its kind', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const put = wholeOf(value as Json)?.with?.('T')
        if (put !== undefined)
          assert.equal(Array.isArray(put) ? 'list' : typeof put, Array.isArray(value) ? 'list' : typeof value)
      }),
    )
  })

  it('is over a number of bytes where its UTF-8 is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(120), (value, most) => {
        assert.equal(isOver(value, most), Buffer.byteLength(value.toWellFormed()) > most)
      }),
    )
  })

  it('is the same JSON whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse())
        assert.equal(canonical(turned as Json), canonical(value as Json))
        assert.deepEqual(JSON.parse(canonical(value as Json)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('is ours by its first words or its tool', () => {
    for (const own of ['[ctx get run:x]', 'densified: x']) assert.equal(isOurText(own), true)
    for (const other of ['[ctx', ' [ctx x', 'x [ctx y', '']) assert.equal(isOurText(other), false)
    for (const own of ['ctx', 'mcp__ctx__ctx', 'mcp__sallyport__ctx', 'mcp__ctx-harness__ctx'])
      assert.equal(isOurTool(own), true)
    for (const other of ['Bash', 'mcp__ctxother__x', 'ctxx', 'mcp__lab__ctx']) assert.equal(isOurTool(other), false)
  })
})
