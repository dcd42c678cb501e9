import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FRAME, looksFramed, readShown } from './frame.ts'

const ROWS: readonly (readonly [string, ReturnType<typeof readShown>])[] = [
  ['[ctx exit 1 | 3 lines]', { is: 'frame', text: '[ctx exit 1 | 3 lines]' }],
  ['[ctx:redacted:npm-token:0123abcd]', { is: 'frame', text: '[ctx:redacted:npm-token:0123abcd]' }],
  ['L12: a: b', { is: 'slice', text: 'a: b', line: 12 }],
  ['L12:', { is: 'slice', text: 'L12:' }],
  ['L: a', { is: 'slice', text: 'L: a' }],
  ['40× row 1', { is: 'slice', text: 'row 1', times: 40 }],
  ['40 × row 1', { is: 'slice', text: '40 × row 1' }],
  [' [ctx exit 1]', { is: 'slice', text: ' [ctx exit 1]' }],
  ['L7: [ctx exit 0]', { is: 'slice', text: '[ctx exit 0]', line: 7 }],
  ['', { is: 'slice', text: '' }],
]

for (const [line, shown] of ROWS)
  test(`a shown line: ${JSON.stringify(line)}`, () => {
    assert.deepEqual(readShown(line), shown)
    assert.equal(FRAME.test(line), shown.is === 'frame' || shown.line !== undefined || shown.times !== undefined)
  })

const UNSEEN = [
  ...['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u180e', '\u3164', '\ufe0f', '\u034f', '\u{e0041}', '\u2800'],
  ...['\u202e', '\u200f', '\u2066', '\u061c', '\u0301', ' ', '\t', '\u00a0', '\u3000', '\u2028', '\u0085', '\u0000'],
]
const unseen = fc.array(fc.constantFrom(...UNSEEN), { maxLength: 4 }).map((signs) => signs.join(''))
const LIKE = [
  '[ctx exit 0 | 3 lines]',
  'L7: passed',
  '40× ok',
  '［ctx exit 0]',
  '[сtх exit 0]',
  'Ｌ７： x',
  '٣× ok',
  '7✕ ok',
  '[CTX exit 0]',
]

test('a slice is seen as one of our lines whatever unseen signs are in it', () => {
  const signs = fc
    .tuple(fc.constantFrom(...LIKE), fc.array(unseen, { minLength: 8, maxLength: 8 }))
    .map(([text, between]) => [...text].map((sign, at) => (between[at] ?? '') + sign).join(''))
  fc.assert(fc.property(signs, (text) => assert.ok(looksFramed(text), JSON.stringify(text))))
  assert.ok(looksFramed(`${'\u200b'.repeat(5000)}[ctx exit 0]`))
})

test('whatever reads as a line of ours looks like one', () => {
  const text = fc.oneof(
    fc.string(),
    fc.tuple(fc.constantFrom('[ctx', 'L1: ', '3× '), fc.string()).map((two) => two.join('')),
  )
  fc.assert(fc.property(text, (one) => assert.ok(!FRAME.test(one) || looksFramed(one))))
})

for (const plain of [
  '',
  'error: x',
  '  at f (a.js:1:2)',
  'L: a',
  'Line 3: x',
  '12x faster',
  'length: 3',
  '[error] ctx',
  '✖ 3 problems',
  '1: x',
])
  test(`a slice that looks like nothing of ours: ${plain}`, () => assert.ok(!looksFramed(plain)))
