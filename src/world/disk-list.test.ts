import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { diskWorld } from './disk.ts'
import { markOf } from './marks.ts'

const dir = mkdtempSync(join(tmpdir(), 'sallyport-list-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const world = diskWorld({ cwd: dir })
/** Longer than a file system may give two changes the same time. */
const SETTLED = 2_100
const pause = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const listed = (of: string, limit = 10) => world.answer({ ask: 'list', dir: of, limit }, 1000)
const file = (name: string) => ({ name, kind: 'file' })

/** Each changes the directory `at`, whose names were `a` and `b`, and tells what is there then. */
const CHANGES: readonly (readonly [what: string, change: (at: string) => void, then: unknown])[] = [
  ['a new file', (at) => writeFileSync(join(at, 'c'), ''), [file('a'), file('b'), file('c')]],
  ['a file that goes', (at) => rmSync(join(at, 'a')), [file('b')]],
  ['another name', (at) => renameSync(join(at, 'a'), join(at, 'z')), [file('b'), file('z')]],
  [
    'a link in the place of a file',
    (at) => {
      symlinkSync('b', join(at, 'n'))
      renameSync(join(at, 'n'), join(at, 'a'))
    },
    [{ name: 'a', kind: 'link' }, file('b')],
  ],
  [
    'a change with the time set back',
    (at) => {
      const { atime, mtime } = statSync(at)
      writeFileSync(join(at, 'c'), '')
      utimesSync(at, atime, mtime)
    },
    [file('a'), file('b'), file('c')],
  ],
  [
    'another directory of that name',
    (at) => {
      mkdirSync(`${at}.new`)
      renameSync(at, `${at}.old`)
      renameSync(`${at}.new`, at)
    },
    [],
  ],
]

test('names of a directory: the same answer while it stays, another one after any change', () => {
  const places = CHANGES.map(([what], i) => {
    const at = join(dir, `${i}`)
    mkdirSync(at)
    for (const name of ['b', 'a']) writeFileSync(join(at, name), '')
    assert.deepEqual(listed(at), { entries: [file('a'), file('b')], cut: false }, what)
    return at
  })
  pause(SETTLED)
  for (const [i, [what, change, then]] of CHANGES.entries()) {
    const at = places[i]!
    const first = listed(at)
    assert.equal(listed(at), first, what)
    change(at)
    assert.deepEqual(listed(at), { entries: then, cut: false }, what)
  }
})

test('what may have changed in the same moment is listed anew, and a smaller limit is kept to', () => {
  const at = join(dir, 'young')
  mkdirSync(at)
  for (let i = 0; i < 5; i++) {
    writeFileSync(join(at, `${i}`), '')
    assert.equal((listed(at) as { entries: unknown[] }).entries.length, i + 1)
  }
  assert.deepEqual(listed(at, 2), { entries: (listed(at, 2) as { entries: unknown[] }).entries, cut: true })
  assert.equal((listed(at, 2) as { entries: unknown[] }).entries.length, 2)
})

test('a directory that may no longer be read is unknown, one that is gone is absent', (t) => {
  const at = join(dir, 'closed')
  mkdirSync(at)
  writeFileSync(join(at, 'a'), '')
  pause(SETTLED)
  listed(at)
  chmodSync(at, 0)
  if (process.getuid?.() === 0) t.diagnostic('root reads what is closed: the first half says nothing here')
  else assert.equal(listed(at), 'unknown')
  chmodSync(at, 0o700)
  rmSync(at, { recursive: true })
  assert.equal(listed(at), 'absent')
})

test('what was changed in this moment is not firm, whatever time it claims', () => {
  const now = Date.now()
  const found = { ino: 1, dev: 1, mode: 0o644, size: 1 }
  const firm = (mtimeMs: number, ctimeMs: number) => markOf({ ...found, mtimeMs, ctimeMs } as Stats, now).firm
  const hour = 3_600_000
  assert.equal(firm(now - hour, now - hour), true)
  assert.equal(firm(now + hour, now), false, 'a time that was set ahead')
  assert.equal(firm(now - hour, now), false, 'a time that was set back')
  assert.equal(firm(now, now - hour), false)
})
