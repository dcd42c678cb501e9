import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bytes, bytesOf } from '../bytes.ts'
import { faultsOf, unmasked } from './digest.testing.ts'
import { type DigestInput, digestOf, RUN_WINDOWS } from './digest.ts'

const inputOf = (text: string, more: Partial<DigestInput> = {}): DigestInput => ({
  ...{ bytes: bytesOf(Buffer.from(text)), commands: [], label: '', exit: 1, budget: 600, windows: RUN_WINDOWS },
  ...{ handle: 'run:0123456789ab', mask: unmasked },
  ...more,
})

test('what a family does not read of a long line is read as any line is', () => {
  const mass = '{"k":"v","n":12345,"ok":true},'.repeat(1_000_000)
  const input = inputOf(`[${mass}{"k":"v","n":0,"ok":false,"error":"replica 12 lost quorum"},${mass.slice(0, 300)}{}]`)
  const digest = digestOf(input)
  assert.equal(digest.family, 'json')
  assert.match(digest.text, /replica 12 lost quorum/)
  assert.match(digest.text, /^\[ctx only the beginning of the JSON document was read/m)
  assert.deepEqual(faultsOf(digest, input), [])
})

test('parts of a line that is not shown as a whole have an address', () => {
  const input = inputOf(`[${'{"k":"v","n":12345},'.repeat(2_000_000)}{}]`)
  const { size } = input.bytes
  assert.match(digestOf(input).text, new RegExp(`: ctx get run:0123456789ab --bytes 0:${size - 1}\\]$`, 'm'))
})

test('the middle of a line that no window reaches is told, with its address', () => {
  const windows = { first: 1 << 17, last: 1 << 16 }
  const size = 1_000_000
  const one = digestOf(inputOf('x y '.repeat(size / 4), { windows })).text
  const where = `run:0123456789ab --bytes ${windows.first}:${size - windows.last - 1}`
  assert.ok(one.includes(`[ctx the middle of line 1 was not read: ctx get ${where}]`), one)
  const all = digestOf(inputOf('x y '.repeat(10_000), { windows })).text
  assert.doesNotMatch(all, /was not read/)
})

test('an earlier run with the same hash is not read again, one without a hash is compared', () => {
  const text = Array.from({ length: 3000 }, (_, i) => `line ${i} of it`).join('\n')
  const unreadable: Bytes = {
    size: text.length,
    read: () => assert.fail('it was read'),
  }
  const same = /^\[ctx the same output as run:ba9876543210, exit 1\]$/m
  const earlier = { exit: 1, handle: 'run:ba9876543210' }
  const known = digestOf(inputOf(text, { sha256: 'a1', earlier: { ...earlier, bytes: unreadable, sha256: 'a1' } }))
  assert.match(known.text, same)
  const compared = digestOf(inputOf(text, { sha256: 'a1', earlier: { ...earlier, bytes: bytesOf(Buffer.from(text)) } }))
  assert.match(compared.text, same)
  const other = bytesOf(Buffer.from(text.replace('line 7 of', 'line 7 at')))
  assert.doesNotMatch(digestOf(inputOf(text, { earlier: { ...earlier, bytes: other } })).text, same)
})
