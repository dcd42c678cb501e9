/** The reader of git's settings against git itself: it says the same, or that git must be asked. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { gitEnv } from './disk-git.ts'
import { gitSetting } from './disk-git-config.ts'

const GIT = '/usr/bin/git'
const skip = process.platform === 'linux' && spawnSync(GIT, ['--version']).status === 0 ? false : 'no git of the system'

describe('settings of git', { skip }, () => {
  let root: string
  let env: Record<string, string>
  const git = (cwd: string, ...args: string[]) => {
    const ran = spawnSync(GIT, args, { cwd, env: { ...gitEnv(env), PATH: process.env['PATH']! }, encoding: 'utf8' })
    return { code: ran.status, out: ran.stdout }
  }
  /** What git says; undefined where it refuses. */
  const said = (repo: string, key: string): readonly string[] | undefined => {
    const { code, out } = git(repo, 'config', '-z', '--get-all', key)
    return code === 0 ? out.split('\0').slice(0, -1) : code === 1 ? [] : undefined
  }
  const own = (repo: string, key: string) => gitSetting(GIT, gitEnv(env), repo, key)

  before(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'settings-')))
    for (const dir of ['home/.config/git', 'repo/deep/er', 'none']) mkdirSync(join(root, dir), { recursive: true })
    env = { HOME: join(root, 'home'), PATH: process.env['PATH']! }
    git(root, 'init', '-q', 'repo')
    git(join(root, 'repo'), '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x')
    git(join(root, 'repo'), 'worktree', 'add', '-q', '-b', 'other', '../linked')
  })
  after(() => rmSync(root, { recursive: true }))

  const blank = fc.constantFrom('', ' ', '\t', '  ')
  /** Mostly what people write: odd lines make git's own job of the whole file. */
  const often = <T>(plain: readonly T[], odd: readonly T[]) =>
    fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...plain) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })
  const word = often(
    ['a', 'true', '!rm -rf x', '"a b"', 'x # y', '"x # y"', '..', 'ü', ';'],
    ['"a\\"b"', '\\', 'a\\', '"open'],
  )
  const name = often(['st', 'ST', 'hooksPath', 'hookspath', 'co-2'], ['bad_name'])
  const setting = fc
    .tuple(blank, name, fc.constantFrom('=', ' = ', ' =', '\t=\t'), fc.array(word, { maxLength: 3 }), blank)
    .map(([before, key, is, words, behind]) => before + key + is + words.join(' ') + behind)
  const section = often(
    ['[alias]', '[Alias]', '[core]', '[alias "x"]', ' [core] '],
    ['[alias.x]', '[alias] st = inline', '[core] ; c'],
  )
  const other = often(
    ['', '# comment', '; comment'],
    ['  st', 'st', '[include]', '\tpath = other', '[broken', '[extensions]', 'a = b\r'],
  )
  const text = fc
    .array(
      fc.oneof({ weight: 3, arbitrary: section }, { weight: 6, arbitrary: setting }, { weight: 1, arbitrary: other }),
      { maxLength: 6 },
    )
    .map((lines) => lines.map((line) => `${line}\n`).join(''))

  test('whatever stands in the files', () => {
    const KEYS = ['alias.st', 'core.hooksPath', 'alias.x.st', 'alias.co-2']
    let plain = 0
    let all = 0
    fc.assert(
      fc.property(text, text, text, fc.constantFrom(...KEYS), (user, xdg, repo, key) => {
        writeFileSync(join(root, 'home/.gitconfig'), user)
        writeFileSync(join(root, 'home/.config/git/config'), xdg)
        writeFileSync(join(root, 'repo/.git/config'), repo)
        for (const dir of ['repo/deep/er', 'linked', 'none']) {
          const read = own(join(root, dir), key)
          all++
          if (read === undefined) continue
          plain++
          assert.deepEqual(read, said(join(root, dir), key))
        }
      }),
      { numRuns: 150 },
    )
    assert.ok(plain > all / 5, `${plain} of ${all} were read here`)
  })

  test('places that only git knows are left to it', () => {
    for (const file of ['home/.gitconfig', 'home/.config/git/config']) writeFileSync(join(root, file), '')
    const config = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[alias]\n\tst = status\n'
    writeFileSync(join(root, 'repo/.git/config'), config)
    assert.deepEqual(own(join(root, 'repo'), 'alias.st'), ['status'])
    assert.deepEqual(own(join(root, 'repo/deep'), 'alias.st'), ['status'])
    assert.deepEqual(own(join(root, 'linked'), 'alias.st'), ['status'])
    assert.deepEqual(own(join(root, 'repo'), 'alias.no'), [])
    const rows: readonly (readonly [string, () => void, string])[] = [
      ['a newer form', () => writeFileSync(join(root, 'repo/.git/config'), config.replace('= 0', '= 1')), 'repo'],
      [
        'extensions',
        () => writeFileSync(join(root, 'repo/.git/config'), `${config}[extensions]\n\tworktreeConfig = true\n`),
        'repo',
      ],
      ['an include', () => writeFileSync(join(root, 'home/.gitconfig'), '[include]\n\tpath = x\n'), 'repo'],
      ['a directory', () => mkdirSync(join(root, 'home2/.gitconfig'), { recursive: true }), 'home2'],
      ['a bare repository', () => git(root, 'init', '-q', '--bare', 'bare'), 'bare'],
      ['no directory', () => {}, 'gone'],
      ['a dead link', () => symlinkSync('nowhere', join(root, 'none/.git')), 'none'],
    ]
    for (const [what, make, dir] of rows) {
      writeFileSync(join(root, 'repo/.git/config'), config)
      rmSync(join(root, 'home/.gitconfig'), { force: true })
      make()
      env['HOME'] = dir === 'home2' ? join(root, 'home2') : join(root, 'home')
      assert.equal(own(join(root, dir === 'home2' ? 'repo' : dir), 'alias.st'), undefined, what)
    }
    assert.equal(gitSetting('/opt/git/bin/git', env, join(root, 'repo'), 'alias.st'), undefined)
    assert.equal(gitSetting(undefined, env, join(root, 'repo'), 'alias.st'), undefined)
  })
})
