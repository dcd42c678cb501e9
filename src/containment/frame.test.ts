import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FRAME, readShown } from './frame.ts'

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
