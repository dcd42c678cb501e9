import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { EMPTY_POLICY } from '../policy/policy.ts'
import { appendLog } from '../record/log-file.ts'
import { logLine } from '../record/log-line.ts'
import { buildRecord } from '../record/record.ts'
import { sessionName } from '../session/store.ts'
import { logVerb } from './log.ts'

const root = mkdtempSync(join(tmpdir(), 'log-verb-'))
after(() => rmSync(root, { recursive: true }))

function place() {
  const dir = mkdtempSync(join(root, 's-'))
  const state = join(dir, 'sallyport')
  mkdirSync(state, { mode: 0o700 })
  let n = 0
  const add = (call: string, decision: 'deny' | 'ask' | 'pass' = 'deny', session = 'one', rule = '') => {
    const named = rule || (decision === 'pass' ? 'none' : 'loss.tree')
    const verdict = { decision, rule: named, reason: 'r', status: 'complete', findings: [], effects: [] } as const
    const record = buildRecord({ verdict, policy: EMPTY_POLICY, facts: [], ms: 1, seed: String(n++) })
    const context = {
      ts: '2026-01-02T03:04:05.678Z',
      host: 'claude',
      event: 'PreToolUse',
      session,
      cwd: '/p',
      tool: 'Bash',
      call,
      answered: '',
      via: 'hook',
    } as const
    assert.equal(
      appendLog(state, (prev) => logLine(record, context, prev)),
      undefined,
    )
  }
  const run = (argv: readonly string[], stop?: AbortSignal) => {
    const said = { out: '', err: '' }
    const io = {
      out: (text: string) => {
        said.out += text
      },
      err: (text: string) => {
        said.err += text
      },
      cwd: '/',
      env: { XDG_STATE_HOME: dir, HOME: '/nowhere' },
      colour: argv.includes('--colour'),
    }
    const code = logVerb(
      argv.filter((word) => word !== '--colour'),
      io,
      stop,
    )
    return { code, said }
  }
  return { state, add, run }
}

test('lines for people: time, host, verdict, rule, what why takes, call', () => {
  const { add, run } = place()
  add('rm -rf build')
  add('ls', 'pass')
  // What a person approved, or what went by in a pause.
  add('rm -rf out', 'pass', 'one', 'loss.tree')
  const [{ id }, , approved] = run(['--json'])
    .said.out.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(run([]), {
    code: 0,
    said: {
      out: `2026-01-02 03:04:05Z  claude  deny  loss.tree  ${id}  rm -rf build\n2026-01-02 03:04:05Z  claude  pass  ls\n2026-01-02 03:04:05Z  claude  pass  loss.tree  ${approved.id}  rm -rf out\n`,
      err: '',
    },
  })
})

test('calls of setup and doctor are left out unless they are asked for', () => {
  const { add, run } = place()
  add(': sallyport-canary x1', 'deny', 'try', 'gate.canary')
  const none = run([])
  assert.deepEqual([none.code, none.said.out], [0, ''])
  assert.match(none.said.err, /nothing is logged yet but 1 call of setup and doctor, which --canaries shows$/m)
  add('rm -rf build')
  add(': sallyport-canary x2', 'deny', 'try', 'gate.canary')
  assert.match(run(['-n', '1']).said.out, /rm -rf build\n$/)
  assert.equal(run(['--json']).said.out.split('\n').length - 1, 1)
  assert.equal(run(['--canaries']).said.out.split('\n').length - 1, 3)
})

test('control characters of a call do not reach the terminal', () => {
  const { add, run } = place()
  add('echo \u001b]0;x\u0007\u202e\nrm')
  const { out } = run([]).said
  assert.ok(!/[\u001b\u0007\u202e]/.test(out), JSON.stringify(out))
  assert.equal(out.split('\n').length, 2)
  assert.match(run(['--colour']).said.out, /\u001b\[31mdeny/)
})

test('the last N lines, of one session, as they were written', () => {
  const { state, add, run } = place()
  for (let i = 0; i < 30; i++) add(`call ${i}`, 'deny', i % 2 === 0 ? 'even' : 'odd')
  assert.equal(run([]).said.out.split('\n').length - 1, 20)
  assert.match(run(['-n', '1']).said.out, /call 29/)
  assert.equal(run(['-n', '0']).said.out, '')
  const even = run(['--session', 'even', '-n', '100', '--json']).said.out.trimEnd().split('\n')
  assert.equal(even.length, 15)
  const { host } = JSON.parse(even[0]!)
  assert.equal(run(['--session', sessionName(host, 'even'), '-n', '100', '--json']).said.out.split('\n').length, 16)
  const written = readFileSync(join(state, 'log.jsonl'), 'utf8')
  for (const line of even) assert.ok(written.includes(`${line}\n`))
})

test('files that were put aside are read where the newest has too few lines', () => {
  const { state, add, run } = place()
  add('older')
  renameSync(join(state, 'log.jsonl'), join(state, 'log.1.jsonl'))
  add('newer')
  assert.match(run([]).said.out, /older\n.*newer\n$/)
  assert.deepEqual(run(['--verify']), { code: 0, said: { out: '2 lines, each follows from one before it\n', err: '' } })
})

test('a line that was taken out or changed is missed', () => {
  const { state, add, run } = place()
  for (const call of ['a', 'b', 'c']) add(call)
  assert.equal(run(['--verify']).code, 0)
  const file = join(state, 'log.jsonl')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  writeFileSync(file, `${lines[0]}\n${lines[2]}\n`)
  assert.equal(run(['--verify']).code, 1)
  writeFileSync(file, `${lines[0]}\n${lines[1]!.replace('"b"', '"B"')}\n${lines[2]}\n`)
  assert.match(run(['--verify']).said.out, /1 out of line/)
})

test('broken lines are told, an empty log is told, bad usage exits 2', () => {
  const { state, add, run } = place()
  assert.deepEqual(run([]), { code: 0, said: { out: '', err: 'sallyport log: nothing is logged yet\n' } })
  add('a')
  appendFileSync(join(state, 'log.jsonl'), 'garbage\n{"v":1}\n')
  assert.match(run([]).said.err, /2 lines could not be read/)
  for (const argv of [['-n', 'x'], ['--what'], ['word'], ['--session']]) {
    const { code, said } = run(argv)
    assert.equal(code, 2)
    assert.match(said.err, /^sallyport log: .*; use sallyport log/)
  }
})

test('following shows what comes, also into a new file', async () => {
  const { state, add, run } = place()
  add('before')
  const stop = new AbortController()
  const { code, said } = run(['--follow', '-n', '1'], stop.signal)
  const until = async (text: string) => {
    for (let i = 0; i < 200 && !said.out.includes(text); i++) await new Promise((done) => setTimeout(done, 20))
    assert.ok(said.out.includes(text), said.out)
  }
  await until('before')
  add('second')
  await until('second')
  renameSync(join(state, 'log.jsonl'), join(state, 'log.1.jsonl'))
  add('third')
  await until('third')
  stop.abort()
  assert.equal(await code, 0)
  assert.equal(said.out.split('\n').length - 1, 3)
})
