import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime } from './iso-time.ts'

test('times are written as the engine writes them', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (time) => {
      assert.equal(isoTime(time), time.toISOString())
    }),
    { numRuns: 1000 },
  )
  for (const time of [0, 1, -1, 999, 951_782_400_000, -62_135_596_800_000, -62_167_219_200_001, 253_402_300_799_999])
    assert.equal(isoTime(new Date(time)), new Date(time).toISOString())
})

test('a time that is none is refused as the engine refuses it', () => {
  assert.throws(() => isoTime(new Date(Number.NaN)), RangeError)
})
