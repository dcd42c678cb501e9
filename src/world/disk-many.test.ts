import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { need } from '../../test/need.ts'
import type { TextEntry } from '../core/question.ts'
import { diskWorld } from './disk.ts'

const dir = mkdtempSync(join(tmpdir(), 'sallyport-many-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const world = diskWorld({ cwd: dir })
/** Longer than a file system may give two changes the same time. */
const SETTLED = 2_100
const pause = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('texts of a directory: the same answer while the files stay, another one after any change', () => {
  const at = join(dir, 'a')
  mkdirSync(at)
  writeFileSync(join(at, 'x'), 'one')
  writeFileSync(join(at, 'z'), 'long text')
  symlinkSync('x', join(at, 'l'))
  const asked = (of: string, more: object = {}) =>
    world.answer({ ask: 'texts', dir: of, limit: 10, each: 6, total: 100, ...more }, 1000)
  type Texts = { readonly entries: readonly TextEntry[]; readonly cut: boolean }
  /** Without the marks, which no test can foretell. */
  const texts = (of: string, more: object = {}) => {
    const found = asked(of, more)
    if (typeof found === 'string') return found
    const { entries, cut } = found as Texts
    return { entries: entries.map(({ mark: _, ...entry }) => entry), cut }
  }
  const marks = () => (asked(at) as Texts).entries.map(({ mark }) => mark)
  const x = (text: string) => ({ name: 'x', kind: 'file', text: { text, cut: false } })
  const l = { name: 'l', kind: 'link' }
  const z = { name: 'z', kind: 'file', text: { text: 'long t', cut: true } }
  assert.deepEqual(texts(at), { entries: [l, x('one'), z], cut: false })
  assert.deepEqual(marks(), [undefined, undefined, undefined], 'so soon after a change another one may look the same')
  pause(SETTLED)
  const first = asked(at)
  assert.equal(asked(at), first)
  const [none, ...settled] = marks()
  assert.equal(none, undefined)
  assert.equal(new Set(settled).size, 2)
  for (const mark of settled) assert.match(mark!, /^\d+:\d+ \d+ [\d.]+ [\d.]+$/)
  const { atime, mtime } = statSync(join(at, 'x'))
  writeFileSync(join(at, 'x'), 'two')
  utimesSync(join(at, 'x'), atime, mtime)
  assert.deepEqual(texts(at), { entries: [l, x('two'), z], cut: false }, 'content with the time set back')
  assert.deepEqual(marks(), [undefined, undefined, settled[1]])
  writeFileSync(join(at, 'x'), 'six')
  assert.deepEqual(texts(at), { entries: [l, x('six'), z], cut: false }, 'within the same moment')
  writeFileSync(join(at, 'y'), '')
  chmodSync(join(at, 'y'), 0o600)
  const y = { name: 'y', kind: 'file', text: { text: '', cut: false } }
  assert.deepEqual(texts(at), { entries: [l, x('six'), y, z], cut: false }, 'a new file')
  rmSync(join(at, 'x'))
  assert.deepEqual(texts(at), { entries: [l, y, z], cut: false }, 'a file gone')
  assert.deepEqual(texts(at, { limit: 1 }), { entries: [l], cut: true })
  const [, yy, zz] = (texts(at, { total: -1 }) as { entries: object[] }).entries
  assert.deepEqual(
    [yy, zz],
    [
      { name: 'y', kind: 'file' },
      { name: 'z', kind: 'file' },
    ],
    'too long together',
  )
  assert.equal(texts(join(dir, 'none')), 'absent')
  assert.equal(texts(join(at, 'y')), 'absent')
})

test('a directory that is asked about again and again', () => {
  const at = join(dir, 'h')
  mkdirSync(at)
  writeFileSync(join(at, 'x'), 'one')
  writeFileSync(join(at, 'y'), 'same')
  const texts = () => {
    const { entries } = world.answer({ ask: 'texts', dir: at, limit: 10, each: 10, total: 100 }, 1000) as {
      readonly entries: readonly TextEntry[]
    }
    return entries.map(({ text }) => (typeof text === 'object' ? text.text : text))
  }
  pause(SETTLED)
  for (let i = 0; i < 10; i++) assert.deepEqual(texts(), ['one', 'same'])
  writeFileSync(join(at, 'x'), 'two')
  assert.deepEqual(texts(), ['two', 'same'], 'written in place')
  pause(SETTLED)
  for (let i = 0; i < 10; i++) texts()
  writeFileSync(join(dir, 'other'), 'new')
  renameSync(join(dir, 'other'), join(at, 'x'))
  assert.deepEqual(texts(), ['new', 'same'], 'another file in its place')
  pause(SETTLED)
  for (let i = 0; i < 10; i++) texts()
  rmSync(at, { recursive: true })
  mkdirSync(at)
  writeFileSync(join(at, 'x'), 'last')
  assert.deepEqual(texts(), ['last'], 'another directory in its place')
})

test('links among paths that were asked about before', () => {
  const at = join(dir, 'm/n')
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'x'), '')
  const paths = ['m', 'm/n', 'm/n/x', 'm/none/y']
  const links = () => world.answer({ ask: 'links', paths }, 1000)
  pause(SETTLED)
  assert.deepEqual(links(), [])
  assert.equal(links(), links())
  rmSync(join(at, 'x'))
  symlinkSync('../away', join(at, 'x'))
  assert.deepEqual(links(), [{ path: 'm/n/x', target: '../away' }], 'a file became a link')
  symlinkSync('n', join(dir, 'm/none'))
  assert.deepEqual(
    links(),
    [{ path: 'm/n/x', target: '../away' }],
    'a directory on the way became a link: it is none of the paths',
  )
  renameSync(join(dir, 'm'), join(dir, 'moved'))
  symlinkSync('moved', join(dir, 'm'))
  assert.deepEqual(links(), [
    { path: 'm', target: 'moved' },
    { path: 'm/n/x', target: '../away' },
  ])
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

test('links among paths that are asked about again and again', () => {
  const root = join(dir, 'g/r')
  mkdirSync(join(root, 'a/b/c'), { recursive: true })
  mkdirSync(join(dir, 'g/real/d'), { recursive: true })
  symlinkSync('../real', join(root, 'l'))
  const paths = ['g/r/a', 'g/r/a/b', 'g/r/a/b/c', 'g/r/a/b/c/x', 'g/r/l', 'g/r/l/d', 'g/r/l/d/y', 'g/r/no/z']
  const l = { path: 'g/r/l', target: '../real' }
  /** Until the directories are held open. */
  const settled = () => {
    pause(SETTLED)
    for (let i = 0; i < 10; i++) links()
    return links()
  }
  const links = () => world.answer({ ask: 'links', paths }, 1000)
  const put = (target: string, at: string) => symlinkSync(target, join(dir, at))
  const x = { path: 'g/r/a/b/c/x', target: 'far' }
  assert.deepEqual(settled(), [l])
  assert.equal(links(), links())
  put('far', 'g/r/a/b/c/x')
  assert.deepEqual(links(), [x, l], 'a link in a directory that is held open')
  assert.deepEqual(settled(), [x, l])
  renameSync(join(root, 'a/b'), join(root, 'a/old'))
  mkdirSync(join(root, 'a/b/c'), { recursive: true })
  assert.deepEqual(links(), [l], 'another directory in its place')
  assert.deepEqual(settled(), [l])
  put('far', 'g/real/d/y')
  assert.deepEqual(links(), [l, { path: 'g/r/l/d/y', target: 'far' }], 'behind a link')
  assert.equal((settled() as readonly object[]).length, 2)
  renameSync(join(dir, 'g/real'), join(dir, 'g/gone'))
  mkdirSync(join(dir, 'g/real/d'), { recursive: true })
  assert.deepEqual(links(), [l], 'another directory where a link leads')
  assert.deepEqual(settled(), [l])
  put('d', 'g/r/no')
  assert.deepEqual(links(), [l], 'what came is none of the paths')
  assert.deepEqual(settled(), [l])
  renameSync(join(dir, 'g'), join(dir, 'elsewhere'))
  mkdirSync(join(root, 'a/b/c'), { recursive: true })
  put('far', 'g/r/a/b/c/x')
  assert.deepEqual(links(), [x], 'all of it in another place')
})

test('what marks nothing is not seen by a process that goes on: a write through a mapping', (t) => {
  if (process.platform !== 'linux' || !existsSync('/dev/shm')) return t.skip('there is no file system in memory')
  if (!need(t, 'python3')) return
  // There nothing is written back to a disk meanwhile, which would make the next write a marked one.
  const scratch = mkdtempSync('/dev/shm/many-')
  t.after(() => rmSync(scratch, { recursive: true, force: true }))
  const at = join(scratch, 'texts')
  mkdirSync(at)
  const file = join(at, 'a')
  writeFileSync(file, 'nil')
  const sign = (name: string) => join(scratch, name)
  const mapping = spawn('python3', ['-c', MAPPING, file, sign('one'), sign('go'), sign('two')], { stdio: 'ignore' })
  t.after(() => mapping.kill())
  const until = (name: string) => {
    for (let i = 0; i < 500 && !existsSync(sign(name)); i++) pause(20)
    assert.ok(existsSync(sign(name)), name)
  }
  until('one')
  pause(SETTLED)
  const asked = () => {
    const found = world.answer({ ask: 'texts', dir: at, limit: 10, each: 10, total: 100 }, 1_000)
    return (found as { readonly entries: readonly TextEntry[] }).entries[0]!.text
  }
  for (let i = 0; i < 6; i++) assert.deepEqual(asked(), { text: 'one', cut: false })
  writeFileSync(sign('go'), '')
  until('two')
  assert.equal(readFileSync(file, 'utf8'), 'two')
  assert.deepEqual(asked(), { text: 'one', cut: false }, 'as it was read')
  const seen = spawnSync(process.execPath, ['--input-type=module', '-e', FRESH, at], { encoding: 'utf8' })
  assert.equal(seen.stdout, 'two\n', 'a process of its own, as hosts start one for each call, sees it')
})

/** Writes twice through one mapping; the second time when it is told to. */
const MAPPING = `
import mmap, os, sys, time
path, one, go, two = sys.argv[1:]
held = open(path, 'r+b')
text = mmap.mmap(held.fileno(), 0)
text[0:3] = b'one'
open(one, 'w').close()
while not os.path.exists(go): time.sleep(0.02)
text[0:3] = b'two'
open(two, 'w').close()
time.sleep(30)
`

const FRESH = `
import { diskWorld } from './src/world/disk.ts'
const found = diskWorld().answer({ ask: 'texts', dir: process.argv[1], limit: 10, each: 10, total: 100 }, 1_000)
console.log(found.entries[0].text.text)
`
