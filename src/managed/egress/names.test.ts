/** Hosts in one spelling. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { hostText, readAuthority, readHost, readTarget } from './names.ts'

const textOf = (written: string): string => {
  const read = readHost(written)
  return 'wrong' in read ? 'refused' : hostText(read.host)
}

const SPELLINGS: readonly (readonly [written: string, read: string])[] = [
  ['example.test', 'example.test'],
  ['API.Example.TEST', 'api.example.test'],
  ['example.test.', 'example.test'],
  ['example.test...', 'example.test'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['ｅｘａｍｐｌｅ.test', 'example.test'],
  ['example。test', 'example.test'],
  ['example.test。', 'example.test'],
  ['a_b.example.test', 'a_b.example.test'],
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1..', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['0x7F000001', '127.0.0.1'],
  ['１２７.0.0.1', '127.0.0.1'],
  ['0', '0.0.0.0'],
  ['[::1]', '[::1]'],
  ['[0:0:0:0:0:0:0:1]', '[::1]'],
  ['[::FFFF:127.0.0.1]', '[::ffff:7f00:1]'],
]

const REFUSED = [
  '',
  '.',
  '..',
  'a b',
  'a\tb',
  'a\0b',
  'a%00b',
  '%61.test',
  'a#b',
  'a?b',
  'a/b',
  'a\\b',
  'a@b',
  'a..b',
  '.a',
  '-a.test',
  '[::1',
  '::1',
  '[fe80::1%eth0]',
  '[127.0.0.1]',
  '256.256.256.256',
  '1.2.3.4.5',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(127)}test`,
  'a\ufffd.example',
  'a*b.test',
  '*.test',
]

describe('hosts', () => {
  for (const [written, read] of SPELLINGS)
    test(`${JSON.stringify(written)} is ${read}`, () => assert.equal(textOf(written), read))
  for (const written of REFUSED)
    test(`${JSON.stringify(written.slice(0, 30))} is no host`, () => assert.equal(textOf(written), 'refused'))

  test('reading is stable: what was read reads as itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.string(), fc.string({ unit: 'grapheme' })), (written) => {
        const read = textOf(written)
        if (read !== 'refused') assert.equal(textOf(read), read)
      }),
    )
  })

  test('case and dots at the end make no difference', () => {
    fc.assert(
      fc.property(fc.domain(), fc.nat(3), fc.infiniteStream(fc.boolean()), (name, dots, up) => {
        const odd = [...name].map((letter) => (up.next().value ? letter.toUpperCase() : letter)).join('')
        assert.equal(textOf(odd + '.'.repeat(dots)), textOf(name))
      }),
    )
  })
})

const AUTHORITIES: readonly (readonly [string, string])[] = [
  ['a.test:443', 'a.test 443'],
  ['a.test', 'a.test none'],
  ['[::1]:80', '[::1] 80'],
  ['a.test:0', 'refused'],
  ['a.test:65536', 'refused'],
  ['a.test:+80', 'refused'],
  ['a.test:80:80', 'refused'],
  ['a.test:', 'refused'],
  ['user@a.test:80', 'refused'],
  ['::1:80', 'refused'],
]

describe('authorities', () => {
  for (const [written, expected] of AUTHORITIES)
    test(`${written} is ${expected}`, () => {
      const read = readAuthority(written)
      assert.equal('wrong' in read ? 'refused' : `${hostText(read.host)} ${read.port ?? 'none'}`, expected)
    })
})

const TARGETS: readonly (readonly [string, string])[] = [
  ['https://a.test/x?y#z', 'a.test 443 /x?y'],
  ['http://a.test', 'a.test 80 /'],
  ['http://a.test?q', 'a.test 80 /?q'],
  ['HTTP://A.test:8080/', 'a.test 8080 /'],
  ['https://allowed.test@evil.tld/', 'evil.tld 443 /'],
  ['https://u:p@evil.tld:444/', 'evil.tld 444 /'],
  ['https://allowed.test\\@evil.tld/', 'evil.tld 443 /'],
  ['https://evil.tld\\.allowed.test/', 'refused'],
  ['https://a.test:99999/', 'refused'],
  ['ftp://a.test/', 'refused'],
  ['https:///a.test/', 'refused'],
  ['https://a.test/\u00e9', 'refused'],
  ['https://a.test/a b', 'refused'],
]

describe('addresses of requests', () => {
  for (const [url, expected] of TARGETS)
    test(`${url} is ${expected}`, () => {
      const read = readTarget(url)
      assert.equal('wrong' in read ? 'refused' : `${hostText(read.host)} ${read.port} ${read.path}`, expected)
    })
})
