import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { packed } from '../setup/archive.testing.ts'
import { lockDir } from '../setup/migration-lock.ts'
import { OWN_NAME, placesOf } from '../setup/plugin-root.ts'
import { agbCompanionInstall, agbDoctor, agbMigrate, agbStatus, pluginRoot } from './agb.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'agb-verbs-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0

function ioOf(env: Record<string, string> = {}) {
  const home = join(scratch, `h${count++}`)
  mkdirSync(home)
  const said = { out: '', err: '' }
  return {
    home,
    said,
    io: {
      cwd: home,
      env: { HOME: home, ...env },
      out(text: string) {
        said.out += text
      },
      err(text: string) {
        said.err += text
      },
    },
  }
}

const no = () => 'no' as const
const nobody = () => 'nobody' as const

describe('agb', () => {
  test('finds the plugin beside the checkout', () => {
    assert.ok(pluginRoot(ioOf().io).endsWith(join('plugin', 'antigravity')))
  })

  test('status names the plugin, and whether the guard is on', () => {
    const off = ioOf({ AGB_HOOK_DISABLE: '1' })
    assert.equal(agbStatus({}, off.io), 0)
    assert.match(off.said.out, new RegExp(`^${OWN_NAME} [^\\n]+switched off[^\\n]+\\n[^\\n]+no ADLC repository\\.\\n$`))
    const on = ioOf()
    agbStatus({ json: true }, on.io)
    const { plugin, guard, repo } = JSON.parse(on.said.out)
    assert.deepEqual([plugin, guard, repo], [OWN_NAME, 'on', null])
  })

  test('doctor says what is wrong, one line a check, and gives 1', () => {
    const { io, said } = ioOf({ AGB_HOOK_DISABLE: '1' })
    assert.equal(agbDoctor({}, io), 1)
    assert.match(said.out, /^fail {2}kill switch: AGB_HOOK_DISABLE is set here/m)
    assert.match(said.out, /^fail {2}companion: adlc-antigravity is not-installed/m)
    assert.match(said.out, /^warn {2}plugins: /m)
    for (const line of said.out.trim().split('\n')) assert.match(line, /^(?:ok|warn|fail) +[a-z -]+: .+\.$/)
  })

  test('companion install takes an archive with its digest', () => {
    const { io, home, said } = ioOf()
    const version = '1.7.0'
    const bytes = packed([
      { path: 'package/package.json', content: JSON.stringify({ name: '@adlc/antigravity', version }) },
      { path: 'package/plugin.json', content: JSON.stringify({ name: 'adlc-antigravity', version, adlcContract: 1 }) },
    ])
    writeFileSync(join(home, 'a.tgz'), bytes)
    const sha512 = createHash('sha512').update(bytes).digest('hex')
    assert.equal(agbCompanionInstall({}, 'a.tgz', io), 2)
    assert.equal(agbCompanionInstall({ sha512 }, undefined, io), 2)
    assert.equal(agbCompanionInstall({ sha512 }, 'none.tgz', io), 1)
    assert.equal(agbCompanionInstall({ sha512: sha512.replace(/^./, 'x') }, 'a.tgz', io), 1)
    assert.match(said.err, /--sha512 takes/)
    assert.equal(agbCompanionInstall({ sha512 }, 'a.tgz', io), 0)
    assert.equal(said.out, 'adlc-antigravity 1.7.0 is compatible\n')
  })

  test('migrate says first what it would do, and a person may say no', () => {
    const { io, home, said } = ioOf()
    const data = placesOf(home).data
    const asked: string[] = []
    const answering = (answer: 'yes' | 'no') => (question: string) => {
      asked.push(question)
      return answer
    }
    mkdirSync(join(home, '.gemini', 'config'), { recursive: true })
    const source = pluginRoot(io)
    if (!existsSync(join(source, 'dist/hooks/pre-tool-use.bundle.mjs'))) {
      assert.equal(agbMigrate({ dryRun: true }, io, answering('no')), 1)
      assert.match(said.err, /not whole/)
      return
    }
    assert.equal(agbMigrate({ dryRun: true }, io, answering('no')), 0)
    assert.match(said.out, /^copy .+ to .+$/m)
    assert.equal(agbMigrate({}, io, answering('no')), 1)
    assert.deepEqual([asked.length, existsSync(data), said.err], [1, false, 'agb migrate: nothing was changed\n'])
    assert.match(asked[0]!, /^agb migrate would\n(?: {2}.+\n)+Go on\?$/)
    assert.equal(agbMigrate({ yes: true }, io, answering('no')), 0)
    assert.equal(agbMigrate({ rollback: true, dryRun: true }, io, answering('no')), 0)
    assert.equal(agbMigrate({ rollback: true }, io, answering('yes')), 0)
    assert.equal(asked.length, 2)
  })

  test('a lock is broken by a person, or by force', () => {
    const { io, home, said } = ioOf()
    const dir = lockDir(placesOf(home).data)
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'meta.json'), '{}')
    assert.equal(agbMigrate({}, io, nobody), 1)
    assert.match(said.err, /--break-lock/)
    assert.equal(agbMigrate({ breakLock: true }, io, no), 1)
    assert.equal(
      agbMigrate({ breakLock: true }, io, () => 'yes'),
      0,
    )
    mkdirSync(dir)
    assert.equal(agbMigrate({ breakLock: true, force: true }, io, no), 0)
    assert.equal(agbMigrate({ rollback: true }, io, nobody), 0)
    assert.match(said.out, /nothing to roll back/)
  })
})
