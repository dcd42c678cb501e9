import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer } from '../core/driver.ts'
import type { Answer, Asking, Question, Stat } from '../core/question.ts'
import type { World } from '../core/world.ts'
import { diskWorld } from '../world/disk.ts'
import { checkFrozenWorld, frozenWorld } from '../world/frozen.ts'
import { repoOf } from './repo.ts'
import { freshView, MOST_STEPS, newPathBudget, type Resolved, resolvePath } from './resolve.ts'

const ENOUGH = { ms: 60_000, start: 0, questions: 1_000_000 }
const run = <T>(asking: Asking<T>, world: World): T => answer(asking, world, { ...ENOUGH, start: world.now() }).value

type Row = [string, string, boolean, Partial<Record<string, unknown>>]
const cases = JSON.parse(readFileSync(new URL('../../cases/paths/resolve.json', import.meta.url), 'utf8')) as {
  files: object
  rows: Row[]
  windows: { files: object; rows: Row[] }
}

function worldOf(files: object, platform = 'linux') {
  const home = platform === 'win32' ? 'C:\\Users\\dev' : '/home/dev'
  const rest = { platform, user: 'dev', home, cwd: home, workspaces: [], env: {}, git: {} }
  return frozenWorld(checkFrozenWorld({ ...rest, files }, 'cases'))
}

function check(rows: readonly Row[], world: World, flavour: 'posix' | 'win32') {
  for (const [name, path, follow, expected] of rows) {
    const got: Resolved = run(resolvePath(path, { follow, budget: newPathBudget(flavour) }), world)
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(
        (got as unknown as Record<string, unknown>)[key],
        value,
        `${name}: ${key} of ${JSON.stringify(got)}`,
      )
    }
  }
}

test('where paths lead', () => check(cases.rows, worldOf(cases.files), 'posix'))
test('where paths lead on Windows', () => check(cases.windows.rows, worldOf(cases.windows.files, 'win32'), 'win32'))

test('one directory is asked for once in a call', () => {
  const asked: string[] = []
  const world = worldOf(cases.files)
  const counting: World = {
    now: world.now,
    answer(question, left) {
      asked.push(JSON.stringify(question))
      return world.answer(question, left)
    },
  }
  const budget = newPathBudget()
  for (const name of ['src/a.ts', 'src/b.ts', 'src/c.ts']) {
    answer(resolvePath(`/home/dev/proj/${name}`, { follow: true, budget }), counting, ENOUGH)
  }
  assert.equal(asked.filter((question) => question.includes('"/home/dev/proj/src"')).length, 1)
  freshView(budget)
  answer(resolvePath('/home/dev/proj/src/a.ts', { follow: true, budget }), counting, ENOUGH)
  assert.equal(asked.filter((question) => question.includes('"/home/dev/proj/src"')).length, 2)
})

test('an unknown fact leaves the path unresolved', () => {
  const world: World = { now: () => 0, answer: () => 'unknown' }
  const got = run(resolvePath('/a/../b', { follow: true, budget: newPathBudget() }), world)
  assert.deepEqual(got, { is: 'unresolved', why: 'unknown' })
})

test('limits end every resolution', () => {
  const world = worldOf(cases.files)
  const long = (count: number) => `/${Array.from({ length: count }, () => 'x').join('/')}`
  const why = (path: string, budget = newPathBudget()) => {
    const got = run(resolvePath(path, { follow: true, budget }), world)
    return got.is === 'unresolved' ? got.why : 'path'
  }
  assert.equal(why(long(4000)), 'path')
  assert.equal(why(long(200_000)), 'components')
  const budget = newPathBudget()
  let rounds = 0
  while (why(long(4000), budget) === 'path') rounds++
  assert.equal(why('/home', budget), 'steps')
  assert.equal(rounds, MOST_STEPS / 4000)
})

test('links that unfold without end are stopped by a limit, whatever is answered', () => {
  const link = (target: string): Stat => ({
    kind: 'link',
    target,
    size: 0,
    mtime: 0,
    inode: 'x',
    links: 1,
    mode: 0o777,
  })
  const targets = ['x/x', '/x', 'x'.repeat(300), Array.from({ length: 4090 }, () => 'y').join('/')]
  for (const target of targets) {
    const world: World = { now: () => 0, answer: () => link(target) }
    const got = run(resolvePath('/a/b/c', { follow: true, budget: newPathBudget() }), world)
    assert.equal(got.is, 'unresolved', target.slice(0, 20))
  }
})

test('any answers end it', () => {
  const stat: fc.Arbitrary<Answer> = fc.oneof(
    fc.constant<Answer>('absent'),
    fc.constant<Answer>('unknown'),
    fc
      .record({ kind: fc.constantFrom('file', 'dir', 'link', 'device'), target: fc.string() })
      .map((facts) => ({ ...facts, size: 0, mtime: 0, inode: 'i', links: 1, mode: 0 }) as Answer),
  )
  fc.assert(
    fc.property(fc.string(), fc.infiniteStream(stat), fc.boolean(), (path, answers, follow) => {
      const world: World = { now: () => 0, answer: (_: Question) => answers.next().value as Answer }
      for (const flavour of ['posix', 'win32'] as const) {
        const got = run(resolvePath(`/${path}`, { follow, budget: newPathBudget(flavour) }), world)
        assert.ok(got.is === 'path' || got.is === 'unresolved')
        assert.ok(run(repoOf(`/${path}`), world))
      }
    }),
    { numRuns: 200 },
  )
})

test('existing paths of a scratch tree lead where the system says', { skip: process.platform === 'win32' }, () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'resolve-')))
  try {
    const names = ['a', 'b', 'c']
    for (const x of names) for (const y of names) mkdirSync(join(root, x, y), { recursive: true })
    for (const x of names) writeFileSync(join(root, x, 'f'), '')
    const links: [string, string][] = [
      ['a/l', '../b'],
      ['b/l', `${root}/c/a`],
      ['c/l', 'a/../b'],
      ['a/b/l', '../../a/l/l'],
      ['c/g', '../a/f'],
      ['b/d', 'none'],
      ['a/x', 'x'],
      ['b/u', '..'],
      ['c/s', '../a/'],
    ]
    for (const [at, to] of links) symlinkSync(to, join(root, at))
    const world = diskWorld({ env: {}, cwd: root })
    const step = fc.constantFrom('a', 'b', 'c', 'l', 'f', 'g', 'd', 'x', 'u', 's', '..', '.', '')
    let seen = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 7 }), (steps) => {
        const path = `${root}/${steps.join('/')}`
        let real: string | undefined
        try {
          real = realpathSync.native(path)
        } catch {
          return
        }
        seen++
        const got = run(resolvePath(path, { follow: true, budget: newPathBudget() }), world)
        assert.equal(got.is === 'path' && got.exists ? got.target : got, real, path)
        const entry = run(resolvePath(path, { follow: false, budget: newPathBudget() }), world)
        if (!/\/\.{0,2}$/.test(path) && entry.is === 'path') {
          assert.equal(dirname(entry.entry), realpathSync.native(dirname(path)), path)
        }
      }),
      { numRuns: 1500 },
    )
    assert.ok(seen > 100, `only ${seen} paths exist`)
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('the repository of a path', () => {
  const world = worldOf({
    '/r/.git': { type: 'dir' },
    '/r/src/a': { type: 'file', content: '' },
    '/r/vendor/lib/.git': { type: 'file', content: 'gitdir: ../../.git/modules/vendor/lib\n' },
    '/wt/.git': { type: 'file', content: 'gitdir: /r/.git/worktrees/wt\n' },
    '/odd/.git': { type: 'file' },
    '/no/.git': { type: 'file', content: 'hello\n' },
    '/linked/.git': { type: 'symlink', target: '/r/.git' },
    '/plain/x': { type: 'dir' },
  })
  const repo = (path: string) => run(repoOf(path), world)
  assert.deepEqual(repo('/r/src/a'), { root: '/r', gitDir: '/r/.git', linked: false })
  assert.deepEqual(repo('/r'), { root: '/r', gitDir: '/r/.git', linked: false })
  assert.deepEqual(repo('/r/.git/hooks/x'), { root: '/r', gitDir: '/r/.git', linked: false })
  assert.deepEqual(repo('/r/vendor/lib/x'), {
    root: '/r/vendor/lib',
    gitDir: '/r/.git/modules/vendor/lib',
    linked: false,
  })
  assert.deepEqual(repo('/wt/deep/x'), { root: '/wt', gitDir: '/r/.git/worktrees/wt', linked: true })
  assert.deepEqual(repo('/linked/x'), { root: '/linked', gitDir: '/r/.git', linked: false })
  assert.equal(repo('/odd/x'), 'unknown')
  assert.equal(repo('/no/x'), 'none')
  assert.equal(repo('/plain/x'), 'none')
})
