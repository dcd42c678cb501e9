/** Bodies go through as they come, in both directions, at the pace of the slower side; open networks pass bytes unread. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { EgressDoor } from '../contract.ts'
import { knock, type Lab, raw, secure, startLab, tunnelTo } from './lab.testing.ts'

const MIB = 1 << 20
const BLOCK = Buffer.alloc(64 * 1024, 'sallyport')

let lab: Lab
let door: EgressDoor
let open: EgressDoor
/** Requests that the test answers by hand. */
let held: { readonly req: IncomingMessage; readonly res: ServerResponse }[] = []

const rawOpen = new Set<Socket>()
const stale = { requests: 0, connections: 0 }

before(async () => {
  lab = await startLab({
    hosts: ['a.test:443', 'stale.test:80', 'raw.test:22'],
    raw: {
      // Answers once a connection, and closes it at the second request.
      'stale.test:80': (socket) => {
        stale.connections++
        let had = 0
        socket.on('data', () => {
          stale.requests++
          if (++had > 1) socket.destroy()
          else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        })
      },
      'raw.test:22': (socket) => {
        rawOpen.add(socket)
        socket.once('close', () => rawOpen.delete(socket))
        socket.write('SSH-2.0-server\r\n')
        socket.pipe(socket)
      },
    },
    answer: (req, res) => {
      if (req.url === '/down') {
        let left = 100 * MIB
        const more = () => {
          while (left > 0) {
            left -= BLOCK.length
            if (!res.write(BLOCK)) {
              res.once('drain', more)
              return
            }
          }
          res.end()
        }
        res.writeHead(200, { 'Content-Length': 100 * MIB })
        more()
      } else if (req.url === '/up') req.on('end', () => res.end('taken\n'))
      else if (req.url === '/early') {
        res.writeHead(413, { Connection: 'close' }).end('too much\n')
      } else if (req.url === '/slow') {
        req.pause()
        held.push({ req, res })
      } else if (req.url === '/cut') {
        res.writeHead(200, { 'Content-Length': 100 })
        res.write('half')
        setTimeout(() => res.destroy(), 20)
      } else held.push({ req, res })
    },
  })
  door = await lab.open({ allowlist: [{ domain: '*' }] })
  open = await lab.open(undefined)
})
after(() => lab.close())

async function start(path: string, method = 'GET', headers: Record<string, string> = {}) {
  const tunnel = await tunnelTo(door, 'a.test:443')
  assert.ok('socket' in tunnel)
  const tls = await secure(tunnel.socket, 'a.test', readFileSync(door.caFile, 'utf8'))
  const req = httpRequest({ createConnection: () => tls, method, path, headers: { Host: 'a.test', ...headers } })
  req.on('error', () => {})
  return req
}

const answered = (req: ReturnType<typeof httpRequest>) =>
  new Promise<IncomingMessage>((resolve, reject) => req.once('response', resolve).once('error', reject))
const ended = async (res: IncomingMessage): Promise<number> => {
  let bytes = 0
  for await (const part of res as AsyncIterable<Buffer>) bytes += part.length
  return bytes
}

describe('97: streams', () => {
  test('events of a server are shown as they come', async () => {
    held = []
    const req = await start('/events')
    req.end()
    while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const { res } = held[0]!
    res.writeHead(200, { 'Content-Type': 'text/event-stream' })
    res.flushHeaders()
    const answer = await answered(req)
    for (const word of ['one', 'two']) {
      const next = new Promise<Buffer>((resolve) => answer.once('data', resolve))
      res.write(`data: ${word}\n\n`)
      assert.equal(String(await next), `data: ${word}\n\n`)
    }
    res.end()
    await ended(answer)
  })

  test('100 MB come down whole', { timeout: 60_000 }, async () => {
    const req = await start('/down')
    req.end()
    assert.equal(await ended(await answered(req)), 100 * MIB)
  })

  test('an upload goes at the pace of the upstream, and is not gathered in between', { timeout: 60_000 }, async () => {
    held = []
    const req = await start('/slow', 'POST', { 'Transfer-Encoding': 'chunked' })
    let sent = 0
    // Far more than all buffers on the way hold.
    const limit = 64 * MIB
    const more = () => {
      while (sent < limit) {
        sent += BLOCK.length
        if (!req.write(BLOCK)) {
          req.once('drain', more)
          return
        }
      }
      req.end()
    }
    more()
    await new Promise((resolve) => setTimeout(resolve, 700))
    assert.ok(sent < 32 * MIB, `${sent} bytes were taken though nobody read them`)
    const { req: arriving, res } = held[0]!
    let bytes = 0
    arriving.on('data', (part: Buffer) => {
      bytes += part.length
    })
    arriving.on('end', () => res.end('taken\n'))
    arriving.resume()
    assert.equal((await answered(req)).statusCode, 200)
    assert.equal(bytes, limit)
  })

  test('a body that waits for 100-continue is let go by the upstream', async () => {
    const req = await start('/up', 'PUT', { Expect: '100-continue', 'Content-Length': '5' })
    req.flushHeaders()
    await new Promise((resolve) => req.once('continue', resolve))
    req.end('hello')
    assert.equal((await answered(req)).statusCode, 200)
    assert.equal(lab.seen.at(-1)?.body, 'hello')
  })

  test('an answer before the end of the body comes through', async () => {
    const req = await start('/early', 'POST', { 'Content-Length': String(8 * MIB) })
    req.write(BLOCK)
    const answer = await answered(req)
    assert.equal(answer.statusCode, 413)
    assert.equal(await ended(answer), 9)
    req.destroy()
  })

  test('an answer that breaks off is not made whole', async () => {
    const req = await start('/cut')
    req.end()
    await assert.rejects(async () => ended(await answered(req)))
  })

  test('a client that goes away ends the request upstream', async () => {
    held = []
    const req = await start('/wait')
    req.end()
    while (held.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const closed = new Promise((resolve) => held[0]!.res.once('close', resolve))
    req.destroy()
    await closed
  })

  test('a kept upstream connection that ends under a GET costs nothing; a body is not sent twice', async () => {
    const ask = (method: string) =>
      raw(
        door,
        `${method} http://stale.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${method === 'POST' ? 'Content-Length: 2\r\n' : ''}\r\n${method === 'POST' ? 'hi' : ''}`,
      )
    assert.match(await ask('GET'), / 200 /)
    assert.match(await ask('POST'), /^HTTP\/1\.1 502 [\s\S]*stale\.test broke/)
    assert.deepEqual(stale, { requests: 2, connections: 1 })
    assert.match(await ask('GET'), / 200 /)
    assert.match(await ask('GET'), / 200 /)
    assert.deepEqual(stale, { requests: 5, connections: 3 })
  })
})

describe('open networks', () => {
  test('66: TLS passes unread: the client sees the certificate of the server itself', async () => {
    const tunnel = await tunnelTo(open, 'a.test:443')
    assert.ok('socket' in tunnel)
    const tls = await secure(tunnel.socket, 'a.test', lab.ca.certificate)
    tls.write('GET /up HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n')
    const text = await new Promise<string>((resolve) => tls.once('data', (part) => resolve(String(part))))
    assert.match(text, /200 OK/)
    // The bundle vouches for servers of the operator, so clients inside need no flag.
    assert.ok(readFileSync(open.bundleFile, 'utf8').includes(lab.ca.certificate.trim()))
  })

  test('any port, also where the server speaks first', async () => {
    const tunnel = await tunnelTo(open, 'raw.test:22')
    assert.ok('socket' in tunnel)
    const first = await new Promise<string>((resolve) => tunnel.socket.once('data', (part) => resolve(String(part))))
    assert.equal(first, 'SSH-2.0-server\r\n')
    tunnel.socket.destroy()
    const text = await raw(open, 'hello', { to: 'address', address: '198.18.0.1', name: 'raw.test', port: 22 }, 300)
    assert.equal(text, 'SSH-2.0-server\r\nhello')
  })

  test('one side may end before the other', async () => {
    const socket = await knock(open, { to: 'address', address: '198.18.0.1', name: 'raw.test', port: 22 })
    const digest = createHash('sha256')
    let bytes = 0
    socket.on('data', (part) => {
      bytes += part.length
      digest.update(part)
    })
    for (let i = 0; i < 32; i++) if (!socket.write(BLOCK)) await new Promise((resolve) => socket.once('drain', resolve))
    socket.end()
    await new Promise((resolve) => socket.once('end', resolve))
    assert.equal(bytes, 'SSH-2.0-server\r\n'.length + 32 * BLOCK.length)
  })

  test('a connection that is gone on one side ends on the other', async () => {
    const socket = await knock(open, { to: 'address', address: '198.18.0.1', name: 'raw.test', port: 22 })
    await new Promise((resolve) => socket.once('data', resolve))
    const other = [...rawOpen].at(-1)!
    const closed = new Promise((resolve) => other.once('close', resolve))
    socket.destroy()
    await closed
  })

  test('new rules end what they no longer let through', async () => {
    const own = await lab.open(undefined)
    const socket = await knock(own, { to: 'address', address: '198.18.0.1', name: 'raw.test', port: 22 })
    await new Promise((resolve) => socket.once('data', resolve))
    own.setNetwork({ allowlist: [{ domain: 'a.test' }] })
    await new Promise((resolve) => socket.once('close', resolve))
    await own.close()
  })
})

test('closing a door ends everything that hangs on it', async () => {
  const own = await lab.open(undefined)
  const idle = connect(own.socket)
  const tunnel = await knock(own, { to: 'address', address: '198.18.0.1', name: 'raw.test', port: 22 })
  await new Promise((resolve) => tunnel.once('data', resolve))
  const gone = Promise.all([idle, tunnel].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  idle.on('error', () => {})
  await own.close()
  await gone
})
