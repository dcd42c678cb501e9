/** Whatever a server answers, the door lives, and its client gets an answer or an end. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { EgressDoor } from '../contract.ts'
import { type Lab, raw, startLab } from './lab.testing.ts'

let lab: Lab
let door: EgressDoor
let says = ''
before(async () => {
  lab = await startLab({
    hosts: ['odd.test:80', 'good.test:80'],
    raw: {
      'odd.test:80': (socket) => {
        socket.once('data', () => socket.end(Buffer.from(says, 'latin1')))
      },
    },
  })
  door = await lab.open({ allowlist: [{ domain: '*' }] })
})
after(() => lab.close())

const ask = (more = '', ms = 2000): Promise<string> =>
  raw(door, `GET http://odd.test/ HTTP/1.1\r\nHost: odd.test\r\n${more || 'Connection: close\r\n'}\r\n`, undefined, ms)
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'

const ROWS: readonly (readonly [name: string, answer: string, status: RegExp])[] = [
  ['plain', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', /^HTTP\/1\.1 200 OK\r\n[\s\S]*ok$/],
  ['until the end', 'HTTP/1.0 200 OK\r\n\r\nok', /^HTTP\/1\.1 200 OK\r\n[\s\S]*ok/],
  ['nothing', '', /^HTTP\/1\.1 502 /],
  ['no HTTP', 'SSH-2.0-x\r\n', /^HTTP\/1\.1 502 /],
  [
    'length and chunked',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 502 /,
  ],
  [
    'a control character in the reason',
    'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok',
    /^HTTP\/1\.1 (?:502|200) /,
  ],
  [
    'a control character in a header',
    'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nok',
    /^HTTP\/1\.1 (?:502|200) /,
  ],
  ['a status that is none', 'HTTP/1.1 099 No\r\nContent-Length: 2\r\n\r\nok', /^HTTP\/1\.1 502 /],
  ['a large status', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok', /^HTTP\/1\.1 999 /],
  [
    'protocols switched unasked',
    'HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    /^HTTP\/1\.1 502 /,
  ],
  ['too large a head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, /^HTTP\/1\.1 502 /],
  ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', /^(?:HTTP\/1\.1 (?:502|200) |$)/],
]

describe('answers', () => {
  for (const [name, answer, status] of ROWS)
    test(name, async () => {
      says = answer
      assert.match(await ask(), status)
      assert.match(await raw(door, 'GET http://good.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), / 200 /)
    })

  test('bytes', { timeout: 120_000 }, async () => {
    const base = fc.constantFrom<string>(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nok',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nabc',
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n',
    )
    const edit = fc.record({
      at: fc.nat(80),
      cut: fc.nat(5),
      put: fc.oneof(
        fc.string({ maxLength: 3 }),
        fc.constantFrom('\0', '\x01', '\x7f', '\xff', '\r\n', '\n', ': ', 'ffffffff\r\n'),
      ),
    })
    await fc.assert(
      fc.asyncProperty(base, fc.array(edit, { maxLength: 3 }), fc.boolean(), async (text, edits, upgrade) => {
        says = edits.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text)
        await ask(upgrade ? UPGRADE : '', 150)
      }),
      { numRuns: 150 },
    )
    assert.match(await raw(door, 'GET http://good.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), / 200 /)
  })
})
