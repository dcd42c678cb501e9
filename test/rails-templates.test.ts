/** What people copy into their repositories: the pre-push hook as git runs it, and the workflow as text. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { canonicalName } from '../src/adlc/adlc.ts'
import { need } from './need.ts'

const ROOT = join(import.meta.dirname, '..')
const HOOK = join(ROOT, 'templates', 'pre-push')
const WORKFLOW = readFileSync(join(ROOT, 'templates', 'rails-check.yml'), 'utf8')

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-templates-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

const bin = join(scratch, 'bin')
mkdirSync(bin)
writeFileSync(
  join(bin, 'sallyport'),
  `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin', 'sallyport.js')}' "$@"\n`,
  { mode: 0o755 },
)

const ENV = {
  PATH: `${bin}:/usr/bin:/bin`,
  HOME: scratch,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
}

let made = 0

/** A work tree with tickets and one rail, whose remote is a directory beside it. */
class Pushed {
  readonly root = join(scratch, `r${made++}`)

  constructor() {
    mkdirSync(join(this.root, '.adlc', 'tickets'), { recursive: true })
    this.git('init', '-q', '-b', 'main')
    this.git('init', '-q', '--bare', '-b', 'main', `${this.root}.git`)
    this.git('remote', 'add', 'origin', `${this.root}.git`)
    this.put('.adlc/tickets/.store.json', '{"format":"adlc-ticket-directory","version":1}')
    this.put(`.adlc/tickets/${canonicalName('T1')}`, '{"id":"T1","title":"t","rails":["lock"]}')
    this.commit('lock', 'one\n')
  }

  put(path: string, text: string): void {
    writeFileSync(join(this.root, path), text)
  }

  commit(path: string, text: string): void {
    this.put(path, text)
    this.git('add', '-A')
    this.git('commit', '-q', '--no-verify', '-m', path)
  }

  hook(): void {
    const at = join(this.root, '.git', 'hooks', 'pre-push')
    copyFileSync(HOOK, at)
    chmodSync(at, 0o755)
  }

  git(...args: readonly string[]) {
    return this.run(args, ENV)
  }

  run(args: readonly string[], env: Readonly<Record<string, string>>) {
    const ran = spawnSync('git', args, { cwd: this.root, env, encoding: 'utf8' })
    return { code: ran.status, err: ran.stderr }
  }
}

describe('the pre-push hook', () => {
  test('is plain sh', (t) => {
    if (!need(t, 'shellcheck')) return
    const ran = spawnSync('shellcheck', ['-s', 'sh', HOOK], { encoding: 'utf8' })
    assert.deepEqual([ran.status, ran.stdout], [0, ''])
  })

  test('lets pass what changes nothing frozen, and holds back what does', (t) => {
    if (!need(t, 'git')) return
    const repo = new Pushed()
    repo.hook()
    const first = repo.git('push', '-q', 'origin', 'main')
    assert.equal(first.code, 0, first.err)
    assert.match(first.err, /nothing to hold refs\/heads\/main against/)
    repo.git('checkout', '-q', '-b', 'work')
    repo.commit('free', 'x\n')
    const clean = repo.git('push', '-q', 'origin', 'work')
    assert.equal(clean.code, 0, clean.err)
    repo.commit('lock', 'two\n')
    for (const args of [
      ['push', '-q', 'origin', 'work'],
      ['push', '-q', 'origin', 'work:main'],
      ['push', '-q', 'origin', 'HEAD~1:refs/heads/free', 'work:refs/heads/other'],
      ['push', '-q', `${repo.root}.git`, 'work'],
    ]) {
      const held = repo.git(...args)
      assert.notEqual(held.code, 0, args.join(' '))
      assert.match(held.err, /^lock: was edited, and it is frozen \(rail lock, ticket T1\)$/m)
      assert.match(held.err, /^pre-push: refs\/heads\/\w+ changes what is frozen/m)
    }
    const gone = repo.git('push', '-q', 'origin', ':work')
    assert.equal(gone.code, 0, gone.err)
  })

  test('what was pushed to a branch before frees nothing', (t) => {
    if (!need(t, 'git')) return
    const repo = new Pushed()
    repo.git('push', '-q', 'origin', 'main')
    repo.git('checkout', '-q', '-b', 'work')
    repo.commit(`.adlc/tickets/${canonicalName('T1')}`, '{"id":"T1","title":"t"}')
    repo.git('push', '-q', 'origin', 'work')
    repo.hook()
    repo.commit('lock', 'two\n')
    const held = repo.git('push', '-q', 'origin', 'work')
    assert.notEqual(held.code, 0)
    assert.match(held.err, /^lock: was edited/m)
  })

  test('without the program, or with one out of the work tree, nothing is pushed', (t) => {
    if (!need(t, 'git')) return
    const repo = new Pushed()
    repo.git('push', '-q', 'origin', 'main')
    repo.hook()
    repo.commit('free', 'x\n')
    const none = repo.run(['push', '-q', 'origin', 'main'], { ...ENV, PATH: '/usr/bin:/bin' })
    assert.notEqual(none.code, 0)
    assert.match(none.err, /sallyport is not on PATH/)
    mkdirSync(join(repo.root, 'tools'))
    writeFileSync(join(repo.root, 'tools', 'sallyport'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    const own = repo.run(['push', '-q', 'origin', 'main'], { ...ENV, PATH: 'tools:/usr/bin:/bin' })
    assert.notEqual(own.code, 0)
    assert.match(own.err, /no file of its own/)
  })
})

describe('the workflow', () => {
  const steps = [...WORKFLOW.matchAll(/^ +run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(([, many, one]) => many ?? one!)

  test('runs no text of the change: what comes from an event goes through variables', () => {
    assert.equal(steps.length, 3)
    for (const step of steps) assert.doesNotMatch(step, /\$\{\{/)
  })

  test('pins what it uses, and may only read', () => {
    const used = [...WORKFLOW.matchAll(/uses: (\S+)/g)].map(([, name]) => name!)
    assert.ok(used.length >= 2)
    for (const name of used) assert.match(name, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
    assert.deepEqual(WORKFLOW.match(/permissions:.*\n(?:^ {6}.*\n)?/gm), [
      'permissions: {}\n',
      'permissions:\n      contents: read\n',
    ])
  })

  test('checks out the base and never the change', () => {
    const refs = [...WORKFLOW.matchAll(/^ +ref: (.*)$/gm)].map(([, ref]) => ref)
    assert.deepEqual(refs, ['$' + '{{ github.event.pull_request.base.sha }}'])
    assert.match(WORKFLOW, /^ {2}pull_request_target:$/m)
    assert.match(steps.at(-1)!, /rails check --base "\$BASE" --head "\$HEAD"/)
  })

  test('its steps are shell', (t) => {
    if (!need(t, 'bash')) return
    for (const step of steps) assert.equal(spawnSync('bash', ['-n'], { input: step }).status, 0, step)
  })
})
