import assert from 'node:assert/strict'
import { test } from 'node:test'
import { need } from '../../../test/need.ts'
import { answerQuery, Names } from './dns.ts'
import { lab } from './sandbox.testing.ts'

const FETCH = (address: string, port: number) =>
  `python3 -c "import socket; s=socket.create_connection(('${address}', ${port}), 5); s.send(b'GET / HTTP/1.0\\r\\n\\r\\n'); print(s.recv(99).split()[1].decode())"`

/** A connection of a program, and the opening line that the door gets for it; undefined: none, and the program is refused. */
const CONNECTIONS: readonly (readonly [string, string, object | undefined])[] = [
  [
    'by name, https',
    FETCH('example.com', 443),
    { to: 'address', address: '198.18.0.1', name: 'example.com', port: 443 },
  ],
  [
    'by name, http, another case',
    FETCH('EXAMPLE.com', 80),
    { to: 'address', address: '198.18.0.1', name: 'example.com', port: 80 },
  ],
  ['by address', FETCH('8.8.8.8', 443), { to: 'address', address: '8.8.8.8', port: 443 }],
  ['metadata', FETCH('169.254.169.254', 80), { to: 'address', address: '169.254.169.254', port: 80 }],
  ['IPv6', FETCH('2001:db8::1', 443), { to: 'address', address: '2001:db8::1', port: 443 }],
  ['mapped', FETCH('::ffff:8.8.4.4', 80), { to: 'address', address: '8.8.4.4', port: 80 }],
  ['loopback, a captured port', FETCH('127.0.0.1', 443), { to: 'address', address: '127.0.0.1', port: 443 }],
  ['the proxy', 'curl -s -o /dev/null -w %{http_code} -x $HTTP_PROXY http://a.example/', { to: 'proxy' }],
  ['the proxy variables', 'curl -s -o /dev/null -w %{http_code} http://a.example/', { to: 'proxy' }],
  ['ssh', FETCH('git.example.com', 22), { to: 'address', address: '198.18.0.2', name: 'git.example.com', port: 22 }],
  ['a database, by address', FETCH('10.0.0.5', 5432), { to: 'address', address: '10.0.0.5', port: 5432 }],
  ['a port that nobody calls by itself', FETCH('git.example.com', 4444), undefined],
  ['loopback, another port', FETCH('127.0.0.1', 22), undefined],
  [
    'a server inside',
    `(python3 -m http.server 5432 >/dev/null 2>&1 &) ; sleep 1; ${FETCH('localhost', 5432)}`,
    undefined,
  ],
]

test('every connection ends at the door, with the name that was asked for', async (t) => {
  for (const program of ['python3', 'curl', 'nft']) if (!need(t, program)) return
  const one = await lab(t)
  if (one === undefined) return
  const { id } = await one.environments.create({})
  for (const [name, code, expected] of CONNECTIONS) {
    one.egress.openings.length = 0
    const { output, isError } = await one.bash(id, code)
    const seen: object[] = one.egress.openings.map((opening) => JSON.parse(opening) as object)
    assert.deepEqual(seen, expected === undefined ? [] : [expected], `${name}: ${output}`)
    assert.equal(isError, expected === undefined && !name.includes('inside'), `${name}: ${output}`)
    if (!isError) assert.match(output, /200/, name)
  }
  assert.deepEqual(
    one.events.filter(({ kind }) => kind === 'sandbox.network'),
    [],
  )
})

test('names are answered inside, whichever server is asked', async (t) => {
  if (!need(t, 'python3')) return
  const one = await lab(t)
  if (one === undefined) return
  const { id } = await one.environments.create({})
  const query = "bytes.fromhex('123401000001000000000000046461746104657669 6c03746c640000010001'.replace(' ', ''))"
  for (const server of ['127.0.0.1', '8.8.8.8', '1.1.1.1']) {
    const code = `python3 -c "import socket; s=socket.socket(2, 2); s.settimeout(5); s.connect(('${server}', 53)); s.send(${query}); a=s.recv(512); print(a[:2].hex(), a[-4:].hex())"`
    assert.equal((await one.bash(id, code)).output, '1234 c6120001\n', server)
  }
  const udp = `python3 -c "import socket; s=socket.socket(2, 2); s.settimeout(1); s.connect(('8.8.8.8', 443)); s.send(b'quic'); s.send(b'quic'); print(s.recv(9))"`
  assert.match((await one.bash(id, udp)).output, /ConnectionRefusedError|timed out/)
  assert.deepEqual(one.egress.openings, [])
})

/** Twelve bytes of header, then the question. */
function query(name: string, type: number, flags = 0x0100): Buffer {
  const labels = name.split('.').filter(Boolean)
  const encoded = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  const head = Buffer.from([0xab, 0xcd, flags >> 8, flags & 255, 0, 1, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([head, ...encoded, Buffer.from([0, 0, type, 0, 1])])
}

test('answers of the name server', () => {
  const names = new Names()
  const answered = (name: string, type: number) => {
    const bytes = answerQuery(query(name, type), names)!
    const data = bytes.subarray(query(name, type).length + 12)
    return { code: bytes[3]! & 15, answers: bytes.readUInt16BE(6), data: [...data].join('.') }
  }
  const rows: readonly (readonly [string, number, object])[] = [
    ['a.example', 1, { code: 0, answers: 1, data: '198.18.0.1' }],
    ['b.example', 1, { code: 0, answers: 1, data: '198.18.0.2' }],
    ['A.Example', 1, { code: 0, answers: 1, data: '198.18.0.1' }],
    ['a.example', 28, { code: 0, answers: 0, data: '' }],
    ['a.example', 16, { code: 0, answers: 0, data: '' }],
    ['localhost', 1, { code: 0, answers: 1, data: '127.0.0.1' }],
    ['x.localhost', 1, { code: 0, answers: 1, data: '127.0.0.1' }],
    ['1.0.18.198.in-addr.arpa', 12, { code: 0, answers: 1, data: [1, 97, 7, ...Buffer.from('example'), 0].join('.') }],
    ['9.9.18.198.in-addr.arpa', 12, { code: 0, answers: 0, data: '' }],
  ]
  for (const [name, type, expected] of rows) assert.deepEqual(answered(name, type), expected, `${name} ${type}`)
  assert.equal(answerQuery(Buffer.alloc(5), names), undefined, 'too short')
  assert.equal(answerQuery(query('a.example', 1, 0x8100), names), undefined, 'an answer is not answered')
  for (const cut of [13, 15, 20]) {
    const reply = answerQuery(query('a.example', 1).subarray(0, cut), names)!
    assert.equal(reply[3]! & 15, 1, `cut at ${cut}`)
  }
  const looped = Buffer.concat([query('a', 1).subarray(0, 12), Buffer.from([0xc0, 0x0c, 0, 1, 0, 1])])
  assert.equal(answerQuery(looped, names)![3]! & 15, 1, 'a pointer to itself')
})

test('addresses stand for names until all are taken, then the oldest gives way', () => {
  const names = new Names()
  const first = names.addressOf('first.example')
  for (let n = 1; n < 131_070; n++) names.addressOf(`n${n}.example`)
  assert.equal(names.nameOf(first), 'first.example')
  assert.equal(names.addressOf('one-more.example'), first)
  assert.equal(names.nameOf(first), 'one-more.example')
  assert.notEqual(names.addressOf('first.example'), first)
  assert.equal(names.nameOf('8.8.8.8'), undefined)
  assert.equal(names.nameOf('not an address'), undefined)
})
