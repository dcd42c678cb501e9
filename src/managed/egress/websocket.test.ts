/** WebSocket through a door. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { EgressDoor } from '../contract.ts'
import { type InjectionLab, SECRET, startInjection } from './injection.testing.ts'
import { arrived, type Lab, secure, tunnelTo } from './lab.testing.ts'

let own: InjectionLab
let lab: Lab
before(async () => {
  own = await startInjection()
  lab = own.lab
})
after(() => own.close())

describe('90: WebSocket', () => {
  const shake = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`

  async function talk(door: EgressDoor, first: string, then: string, until: RegExp): Promise<string> {
    const tunnel = await tunnelTo(door, 'api.test:443')
    assert.ok('socket' in tunnel)
    const tls = await secure(tunnel.socket, 'api.test', readFileSync(door.caFile, 'utf8'))
    return new Promise((resolve) => {
      let text = ''
      let sent = false
      tls.on('data', (part) => {
        text += part.toString('latin1')
        if (!sent && text.includes('\r\n\r\n') && then !== '') {
          sent = true
          tls.write(then)
        }
        if (until.test(text)) {
          tls.destroy()
          resolve(text)
        }
      })
      tls.on('close', () => resolve(text))
      tls.write(first)
    })
  }

  test('101, the header is set on the upgrade, bytes pass both ways', async () => {
    const door = await lab.open({ allowlist: [{ domain: 'api.test', credential: 'bearer' }] })
    const had = lab.seen.length
    const text = await talk(door, shake('/ws'), 'frames', /frames$/)
    assert.match(text, /^HTTP\/1\.1 101 /)
    assert.match(text, /sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/i)
    assert.deepEqual(arrived(lab.seen[had]!, 'authorization'), [`Bearer ${SECRET}`])
    await door.close()
  })

  test('the server’s no comes through', async () => {
    const door = await lab.open({ allowlist: [{ domain: 'api.test' }] })
    assert.match(await talk(door, shake('/no'), '', /no\n$/), /^HTTP\/1\.1 403 [\s\S]*no\n$/)
    await door.close()
  })

  test('another protocol is not switched to: the request goes on as plain HTTP/1.1', async () => {
    const door = await lab.open({ allowlist: [{ domain: 'api.test' }] })
    const had = lab.seen.length
    const text = await talk(
      door,
      'GET / HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
      '',
      /hello\n/,
    )
    assert.match(text, /^HTTP\/1\.1 200 /)
    assert.deepEqual([arrived(lab.seen[had]!, 'upgrade'), arrived(lab.seen[had]!, 'http2-settings')], [[], []])
    await door.close()
  })

  test('new rules end a tunnel to a host that is gone from them', async () => {
    const door = await lab.open({ allowlist: [{ domain: 'api.test' }] })
    const done = talk(door, shake('/ws'), 'frames', /never/)
    await new Promise((resolve) => setTimeout(resolve, 200))
    door.setNetwork({ allowlist: [] })
    assert.match(await done, /frames$/)
    await door.close()
  })
})
