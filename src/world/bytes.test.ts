import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { strictText, textOfBytes } from './bytes.ts'

/** Bytes that are often nearly UTF-8. */
const bytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        [0x61],
        [0xc3, 0xa9],
        [0xf0, 0x9f, 0x98, 0x80],
        [0xef, 0xbb, 0xbf],
        [0xc3],
        [0x80],
        [0xed, 0xa0, 0x80],
      ),
      fc.array(fc.integer({ min: 1, max: 255 }), { maxLength: 2 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Uint8Array.from(parts.flat()))

test('strict text is what a strict decoder says', () => {
  fc.assert(
    fc.property(bytes, (all) => {
      let wanted: string | undefined
      try {
        wanted = new TextDecoder('utf-8', { fatal: true }).decode(all)
      } catch {
        wanted = undefined
      }
      assert.equal(strictText(all), wanted)
      // A view into a larger buffer, as a read gives it.
      const larger = new Uint8Array(all.length + 4)
      larger.set(all, 2)
      assert.equal(strictText(larger.subarray(2, 2 + all.length)), wanted)
    }),
    { numRuns: 1000 },
  )
})

test('the text of a file is what a decoder makes of it, byte order mark and all', () => {
  fc.assert(
    fc.property(bytes, (all) => {
      const wanted = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all)
      assert.deepEqual(textOfBytes(all, all.length), { text: wanted, cut: false })
    }),
    { numRuns: 1000 },
  )
})
