/** Which addresses may be dialled. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { closedAddress, closedName, readCidr } from './addresses.ts'
import { readHost } from './names.ts'

const rules = (allowPrivate: readonly string[] = [], own: readonly string[] = []) => ({
  allowPrivate: allowPrivate.map(readCidr),
  ownAddresses: () => own,
})

const CLOSED = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::808:808',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2001:0:7f00:1::',
  '2001:4860:4860::5efe:7f00:1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'fc00::1',
  '2001:db8::1',
  '100::1',
  '4000::1',
  '203.0.113.9',
  'nonsense',
]

const OPEN = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
]

describe('addresses', () => {
  for (const address of CLOSED)
    test(`${address} is closed`, () => assert.notEqual(closedAddress(address, rules()), undefined))
  for (const address of OPEN) test(`${address} is open`, () => assert.equal(closedAddress(address, rules()), undefined))

  test('an address of an interface of this machine is closed, in every form', () => {
    const own = rules(['8.0.0.0/8'], ['8.8.8.8', 'fe80::1%eth0'])
    for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '64:ff9b::808:808'])
      assert.match(closedAddress(address, own) ?? '', /this machine/)
    assert.equal(closedAddress('8.8.4.4', own), undefined)
  })

  test('the operator opens private networks, never loopback, link-local, metadata or own addresses', () => {
    const all = rules(['0.0.0.0/0', '::/0'], ['10.9.9.9'])
    for (const address of ['10.0.0.1', '192.168.1.1', '100.64.0.1', 'fc00::1', '::ffff:10.0.0.1'])
      assert.equal(closedAddress(address, all), undefined, address)
    for (const address of [
      '127.0.0.1',
      '::1',
      '0.0.0.0',
      '169.254.169.254',
      'fe80::1',
      '100.100.100.200',
      'fd00:ec2::254',
    ])
      assert.notEqual(closedAddress(address, all), undefined, address)
    assert.notEqual(closedAddress('10.9.9.9', all), undefined)
    assert.equal(closedAddress('10.1.2.3', rules(['10.1.0.0/16'])), undefined)
    assert.notEqual(closedAddress('10.2.2.3', rules(['10.1.0.0/16'])), undefined)
  })

  test('every spelling of a loopback address is closed', () => {
    const part = (value: number) => fc.constantFrom(String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`)
    const tail = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
    const spelling = tail.chain(([b, c, d]) =>
      fc.oneof(
        fc.tuple(part(127), part(b), part(c), part(d)).map((parts) => parts.join('.')),
        fc.tuple(part(127), part(b), part(c * 256 + d)).map((parts) => parts.join('.')),
        fc.tuple(part(127), part(b * 65_536 + c * 256 + d)).map((parts) => parts.join('.')),
        part(((127 * 256 + b) * 256 + c) * 256 + d),
        fc.constantFrom(
          `[::ffff:127.${b}.${c}.${d}]`,
          `[64:ff9b::127.${b}.${c}.${d}]`,
          `[::127.${b}.${c}.${d}]`,
          `[::ffff:0:127.${b}.${c}.${d}]`,
        ),
      ),
    )
    fc.assert(
      fc.property(spelling, fc.nat(2), (written, dots) => {
        const read = readHost(written + (written.startsWith('[') ? '' : '.'.repeat(dots)))
        assert.ok('host' in read && read.host.is === 'address', written)
        assert.notEqual(closedAddress(read.host.address, rules(['0.0.0.0/0', '::/0'])), undefined, written)
      }),
    )
  })

  for (const name of ['localhost', 'a.localhost', 'localhost.localdomain', 'metadata.google.internal', 'ip6-localhost'])
    test(`the name ${name} is closed`, () => assert.notEqual(closedName(name), undefined))
  for (const name of ['localhost.example.test', 'notlocalhost', 'metadata.example.test'])
    test(`the name ${name} is not`, () => assert.equal(closedName(name), undefined))
})
