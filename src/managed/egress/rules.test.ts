/** Network rules: what is refused when they are set, which entry decides. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ManagedError, type Network } from '../contract.ts'
import { matches, patternText, type Rules, readPattern, readRules, ruleFor } from './rules.ts'

const listed = (allowlist: unknown): Extract<Rules, { mode: 'allowlist' }> => {
  const rules = readRules({ allowlist } as Network)
  assert.ok(rules.mode === 'allowlist')
  return rules
}

const WRONG: readonly (readonly [name: string, network: unknown, says: RegExp])[] = [
  ['null', null, /network must be/],
  ['a list', [], /network must be/],
  ['another word', 'open', /network must be/],
  ['a misspelt key', { allow_list: [] }, /Unknown field network\.allow_list\. Did you mean "allowlist"\?/],
  ['no allowlist', {}, /must be a list/],
  ['a text entry', { allowlist: ['a.test'] }, /\[0\] must be an object/],
  ['an empty domain', { allowlist: [{ domain: 'a.test' }, { domain: '' }] }, /\[1\]\.domain "" is empty/],
  ['a blank domain', { allowlist: [{ domain: '  ' }] }, /is empty/],
  ['a port', { allowlist: [{ domain: 'a.test:8443' }] }, /without a port/],
  ['a scheme', { allowlist: [{ domain: 'https://a.test' }] }, /without a scheme/],
  ['a path', { allowlist: [{ domain: 'a.test/x' }] }, /without a path/],
  ['user information', { allowlist: [{ domain: 'u@a.test' }] }, /user information/],
  ['a wildcard inside', { allowlist: [{ domain: 'api.*.com' }] }, /"api\.\*\.com" has a wildcard/],
  ['a wildcard without a dot', { allowlist: [{ domain: '*example.com' }] }, /wildcard/],
  ['two wildcards', { allowlist: [{ domain: '*.*.com' }] }, /wildcard/],
  ['a wildcard alone', { allowlist: [{ domain: '*.' }] }, /is empty/],
  ['a dot in front', { allowlist: [{ domain: '.a.test' }] }, /begins with a dot/],
  ['an address', { allowlist: [{ domain: '127.0.0.1' }] }, /is an address/],
  ['an address in disguise', { allowlist: [{ domain: '0x7f.1' }] }, /is an address/],
  ['a NUL', { allowlist: [{ domain: 'a\0.test' }] }, /character/],
  ['a label that does not convert', { allowlist: [{ domain: 'a\ufffd.test' }] }, /converted|host name/],
  ['a misspelt field', { allowlist: [{ domain: 'a.test', credentail: 'x' }] }, /Did you mean "credential"/],
  ['a credential that is no text', { allowlist: [{ domain: 'a.test', credential: 5 }] }, /credential must be/],
  ['a line break in a value', { allowlist: [{ domain: 'a.test', transform: { X: 'a\r\nY: b' } }] }, /line break/],
  ['a line break in a name', { allowlist: [{ domain: 'a.test', transform: { 'X\r\nY': 'b' } }] }, /no header name/],
  ['Host', { allowlist: [{ domain: 'a.test', transform: { hOST: 'b' } }] }, /set by the proxy/],
  ['Transfer-Encoding', { allowlist: [{ domain: 'a.test', transform: { 'Transfer-Encoding': 'b' } }] }, /proxy/],
  ['Proxy-Authorization', { allowlist: [{ domain: 'a.test', transform: { 'Proxy-Authorization': 'b' } }] }, /proxy/],
  ['a value that is no text', { allowlist: [{ domain: 'a.test', transform: { X: 1 } }] }, /must be a string/],
  ['the second of a list', { allowlist: [{ domain: 'a.test', transform: [{ X: 'a' }, 5] }] }, /transform\[1\]/],
]

describe('rules that make no sense', () => {
  for (const [name, network, says] of WRONG)
    test(name, () =>
      assert.throws(
        () => readRules(network as Network),
        (error) => error instanceof ManagedError && error.status === 400 && says.test(error.message),
      ),
    )

  test('a value is never quoted', () => {
    try {
      listed([{ domain: 'a.test', transform: { Authorization: 'Bearer s3cret\r\n' } }])
      assert.fail('it was taken')
    } catch (error) {
      assert.doesNotMatch(String(error), /s3cret/)
    }
  })
})

describe('modes', () => {
  test('absent is open, "disabled" in both places is closed, an empty list lets nothing through', () => {
    assert.equal(readRules(undefined).mode, 'open')
    assert.equal(readRules('disabled').mode, 'disabled')
    assert.equal(readRules({ allowlist: 'disabled' }).mode, 'disabled')
    assert.equal(ruleFor(listed([]).rules, 'a.test'), undefined)
  })
})

const DECIDES: readonly (readonly [list: readonly string[], name: string, by: string | undefined])[] = [
  [['*.example.test'], 'a.example.test', '*.example.test'],
  [['*.example.test'], 'a.b.example.test', '*.example.test'],
  [['*.example.test'], 'example.test', undefined],
  [['*.example.test'], 'evilexample.test', undefined],
  [['*.example.test'], 'example.test.evil.tld', undefined],
  [['example.test'], 'a.example.test', undefined],
  [['API.Example.TEST.'], 'api.example.test', 'api.example.test'],
  [['*', '*.example.test', 'a.example.test'], 'a.example.test', 'a.example.test'],
  [['*', '*.test', '*.b.test'], 'a.b.test', '*.b.test'],
  [['*', '*.b.test', '*.test'], 'x.test', '*.test'],
  [['*'], 'any.tld', '*'],
  [['bücher.example'], 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
]

describe('which entry decides', () => {
  for (const [list, name, by] of DECIDES)
    test(`${list.join(', ')}: ${name} by ${by ?? 'none'}`, () => {
      const rule = ruleFor(listed(list.map((domain) => ({ domain }))).rules, name)
      assert.equal(rule === undefined ? undefined : patternText(rule.pattern), by)
    })

  test('of two equal entries the first decides, with a warning', () => {
    const { rules, warnings } = listed([
      { domain: 'a.test', transform: { X: '1' } },
      { domain: 'A.TEST.', transform: { X: '2' } },
    ])
    assert.equal(ruleFor(rules, 'a.test')?.headers.get('x')?.value, '1')
    assert.deepEqual(warnings, ['network.allowlist[1] repeats the domain a.test; the first entry holds.'])
  })

  test('an entry that can let nothing through is warned of', () => {
    const domains = [
      'localhost',
      'a.localhost.',
      '*.localhost',
      'metadata.google.internal',
      '*',
      'localhost.example.com',
    ]
    assert.deepEqual(
      listed(domains.map((domain) => ({ domain }))).warnings.map((text) => text.split(':')[0]),
      [0, 1, 2, 3].map((i) => `network.allowlist[${i}] lets nothing through`),
    )
  })

  test('a list of transforms is merged, the last wins, names in any case', () => {
    const { rules } = listed([{ domain: 'a.test', transform: [{ 'X-A': '1', B: '1' }, { 'x-a': '2' }] }])
    assert.deepEqual(
      [...rules[0]!.headers.values()],
      [
        { name: 'x-a', value: '2' },
        { name: 'B', value: '1' },
      ],
    )
  })

  test('a name passes only by itself, by a dot boundary, or by *', () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,6}$/).filter((one) => !/^(?:0x.*|\d+)$/.test(one))
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join('.')}.t`)
    fc.assert(
      fc.property(name, name, fc.boolean(), fc.constantFrom('', 'x', '.', '-'), (base, other, below, glue) => {
        const read = readPattern(below ? `*.${base}` : base)
        assert.ok('pattern' in read)
        for (const candidate of [other, other + glue + base, base + glue + other, base]) {
          const right = below
            ? candidate !== base && candidate.split('.').slice(-base.split('.').length).join('.') === base
            : candidate === base
          assert.equal(matches(read.pattern, candidate), right && !(below && candidate.length <= base.length))
        }
      }),
    )
  })
})
