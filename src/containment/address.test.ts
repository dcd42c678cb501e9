import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Address,
  addressWords,
  formatAddress,
  type Handle,
  parseAddress,
  parseHandle,
  parseSelector,
  type Selector,
  shellAddress,
} from './address.ts'

const id = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 6, maxLength: 64 })
  .map((digits) => digits.join(''))
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((s) => !/[/\0\\]|^\.{1,2}$|^[A-Za-z]:/.test(s))
const handle: fc.Arbitrary<Handle> = fc.oneof(
  fc.record(
    {
      is: fc.constantFrom('run' as const, 'blob' as const, 'job' as const),
      id,
      stream: fc.constantFrom('stdout' as const, 'stderr' as const, 'merged' as const),
    },
    { requiredKeys: ['is', 'id'], noNullPrototype: true },
  ),
  fc.array(segment, { maxLength: 4 }).map((parts) => ({ is: 'repo' as const, path: parts.join('/') })),
)
const range = (least: number) =>
  fc.tuple(fc.integer({ min: least, max: 2 ** 40 }), fc.nat(2 ** 40)).map(([from, more]) => ({ from, to: from + more }))
const selector: fc.Arbitrary<Selector> = fc.oneof(
  range(1).map((pair) => ({ by: 'lines' as const, ...pair })),
  fc.tuple(range(1), id).map(([pair, anchor]) => ({ by: 'lines' as const, ...pair, anchor })),
  range(0).map((pair) => ({ by: 'bytes' as const, ...pair })),
  range(1).map((pair) => ({ by: 'records' as const, ...pair })),
  fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 4 }).map((keys) => ({
    by: 'pointer' as const,
    pointer: keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  })),
  fc.integer({ min: 1, max: 9999 }).map((shape) => ({ by: 'shape' as const, shape })),
  fc
    .tuple(fc.integer({ min: 1, max: 9999 }), range(1))
    .map(([shape, pair]) => ({ by: 'shape' as const, shape, ...pair })),
)
const address: fc.Arbitrary<Address> = fc.record(
  { handle, selector },
  { requiredKeys: ['handle'], noNullPrototype: true },
)

test('words of an address read back as the same address', () => {
  fc.assert(
    fc.property(address, (given) => {
      const [first = '', flag, value] = addressWords(given)
      assert.deepEqual(parseHandle(first), given.handle)
      if (given.selector) assert.deepEqual(parseSelector(flag ?? '', value ?? ''), given.selector)
    }),
  )
})

test('an address in one text reads back as the same address', () => {
  fc.assert(
    fc.property(
      address.filter(({ handle: h }) => h.is !== 'repo' || !h.path.includes(' --')),
      (given) => assert.deepEqual(parseAddress(formatAddress(given)), given),
    ),
  )
})

test('any text is an address or refused with a sentence', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((s) => `run:${s}`),
        fc.string().map((s) => `repo:${s}`),
      ),
      (given) => {
        const read = parseAddress(given)
        if ('refused' in read) assert.match(read.refused, /\S[^.]$/s)
        else assert.deepEqual(parseAddress(formatAddress(read)), read)
      },
    ),
  )
})

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['run:12345', /5 digits; an id needs 6 to 64/],
  [`run:${'a'.repeat(65)}`, /65 digits/],
  ['run:12345g', /hexadecimal/],
  ['run:123456#out', /#stdout, #stderr, #merged/],
  ['walk:123456', /run:, blob:, job: or repo:/],
  ['123456', /is no address/],
  ['repo:../x', /out of the workspace/],
  ['repo:a/../../x', /out of the workspace/],
  ['repo:/etc/passwd', /is absolute/],
  ['run:123456 --lines 9:3', /malformed; it takes A:B/],
  ['run:123456 --lines 0:3', /malformed/],
  ['run:123456 --lines 120-180', /malformed/],
  ['run:123456 --bytes -1:3', /malformed/],
  ['run:123456 --lines', /malformed/],
  ['run:123456 --json-pointer a', /malformed/],
  ['run:123456 --json-pointer /~2', /malformed/],
  ['run:123456 --shape 0', /malformed/],
  ['run:123456 --lines 99999999999999999:99999999999999999', /malformed/],
]

test('what is no address is refused, with the right form', () => {
  for (const [text, why] of REFUSED) {
    const read = parseAddress(text)
    assert.ok('refused' in read, text)
    assert.match(read.refused, why, text)
  }
})

test('digits fold to lower case; words are quoted for a shell where needed', () => {
  assert.deepEqual(parseHandle('run:ABCDEF'), { is: 'run', id: 'abcdef' })
  assert.equal(
    shellAddress({ handle: { is: 'run', id: 'abcdef' }, selector: { by: 'pointer', pointer: "/it's/0" } }),
    `run:abcdef --json-pointer '/it'\\''s/0'`,
  )
  assert.equal(shellAddress({ handle: { is: 'run', id: 'abcdef', stream: 'stdout' } }), 'run:abcdef#stdout')
})
