import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../bytes.ts'
import { BLOCK, countLineEnds, indexed, LineCounter, scanLines } from './lines.ts'

const naive = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum + (byte === 0x0a ? 1 : 0), 0)

/** Bytes near the line end in value, at which counting by words could err. */
const byte = fc.constantFrom(0x0a, 0x0a, 0x0b, 0x09, 0x8a, 0x00, 0xff, 0x80, 0x7f, 0x41)

test('line ends are counted one by one, whatever the bytes and wherever they begin in memory', () => {
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 70 }), fc.nat(7), fc.boolean(), (given, offset, long) => {
      const memory = new Uint8Array(given.length + 16)
      memory.set(given, offset)
      const bytes = memory.subarray(offset, offset + given.length)
      assert.equal(countLineEnds(bytes, long), naive(bytes))
    }),
    { numRuns: 2000 },
  )
})

/** Several blocks of lines of one length each, with an end or without. */
const blocks = fc
  .tuple(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 900 })), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.boolean(),
  )
  .map(([parts, end]) => {
    const text = parts.map(([length, times]) => `${'x'.repeat(length)}\n`.repeat(times)).join('')
    return Buffer.from(end ? text : text.slice(0, -1))
  })

test('marks are those of the bytes, however they came', () => {
  fc.assert(
    fc.property(blocks, fc.integer({ min: 1, max: 100_000 }), fc.nat(1000), (bytes, step, pick) => {
      const counter = new LineCounter()
      for (let at = 0; at < bytes.length; at += step) counter.add(bytes.subarray(at, at + step))
      const wanted = Array.from({ length: Math.ceil(bytes.length / BLOCK) }, (_, k) =>
        naive(bytes.subarray(0, k * BLOCK)),
      )
      assert.deepEqual([...counter.marks], wanted)
      assert.equal(counter.ends, naive(bytes))
      assert.equal(counter.lines, bytes.toString().replace(/\n$/, '').split('\n').length)
      const lines = indexed(bytesOf(bytes), counter.marks, counter.lines)
      const n = 1 + (pick % lines.lines)
      const start = lines.lineStart(n)
      assert.equal(naive(bytes.subarray(0, start)), n - 1)
      assert.ok(start === 0 || bytes[start - 1] === 0x0a)
      assert.equal(lines.lineAt(start), n)
      assert.equal(scanLines(bytesOf(bytes)).lineStart(n), start)
    }),
    { numRuns: 60 },
  )
})

test('a copy goes its own way', () => {
  const counter = new LineCounter()
  counter.add(Buffer.alloc(BLOCK * 20, 'a\n'))
  const copy = counter.copy()
  copy.add(Buffer.from('b\n'))
  counter.add(Buffer.from('cc'))
  assert.deepEqual(
    [counter.ends, counter.lines, copy.ends, copy.lines],
    [BLOCK * 10, BLOCK * 10 + 1, BLOCK * 10 + 1, BLOCK * 10 + 1],
  )
})
