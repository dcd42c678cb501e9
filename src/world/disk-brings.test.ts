import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import type { GitBrings } from '../core/question.ts'
import { diskWorld } from './disk.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-brings-')))
after(() => rmSync(base, { recursive: true, force: true }))
const repo = join(base, 'repo')
const env = { PATH: process.env['PATH'] ?? '', HOME: base, GIT_CONFIG_NOSYSTEM: '1' }
const git = (...args: string[]) =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    env,
    encoding: 'utf8',
  }).trim()

/** Commits these files, by name and content; `null` removes one. */
function commit(files: Readonly<Record<string, string | null>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, name)), { recursive: true })
    if (text === null) rmSync(join(repo, name))
    else writeFileSync(join(repo, name), text)
  }
  git('add', '-A')
  git('commit', '-qm', Object.keys(files).join())
}

test('what git would bring is what git then brings', () => {
  mkdirSync(repo)
  git('init', '-q', '-b', 'main')
  commit({ a: '1', 'lib/b': '1', 'odd é "x"\n': '1', gone: '1' })
  git('branch', 'old')
  commit({ a: '2', gone: null })
  commit({ 'lib/b': '2', 'lib/new': '1' })
  git('checkout', '-q', '-b', 'side', 'old')
  commit({ c: '1', 'odd é "x"\n': '2' })
  git('checkout', '-q', 'main')
  git('tag', 'v1')
  git('update-ref', 'refs/remotes/origin/theirs', 'side')
  const world = diskWorld({ env, cwd: base })
  const brings = (how: GitBrings, rev: string) => {
    const found = world.answer({ ask: 'gitBrings', repo, how, rev }, 5_000)
    return Array.isArray(found) ? [...(found as string[])].sort() : found
  }
  /** The files that differ after a command, which is taken back. */
  const happens = (...args: string[]) => {
    const before = git('rev-parse', 'HEAD')
    git(...args)
    const names = git('diff', '--name-only', '--no-renames', '-z', before, '--').split('\0').filter(Boolean).sort()
    git('reset', '-q', '--hard')
    git('checkout', '-q', 'main')
    git('reset', '-q', '--hard', before)
    return names
  }
  for (const rev of ['old', 'side', 'HEAD~1', 'v1', '@{-1}'])
    assert.deepEqual(brings('to', rev), happens('checkout', '-q', '--detach', rev), `to ${rev}`)
  git('checkout', '-q', 'side')
  git('checkout', '-q', 'main')
  assert.deepEqual(brings('to', '-'), brings('to', 'side'))
  assert.deepEqual(brings('to', 'theirs'), brings('to', 'side'), 'a branch that only a remote has')
  for (const rev of ['HEAD', 'HEAD~1'])
    assert.deepEqual(brings('of', rev), happens('revert', '-n', rev), `revert ${rev}`)
  assert.deepEqual(brings('of', 'HEAD~2..HEAD'), happens('revert', '-n', 'HEAD~2..HEAD'))
  assert.deepEqual(brings('of', 'side'), happens('cherry-pick', '-n', 'side'))
  assert.deepEqual(brings('since', 'side'), happens('merge', '-q', '--no-edit', 'side'))
  assert.deepEqual(brings('since', 'old'), [])
  for (const none of ['nowhere', '', '--output=/tmp/x', 'HEAD~99', 'a b', '*'])
    assert.equal(brings('to', none), 'absent', none)
  assert.equal(brings('of', 'HEAD..nowhere'), 'absent')
})
