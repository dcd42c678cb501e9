import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer } from '../core/driver.ts'
import { type Asking, type AskName, type Asks, ask, type Question } from '../core/question.ts'
import type { World } from '../core/world.ts'
import { checkFrozenWorld, frozenWorld, mergeWorld, parseFrozenWorld } from './frozen.ts'
import { readGitConfig } from './git-config.ts'
import { replayWorld } from './replay.ts'

const put = <K extends AskName>(world: World, ask: K, about: Asks[K][0]) =>
  world.answer({ ask, ...about } as unknown as Question, 1000) as Asks[K][1] | 'unknown'

const dir = new URL('../../cases/worlds/', import.meta.url)
const BASE = {
  platform: 'linux',
  user: 'dev',
  home: '/home/dev',
  cwd: '/home/dev',
  workspaces: [],
  env: {},
  git: {},
  files: {},
}
const worldOf = (more: object) => frozenWorld(checkFrozenWorld({ ...BASE, ...more }, 'test'))

test('every world of the cases is read, and answers for each file that it lists', () => {
  const names = readdirSync(dir)
  assert.ok(names.length >= 50)
  for (const name of names) {
    const file = parseFrozenWorld(readFileSync(new URL(name, dir), 'utf8'), name)
    const world = frozenWorld(file)
    for (const [path, entry] of Object.entries(file.files)) {
      const stat = put(world, 'stat', { path })
      assert.ok(typeof stat === 'object', `${name}: ${path}`)
      assert.equal(stat.kind, entry.type === 'symlink' ? 'link' : entry.type)
      const text = put(world, 'text', { path, limit: 1e6 })
      if (entry.type === 'file')
        assert.equal(typeof text === 'object' ? text.text : text, entry.content ?? 'unreadable')
    }
  }
})

test('files', () => {
  const world = worldOf({
    files: {
      '/a/b/c': { type: 'file', content: 'hé', mode: '0755' },
      '/a/b/blind': { type: 'file' },
      '/a/l': { type: 'symlink', target: 'b/c' },
      '/a/d': { type: 'symlink', target: '/a/b' },
      '/loop': { type: 'symlink', target: 'loop' },
    },
  })
  assert.deepEqual(put(world, 'stat', { path: '/a/b/c' }), {
    ...{ kind: 'file', size: 3, mtime: 0, inode: '0:/a/b/c', links: 1, mode: 0o755 },
  })
  const above = put(world, 'stat', { path: '/a/b' })
  assert.ok(typeof above === 'object' && above.kind === 'dir')
  assert.equal(put(world, 'stat', { path: '/a/x' }), 'absent')
  assert.equal(put(world, 'stat', { path: '/A/b' }), 'absent')
  assert.equal(put(world, 'stat', { path: '/a/b/c/d' }), 'absent')
  assert.deepEqual(put(world, 'text', { path: '/a/l', limit: 9 }), { text: 'hé', cut: false })
  assert.deepEqual(put(world, 'text', { path: '/a/d/c', limit: 2 }), { text: 'h', cut: true })
  assert.equal(put(world, 'text', { path: '/a/b/blind', limit: 2 }), 'unreadable')
  assert.equal(put(world, 'text', { path: '/a/b', limit: 2 }), 'unreadable')
  assert.equal(put(world, 'text', { path: '/a/none', limit: 2 }), 'absent')
  assert.equal(put(world, 'text', { path: '/loop', limit: 2 }), 'unknown')
  assert.deepEqual(put(world, 'list', { dir: '/a', limit: 2 }), {
    entries: [
      { name: 'b', kind: 'dir' },
      { name: 'd', kind: 'link' },
    ],
    cut: true,
  })
  assert.equal(put(world, 'list', { dir: '/a/b/c', limit: 2 }), 'absent')
})

test('environment and programs', () => {
  const world = worldOf({
    env: { HOME: '/home/dev' },
    env_unset: ['OUT'],
    programs: { tool: '/opt/tool', gone: null },
    files: { '/home/dev/run.sh': { type: 'file', content: '' } },
  })
  assert.deepEqual(put(world, 'env', { name: 'HOME' }), { value: '/home/dev' })
  assert.equal(put(world, 'env', { name: 'OUT' }), 'unset')
  assert.equal(put(world, 'env', { name: 'OTHER' }), 'unknown')
  assert.deepEqual(put(world, 'which', { program: 'tool' }), { path: '/opt/tool' })
  assert.equal(put(world, 'which', { program: 'gone' }), 'absent')
  assert.deepEqual(put(world, 'which', { program: 'toString' }), { path: '/usr/bin/toString' })
  assert.deepEqual(put(world, 'which', { program: './run.sh' }), { path: '/home/dev/run.sh' })
  assert.equal(put(world, 'which', { program: './none' }), 'absent')
})

test('git', () => {
  const world = worldOf({
    git: {
      '/r': {
        ...{ branch: 'x', default_branch: 'main', upstream: null, ahead: 2, modified: ['a'], linked_worktree: true },
        ...{ config: { 'Alias.ST': ['status', 'log'] }, hooks_path: '.husky' },
      },
    },
    files: {
      '/r/.git/config': { type: 'file', content: '[alias]\n\tco = checkout\n' },
      '/home/dev/.gitconfig': { type: 'file', content: '[alias]\n\tst = "!sh -c"\n' },
    },
  })
  const head = { branch: 'x', defaultBranch: 'main', upstream: null, ahead: 2 }
  assert.deepEqual(put(world, 'git', { repo: '/r/', of: ['head'] }), head)
  assert.deepEqual(put(world, 'git', { repo: '/r', of: ['changes', 'worktrees'] }), {
    modified: ['a'],
    linkedWorktree: true,
  })
  assert.deepEqual(put(world, 'git', { repo: '/r', of: ['branches', 'tags'] }), {})
  assert.deepEqual(put(world, 'git', { repo: '/other', of: ['head'] }), {})
  assert.deepEqual(put(world, 'gitConfig', { repo: '/r', key: 'alias.st' }), ['!sh -c', 'status', 'log'])
  assert.deepEqual(put(world, 'gitConfig', { repo: '/r', key: 'alias.co' }), ['checkout'])
  assert.deepEqual(put(world, 'gitConfig', { repo: '/r', key: 'core.hooksPath' }), ['.husky'])
  assert.deepEqual(put(world, 'gitConfig', { repo: '/r', key: 'user.name' }), [])
})

test('git configuration files', () => {
  const text =
    '; note\n[Remote "Up.x"]\n\tURL = a\\tb ; why\n\tflag\n[user] name = "A # b" c\n\temail = x\\\n y\n[branch.Main]\nmerge=m\n'
  const rows: [string, string[]][] = [
    ['remote.Up.x.url', ['a\tb']],
    ['remote.up.x.url', []],
    ['remote.Up.x.flag', ['true']],
    ['user.NAME', ['A # b c']],
    ['user.email', ['x y']],
    ['branch.main.merge', ['m']],
    ['user', []],
  ]
  for (const [key, expected] of rows) assert.deepEqual(readGitConfig(text, key), expected, key)
})

test('file systems that fold case, and Windows', () => {
  const folded = worldOf({ case_insensitive: true, files: { '/A/Spec/x': { type: 'file', content: '1' } } })
  assert.deepEqual(put(folded, 'text', { path: '/a/SPEC/X', limit: 9 }), { text: '1', cut: false })
  const windows = worldOf({
    platform: 'win32',
    home: 'C:\\Users\\dev',
    cwd: 'C:\\Users\\dev',
    env: { Path: 'C:\\x' },
    files: { 'C:\\Users\\dev\\a.txt': { type: 'file', content: '1' } },
    git: { 'C:\\Users\\dev': { branch: 'main' } },
  })
  assert.deepEqual(put(windows, 'text', { path: 'c:/users/dev/A.TXT', limit: 9 }), { text: '1', cut: false })
  assert.deepEqual(put(windows, 'list', { dir: 'C:\\', limit: 9 }), {
    entries: [{ name: 'Users', kind: 'dir' }],
    cut: false,
  })
  assert.deepEqual(put(windows, 'env', { name: 'PATH' }), { value: 'C:\\x' })
  assert.deepEqual(put(windows, 'git', { repo: 'c:\\users\\dev', of: ['head'] }), { branch: 'main' })
})

test('a world that does not fit is named in one sentence', () => {
  const rows: [object, string][] = [
    [{ platform: 'beos' }, 'x.json: .platform must be one of linux, darwin, win32'],
    [{ home: undefined }, 'x.json: .home is missing'],
    [{ extra: 1 }, 'x.json: .extra is no key of a frozen world'],
    [{ files: { '/a': { type: 'pipe' } } }, 'x.json: .files["/a"].type must be one of dir, file, symlink'],
    [{ files: { '/a': { type: 'symlink' } } }, 'x.json: .files["/a"].target is missing'],
    [{ files: { '/a': { type: 'file', mode: '9' } } }, 'x.json: .files["/a"].mode must be a mode in octal digits'],
    [{ git: { '/r': { ahead: 'x' } } }, 'x.json: .git["/r"].ahead must be a number from 0 on'],
    [{ workspaces: ['/a', 1] }, 'x.json: .workspaces[1] must be a string'],
    [{ env: [] }, 'x.json: .env must be an object'],
  ]
  for (const [more, message] of rows) {
    assert.throws(() => parseFrozenWorld(JSON.stringify({ ...BASE, ...more }), 'x.json'), { message })
  }
  assert.throws(() => parseFrozenWorld('{', 'x.json'), /^Error: x\.json: is no JSON/)
  assert.throws(() => parseFrozenWorld('[]', 'x.json'), { message: 'x.json: must be an object' })
})

test('one world on top of another', () => {
  const base = checkFrozenWorld(
    {
      ...BASE,
      env: { A: '1', B: '2' },
      files: { '/a': { type: 'file', content: 'x' }, '/b': { type: 'dir' } },
      git: { '/r': { modified: ['a', 'b'], branch: 'main' } },
    },
    'base',
  )
  const merged = mergeWorld(base, {
    env: { B: null, C: '3' },
    files: { '/a': { content: 'y' }, '/b': null },
    git: { '/r': { modified: ['c'] } },
    session: { interactive: false },
  })
  assert.deepEqual(merged.env, { A: '1', C: '3' })
  assert.deepEqual(merged.files, { '/a': { type: 'file', content: 'y' } })
  assert.deepEqual(merged.git, { '/r': { modified: ['c'], branch: 'main' } })
  assert.deepEqual(base.git, { '/r': { modified: ['a', 'b'], branch: 'main' } })
  assert.throws(() => mergeWorld(base, { nothing: 1 }, 'row 7'), {
    message: 'row 7: .nothing is no key of a frozen world',
  })
})

test('a replayed world says the same, and fails loudly beyond that', () => {
  function* asking(paths: readonly string[]): Asking<string> {
    const out: unknown[] = []
    for (const path of paths) out.push(yield* ask('text', { path, limit: 10 }))
    return JSON.stringify(out)
  }
  const world = worldOf({ files: { '/a': { type: 'file', content: 'x' }, '/b/c': { type: 'file' } } })
  const budget = { ms: 1000, start: 0, questions: 3 }
  fc.assert(
    fc.property(fc.array(fc.constantFrom('/a', '/b', '/b/c', '/d', '/e')), (paths) => {
      const first = answer(asking(paths), world, budget)
      const again = answer(asking(paths), replayWorld(first.facts), { ...budget, questions: 100 })
      assert.equal(again.value, first.value)
      assert.deepEqual(again.facts, first.facts)
    }),
  )
  assert.throws(() => answer(asking(['/z']), replayWorld([]), budget), /does not answer \{"ask":"text","path":"\/z"/)
})
