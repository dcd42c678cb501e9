/** What a door lets through, by the log of the upstreams. Every refusal has a request beside it that does arrive. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { AllowEntry, EgressDoor, Network } from '../contract.ts'
import {
  type Answer,
  arrived,
  ask,
  type First,
  knock,
  type Lab,
  raw,
  secure,
  startLab,
  tunnelTo,
} from './lab.testing.ts'

const HOSTS = [
  'api.example.test:443',
  'api.example.test:80',
  'api.example.test:8443',
  'api.example.test:22',
  'b.api.example.test:443',
  'example.test:443',
  'evilexample.test:443',
  'example.test.evil.tld:443',
  'other.test:443',
  'other.test:80',
  'xn--bcher-kva.example:443',
]

let lab: Lab
before(async () => {
  lab = await startLab({ hosts: HOSTS })
})
after(() => lab.close())

const list = (...domains: readonly string[]): Network => ({ allowlist: domains.map((domain) => ({ domain })) })

type Try = { readonly status: number; readonly body: string }

/** One request over CONNECT and TLS; the status of CONNECT where that was refused, 0 where the connection was closed. */
async function over(door: EgressDoor, host: string, port = 443, sni = host, header?: string): Promise<Try> {
  const tunnel = await tunnelTo(door, `${host}:${port}`)
  if (!('socket' in tunnel)) return tunnel
  try {
    const tls = await secure(tunnel.socket, sni, readFileSync(door.caFile, 'utf8'))
    return await ask(tls, { headers: { Host: header ?? host } })
  } catch {
    return { status: 0, body: '' }
  }
}

async function clear(door: EgressDoor, url: string): Promise<Try> {
  const text = await raw(door, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

/** Runs `act` with a door of these rules, and says how many requests arrived. */
async function at(network: Network, act: (door: EgressDoor) => Promise<Try>): Promise<Try & { readonly saw: number }> {
  const door = await lab.open(network)
  const had = lab.seen.length
  try {
    const tried = await act(door)
    return { ...tried, saw: lab.seen.length - had }
  } finally {
    await door.close()
  }
}

type Row = readonly [
  name: string,
  network: Network,
  act: (door: EgressDoor) => Promise<Try>,
  status: number,
  says?: RegExp,
]

const ROWS: readonly Row[] = [
  // 66, 67
  ['67: an empty list', list(), (door) => over(door, 'api.example.test'), 403, /network allowlist/],
  ['67: disabled', 'disabled', (door) => over(door, 'api.example.test'), 403, /no network access/],
  ['67: an allowlist that is disabled', { allowlist: 'disabled' }, (door) => over(door, 'api.example.test'), 403],
  ['67: disabled, clear text', 'disabled', (door) => clear(door, 'http://other.test/'), 403, /no network access/],
  ['66: open, clear text', undefined, (door) => clear(door, 'http://other.test/'), 200],
  // 68
  ['68: below a wildcard', list('*.example.test'), (door) => over(door, 'api.example.test'), 200],
  ['68: far below a wildcard', list('*.example.test'), (door) => over(door, 'b.api.example.test'), 200],
  ['68: the apex of a wildcard', list('*.example.test'), (door) => over(door, 'example.test'), 403, /example\.test/],
  ['68: a longer name', list('*.example.test'), (door) => over(door, 'evilexample.test'), 403],
  ['68: a name with more behind', list('*.example.test'), (door) => over(door, 'example.test.evil.tld'), 403],
  ['68: the longer name, listed', list('evilexample.test'), (door) => over(door, 'evilexample.test'), 200],
  ['68: the name with more behind, listed', list('*.evil.tld'), (door) => over(door, 'example.test.evil.tld'), 200],
  ['68: the apex, listed', list('example.test'), (door) => over(door, 'example.test'), 200],
  // 69
  ['69: upper case in the list', list('API.Example.TEST.'), (door) => over(door, 'api.example.test'), 200],
  [
    '69: upper case in the request',
    list('api.example.test'),
    (door) => over(door, 'API.Example.TEST.', 443, 'api.example.test', 'Api.Example.Test.'),
    200,
  ],
  ['69: IDN', list('bücher.example'), (door) => over(door, 'xn--bcher-kva.example'), 200],
  // 81
  ...['2130706433', '0x7f.1', '127.1', '0.0.0.0', '0', '127.0.0.1..', '[::1]', '[::ffff:127.0.0.1]', 'localhost'].map(
    (host): Row => [`81: http://${host}/`, undefined, (door) => clear(door, `http://${host}/`), 403, /address rules/],
  ),
  ['81: under *', list('*'), (door) => clear(door, 'http://127.1/'), 403, /loopback/],
  ['81: the metadata address', undefined, (door) => clear(door, 'http://169.254.169.254/'), 403, /metadata/],
  ['66: CONNECT to loopback', undefined, (door) => over(door, '127.0.0.1', 443, 'x'), 403, /loopback/],
  // 82 to 86
  ['82: another name in the handshake', list('*'), (door) => over(door, 'api.example.test', 443, 'other.test'), 0],
  ['82: the same name', list('*'), (door) => over(door, 'api.example.test', 443, 'api.example.test'), 200],
  [
    '83: another name in Host',
    list('*'),
    (door) => over(door, 'api.example.test', 443, 'api.example.test', 'other.test'),
    421,
    /must agree/,
  ],
  [
    '83: another port in Host',
    list('*'),
    (door) => over(door, 'api.example.test', 443, 'api.example.test', 'api.example.test:8443'),
    421,
  ],
  ['84: CONNECT to an address', list('*'), (door) => over(door, '8.8.8.8', 443, 'x'), 403, /only domain names/],
  [
    '86: user information',
    list('api.example.test'),
    (door) => clear(door, 'http://api.example.test@evil.tld/'),
    403,
    /evil\.tld/,
  ],
  ['86: dropped', list('api.example.test'), (door) => clear(door, 'http://evil.tld@api.example.test/'), 200],
  ['86: a backslash', list('api.example.test'), (door) => clear(door, 'http://evil.tld\\.api.example.test/'), 400],
  ['an escape in the host', list('*'), (door) => clear(door, 'http://api.example.test%00.evil.tld/'), 400],
  // 89
  ['89: port 8443', list('api.example.test'), (door) => over(door, 'api.example.test', 8443), 403, /port rule/],
  ['89: port 22', list('api.example.test'), (door) => over(door, 'api.example.test', 22), 403, /port rule/],
  ['89: port 443', list('api.example.test'), (door) => over(door, 'api.example.test', 443), 200],
  // 92
  [
    '92: clear text with a rule that sets something',
    { allowlist: [{ domain: 'api.example.test', transform: { 'X-Key': 'v' } }] },
    (door) => clear(door, 'http://api.example.test/'),
    403,
    /plain http/,
  ],
  ['92: clear text without', list('api.example.test'), (door) => clear(door, 'http://api.example.test/'), 200],
  [
    '92: clear text, not listed',
    list('api.example.test'),
    (door) => clear(door, 'http://other.test/'),
    403,
    /allowlist/,
  ],
  ['https in absolute form', list('api.example.test'), (door) => clear(door, 'https://api.example.test/'), 200],
]

describe('the door', () => {
  for (const [name, network, act, status, says] of ROWS)
    test(name, async () => {
      const tried = await at(network, act)
      assert.equal(tried.status, status, tried.body)
      assert.equal(tried.saw, status === 200 ? 1 : 0)
      if (says !== undefined) assert.match(tried.body, says)
      // 101: one plain sentence.
      if (status === 403) assert.match(tried.body, /^Blocked: [^\n]+\.\n$/)
    })

  test('89: ports that the operator adds are open', async () => {
    const own = await startLab({ hosts: ['api.example.test:8443'], operator: { ports: [8443] } })
    try {
      const door = await own.open(list('api.example.test'))
      const tried = await over(door, 'api.example.test', 8443, 'api.example.test', 'api.example.test:8443')
      assert.equal(tried.status, 200)
      assert.deepEqual(
        own.seen.map((one) => arrived(one, 'host')),
        [['api.example.test:8443']],
      )
    } finally {
      await own.close()
    }
  })

  test('85: TLS without a name, and other bytes on 443, are closed; nothing arrives', async () => {
    const door = await lab.open(list('*'))
    const had = lab.connections
    for (const bytes of ['\x16\x03\x01\x00\x05hello', 'SSH-2.0-x\r\n', 'GET / HTTP/1.1\r\nHost: other.test\r\n\r\n']) {
      const tunnel = await tunnelTo(door, 'other.test:443')
      assert.ok('socket' in tunnel)
      let text = ''
      tunnel.socket.on('data', (part) => {
        text += part
      })
      tunnel.socket.write(Buffer.from(bytes, 'latin1'))
      await new Promise((resolve) => tunnel.socket.once('close', resolve))
      assert.doesNotMatch(text, /HTTP\/1\.1 200/)
    }
    const tunnel = await tunnelTo(door, 'other.test:443')
    assert.ok('socket' in tunnel)
    await assert.rejects(secure(tunnel.socket, '', readFileSync(door.caFile, 'utf8')))
    assert.equal(lab.connections, had)
    await door.close()
  })

  test('the files of a door: the certificate inside, no key, the socket for the owner alone', async () => {
    const door = await lab.open(list('*'))
    assert.equal(statSync(door.socket).mode & 0o777, 0o600)
    for (const file of [door.caFile, door.bundleFile]) {
      assert.match(readFileSync(file, 'utf8'), /BEGIN CERTIFICATE/)
      assert.doesNotMatch(readFileSync(file, 'utf8'), /PRIVATE/)
    }
    assert.equal(door.variables('/b', '/c')['SSL_CERT_FILE'], '/b')
    await door.close()
    assert.throws(() => statSync(door.socket))
  })

  test('each decision is an event that names host, port, way and rule', async () => {
    const had = lab.events.length
    await at(list('api.example.test'), (door) => over(door, 'api.example.test'))
    await at(list('api.example.test'), (door) => over(door, 'other.test'))
    assert.deepEqual(
      lab.events.slice(had).map(({ kind, detail }) => [kind, detail]),
      [
        ['egress.allowed', { host: 'api.example.test', port: 443, way: 'connect', method: 'GET', secure: true }],
        ['egress.refused', { host: 'other.test', port: 443, way: 'connect', rule: 'allowlist' }],
      ],
    )
  })
})

const TRANSPARENT: readonly (readonly [
  name: string,
  network: Network,
  first: First,
  sni: string | undefined,
  status: number,
])[] = [
  ['by name, listed', list('api.example.test'), { name: 'api.example.test', port: 443 }, 'api.example.test', 200],
  ['by name, not listed', list('api.example.test'), { name: 'other.test', port: 443 }, 'other.test', 403],
  ['by name, another in the handshake', list('*'), { name: 'api.example.test', port: 443 }, 'other.test', 0],
  ['to an address, a listed name in the handshake', list('api.example.test'), { port: 443 }, 'api.example.test', 200],
  ['to an address, another name in the handshake', list('api.example.test'), { port: 443 }, 'other.test', 403],
  ['to an address, clear text, listed', list('api.example.test'), { port: 80 }, undefined, 200],
  ['to an address, clear text, not listed', list('other.test'), { port: 80 }, undefined, 403],
  ['by name, clear text, another Host', list('*'), { name: 'other.test', port: 80 }, undefined, 421],
  ['disabled', 'disabled', { name: 'api.example.test', port: 443 }, 'api.example.test', 403],
  ['open, loopback', undefined, { address: '127.0.0.1', port: 443 }, 'api.example.test', 403],
]

describe('93: programs that know no proxy', () => {
  for (const [name, network, more, sni, status] of TRANSPARENT)
    test(name, async () => {
      const first = { to: 'address', address: '198.18.0.7', ...more }
      const tried = await at(network, async (door): Promise<Answer> => {
        const socket = await knock(door, first)
        const headers = { Host: 'api.example.test' }
        try {
          if (sni === undefined) return await ask(socket, { headers })
          const tls = await secure(socket, sni, readFileSync(door.caFile, 'utf8'))
          return await ask(tls, { headers: { Host: sni } })
        } catch {
          return { status: 0, headers: {}, body: '' }
        }
      })
      assert.equal(tried.status, status, tried.body)
      assert.equal(tried.saw, status === 200 ? 1 : 0)
    })

  test('raw bytes to an address are closed', async () => {
    const door = await lab.open(list('*'))
    assert.equal(await raw(door, 'SSH-2.0-x\r\n', { to: 'address', address: '198.18.0.7', port: 443 }), '')
    await door.close()
  })
})

describe('updates', () => {
  test('98: rules are replaced at once, for kept connections too', async () => {
    const door = await lab.open(list('api.example.test'))
    const tunnel = await tunnelTo(door, 'api.example.test:443')
    assert.ok('socket' in tunnel)
    const tls = await secure(tunnel.socket, 'api.example.test', readFileSync(door.caFile, 'utf8'))
    const status = () =>
      new Promise<string>((resolve) => {
        let text = ''
        const gather = (part: Buffer) => {
          text += part
          if (!text.endsWith('\n') || text.endsWith('\r\n')) return
          tls.off('data', gather)
          resolve(text.slice(9, 12))
        }
        tls.on('data', gather)
        tls.write('GET / HTTP/1.1\r\nHost: api.example.test\r\n\r\n')
      })
    assert.equal(await status(), '200')
    door.setNetwork(list('other.test'))
    assert.equal(await status(), '403')
    assert.equal((await over(door, 'other.test')).status, 200)
    await door.close()
  })

  test('rules that make no sense change nothing', async () => {
    const door = await lab.open(list('api.example.test'))
    assert.throws(() => door.setNetwork({ allowlist: [{ domain: '' } as AllowEntry] }), /is empty/)
    assert.equal((await over(door, 'api.example.test')).status, 200)
    await door.close()
  })
})

describe('the self-test', () => {
  for (const [name, network] of [
    ['open', undefined],
    ['disabled', 'disabled'],
    ['a list', list('api.example.test')],
    ['everything', list('*')],
  ] as const)
    test(`passes: ${name}`, async () => {
      const door = await lab.open(network)
      await lab.egress.selfTest(door, network)
      await door.close()
    })

  test('fails where a name that is not listed gets through', async () => {
    const own = await startLab({ hosts: ['sallyport-self-test.invalid:443'] })
    const door = await own.open(list('*'))
    await assert.rejects(own.egress.selfTest(door, list('a.test')), /sallyport-self-test\.invalid must be refused/)
    await own.close()
  })

  test('fails where the door is gone', async () => {
    const door = await lab.open(undefined)
    await door.close()
    await assert.rejects(lab.egress.selfTest(door, undefined), /gave no answer/)
  })
})
