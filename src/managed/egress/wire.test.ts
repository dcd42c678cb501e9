/** Bytes on the wire: what two readers could understand differently is refused, and nothing breaks the proxy. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2, createServer as createHttp2 } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { connect as tlsConnect } from 'node:tls'
import fc from 'fast-check'
import type { EgressDoor } from '../contract.ts'
import { type Lab, raw, secure, startLab, tunnelTo } from './lab.testing.ts'

let lab: Lab
let door: EgressDoor
before(async () => {
  lab = await startLab({ hosts: ['a.test:443', 'a.test:80', 'b.test:80', 'b.test:443'] })
  door = await lab.open({ allowlist: [{ domain: 'a.test' }] })
})
after(() => lab.close())

interface Row {
  readonly name: string
  readonly lines: readonly string[]
  readonly body?: string
  readonly status: number
  /** In place of CR LF. */
  readonly ends?: string
}

const GET = 'GET http://a.test/ HTTP/1.1'
const POST = 'POST http://a.test/ HTTP/1.1'
const CLOSE = 'Connection: close'

const ROWS: readonly Row[] = [
  { name: 'plain', lines: [GET, 'Host: a.test', CLOSE], status: 200 },
  { name: 'plain, HTTP/1.0', lines: ['GET http://a.test/ HTTP/1.0'], status: 200 },
  { name: 'plain, with a body', lines: [POST, 'Host: a.test', 'Content-Length: 3', CLOSE], body: 'abc', status: 200 },
  {
    name: 'plain, chunked',
    lines: [POST, 'Host: a.test', 'Transfer-Encoding: chunked', CLOSE],
    body: '3\r\nabc\r\n0\r\n\r\n',
    status: 200,
  },
  {
    name: '96: length and chunked',
    lines: [POST, 'Host: a.test', 'Content-Length: 3', 'Transfer-Encoding: chunked'],
    body: '0\r\n\r\n',
    status: 400,
  },
  {
    name: '96: chunked and length',
    lines: [POST, 'Host: a.test', 'Transfer-Encoding: chunked', 'Content-Length: 3'],
    body: '0\r\n\r\n',
    status: 400,
  },
  { name: '96: two Hosts', lines: [GET, 'Host: a.test', 'Host: b.test'], status: 400 },
  { name: '96: two equal Hosts', lines: [GET, 'Host: a.test', 'Host: a.test'], status: 400 },
  {
    name: 'two lengths',
    lines: [POST, 'Host: a.test', 'Content-Length: 3', 'Content-Length: 3'],
    body: 'abc',
    status: 400,
  },
  { name: 'a list of lengths', lines: [POST, 'Host: a.test', 'Content-Length: 3, 3'], body: 'abc', status: 400 },
  { name: 'a length with a sign', lines: [POST, 'Host: a.test', 'Content-Length: +3'], body: 'abc', status: 400 },
  {
    name: 'another coding',
    lines: [POST, 'Host: a.test', 'Transfer-Encoding: xchunked'],
    body: '0\r\n\r\n',
    status: 400,
  },
  {
    name: 'two codings',
    lines: [POST, 'Host: a.test', 'Transfer-Encoding: gzip, chunked'],
    body: '0\r\n\r\n',
    status: 400,
  },
  {
    name: 'chunked twice',
    lines: [POST, 'Host: a.test', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    body: '0\r\n\r\n',
    status: 400,
  },
  { name: 'a folded header', lines: [GET, 'Host: a.test', 'X: a', ' b'], status: 400 },
  { name: 'a folded Host', lines: [GET, 'Host: a.test', ' b.test'], status: 400 },
  { name: 'bare line feeds', lines: [GET, 'Host: a.test'], ends: '\n', status: 400 },
  { name: 'a line feed inside', lines: [GET, 'Host: a.test\nX: y'], status: 400 },
  { name: 'a carriage return inside', lines: [GET, 'Host: a.test\rX: y'], status: 400 },
  { name: 'a blank before the colon', lines: [GET, 'Host : a.test'], status: 400 },
  { name: 'NUL in a value', lines: [GET, 'Host: a.test', 'X: a\0b'], status: 400 },
  { name: 'no address', lines: ['GET / HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'another scheme', lines: ['GET ftp://a.test/ HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'HTTP/0.9', lines: ['GET http://a.test/'], status: 400 },
  { name: 'HTTP/1.2', lines: ['GET http://a.test/ HTTP/1.2', 'Host: a.test'], status: 400 },
  { name: 'HTTP/2 in clear text', lines: ['PRI * HTTP/2.0', '', 'SM', ''], status: 505 },
  { name: 'a blank in the path', lines: ['GET http://a.test/a b HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'a byte that is no ASCII', lines: ['GET http://a.test/\xe9 HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'no method', lines: ['G@T http://a.test/ HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'CONNECT without a port', lines: ['CONNECT a.test HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'CONNECT with user information', lines: ['CONNECT a.test@b.test:443 HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'CONNECT to a URL', lines: ['CONNECT http://a.test/ HTTP/1.1', 'Host: a.test'], status: 400 },
  { name: 'an unknown expectation', lines: [POST, 'Host: a.test', 'Expect: miracles'], status: 417 },
  { name: 'headers without end', lines: [GET, 'Host: a.test', `X: ${'x'.repeat(70_000)}`], status: 431 },
]

describe('what is refused', () => {
  for (const { name, lines, body = '', status, ends = '\r\n' } of ROWS)
    test(`${name}: ${status}`, async () => {
      const had = lab.seen.length
      const text = await raw(door, Buffer.from(`${lines.join(ends)}${ends}${ends}${body}`, 'latin1'))
      assert.equal(Number(text.slice(9, 12)), status, text)
      assert.equal(lab.seen.length - had, status === 200 ? 1 : 0)
    })

  test('a request behind another is not lost in its body', async () => {
    const had = lab.seen.length
    const text = await raw(
      door,
      `${POST}\r\nHost: a.test\r\nContent-Length: 4\r\n\r\nabcd${GET.replace('a.test/', 'b.test/')}\r\nHost: b.test\r\n\r\n`,
      undefined,
      700,
    )
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status),
      ['200', '403'],
    )
    assert.deepEqual(
      lab.seen.slice(had).map(({ host }) => host),
      ['a.test:80'],
    )
  })

  test('inside TLS: CONNECT and absolute addresses of other hosts', async () => {
    for (const [line, status] of [
      ['CONNECT b.test:443 HTTP/1.1', '400'],
      ['GET https://b.test/ HTTP/1.1', '421'],
      ['GET http://a.test/ HTTP/1.1', '421'],
      ['GET https://a.test/ HTTP/1.1', '200'],
    ]) {
      const tunnel = await tunnelTo(door, 'a.test:443')
      assert.ok('socket' in tunnel)
      const tls = await secure(tunnel.socket, 'a.test', readFileSync(door.caFile, 'utf8'))
      tls.write(`${line}\r\nHost: a.test\r\nConnection: close\r\n\r\n`)
      const [part] = await new Promise<Buffer[]>((resolve) => tls.once('data', (...parts) => resolve(parts)))
      assert.equal(part!.toString().slice(9, 12), status, line)
      tls.destroy()
    }
  })
})

describe('91: HTTP/2', () => {
  test('a client that offers both speaks HTTP/1.1', async () => {
    const tunnel = await tunnelTo(door, 'a.test:443')
    assert.ok('socket' in tunnel)
    const tls = tlsConnect({
      socket: tunnel.socket,
      servername: 'a.test',
      ca: readFileSync(door.caFile),
      ALPNProtocols: ['h2', 'http/1.1'],
    })
    await new Promise((resolve, reject) => tls.once('secureConnect', resolve).once('error', reject))
    assert.equal(tls.alpnProtocol, 'http/1.1')
    tls.destroy()
  })

  test('a client that offers HTTP/2 alone is told so by an alert, and the event says why', async () => {
    const tunnel = await tunnelTo(door, 'a.test:443')
    assert.ok('socket' in tunnel)
    const had = lab.events.length
    const session = connectHttp2('https://a.test', {
      createConnection: () =>
        tlsConnect({
          socket: tunnel.socket,
          servername: 'a.test',
          ca: readFileSync(door.caFile),
          ALPNProtocols: ['h2'],
        }),
    })
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => session.once('error', resolve))
    assert.match(String(error.code), /NO_APPLICATION_PROTOCOL/)
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.match(
      lab.events
        .slice(had)
        .map(({ text }) => text)
        .join(),
      /HTTP\/1\.1 only.*nothing but HTTP\/2/,
    )
  })

  test('a server that speaks HTTP/2 alone is a failure that is said', async () => {
    const server = createHttp2()
    server.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const own = await startLab({ hosts: [], operator: { upstreams: { 'h2.test:80': { address: '127.0.0.1', port } } } })
    const text = await raw(
      await own.open({ allowlist: [{ domain: 'h2.test' }] }),
      'GET http://h2.test/ HTTP/1.1\r\nHost: h2.test\r\n\r\n',
    )
    assert.match(text, /^HTTP\/1\.1 502 [\s\S]*h2\.test/)
    await own.close()
    server.close()
  })
})

describe('whatever is sent, the proxy lives and nothing arrives at a host that is not listed', () => {
  /** Requests to a refused host, changed at random places, and bytes of no sense. */
  const base = fc.constantFrom<string>(
    'GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n',
    'POST http://b.test/ HTTP/1.1\r\nHost: b.test\r\nContent-Length: 3\r\n\r\nabc',
    'POST http://b.test/x HTTP/1.1\r\nHost: b.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    'CONNECT b.test:80 HTTP/1.1\r\nHost: b.test:80\r\n\r\nGET / HTTP/1.1\r\nHost: b.test\r\n\r\n',
    'GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: b.test\r\n\r\n',
  )
  const edits = fc.array(
    fc.record({
      at: fc.nat(120),
      cut: fc.nat(4),
      put: fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom(
          '\r\n',
          '\n',
          '\0',
          ' ',
          '\t',
          '@',
          '\\',
          '%00',
          '#',
          'a.test',
          'Host: a.test\r\n',
          '\r\n\r\n',
          '\xff',
          ':80',
          '//',
        ),
      ),
    }),
    { maxLength: 3 },
  )
  const bytes = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(base, edits)
        .map(([text, list]) =>
          list.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text),
        ),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('latin1')) },
  )
  const first = fc.constantFrom<Record<string, unknown>>(
    { to: 'proxy' },
    { to: 'address', address: '198.18.0.9', name: 'b.test', port: 80 },
    { to: 'address', address: '198.18.0.9', port: 80 },
    { to: 'address', address: '198.18.0.9', port: 443 },
    { to: 'address', address: '127.0.0.1', port: 80 },
  )

  test('bytes', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(bytes, first, async (text, header) => {
        const had = lab.seen.length
        await raw(door, Buffer.from(text, 'latin1'), header, 60)
        assert.deepEqual(
          lab.seen.slice(had).filter(({ host }) => host.startsWith('b.test')),
          [],
        )
      }),
      { numRuns: 250 },
    )
    assert.match(await raw(door, `${GET}\r\nHost: a.test\r\n${CLOSE}\r\n\r\n`), / 200 /)
  })

  test('first lines', async () => {
    const line = fc.oneof(
      fc.string({ maxLength: 60 }).map((text) => `${text}\n`),
      fc.json({ maxDepth: 2 }).map((text) => `${text}\n`),
      fc.constantFrom(
        'x'.repeat(5000),
        '{"to":"address"}\n',
        '{"to":"address","address":"x","port":1}\n',
        '{"to":"proxy"',
        '\n',
      ),
    )
    await fc.assert(
      fc.asyncProperty(line, async (text) => {
        const { connect } = await import('node:net')
        const socket = connect(door.socket)
        socket.on('error', () => {})
        socket.end(text)
        socket.resume()
        await new Promise((resolve) => socket.once('close', resolve))
      }),
      { numRuns: 60 },
    )
    assert.match(await raw(door, `${GET}\r\nHost: a.test\r\n${CLOSE}\r\n\r\n`), / 200 /)
  })
})
