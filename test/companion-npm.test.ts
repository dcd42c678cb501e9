/** `agb companion install name@version`: npm gets the archive, from a registry that this test serves on this machine. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { packed } from '../src/setup/archive.testing.ts'
import { placesOf } from '../src/setup/plugin-root.ts'
import { need } from './need.ts'
import { runIn } from './runner-support.ts'

const PACKAGE = '@adlc/antigravity'
const VERSION = '1.7.0'
const bytes = packed([
  {
    path: 'package/package.json',
    content: JSON.stringify({ name: PACKAGE, version: VERSION, scripts: { prepare: 'exit 9' } }),
  },
  {
    path: 'package/plugin.json',
    content: JSON.stringify({ name: 'adlc-antigravity', version: VERSION, adlcContract: 1 }),
  },
])
const digest = (form: 'hex' | 'base64') => createHash('sha512').update(bytes).digest(form)

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'companion-npm-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

test('the companion comes by npm, and only with the digest that was named', async (t) => {
  if (!need(t, 'npm')) return
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const url = decodeURIComponent(request.url ?? '')
    asked.push(url)
    const tarball = `http://127.0.0.1:${port}/archive.tgz`
    const dist = { tarball, integrity: `sha512-${digest('base64')}` }
    const manifest = { name: PACKAGE, version: VERSION, dist }
    if (url === '/archive.tgz') response.end(bytes)
    else if (url === `/${PACKAGE}`)
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ name: PACKAGE, 'dist-tags': { latest: VERSION }, versions: { [VERSION]: manifest } }))
    else response.writeHead(404).end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const home = join(scratch, 'home')
  mkdirSync(join(home, '.gemini', 'config'), { recursive: true })
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: home, npm_config_cache: join(scratch, 'cache') },
    ...{ npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_fetch_retries: '0' },
    ...{ npm_config_userconfig: join(home, 'none'), npm_config_audit: 'false', npm_config_update_notifier: 'false' },
  }
  const install = (what: string, sha512: string) =>
    runIn(process.execPath, ['bin/agb.js', 'companion', 'install', what, '--sha512', sha512], {
      ...{ cwd: process.cwd(), env, input: '' },
    })
  const staged = join(placesOf(home).plugins, 'adlc-antigravity')

  const none = await install(`${PACKAGE}@9.9.9`, digest('hex'))
  assert.equal(none.code, 1)
  assert.match(none.err, /^agb companion install: npm cannot get @adlc\/antigravity@9\.9\.9[^\n]+\n$/)
  const wrong = await install(
    `${PACKAGE}@${VERSION}`,
    digest('hex').replace(/^../, (two) => (two === '00' ? '11' : '00')),
  )
  assert.equal(wrong.code, 1)
  assert.equal(existsSync(staged), false)
  const right = await install(`${PACKAGE}@${VERSION}`, digest('hex'))
  assert.deepEqual([right.code, right.err, right.out], [0, '', `adlc-antigravity ${VERSION} is compatible\n`])
  assert.ok(existsSync(join(staged, 'plugin.json')))
  assert.ok(asked.includes('/archive.tgz'))
})
