import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Bytes, bytesOf } from '../bytes.ts'
import { analyse } from './analysis.ts'
import { unmasked } from './digest.testing.ts'
import { RUN_WINDOWS } from './digest.ts'
import { Document } from './document.ts'
import { LINE_CAP } from './family.ts'
import { LineIndex, type Place, scan } from './lines.ts'

/** Bytes as a file would give them: copied, or into memory that is used again. */
const copied = (raw: Buffer): Bytes => ({
  size: raw.length,
  read: (from, to) => Buffer.from(raw.subarray(Math.max(0, from), to)),
  into: (target, from) => raw.copy(target, 0, from, Math.min(raw.length, from + target.length)),
})

/** Lines by a way that is slow and plain. */
function plain(raw: Buffer): { text: string; from: number; to: number }[] {
  const lines: { text: string; from: number; to: number }[] = []
  let from = 0
  for (let at = 0; at <= raw.length; at++) {
    if (at < raw.length ? raw[at] !== 0x0a : from >= raw.length) continue
    const to = at > from && raw[at - 1] === 0x0d ? at - 1 : at
    lines.push({ text: raw.subarray(from, to).toString('latin1'), from, to })
    from = at + 1
  }
  return lines
}

function scanned(bytes: Bytes, windows = RUN_WINDOWS) {
  const seen: { n: number; text: string | undefined; from: number; to: number }[] = []
  const result = scan(bytes, windows, new LineIndex(), {
    line: (buffer, start, end, n, from) =>
      seen.push({ n, text: Buffer.from(buffer.subarray(start, end)).toString('latin1'), from, to: from + end - start }),
    long: (n, from, to) => seen.push({ n, text: undefined, from, to }),
  })
  return { seen, result }
}

const part = fc.oneof(
  fc.constantFrom('\n', '\r\n', '\r', 'a', 'some words', ''),
  fc.integer({ min: LINE_CAP - 2, max: LINE_CAP + 2 }).map((length) => 'x'.repeat(length)),
)
const raw = fc.array(part, { maxLength: 40 }).map((parts) => Buffer.from(parts.join('')))

test('lines are the same by any road, each once and with its bytes', () => {
  fc.assert(
    fc.property(raw, (bytes) => {
      const wanted = plain(bytes)
      for (const source of [bytesOf(bytes), copied(bytes)]) {
        const { seen, result } = scanned(source)
        assert.equal(result.lines, wanted.length)
        assert.deepEqual(
          seen.map(({ n, from, to }) => ({ n, from, to })),
          wanted.map(({ from, to }, i) => ({ n: i + 1, from, to })),
        )
        seen.forEach(({ text, from, to }, i) => {
          if (to - from <= LINE_CAP) assert.equal(text, wanted[i]!.text)
          else assert.equal(text, undefined)
        })
      }
    }),
  )
})

test('with windows the rest is counted, and what is read lies at both ends', () => {
  fc.assert(
    fc.property(raw, fc.nat(200), fc.nat(200), (bytes, first, last) => {
      const wanted = plain(bytes)
      const { seen, result } = scanned(copied(bytes), { first, last })
      assert.equal(result.lines, wanted.length)
      for (const { n, from, to } of seen)
        assert.deepEqual({ from, to }, { from: wanted[n - 1]!.from, to: wanted[n - 1]!.to })
      const { unread } = result
      const missing = wanted.length - seen.length
      assert.equal(unread === undefined ? 0 : unread.lines.to - unread.lines.from + 1, missing)
      if (unread === undefined) return
      assert.equal(unread.bytes.from, wanted[unread.lines.from - 1]!.from)
      assert.ok(unread.bytes.from >= Math.min(first, bytes.length) && unread.bytes.to < bytes.length - last)
    }),
  )
})

test('bytes that know their lines are asked where reading goes on, with the same result', () => {
  fc.assert(
    // Some of it is always read.
    fc.property(raw, fc.nat(200), fc.integer({ min: 1, max: 200 }), (bytes, first, last) => {
      const wanted = plain(bytes)
      const indexed = {
        ...copied(bytes),
        lineStart: (n: number) => wanted[n - 1]?.from ?? bytes.length,
        lineAt: (offset: number) => wanted.findLastIndex(({ from }) => from <= offset) + 1,
      }
      assert.deepEqual(scanned(indexed, { first, last }), scanned(copied(bytes), { first, last }))
      const one = new Document(indexed, analyse(indexed, { first, last }), unmasked)
      const other = new Document(copied(bytes), analyse(copied(bytes), { first, last }), unmasked)
      assert.deepEqual(one.places(1, 50), other.places(1, 50))
    }),
  )
})

test('any line is found again by its number', () => {
  fc.assert(
    fc.property(raw, fc.array(fc.tuple(fc.nat(60), fc.nat(8)), { maxLength: 8 }), (bytes, asked) => {
      const wanted = plain(bytes).map(({ from, to }, i): Place => ({ n: i + 1, from, to }))
      const document = new Document(copied(bytes), analyse(copied(bytes), RUN_WINDOWS), unmasked)
      for (const [from, more] of asked)
        assert.deepEqual(document.places(from, from + more), from < 1 ? [] : wanted.slice(from - 1, from + more))
    }),
  )
})

test('a chunk that ends anywhere in a line changes nothing', () => {
  const line = 'y'.repeat(1000)
  const bytes = Buffer.from(`${`${line}\n`.repeat(3000)}${'z'.repeat(1 << 20)}\nend`)
  const { seen, result } = scanned(copied(bytes))
  assert.equal(result.lines, 3002)
  assert.ok(seen.slice(0, 3000).every(({ text }) => text === line))
  assert.deepEqual(seen.at(-1), { n: 3002, text: 'end', from: bytes.length - 3, to: bytes.length })
})
