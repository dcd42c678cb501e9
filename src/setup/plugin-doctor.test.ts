import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { checkPlugin } from './plugin-doctor.ts'
import { placesOf } from './plugin-root.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'plugin-doctor-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** The plugin with a launcher and a runner that only say this. */
function layPlugin(name: string, launcher: string, runner: string): string {
  const root = join(scratch, name)
  mkdirSync(join(root, 'bin'), { recursive: true })
  mkdirSync(join(root, 'dist/hooks'), { recursive: true })
  for (const file of ['plugin.json', 'hooks.json']) cpSync(join('plugin/antigravity', file), join(root, file))
  writeFileSync(join(root, 'bin/node-launcher.sh'), launcher)
  writeFileSync(join(root, 'bin/hook-runner.sh'), runner)
  writeFileSync(join(root, 'dist/hooks/pre-tool-use.bundle.mjs'), '')
  return root
}

const checksOf = (root: string) => {
  const home = join(scratch, 'home')
  const checks = checkPlugin({ root, places: placesOf(home), env: { HOME: home }, now: new Date(0) })
  return new Map(checks.map(({ name, level, detail }) => [name, { level, detail }]))
}

test('a hook that finds no Node is told apart from one that judges wrongly', () => {
  const says = (reason: string) => `printf '%s\\n' '${JSON.stringify({ decision: 'deny', reason })}'\n`
  const bare = layPlugin('none', 'exit 86\n', `: > ran\n${says('[fail-safe] not judged: no Node of 22.19 or later')}`)
  const none = checksOf(bare)
  assert.equal(none.get('node')?.level, 'fail')
  assert.match(none.get('node')!.detail, /this program runs on .+ takes none out of a project/)
  assert.match(none.get('self-test')!.detail, /see node$/)
  assert.equal(existsSync(join(bare, 'ran')), false, 'what would be on record as a call without a guard is not tried')
  const wrong = checksOf(layPlugin('wrong', 'exit 0\n', says('because')))
  assert.equal(wrong.get('node')?.level, 'ok')
  assert.match(wrong.get('self-test')!.detail, /for another reason: because$/)
})
