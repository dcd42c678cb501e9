import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { effectLine, foldSession, pathLines } from './fold.ts'
import { appendSession, claimApproval, openState, readSession, type StateDir, sessionFile, statePath } from './store.ts'

const root = mkdtempSync(join(tmpdir(), 'store-'))
after(() => rmSync(root, { recursive: true }))
let count = 0

function fresh(): StateDir {
  const state = openState({ XDG_STATE_HOME: join(root, `s${count++}`) }, '/nowhere')
  assert.ok('path' in state, JSON.stringify(state))
  return state
}

function lines(state: StateDir, session = 's') {
  const read = readSession(state, 'claude', session)
  assert.ok('lines' in read, JSON.stringify(read))
  return read
}

test('the place follows the environment, and a relative variable is ignored', () => {
  assert.equal(statePath({}, '/home/dev'), '/home/dev/.local/state/sallyport')
  assert.equal(statePath({ XDG_STATE_HOME: '/st' }, '/home/dev'), '/st/sallyport')
  assert.equal(statePath({ XDG_STATE_HOME: 'st' }, '/home/dev'), '/home/dev/.local/state/sallyport')
})

test('lines come back in order, with private modes', () => {
  const state = fresh()
  const one = effectLine('denied', 1, [{ act: 'delete', target: '/a', tree: true }])
  const [two] = pathLines('created', 2, ['/ü 😀'])
  assert.deepEqual(lines(state), { lines: [], skipped: 0 })
  assert.equal(appendSession(state, 'claude', 's', [one]), undefined)
  assert.equal(appendSession(state, 'claude', 's', [two!]), undefined)
  assert.deepEqual(lines(state), { lines: [one, two], skipped: 0 })
  assert.deepEqual(lines(state, 'other').lines, [])
  const file = sessionFile(state, 'claude', 's')
  assert.match(file, /sessions\/claude-[0-9a-f]{16}\.jsonl$/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(state.path).mode & 0o777, 0o700)
})

test('corrupt lines are skipped and counted; a torn line does not swallow the next', () => {
  const state = fresh()
  const one = effectLine('denied', 1, [{ act: 'delete', target: '/a', tree: true }])
  appendSession(state, 'claude', 's', [one])
  appendFileSync(sessionFile(state, 'claude', 's'), 'garbage\n{"t":1}\n{"t":1,"kind":"den')
  const two = effectLine('denied', 2, [{ act: 'delete', target: '/b', tree: true }])
  appendSession(state, 'claude', 's', [two])
  assert.deepEqual(lines(state), { lines: [one, two], skipped: 3 })
})

test('a directory that is not ours is refused with a sentence', () => {
  const home = join(root, `h${count++}`)
  mkdirSync(join(home, 'elsewhere'), { recursive: true, mode: 0o700 })
  symlinkSync(join(home, 'elsewhere'), join(home, 'sallyport'))
  const linked = openState({ XDG_STATE_HOME: home }, home)
  assert.match('refused' in linked ? linked.refused : '', /is a link/)

  const open = join(root, `h${count++}`)
  mkdirSync(join(open, 'sallyport'), { recursive: true })
  chmodSync(join(open, 'sallyport'), 0o755)
  const shared = openState({ XDG_STATE_HOME: open }, open)
  assert.match('refused' in shared ? shared.refused : '', /chmod 700/)

  const file = join(root, `h${count++}`)
  mkdirSync(file)
  writeFileSync(join(file, 'sallyport'), '')
  assert.match(JSON.stringify(openState({ XDG_STATE_HOME: file }, file)), /cannot be used|no directory/)
})

test('a session file that is a link is refused, not followed', () => {
  const state = fresh()
  const target = join(root, 'victim')
  writeFileSync(target, 'mine\n')
  mkdirSync(join(state.path, 'sessions'))
  symlinkSync(target, sessionFile(state, 'claude', 's'))
  assert.ok('refused' in readSession(state, 'claude', 's'))
  assert.ok(appendSession(state, 'claude', 's', pathLines('created', 1, ['/a'])))
  assert.equal(readFileSync(target, 'utf8'), 'mine\n')
})

test('a long session stays small and forgets neither the newest nor what was denied', () => {
  const state = fresh()
  appendSession(state, 'claude', 's', [effectLine('denied', 0, [{ act: 'delete', target: '/kept', tree: true }])])
  const calls = 6000
  for (let i = 0; i < calls; i += 20) {
    const some = Array.from({ length: 20 }, (_, k) =>
      pathLines('written', i + k, [`/home/dev/proj/src/some/file-${i + k}.ts`]),
    )
    assert.equal(appendSession(state, 'claude', 's', some.flat()), undefined)
  }
  assert.ok(statSync(sessionFile(state, 'claude', 's')).size <= 160 * 1024)
  const read = lines(state)
  assert.equal(read.skipped, 0)
  assert.ok(read.lines.length <= 512)
  const folded = foldSession(read.lines, 0)
  assert.deepEqual(folded.denied, [{ act: 'delete', target: '/kept', tree: true }])
  assert.ok(folded.written.includes(`/home/dev/proj/src/some/file-${calls - 1}.ts`))
})

test('an approval is claimed once', () => {
  const state = fresh()
  assert.equal(claimApproval(state, 'ab12', 5), true)
  assert.equal(claimApproval(state, 'ab12', 5), false)
  assert.equal(claimApproval(state, 'ab12', 6), true)
})
