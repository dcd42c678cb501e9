/** What a name resolves to: asked once, judged whole, dialled as judged. */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { raw, startLab } from './lab.testing.ts'

let server: Server
/** The addresses at which requests came in. */
const reached: (string | undefined)[] = []
before(async () => {
  server = createServer((req, res) => {
    reached.push(req.socket.localAddress)
    res.end('inside\n')
  })
  server.listen(0, '0.0.0.0')
  await new Promise((resolve) => server.once('listening', resolve))
})
after(() => {
  server.close()
  server.closeAllConnections()
})

const ROWS: readonly (readonly [name: string, addresses: readonly string[]])[] = [
  ['loopback', ['127.0.0.1']],
  ['a mapped private address', ['::ffff:10.0.0.1']],
  ['NAT64 of loopback', ['64:ff9b::7f00:1']],
  ['6to4 of loopback', ['2002:7f00:1::']],
  ['a public address and loopback', ['8.8.8.8', '127.0.0.1']],
  ['metadata', ['169.254.169.254']],
]

describe('79: a name that resolves to', () => {
  for (const [name, addresses] of ROWS)
    test(name, async () => {
      const port = (server.address() as AddressInfo).port
      let asked = 0
      const lab = await startLab({
        hosts: [],
        operator: {
          ports: [port],
          resolve: async () => {
            asked++
            return addresses
          },
        },
      })
      const had = reached.length
      for (const network of [undefined, { allowlist: [{ domain: 'a.test' }] }]) {
        const door = await lab.open(network)
        const text = await raw(door, `GET http://a.test:${port}/ HTTP/1.1\r\nHost: a.test\r\n\r\n`)
        assert.match(text, /^HTTP\/1\.1 403 [\s\S]*a\.test resolves to .*address rules/)
        const request = { method: 'GET', url: `http://a.test:${port}/`, headers: {}, timeout: 3000, limit: 100 }
        const answer = await lab.egress.request(network, 'env', request)
        assert.ok(!answer.ok && answer.refused, JSON.stringify(answer))
      }
      assert.deepEqual([reached.length, asked], [had, 4])
      await lab.close()
    })

  test('80: one look-up, and what was judged is dialled; the control of all the rows above', async (t) => {
    const own = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal)?.address
    if (own === undefined) {
      t.skip('not run: this machine has no interface but loopback')
      return
    }
    const port = (server.address() as AddressInfo).port
    // An address of this machine stands for a public one; whoever looks up again gets loopback.
    const answers = [own]
    let asked = 0
    const operator = {
      ports: [port],
      allowPrivate: [`${own}/32`],
      resolve: async () => [answers[asked++] ?? '127.0.0.1'],
    }
    const request = `GET http://a.test:${port}/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`
    const lab = await startLab({ hosts: [], operator: { ...operator, ownAddresses: () => [] } })
    const door = await lab.open({ allowlist: [{ domain: 'a.test' }] })
    assert.match(await raw(door, request), /^HTTP\/1\.1 200 [\s\S]*inside/)
    assert.deepEqual([asked, reached.at(-1)], [1, own])
    await lab.close()

    asked = 0
    const closed = await startLab({ hosts: [], operator })
    const had = reached.length
    const shut = await closed.open({ allowlist: [{ domain: 'a.test' }] })
    assert.match(await raw(shut, request), /^HTTP\/1\.1 403 [\s\S]*this machine/)
    assert.equal(reached.length, had)
    await closed.close()
  })

  test('a name that cannot be found, and a port where nobody listens: 502 in one sentence', async () => {
    const lab = await startLab({
      hosts: [],
      operator: { upstreams: { 'dead.test:80': { address: '127.0.0.1', port: 1 } } },
    })
    const door = await lab.open({ allowlist: [{ domain: '*' }] })
    assert.match(
      await raw(door, 'GET http://gone.test/ HTTP/1.1\r\nHost: x\r\n\r\n'),
      /^HTTP\/1\.1 502 [\s\S]*gone\.test could not be found/,
    )
    assert.match(
      await raw(door, 'GET http://dead.test/ HTTP/1.1\r\nHost: x\r\n\r\n'),
      /^HTTP\/1\.1 502 [\s\S]*dead\.test refused the connection/,
    )
    assert.deepEqual(
      lab.events.filter(({ kind }) => kind === 'egress.failed').map(({ detail }) => detail?.['host']),
      ['gone.test', 'dead.test'],
    )
    await lab.close()
  })
})
