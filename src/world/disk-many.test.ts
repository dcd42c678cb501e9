import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { diskWorld } from './disk.ts'

const dir = mkdtempSync(join(tmpdir(), 'sallyport-many-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const world = diskWorld({ cwd: dir })
const stamp = (of: string, limit = 10) => JSON.stringify(world.answer({ ask: 'stamp', dir: of, limit }, 1000))

test('a stamp stays while the files do, and changes with any of them', () => {
  const at = join(dir, 'a')
  mkdirSync(at)
  writeFileSync(join(at, 'x'), 'one')
  const seen = [stamp(at)]
  assert.equal(stamp(at), seen[0])
  const changed = (what: string) => {
    const now = stamp(at)
    assert.ok(!seen.includes(now), what)
    seen.push(now)
  }
  const { atime, mtime } = statSync(join(at, 'x'))
  writeFileSync(join(at, 'x'), 'longer')
  changed('size')
  // File systems keep times in steps of a few milliseconds.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30)
  writeFileSync(join(at, 'x'), 'LONGER')
  utimesSync(join(at, 'x'), atime, mtime)
  changed('content with the time set back')
  writeFileSync(join(at, 'y'), '')
  changed('a new file')
  chmodSync(join(at, 'y'), 0o600)
  changed('mode')
  rmSync(join(at, 'x'))
  changed('a file gone')
  assert.notEqual(stamp(at, 0), stamp(at))
  assert.equal(stamp(join(dir, 'none')), '"absent"')
  assert.equal(stamp(join(at, 'y')), '"absent"')
})

test('links among paths', () => {
  symlinkSync('a/y', join(dir, 'l'))
  symlinkSync('nowhere', join(dir, 'dangling'))
  symlinkSync('loop', join(dir, 'loop'))
  const paths = ['a', 'l', 'dangling', 'loop', 'loop/x', 'none', 'a/y/x', `a/${'x'.repeat(300)}`]
  assert.deepEqual(world.answer({ ask: 'links', paths }, 1000), [
    { path: 'l', target: 'a/y' },
    { path: 'dangling', target: 'nowhere' },
    { path: 'loop', target: 'loop' },
  ])
})
