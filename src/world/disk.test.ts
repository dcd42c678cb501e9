import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { AskName, Asks, GitFact, GitState, Question } from '../core/question.ts'
import type { World } from '../core/world.ts'
import { diskWorld } from './disk.ts'

const put = <K extends AskName>(world: World, ask: K, about: Asks[K][0], left = 10_000) =>
  world.answer({ ask, ...about } as unknown as Question, left) as Asks[K][1] | 'unknown'

const posix = { skip: process.platform === 'win32' }

describe('files', posix, () => {
  let root: string
  let world: World
  before(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'disk-')))
    mkdirSync(join(root, 'dir'))
    for (const name of ['b', 'a', 'c']) writeFileSync(join(root, 'dir', name), name)
    writeFileSync(join(root, 'text'), 'héllo')
    writeFileSync(join(root, 'binary'), 'a\0b')
    writeFileSync(join(root, 'empty'), '')
    symlinkSync('text', join(root, 'link'))
    symlinkSync('nowhere', join(root, 'dangling'))
    symlinkSync('round', join(root, 'round'))
    linkSync(join(root, 'text'), join(root, 'hard'))
    writeFileSync(join(root, 'program'), '#!/bin/sh\n')
    chmodSync(join(root, 'program'), 0o755)
    world = diskWorld({ cwd: root, env: { PATH: `${join(root, 'dir')}:${root}`, EMPTY: '' } })
  })
  after(() => rmSync(root, { recursive: true }))

  test('stat does not follow links', () => {
    const link = put(world, 'stat', { path: join(root, 'link') })
    assert.ok(typeof link === 'object' && link.kind === 'link' && link.target === 'text')
    const file = put(world, 'stat', { path: 'text' })
    assert.ok(typeof file === 'object')
    assert.deepEqual([file.kind, file.size, file.links, file.mode & 0o600], ['file', 6, 2, 0o600])
    const hard = put(world, 'stat', { path: 'hard' })
    assert.ok(typeof hard === 'object' && hard.inode === file.inode)
    assert.equal(put(world, 'stat', { path: 'none' }), 'absent')
    assert.equal(put(world, 'stat', { path: 'text/below' }), 'absent')
    assert.equal(put(world, 'stat', { path: 'a\0b' }), 'absent')
    assert.equal(put(world, 'stat', { path: 'x'.repeat(5000) }), 'absent')
    const device = put(world, 'stat', { path: '/dev/null' })
    assert.ok(typeof device === 'object' && device.kind === 'device')
  })

  test('text up to a limit, never half a character', () => {
    assert.deepEqual(put(world, 'text', { path: 'text', limit: 100 }), { text: 'héllo', cut: false })
    assert.deepEqual(put(world, 'text', { path: 'link', limit: 6 }), { text: 'héllo', cut: false })
    assert.deepEqual(put(world, 'text', { path: 'text', limit: 2 }), { text: 'h', cut: true })
    assert.deepEqual(put(world, 'text', { path: 'text', limit: 3 }), { text: 'hé', cut: true })
    assert.deepEqual(put(world, 'text', { path: 'empty', limit: 3 }), { text: '', cut: false })
    assert.equal(put(world, 'text', { path: 'binary', limit: 100 }), 'unreadable')
    assert.equal(put(world, 'text', { path: 'dir', limit: 100 }), 'unreadable')
    assert.equal(put(world, 'text', { path: 'dangling', limit: 100 }), 'absent')
    assert.equal(put(world, 'text', { path: 'round', limit: 100 }), 'unknown')
    assert.equal(put(world, 'text', { path: '/dev/zero', limit: 100 }), 'unreadable')
  })

  test('a pipe that nobody writes to does not hold us up', () => {
    const pipe = join(root, 'pipe')
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
    assert.equal(put(world, 'text', { path: pipe, limit: 100 }), 'unreadable')
    const stat = put(world, 'stat', { path: pipe })
    assert.ok(typeof stat === 'object' && stat.kind === 'device')
  })

  test('a socket is no file', async () => {
    const path = join(root, 'socket')
    const server = createServer().listen(path)
    await new Promise((resolve) => server.once('listening', resolve))
    assert.equal(put(world, 'text', { path, limit: 100 }), 'unreadable')
    await new Promise((resolve) => server.close(resolve))
  })

  test('lists in order, up to a limit', () => {
    const entries = ['a', 'b', 'c'].map((name) => ({ name, kind: 'file' }))
    assert.deepEqual(put(world, 'list', { dir: 'dir', limit: 3 }), { entries, cut: false })
    const cut = put(world, 'list', { dir: 'dir', limit: 2 })
    assert.ok(typeof cut === 'object' && cut.cut && cut.entries.length === 2)
    assert.equal(put(world, 'list', { dir: 'none', limit: 2 }), 'absent')
    assert.equal(put(world, 'list', { dir: 'text', limit: 2 }), 'absent')
  })

  test('environment and programs', () => {
    assert.deepEqual(put(world, 'env', { name: 'EMPTY' }), { value: '' })
    assert.equal(put(world, 'env', { name: 'HOME' }), 'unset')
    assert.equal(put(world, 'env', { name: 'toString' }), 'unset')
    assert.deepEqual(put(world, 'which', { program: 'program' }), { path: join(root, 'program') })
    assert.deepEqual(put(world, 'which', { program: './program' }), { path: join(root, 'program') })
    assert.equal(put(world, 'which', { program: 'text' }), 'absent')
    assert.equal(put(world, 'which', { program: 'dir' }), 'absent')
    assert.equal(put(world, 'which', { program: '' }), 'absent')
  })

  test('the clock goes forward', () => {
    const before = world.now()
    assert.ok(world.now() >= before)
  })
})

describe('git', posix, () => {
  let base: string
  let repo: string
  let world: World
  const env = () => ({
    PATH: process.env['PATH'],
    HOME: base,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'dev',
    GIT_AUTHOR_EMAIL: 'dev@example.com',
    GIT_COMMITTER_NAME: 'dev',
    GIT_COMMITTER_EMAIL: 'dev@example.com',
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  })
  const git = (dir: string, ...args: string[]) => execFileSync('git', args, { cwd: dir, env: env(), stdio: 'pipe' })
  const state = (dir: string, ...of: GitFact[]) => put(world, 'git', { repo: dir, of })

  before(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'git-')))
    const origin = join(base, 'origin.git')
    repo = join(base, 'repo')
    mkdirSync(repo)
    git(base, 'init', '-q', '--bare', '-b', 'main', origin)
    git(repo, 'init', '-q', '-b', 'main')
    writeFileSync(join(repo, '.gitignore'), 'dist\n*.log\n')
    writeFileSync(join(repo, 'a.txt'), 'a\n')
    writeFileSync(join(repo, 'b.txt'), 'b\n')
    git(repo, 'add', '.')
    git(repo, 'commit', '-qm', 'one')
    git(repo, 'remote', 'add', 'origin', origin)
    git(repo, 'push', '-qu', 'origin', 'main')
    git(repo, 'remote', 'set-head', 'origin', 'main')
    git(repo, 'branch', 'old/merged')
    git(repo, 'checkout', '-qb', 'alone')
    git(repo, 'commit', '-qm', 'nobody else has this', '--allow-empty')
    git(repo, 'tag', 'v1')
    git(repo, 'checkout', '-qb', 'feature/x', 'main')
    git(repo, 'commit', '-qm', 'two', '--allow-empty')
    git(repo, 'push', '-qu', 'origin', 'feature/x')
    git(repo, 'commit', '-qm', 'three', '--allow-empty')
    writeFileSync(join(repo, 'a.txt'), 'stash\n')
    git(repo, 'stash', '-q')
    writeFileSync(join(repo, 'a.txt'), 'changed\n')
    writeFileSync(join(repo, 'new é "x".txt'), 'new\n')
    git(repo, 'add', 'new é "x".txt')
    git(repo, 'mv', 'b.txt', 'c.txt')
    mkdirSync(join(repo, 'drafts', 'deep'), { recursive: true })
    writeFileSync(join(repo, 'drafts', 'deep', 'x\ny'), '')
    mkdirSync(join(repo, 'dist'))
    writeFileSync(join(repo, 'dist', 'x.js'), '')
    writeFileSync(join(repo, 'debug.log'), '')
    git(repo, 'worktree', 'add', '-q', join(base, 'tree'), 'old/merged')
    world = diskWorld({ cwd: base, env: { ...env(), GIT_DIR: '/nowhere', GIT_WORK_TREE: '/nowhere' } })
  })
  after(() => rmSync(base, { recursive: true }))

  test('head', () => {
    const branch = { branch: 'feature/x', defaultBranch: 'main', upstream: 'origin/feature/x', ahead: 1, behind: 0 }
    assert.deepEqual(state(repo, 'head'), branch)
    git(repo, 'checkout', '-q', '--detach')
    const detached = state(repo, 'head') as GitState
    assert.deepEqual([detached.branch, detached.upstream, detached.ahead], [null, null, 1])
    git(repo, 'checkout', '-q', 'feature/x')
  })

  test('changes, in the names of the file system', () => {
    const changes = state(repo, 'changes') as Required<GitState>
    assert.deepEqual(changes.modified, ['a.txt'])
    assert.deepEqual([...changes.staged].sort(), ['b.txt', 'c.txt', 'new é "x".txt'])
    assert.deepEqual(changes.untracked, ['drafts/deep/x\ny'])
  })

  test('ignored, branches, tags, stashes, remotes', () => {
    assert.deepEqual(state(repo, 'ignored'), { ignored: ['debug.log', 'dist'] })
    assert.deepEqual(state(repo, 'branches'), {
      branches: {
        alone: { merged: false, pushed: false },
        'feature/x': { merged: false, pushed: false },
        main: { merged: true, pushed: true },
        'old/merged': { merged: true, pushed: true },
      },
    })
    assert.deepEqual(state(repo, 'tags', 'stashes'), { tags: ['v1'], stashes: 1 })
    assert.deepEqual(state(repo, 'remotes'), { remotes: { origin: join(base, 'origin.git') } })
  })

  test('work trees', () => {
    const worktrees = [repo, join(base, 'tree')]
    assert.deepEqual(state(repo, 'worktrees'), { worktrees, linkedWorktree: false })
    assert.deepEqual(state(join(base, 'tree'), 'worktrees'), { worktrees, linkedWorktree: true })
  })

  test('a fresh repository and no repository', () => {
    const fresh = join(base, 'fresh')
    mkdirSync(fresh)
    assert.deepEqual(state(fresh, 'head', 'changes'), {})
    git(fresh, 'init', '-q', '-b', 'main')
    writeFileSync(join(fresh, 'x'), '')
    assert.deepEqual(state(fresh, 'head', 'changes', 'stashes', 'branches', 'remotes'), {
      ...{ branch: 'main', defaultBranch: null, upstream: null, ahead: 0, behind: 0 },
      ...{ modified: [], staged: [], untracked: ['x'], stashes: 0, branches: {}, remotes: {} },
    })
  })

  test('configuration as it is, without our own switches', () => {
    assert.deepEqual(put(world, 'gitConfig', { repo, key: 'core.hooksPath' }), [])
    git(repo, 'config', '--add', 'alias.st', 'status')
    git(repo, 'config', '--add', 'alias.st', '!rm -rf x\necho')
    assert.deepEqual(put(world, 'gitConfig', { repo, key: 'alias.st' }), ['status', '!rm -rf x\necho'])
    assert.equal(put(world, 'gitConfig', { repo: join(base, 'none'), key: 'alias.st' }), 'unknown')
  })

  test('reading runs nothing of the repository and changes nothing in it', () => {
    const trap = join(base, 'trap')
    const mark = join(base, 'mark')
    writeFileSync(trap, `#!/bin/sh\necho ran >> '${mark}'\ncat\n`)
    chmodSync(trap, 0o755)
    git(repo, 'config', 'core.fsmonitor', trap)
    git(repo, 'config', 'filter.evil.clean', trap)
    git(repo, 'config', 'filter.evil.required', 'true')
    writeFileSync(join(repo, '.git', 'info', 'attributes'), '*.txt filter=evil\n')
    writeFileSync(join(repo, '.git', 'hooks', 'post-index-change'), `#!/bin/sh\necho hook >> '${mark}'\n`, {
      mode: 0o755,
    })
    writeFileSync(join(repo, 'a.txt'), 'changed again\n')
    const index = () => [
      readFileSync(join(repo, '.git', 'index')).toString('hex'),
      statSync(join(repo, '.git', 'index')).mtimeMs,
    ]
    const was = index()
    const facts: GitFact[] = ['head', 'changes', 'ignored', 'branches', 'tags', 'stashes', 'worktrees', 'remotes']
    const got = state(repo, ...facts) as GitState
    assert.deepEqual(got.modified, ['a.txt'])
    assert.throws(() => statSync(mark), { code: 'ENOENT' })
    assert.deepEqual(index(), was)
    git(repo, 'config', '--unset', 'core.fsmonitor')
    git(repo, 'config', '--remove-section', 'filter.evil')
  })

  test('a spent time, a broken repository and a missing git are unknown', () => {
    assert.equal(put(world, 'git', { repo, of: ['head'] }, 0), 'unknown')
    const broken = join(base, 'broken')
    mkdirSync(join(broken, '.git'), { recursive: true })
    git(broken, 'init', '-q', '-b', 'main')
    writeFileSync(join(broken, '.git', 'config'), '[core\n')
    assert.equal(state(broken, 'head'), 'unknown')
    const bare = diskWorld({ cwd: base, env: { PATH: join(base, 'nothing') } })
    assert.equal(put(bare, 'git', { repo, of: ['head'] }), 'unknown')
  })

  test('a git that hangs is ended in time', () => {
    const bin = join(base, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 30\n', { mode: 0o755 })
    const slow = diskWorld({ cwd: base, env: { PATH: `${bin}:${process.env['PATH']}` } })
    const begin = performance.now()
    assert.equal(put(slow, 'git', { repo, of: ['head'] }, 300), 'unknown')
    assert.ok(performance.now() - begin < 5000)
  })
})
