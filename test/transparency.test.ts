/**
 * `ctx run --raw` is not noticed: each line of `cases/transparency/` gives the same exit code, bytes, pipes that close and
 * files, bare and wrapped. All of it runs in one sandbox without network.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { need } from './need.ts'
import { packed } from './packed.testing.ts'
import type { Case, Seen } from './transparency-case.ts'

const ROOT = join(import.meta.dirname, '..')
const MOST_MS = 280_000

const cases = JSON.parse(readFileSync(join(ROOT, 'cases/transparency/lines.json'), 'utf8')) as Case[]
const terminals = cases.filter((one) => one.terminal)

test('lines run bare and wrapped are told apart by nothing', { timeout: MOST_MS }, async (t) => {
  if (!need(t, 'bwrap') || !need(t, 'script')) return
  assert.ok(cases.length >= 80)
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length)
  assert.ok(terminals.length >= 5)
  // Two at a time: most of a case is waiting.
  const halves = [cases.filter((_, index) => index % 2 === 0), cases.filter((_, index) => index % 2 === 1)]
  const seen = new Map((await Promise.all(halves.map(sandboxed))).flat().map((one) => [one.name, one]))
  for (const one of cases) {
    await t.test(one.name, () => {
      const found = seen.get(one.name)
      assert.ok(found, 'it did not run')
      const { bare, wrapped } = found
      assert.notEqual(bare.exit, 'hangs')
      const comparable = (of: Seen) => (one.otherWords === undefined ? of : { ...of, stderr: '' })
      assert.deepEqual(comparable(wrapped), comparable(bare))
    })
  }
})

interface Both {
  readonly name: string
  readonly bare: Seen
  readonly wrapped: Seen
}

async function sandboxed(some: readonly Case[]): Promise<readonly Both[]> {
  const dir = mkdtempSync(join(tmpdir(), 'transparency-'))
  try {
    writeFileSync(join(dir, 'cases.json'), JSON.stringify(some))
    await packed(dir)
    const node = ['/opt/node/bin/node', '/app/test/transparency-driver.ts', '/seed/cases.json', '/opt/bin/ctx']
    const { stdout } = await promisify(execFile)('bwrap', [...sandbox(dir), '--', ...node], {
      env: { PATH: process.env['PATH'] },
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 1 << 28,
    })
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Both)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function sandbox(dir: string): readonly string[] {
  const system = ['/bin', '/sbin', '/lib', '/lib64', '/lib32'].flatMap((path) => {
    if (!existsSync(path)) return []
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
  })
  const etc = ['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'].map((name) => `/etc/${name}`)
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--ro-bind', '/usr', '/usr', ...system],
    ...etc.flatMap((path) => (existsSync(path) ? ['--ro-bind', path, path] : [])),
    ...['--ro-bind', process.execPath, '/opt/node/bin/node', '--ro-bind', ROOT, '/app'],
    ...['--symlink', '/seed/bin/ctx.js', '/opt/bin/ctx', '--proc', '/proc', '--dev', '/dev'],
    ...['--tmpfs', '/tmp', '--dir', '/tmp/home', '--ro-bind', dir, '/seed', '--chdir', '/'],
    ...['--setenv', 'PATH', '/opt/node/bin:/opt/bin:/usr/bin:/bin', '--setenv', 'HOME', '/tmp/home'],
  ]
}
