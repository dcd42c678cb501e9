/** Verbs of a person, with a hook that was really started and a terminal that is said to be there. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gatheredIo } from '../io.testing.ts'
import { EXIT } from '../io.ts'
import { logVerb } from '../log.ts'
import { allowVerb } from './allow.ts'
import { pauseVerb } from './pause.ts'
import { type Asker, approveVerb, lastLine, pendingVerb } from './pending.ts'
import { type Surroundings, whyNoPerson } from './person.ts'
import { whyVerb } from './why.ts'

const PERSON: Surroundings = { env: {}, ancestors: [{ pid: 2, words: ['bash', '-bash'] }], terminal: true }

let home = ''
let project = ''
before(() => {
  home = mkdtempSync(join(tmpdir(), 'person-'))
  project = join(home, 'proj')
  mkdirSync(join(project, 'drafts'), { recursive: true })
  writeFileSync(join(project, 'drafts/a.md'), 'only here\n')
  writeFileSync(join(project, 'README.md'), '# p\n')
  writeFileSync(join(project, 'other.md'), 'only here, too\n')
  const git = (...words: string[]) =>
    spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.org', ...words], { cwd: project })
  git('init', '-q')
  git('add', 'README.md')
  git('commit', '-q', '-m', 'first')
})
after(() => rmSync(home, { recursive: true, force: true }))

const io = () => gatheredIo(project, { HOME: home, PATH: process.env['PATH'] })

/** What the hook answers to a command of an unattended session; undefined for silence. */
function hook(command: string, session = 's1'): string | undefined {
  const payload = {
    ...{
      session_id: session,
      transcript_path: join(home, 't.jsonl'),
      cwd: project,
      permission_mode: 'bypassPermissions',
    },
    ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } },
  }
  const { stdout, status } = spawnSync(process.execPath, ['bin/sallyport.js', 'hook', 'claude', 'PreToolUse'], {
    input: JSON.stringify(payload),
    encoding: 'utf8',
    env: { HOME: home, PATH: process.env['PATH'] },
  })
  assert.equal(status, 0)
  return stdout === '' ? undefined : (JSON.parse(stdout).hookSpecificOutput.permissionDecision as string)
}

const asker = (answer = 'yes', around = PERSON): Asker => ({ around, now: Date.now(), ask: () => answer })

function pendingRows(): {
  code: string
  firm: boolean
  approved: boolean
  effects: { act: string; target: string }[]
}[] {
  const to = io()
  assert.equal(pendingVerb({ json: true }, to, asker()), EXIT.ok, to.errors)
  return JSON.parse(to.text)
}

describe('who may answer', () => {
  const cases: [string, Partial<Surroundings>, RegExp | undefined][] = [
    ['a person in a shell', {}, undefined],
    ['no terminal', { terminal: false }, /only a person at a terminal/],
    ['a shell that Claude Code started', { env: { CLAUDECODE: '1' } }, /CLAUDECODE is set/],
    [
      'below codex',
      {
        ancestors: [
          { pid: 3, words: ['bash'] },
          { pid: 2, words: ['codex', '/usr/bin/codex', 'exec'] },
        ],
      },
      /codex is among/,
    ],
    [
      'below a script of an agent',
      { ancestors: [{ pid: 3, words: ['node', 'node', '/x/node_modules/@google/gemini-cli/dist/index.js'] }] },
      /gemini-cli is among/,
    ],
    [
      'below a script of another agent',
      { ancestors: [{ pid: 3, words: ['node', 'node', '/x/node_modules/@moonshot-ai/kimi-code/dist/main.mjs'] }] },
      /kimi-code is among/,
    ],
    ['a shell about an agent', { ancestors: [{ pid: 3, words: ['bash', 'bash', '-c', 'cat claude'] }] }, undefined],
    [
      'an editor whose file has the name',
      {
        ancestors: [
          { pid: 3, words: ['sh', '-sh'] },
          { pid: 4, words: ['tmux: server', 'tmux'] },
        ],
      },
      undefined,
    ],
  ]
  for (const [name, around, expected] of cases)
    test(name, () => {
      const why = whyNoPerson({ ...PERSON, ...around })
      if (expected === undefined) assert.equal(why, undefined)
      else assert.match(why ?? '', expected)
    })

  test('nobody approves, allows, lists or pauses without being one', () => {
    const nobody = { ...PERSON, terminal: false }
    const to = io()
    assert.equal(pendingVerb({}, to, asker('yes', nobody)), EXIT.problem)
    assert.equal(approveVerb({ yes: true }, 'aaaaaa', to, asker('yes', nobody)), EXIT.problem)
    assert.equal(allowVerb({ yes: true }, ['delete', 'x'], to, asker('yes', nobody)), EXIT.problem)
    assert.equal(pauseVerb('10m', to, nobody), EXIT.problem)
    assert.equal(to.text, '')
    assert.equal(to.errors.split('only a person at a terminal').length, 5)
    assert.match(to.errors, /^sallyport pending: only a person at a terminal may see the codes/)
  })
})

describe('an approval', () => {
  test('holds for the same effect in other words, and for one use', () => {
    assert.equal(hook('rm -r drafts'), 'deny')
    const [row] = pendingRows()
    assert.equal(row?.effects[0]?.target, join(project, 'drafts'))
    const to = io()
    assert.equal(pendingVerb({}, to, asker()), EXIT.ok)
    assert.match(to.text, /^[0-9a-f]{6} {2}\d+ min ago {2}s1 {2}/, 'the session’s own id')
    assert.equal(approveVerb({}, row!.code, to, asker('no')), EXIT.problem)
    assert.equal(hook('rm -r drafts'), 'deny')
    assert.equal(approveVerb({}, row!.code, to, asker()), EXIT.ok, to.errors)
    assert.equal(pendingRows()[0]?.approved, true)
    assert.equal(hook('rm -rf ./drafts/'), undefined)
    assert.equal(hook('rm -rf ./drafts/'), 'deny')
  })

  test('for the session holds as often as it is used, and in no other session', () => {
    const to = io()
    assert.equal(approveVerb({ session: true }, pendingRows()[0]!.code, to, asker()), EXIT.ok, to.errors)
    for (let use = 0; use < 3; use++) assert.equal(hook('rm -r drafts'), undefined)
    assert.equal(hook('rm -r drafts', 's2'), 'deny')
    assert.equal(hook('rm -r drafts other.md'), 'deny', 'more than was approved')
  })

  test('is not offered where nothing can be approved', () => {
    const of = (firm: boolean) => {
      const rows = pendingRows().filter((row) => row.firm === firm)
      assert.ok(rows.length > 0)
      return lastLine(rows)
    }
    assert.equal(hook('echo x > ~/.claude/settings.json'), 'deny')
    assert.match(of(true), /^none of these can be approved/)
    assert.match(of(false), /^approve one with: sallyport approve CODE/)
    assert.match(lastLine([]), /^nothing was refused/)
  })

  test('of what cannot be approved is refused', () => {
    assert.equal(hook('echo x > ~/.claude/settings.json'), 'deny')
    const row = pendingRows().find(({ firm }) => firm)
    const to = io()
    assert.equal(approveVerb({}, row!.code, to, asker()), EXIT.problem)
    assert.match(to.errors, /cannot be approved/)
  })

  test('of a step of git, which sticks until then', () => {
    writeFileSync(join(project, 'README.md'), '# changed\n')
    assert.equal(hook('git reset --hard', 's7'), 'deny')
    const row = pendingRows().find(({ effects }) => effects.some(({ act }) => /discard|git|reset|write/.test(act)))
    assert.ok(row, JSON.stringify(pendingRows()))
    const to = io()
    assert.equal(approveVerb({}, row.code, to, asker()), EXIT.ok, to.errors)
    assert.equal(hook('git reset --hard HEAD', 's7'), undefined)
    assert.equal(hook('git checkout .', 's7'), 'deny', 'the same effect')
    writeFileSync(join(project, 'README.md'), '# p\n')
  })

  test('of what holds something that cannot be approved is refused as a whole', () => {
    assert.equal(hook('rm -rf ~', 's8'), 'deny')
    const row = pendingRows().find(({ effects }) => effects.some(({ target }) => target === home))
    assert.equal(row?.firm, true)
  })

  test('of a code that there is not, or that is none', () => {
    const to = io()
    assert.equal(approveVerb({}, '000000', to, asker()), EXIT.problem)
    assert.equal(approveVerb({}, 'xyz', to, asker()), EXIT.usage)
    assert.equal(approveVerb({}, undefined, to, asker()), EXIT.usage)
  })
})

test('why tells what a verdict rested on, by its id and for the last one', () => {
  assert.equal(hook('rm -rf ~', 's3'), 'deny')
  const to = io()
  assert.equal(whyVerb({}, 'last', to), EXIT.ok, to.errors)
  assert.match(to.text, /^v_[0-9a-f]{12}\nverdict {2}deny \(loss\./)
  assert.match(to.text, /effect {3}delete /)
  const id = to.text.slice(0, 14)
  const again = io()
  assert.equal(whyVerb({}, id.slice(0, 10), again), EXIT.ok)
  assert.equal(again.text, to.text)
  const json = io()
  assert.equal(whyVerb({ json: true }, id, json), EXIT.ok)
  assert.equal(JSON.parse(json.text).id, id)
  assert.equal(whyVerb({}, 'v_000000000000', io()), EXIT.problem)
  assert.equal(whyVerb({}, 'v_', io()), EXIT.usage)
})

describe('a rule for good', () => {
  test('is added with comments kept, holds, and can be taken out again', () => {
    const file = join(home, '.config/sallyport/policy.jsonc')
    mkdirSync(join(file, '..'), { recursive: true })
    const text = '{\n  // mine\n  "v": 1, // the first\n  "disposable": ["scratch/**"],\n}\n'
    writeFileSync(file, text)
    const to = io()
    assert.equal(allowVerb({}, ['delete', 'drafts'], to, asker('no')), EXIT.problem)
    assert.equal(readFileSync(file, 'utf8'), text)
    assert.equal(allowVerb({ yes: true }, ['delete', 'drafts'], to, asker()), EXIT.ok, to.errors)
    const now = readFileSync(file, 'utf8')
    assert.match(now, /\/\/ mine\n {2}"v": 1, \/\/ the first/)
    assert.equal(readFileSync(`${file}.bak`, 'utf8'), text)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(hook('rm -r drafts', 's4'), undefined)
    const list = io()
    assert.equal(allowVerb({}, [], list, asker()), EXIT.ok)
    assert.equal(list.text, '1  {"effect":"delete","target":"drafts"}\n')
    assert.equal(allowVerb({ yes: true, remove: '1' }, [], to, asker()), EXIT.ok, to.errors)
    assert.equal(hook('rm -r drafts', 's5'), 'deny')
  })

  const bad: [string, () => number, RegExp][] = []
  let to = io()
  const attempt = (name: string, run: () => number, message: RegExp) => bad.push([name, run, message])
  attempt(
    'an effect that there is not',
    () => allowVerb({ yes: true }, ['erase', 'x'], to, asker()),
    /^sallyport allow: the effect cannot be .*erase/,
  )
  attempt(
    'a target is missing',
    () => allowVerb({ yes: true }, ['delete'], to, asker()),
    /name an effect and its target/,
  )
  attempt('both forms', () => allowVerb({ yes: true, command: 'ls' }, ['delete', 'x'], to, asker()), /either --command/)
  attempt('a number that there is not', () => allowVerb({ yes: true, remove: '9' }, [], to, asker()), /no entry "9"/)
  for (const [name, run, message] of bad)
    test(name, () => {
      to = io()
      assert.equal(run(), EXIT.usage)
      assert.match(to.errors, message)
    })

  test('a policy that cannot be read is left alone, and one behind a link is changed where it lies', () => {
    const file = join(home, '.config/sallyport/policy.jsonc')
    writeFileSync(file, '{ "v": 1, oops')
    const errors = io()
    assert.equal(allowVerb({ yes: true }, ['delete', 'x'], errors, asker()), EXIT.problem)
    assert.match(errors.errors, /cannot be changed/)
    assert.equal(readFileSync(file, 'utf8'), '{ "v": 1, oops')
    const real = join(home, 'dotfiles.jsonc')
    rmSync(file)
    writeFileSync(real, '{}\n')
    symlinkSync(real, file)
    assert.equal(allowVerb({ yes: true, command: 'make deploy' }, [], errors, asker()), EXIT.ok)
    assert.deepEqual(JSON.parse(readFileSync(real, 'utf8')), { allow: [{ command: 'make deploy' }] })
    rmSync(file)
  })
})

test('a pause lets pass what is refused otherwise, but for the guard itself, and ends', () => {
  assert.equal(hook('rm -r drafts', 's6'), 'deny')
  const to = io()
  assert.equal(pauseVerb('10m', to, PERSON), EXIT.ok, to.errors)
  assert.equal(hook('rm -r drafts', 's6'), undefined)
  const log = io()
  logVerb(['-n', '2'], log)
  assert.match(
    log.text,
    / {2}deny {2}loss\.\S+ {2}v_\S+ {2}rm -r drafts\n.* {2}pass {2}paused {2}loss\.\S+ {2}v_\S+ {2}rm -r drafts\n$/,
  )
  assert.equal(hook('echo x > ~/.local/state/sallyport/pause.json', 's6'), 'deny')
  // What no approval lifts is refused also where something else about the call comes first.
  for (const line of ['rm -rf ~', 'rm -rf /', 'rm -rf ~/.config', 'find / -delete', 'cat a > ~/.claude/settings.json'])
    assert.equal(hook(line, 's6'), 'deny', line)
  for (const length of ['2h', '0m', '10', 'soon', '-5m'])
    assert.equal(pauseVerb(length, io(), PERSON), EXIT.usage, length)
  assert.equal(pauseVerb('off', to, { ...PERSON, terminal: false }), EXIT.ok)
  assert.equal(hook('rm -r drafts', 's6'), 'deny')
  // A pause that somebody else made longer than a person can is none.
  writeFileSync(join(home, '.local/state/sallyport/pause.json'), JSON.stringify({ until: Date.now() + 90 * 60_000 }))
  assert.equal(hook('rm -r drafts', 's6'), 'deny')
})
