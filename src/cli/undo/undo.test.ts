/** What a call loses is kept before the host hears of it, and comes back byte for byte. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { ToolCall } from '../../core/call.ts'
import { answer } from '../../core/driver.ts'
import { judgeCall } from '../../guard/judge.ts'
import { hostOf } from '../../hosts/registry.ts'
import { EMPTY_POLICY } from '../../policy/policy.ts'
import { EMPTY_SESSION } from '../../session/session.ts'
import { diskWorld } from '../../world/disk.ts'
import { gatheredIo } from '../io.testing.ts'
import { EXIT } from '../io.ts'
import { keep, LIMITS, snapshotsOf } from './snapshots.ts'
import { snapshot } from './take.ts'
import { undoList, undoRestore, undoShow } from './undo.ts'

let home = ''
let project = ''
let state = ''

before(() => {
  home = mkdtempSync(join(tmpdir(), 'undo-'))
  project = join(home, 'proj')
  state = join(home, '.local/state/sallyport')
  mkdirSync(join(home, '.config/sallyport'), { recursive: true })
  writeFileSync(join(home, '.config/sallyport/policy.jsonc'), '{ "snapshots": { "on": true } }\n')
})
after(() => rmSync(home, { recursive: true, force: true }))

beforeEach(() => {
  rmSync(project, { recursive: true, force: true })
  rmSync(join(state, 'snapshots'), { recursive: true, force: true })
  mkdirSync(join(project, 'drafts/deep'), { recursive: true })
  mkdirSync(join(project, 'node_modules/x'), { recursive: true })
  const files: Readonly<Record<string, string | Buffer>> = {
    'README.md': '# clean\n',
    'changed.txt': 'committed\n',
    'drafts/a.md': 'only here\n',
    'drafts/deep/b.bin': Buffer.from([0, 255, 10, 13, 0]),
    'node_modules/x/index.js': 'rebuilt\n',
    '.gitignore': 'node_modules\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
  symlinkSync('a.md', join(project, 'drafts/link'))
  chmodSync(join(project, 'drafts/a.md'), 0o640)
  const git = (...words: string[]) =>
    spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.org', ...words], { cwd: project })
  git('init', '-q')
  git('add', 'README.md', 'changed.txt', '.gitignore')
  git('commit', '-q', '-m', 'first')
  writeFileSync(join(project, 'changed.txt'), 'changed since\n')
})

const io = () => gatheredIo(project, { HOME: home, PATH: process.env['PATH'] })

const payloadOf = (tool: string, input: object) => ({
  ...{ session_id: 's', transcript_path: join(home, 't.jsonl'), cwd: project, permission_mode: 'default' },
  ...{ hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input },
})

/** Judges a call and keeps what it may lose, as the hook does, with all the time it takes. Returns the verdict. */
function judged(tool: string, input: object): string {
  const decoded = hostOf('claude')!.decode(payloadOf(tool, input), 'PreToolUse', {
    version: undefined,
    unattended: false,
    env: {},
  })
  assert.equal(decoded.is, 'pre')
  const { call } = decoded as { call: ToolCall }
  const world = diskWorld({ cwd: project, env: { HOME: home, PATH: process.env['PATH'] } })
  const policy = { ...EMPTY_POLICY, settings: { snapshots: { on: true } } }
  const context = {
    ...{ home, user: 'user', platform: 'linux' as const, policy, session: EMPTY_SESSION },
    ...{ mode: call.mode, unattended: false },
  }
  const { value } = answer(judgeCall(call, context), world, { ms: 60_000, questions: 50_000, start: world.now() })
  if (value.decision !== 'deny') snapshot(state, call, value, policy, () => 60_000)
  return value.decision
}

/** Paths in the one snapshot, relative to the project. */
const kept = (): readonly string[] =>
  snapshotsOf(state)
    .flatMap(({ entries }) => entries.map(({ path }) => path.slice(project.length + 1)))
    .sort()

describe('what is kept', () => {
  const cases: [string, string, object, readonly string[]][] = [
    [
      'a directory that git does not hold',
      'Bash',
      { command: 'rm -r drafts' },
      ['drafts/a.md', 'drafts/deep/b.bin', 'drafts/link'],
    ],
    ['a pattern', 'Bash', { command: 'rm drafts/*.md' }, ['drafts/a.md']],
    ['a file that is written over', 'Write', { file_path: 'changed.txt', content: 'x' }, ['changed.txt']],
    [
      'changes that git would discard',
      'Bash',
      { command: 'git checkout -- changed.txt' },
      ['changed.txt', 'drafts/a.md', 'drafts/deep/b.bin', 'drafts/link'],
    ],
    ['nothing that a commit holds', 'Bash', { command: 'rm README.md' }, []],
    ['nothing that tools rebuild', 'Bash', { command: 'rm -rf node_modules' }, []],
    ['nothing of a call that reads', 'Bash', { command: 'cat changed.txt' }, []],
  ]
  for (const [name, tool, given, expected] of cases)
    test(name, () => {
      const input = 'file_path' in given ? { ...given, file_path: join(project, String(given.file_path)) } : given
      assert.notEqual(judged(tool, input), 'deny')
      assert.deepEqual(kept(), [...expected].sort())
    })

  test('nothing of a call that is denied', () => {
    assert.equal(judged('Bash', { command: 'git reset --hard && rm -rf drafts' }), 'deny')
    assert.deepEqual(kept(), [])
  })

  test('for the user alone', () => {
    judged('Bash', { command: 'rm -r drafts' })
    const dir = join(state, 'snapshots')
    assert.equal(statSync(dir).mode & 0o777, 0o700)
    assert.equal(statSync(join(dir, readdirSync(dir)[0]!)).mode & 0o777, 0o700)
  })
})

describe('what comes back', () => {
  test('bytes, modes and links, whatever is there by then', () => {
    judged('Bash', { command: 'rm -r drafts' })
    rmSync(join(project, 'drafts'), { recursive: true })
    const [one] = snapshotsOf(state)
    const to = io()
    assert.equal(undoRestore({}, [one!.id], to), EXIT.ok, to.errors)
    assert.equal(readFileSync(join(project, 'drafts/a.md'), 'utf8'), 'only here\n')
    assert.equal(statSync(join(project, 'drafts/a.md')).mode & 0o777, 0o640)
    assert.deepEqual([...readFileSync(join(project, 'drafts/deep/b.bin'))], [0, 255, 10, 13, 0])
    assert.equal(readlinkSync(join(project, 'drafts/link')), 'a.md')
    assert.equal(to.text, '3 of 3 files brought back\n')
    const again = io()
    assert.equal(undoRestore({}, [one!.id], again), EXIT.ok, 'a second time nothing is left to do')
    assert.equal(again.text, '0 of 3 files brought back, 3 were there already\n')
    const list = io()
    undoList({}, list)
    assert.match(list.text, /^s_\w+ {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}/, 'a time that says its zone')
  })

  test('one file of several, and elsewhere', () => {
    judged('Bash', { command: 'rm -r drafts' })
    rmSync(join(project, 'drafts'), { recursive: true })
    const [one] = snapshotsOf(state)
    assert.equal(undoRestore({}, [one!.id, 'drafts/deep'], io()), EXIT.ok)
    assert.deepEqual(readdirSync(join(project, 'drafts')), ['deep'])
    assert.equal(undoRestore({ to: 'back' }, [one!.id], io()), EXIT.ok)
    assert.equal(readFileSync(join(project, 'back', project, 'drafts/a.md'), 'utf8'), 'only here\n')
  })

  test('not over a file that has changed since, but beside it where that is wanted', () => {
    judged('Write', { file_path: join(project, 'changed.txt'), content: 'x' })
    writeFileSync(join(project, 'changed.txt'), 'x')
    const [one] = snapshotsOf(state)
    const to = io()
    assert.equal(undoRestore({}, [one!.id], to), EXIT.problem)
    assert.match(to.errors, /has changed since/)
    assert.equal(readFileSync(join(project, 'changed.txt'), 'utf8'), 'x')
    assert.equal(undoRestore({ force: true }, [one!.id], io()), EXIT.ok)
    assert.equal(readFileSync(join(project, 'changed.txt'), 'utf8'), 'changed since\n')
    assert.equal(readFileSync(join(project, 'changed.txt.before-undo'), 'utf8'), 'x')
  })
})

test('the hook keeps it before it answers, where the policy says so', () => {
  const run = (command: string) => {
    const ran = spawnSync(process.execPath, ['bin/sallyport.js', 'hook', 'claude', 'PreToolUse'], {
      input: JSON.stringify(payloadOf('Bash', { command })),
      encoding: 'utf8',
      env: { HOME: home, PATH: process.env['PATH'] },
    })
    assert.equal(ran.status, 0)
  }
  run('cat changed.txt')
  assert.deepEqual(kept(), [])
  // On a busy machine there may be no time left for it.
  for (let tries = 0; tries < 5 && kept().length === 0; tries++) run('rm drafts/a.md')
  assert.deepEqual(kept(), ['drafts/a.md'])
  writeFileSync(join(home, '.config/sallyport/policy.jsonc'), '{}\n')
  run('rm -r drafts')
  assert.deepEqual(kept(), ['drafts/a.md'])
  writeFileSync(join(home, '.config/sallyport/policy.jsonc'), '{ "snapshots": { "on": true } }\n')
})

test('list and show tell what there is', () => {
  judged('Bash', { command: 'rm -r drafts' })
  rmSync(join(project, 'drafts/a.md'))
  const [one] = snapshotsOf(state)
  const list = io()
  assert.equal(undoList({}, list), EXIT.ok)
  assert.match(list.text, new RegExp(`^${one!.id}  .* claude  3 files, 15 bytes  rm -r drafts\n$`))
  const show = io()
  assert.equal(undoShow(one!.id, show), EXIT.ok)
  assert.match(show.text, /gone {7}.*drafts\/a\.md/)
  assert.match(show.text, /the same {3}.*drafts\/deep\/b\.bin/)
  assert.equal(undoShow('s_000000000000', io()), EXIT.problem)
  assert.equal(undoShow('nonsense', io()), EXIT.usage)
  assert.equal(undoRestore({}, [], io()), EXIT.usage)
})

test('the oldest make room, and what is too old goes', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'snapshots-'))
  try {
    const file = join(scratch, 'f')
    writeFileSync(file, 'x'.repeat(1000))
    const now = Date.now()
    const take = (id: string, at: number) =>
      keep(
        scratch,
        { id, at, host: 'claude', session: 's', call: 'c', heads: {}, cut: false },
        [file],
        { ...LIMITS, maxBytes: 2500 },
        () => 1000,
      )
    take('s_old', now - 8 * 24 * 3600 * 1000)
    take('s_one', now - 2000)
    take('s_two', now - 1000)
    take('s_three', now)
    assert.deepEqual(
      snapshotsOf(scratch).map(({ id }) => id),
      ['s_three', 's_two'],
    )
    assert.equal(
      keep(
        scratch,
        { id: 's_none', at: now, host: '', session: '', call: '', heads: {}, cut: false },
        [join(scratch, 'absent')],
        LIMITS,
        () => 1000,
      ),
      undefined,
    )
    assert.ok(!existsSync(join(scratch, 'snapshots/.s_none')))
    const late = keep(
      scratch,
      { id: 's_late', at: now, host: '', session: '', call: '', heads: { r: 'h' }, cut: false },
      [file],
      LIMITS,
      () => 0,
    )
    assert.deepEqual([late?.entries.length, late?.cut], [0, true])
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
})
