import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Bytes } from '../bytes.ts'
import { findPointer } from './pointer.ts'

/** A text whose reads give a few bytes at most, so that every place is the border of a chunk once. */
const crumbs = (text: string, size: number): Bytes => {
  const all = Buffer.from(text)
  return { size: all.length, read: (from, to) => all.subarray(from, Math.min(to, from + size)) }
}

/** The text itself for what must be read in one go. */
const whole = (text: string): Bytes => crumbs(text, Number.POSITIVE_INFINITY)

const stepText = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')

/** Every place of a value with its pointer. */
function* places(value: unknown, pointer = ''): Generator<readonly [string, unknown]> {
  yield [pointer, value]
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) yield* places(member, `${pointer}/${stepText(name)}`)
}

test('every value of a JSON text is found as the slice that it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, '\t'), fc.boolean(), (value, indent, lines) => {
      const text = `${lines ? '\n ' : ''}${JSON.stringify(value, undefined, indent)}${lines ? '\n' : ''}`
      for (const [pointer, wanted] of places(JSON.parse(text))) {
        const found = findPointer(whole(text), pointer)
        assert.ok('from' in found, `${pointer}: ${JSON.stringify(found)}`)
        const slice = Buffer.from(text).subarray(found.from, found.to).toString()
        assert.deepEqual(JSON.parse(slice), wanted)
        assert.equal(slice, slice.trim())
      }
    }),
    { numRuns: 200 },
  )
})

test('where the reads are cut does not matter', () => {
  const text = JSON.stringify({ 'a"\\': ['x\\"y', '\\\\', 'ä€😀', -1.5e-7, true, null, {}], b: { c: [[], [1]] } })
  for (const [pointer, wanted] of places(JSON.parse(text))) {
    // Names are read as a whole; what is skipped comes in crumbs.
    for (let size = 12; size < 30; size++) {
      const found = findPointer(crumbs(text, size), pointer)
      assert.ok('from' in found, `${pointer} ${size}: ${JSON.stringify(found)}`)
      assert.deepEqual(JSON.parse(Buffer.from(text).subarray(found.from, found.to).toString()), wanted)
    }
  }
})

test('a pointer to nothing, or into what is no JSON, is refused and never throws', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'[]{}",:\\ 1tn-') }),
      fc.constantFrom('', '/0', '/a', '/0/0'),
      (text, pointer) => {
        const found = findPointer(whole(text), pointer)
        if ('from' in found) assert.ok(found.from < found.to && found.to <= text.length)
        else assert.match(found.refused, /\S/)
      },
    ),
    { numRuns: 500 },
  )
})
