import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counted } from './count.ts'

const ROWS: readonly (readonly [number, string, string | undefined, string])[] = [
  [0, 'line', undefined, '0 lines'],
  [1, 'line', undefined, '1 line'],
  [2, 'line', undefined, '2 lines'],
  [1, 'match', 'matches', '1 match'],
  [2, 'match', 'matches', '2 matches'],
  [1, 'call was', 'calls were', '1 call was'],
  [0, 'call was', 'calls were', '0 calls were'],
]

for (const [n, one, many, wanted] of ROWS) test(wanted, () => assert.equal(counted(n, one, many), wanted))
