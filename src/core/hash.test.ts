import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { nameOfText, sha256Hex, sha256HexOfBytes } from './hash.ts'
import { byteLength, byteOffsets, cutBytes, encodeUtf8 } from './utf8.ts'

const node = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
const text = fc.string({
  unit: fc.oneof(
    fc.nat(0xffff).map((n) => String.fromCharCode(n)),
    fc.constantFrom('a', '😀', 'é', '漢'),
  ),
})

test('sha256: the published vectors', () => {
  const vectors: readonly (readonly [string, string])[] = [
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ]
  for (const [input, digest] of vectors) assert.equal(sha256Hex(input), digest)
})

test('sha256 equals the platform for any text', () => {
  fc.assert(fc.property(text, (input) => assert.equal(sha256Hex(input), node(input))))
})

test('sha256 equals the platform for bytes at every length around a block', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255)
    assert.equal(sha256HexOfBytes(bytes), node(bytes), `length ${length}`)
  }
})

test('names of texts: 32 digits, equal for equal texts, different for any change of one character or of the length', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(0xffff), (input, at, unit) => {
      const name = nameOfText(input)
      assert.match(name, /^[0-9a-f]{32}$/)
      assert.equal(nameOfText(`${input}`), name)
      assert.notEqual(nameOfText(`${input}\0`), name)
      assert.notEqual(nameOfText(input + input), input === '' ? undefined : name)
      const place = at % (input.length + 1)
      const other = input.slice(0, place) + String.fromCharCode(unit) + input.slice(place + 1)
      if (other !== input) assert.notEqual(nameOfText(other), name)
    }),
    { numRuns: 2000 },
  )
})

test('names of texts: none of many short texts share one, and every digit takes part', () => {
  const names = new Set<string>()
  const digits = Array.from({ length: 32 }, () => new Set<string>())
  for (let n = 0; n < 20_000; n++) {
    const name = nameOfText(`/home/dev/${n.toString(36)}`)
    names.add(name)
    digits.forEach((seen, i) => seen.add(name[i]!))
  }
  assert.equal(names.size, 20_000)
  for (const seen of digits) assert.equal(seen.size, 16)
})

test('utf8: bytes, lengths, offsets and cuts agree with the platform', () => {
  fc.assert(
    fc.property(text, fc.nat(400), (input, limit) => {
      const bytes = Buffer.from(input)
      assert.deepEqual(Buffer.from(encodeUtf8(input)), bytes)
      assert.equal(byteLength(input), bytes.length)
      const cut = cutBytes(input, limit)
      assert.ok(input.startsWith(cut))
      assert.ok(byteLength(cut) <= limit)
      const next = input.codePointAt(cut.length)
      if (next !== undefined) assert.ok(byteLength(cut + String.fromCodePoint(next)) > limit)
      // Offsets between characters are those of the text before them.
      const starts: number[] = []
      for (let i = 0; i <= input.length; ) {
        starts.push(i)
        i += (input.codePointAt(i) ?? 0) > 0xffff ? 2 : 1
      }
      starts.reverse()
      assert.deepEqual(
        byteOffsets(input, starts),
        starts.map((at) => byteLength(input.slice(0, at))),
      )
    }),
  )
})

test('utf8: offsets beyond the end or inside a character are clamped', () => {
  assert.deepEqual(byteOffsets('a😀b', [9, 2, -1, 3]), [6, 1, 0, 5])
})
