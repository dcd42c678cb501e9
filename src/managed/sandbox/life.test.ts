import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { need } from '../../../test/need.ts'
import type { ProgramRun } from '../contract.ts'
import { openEnvironments } from './environments.ts'
import { lab, StubEgress, TestClock } from './sandbox.testing.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const SERVER = 'python3 -m http.server 8123 >/dev/null 2>&1 & sleep 0.5; echo started'
const ASK = 'curl -s -o /dev/null -w %{http_code} http://127.0.0.1:8123/'

const program = (code: string, more: Partial<ProgramRun> = {}): ProgramRun => ({
  argv: ['/bin/bash', '-c', code],
  cwd: '/workspace',
  timeout: 30_000,
  outputLimit: 65_536,
  ...more,
})

/** Processes whose command line holds `word`. */
function running(word: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && commandOf(pid).includes(word))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Waits until nothing with the word runs any more. */
async function none(word: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (running(word).length === 0) return true
    await pause(50)
  }
  return false
}

test('what a call left running lives on, until the environment is idle for a quarter of an hour; files stay', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash, clock, egress } = one
  const { id } = await environments.create({})
  assert.equal((await bash(id, `echo kept > f; ${SERVER}`)).output, 'started\n')
  assert.equal((await bash(id, ASK)).output, '200')
  clock.turn(14 * MINUTE)
  assert.equal((await bash(id, ASK)).output, '200', 'a use starts the time anew')
  clock.turn(14 * MINUTE)
  assert.equal((await bash(id, ASK)).output, '200')
  clock.turn(15 * MINUTE)
  assert.equal(await none('http.server\x008123'), true)
  for (let tries = 0; egress.doors.size > 0 && tries < 100; tries++) await pause(20)
  assert.equal(egress.doors.size, 0, 'the way out is closed')
  assert.equal((await environments.get(id))?.status, 'active')
  assert.equal((await bash(id, `cat f; ${ASK}`)).output, 'kept\n000[exit status 7]'.replace('000[', '000\n['))
})

test('a week after its last use an environment is gone; a kept one is not', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash, clock, state } = one
  const { id } = await environments.create({})
  const kept = await environments.create({ keep: true })
  clock.turn(6 * DAY)
  await bash(id, 'true')
  clock.turn(6 * DAY)
  assert.equal((await environments.get(id))?.status, 'active')
  clock.turn(DAY)
  await pause(200)
  assert.equal((await environments.get(id))?.status, 'expired')
  assert.equal(existsSync(join(state, 'environments', id, 'root')), false)
  const gone = { status: 404, code: 'not_found' }
  await assert.rejects(bash(id, 'true'), gone)
  await assert.rejects(environments.files(id), gone)
  await assert.rejects(environments.setNetwork(id, 'disabled'), gone)
  await assert.rejects(environments.create({ from: id }), gone)
  await assert.rejects(environments.stop('env_missing'), gone)
  assert.equal((await environments.get(kept.id))?.status, 'active')
  await environments.remove(id)
  assert.equal(await environments.get(id), undefined)
})

test('deleting an environment while a program runs ends the program', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments } = one
  const { id } = await environments.create({})
  const end = environments.run(id, program('setsid sleep 7654321 & sleep 7654321'))
  while (running('sleep\x007654321').length < 2) await pause(20)
  await environments.remove(id)
  assert.deepEqual([(await end).exit, await none('sleep\x007654321')], [null, true])
  assert.equal(existsSync(join(one.state, 'environments', id)), false)
  await assert.rejects(environments.files(id), { status: 404 })
})

/** How a run can be cut short; each leaves nothing of what it started. */
const CUT: readonly (readonly [string, Partial<ProgramRun>, (stop: AbortController) => void, object])[] = [
  ['its deadline', { timeout: 1500 }, () => {}, { timedOut: true, cancelled: false }],
  ['a cancel', {}, (stop) => setTimeout(() => stop.abort(), 1000), { timedOut: false, cancelled: true }],
]

test('a run that is cut short leaves nothing: no child, no daemon, no holder of its pipes', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments } = one
  const { id } = await environments.create({})
  const code = 'echo early; (setsid sleep 8765432 &); trap "" TERM HUP INT; nohup sleep 8765432 & sleep 8765432'
  for (const [name, more, arrange, expected] of CUT) {
    const stop = new AbortController()
    arrange(stop)
    const end = await environments.run(id, program(code, { ...more, signal: stop.signal }))
    const { timedOut, cancelled } = end
    assert.deepEqual({ timedOut, cancelled }, expected, name)
    assert.equal(Buffer.from(end.stdout).toString(), 'early\n')
    assert.equal(await none('sleep\x008765432'), true, name)
  }
  // A run of the runtime itself (a hook) leaves nothing either when it just ends; a call of the agent may.
  const end = await environments.run(id, program('(setsid sleep 8765432 &); echo done'))
  assert.deepEqual([end.exit, await none('sleep\x008765432')], [0, true])
})

test('output above its limit ends the program where that is asked for, else it is dropped', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments } = one
  const { id } = await environments.create({})
  const code = 'head -c 5000000 /dev/zero; echo end >&2'
  const dropped = await environments.run(id, program(code, { outputLimit: 1000 }))
  assert.deepEqual([dropped.cut, dropped.exit, dropped.stdout.length], [true, 0, 1000])
  assert.equal(Buffer.from(dropped.stderr).toString(), 'end\n')
  const killed = await environments.run(id, program(`${code}; sleep 60`, { outputLimit: 1000, killAtLimit: true }))
  assert.deepEqual([killed.cut, killed.killedBy, killed.stdout.length], [true, 'SIGKILL', 1000])
  // It need not read what it is sent.
  const deaf = await environments.run(id, program('exec 0<&-; echo ok', { stdin: 'x'.repeat(3_000_000) }))
  assert.equal(Buffer.from(deaf.stdout).toString(), 'ok\n')
  const missing = await environments.run(id, { ...program(''), argv: ['/no/such/program'] })
  assert.deepEqual([missing.started, missing.why?.includes('/no/such/program')], [false, true])
  const crashed = await environments.run(id, program('kill -SEGV $$'))
  assert.deepEqual([crashed.exit, crashed.killedBy], [139, 'SIGSEGV'])
})

test('a fork has its own files, and the base never changes', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash, egress } = one
  const network = { allowlist: [{ domain: 'a.example.com' }] }
  const base = await environments.create({
    env: { A: 'b' },
    network,
    sources: [{ type: 'inline', target: '/workspace/f', content: 'base\n' }],
  })
  await bash(base.id, 'ln f hard; ln -s f soft; printf "#!/bin/sh\\necho ran" > run; chmod 700 run')
  const fork = await environments.create({ from: base.id })
  assert.deepEqual(fork.network, network, 'its rules hold')
  const seen = await bash(fork.id, 'cat soft; ./run; echo fork > f; rm hard; mkdir new; echo $A; cat f soft')
  assert.equal(seen.output, 'base\nran\nb\nfork\nfork\n')
  assert.equal((await bash(base.id, 'cat f hard soft; ls')).output, 'base\nbase\nbase\nf\nhard\nrun\nsoft\n')
  assert.deepEqual(egress.doors.get(fork.id), network)
  const changed = await environments.setNetwork(fork.id, 'disabled')
  assert.deepEqual([changed.network, egress.doors.get(fork.id)], ['disabled', 'disabled'])
  assert.equal((await bash(fork.id, 'cat f')).output, 'fork\n', 'files stay')
  await assert.rejects(environments.create({ from: base.id, env: { X: 'y' } }), /must be empty/)
  await assert.rejects(environments.create({ from: 'env_none' }), { status: 404 })
})

/** Gives directories and links to a directory of the host each other's names, for ever. */
const SWAPS = (host: string): string => `
import ctypes, os, sys
libc = ctypes.CDLL(None)
for k in range(100):
    os.mkdir('d%d' % k)
    for i in range(8): open('d%d/s%d' % (k, i), 'w').write('inside')
    os.symlink('${host}', 'l%d' % k)
if os.fork(): sys.exit(0)
os.setsid()
for fd in (0, 1, 2): os.close(fd)
while True:
    for k in range(100): libc.renameat2(-100, b'd%d' % k, -100, b'l%d' % k, 2)
`

test('a fork of a base at work brings nothing from outside of it', async (t) => {
  if (!need(t, 'python3')) return
  const one = await lab(t)
  if (one === undefined) return
  const { environments, tool, state } = one
  const host = join(state, '..', 'host')
  mkdirSync(host)
  for (let n = 0; n < 8; n++) writeFileSync(join(host, `s${n}`), 'HOST-SECRET')
  const { id } = await environments.create({})
  const swaps = await tool(id, 'code_execution', { code: SWAPS(host), language: 'python' })
  assert.equal(swaps.output, '')
  for (let tries = 0; tries < 6; tries++) {
    const fork = await environments.create({ from: id })
    const root = join(state, 'environments', fork.id, 'root')
    // `grep -r` reads what lies there and follows no link.
    const found = (word: string) => spawnSync('grep', ['-rl', word, root], { encoding: 'utf8' }).stdout
    assert.equal(found('HOST-SECRET'), '')
    assert.notEqual(found('inside'), '')
    await environments.remove(fork.id)
  }
})

test('a fork keeps modes, times, links, and what is linked together; pipes are left out', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash } = one
  const { id } = await environments.create({})
  const made = `mkdir -p a/b shut; echo x > a/f; chmod 640 a/f; touch -d 2001-02-03T04:05:06Z a/f; ln a/f a/b/g
    ln -s /etc/passwd link; ln -s nowhere dangling; echo y > shut/y; chmod 000 a/b shut/y; chmod 500 shut; mkfifo pipe
    head -c 1000000 /dev/urandom > big; touch -d 2001-01-01T00:00:00Z a`
  assert.equal((await bash(id, made)).output, '')
  const fork = await environments.create({ from: id })
  const tell = `stat -c '%n %a %Y %U %F' a a/f shut shut/y a/b link dangling; chmod 700 a/b shut shut/y
    readlink link dangling; [ a/f -ef a/b/g ] && echo one; cat shut/y; md5sum big`
  assert.equal((await bash(fork.id, tell)).output, (await bash(id, tell)).output)
  assert.match((await bash(fork.id, 'ls pipe')).output, /No such file/)
})

test('many runs at once do not disturb each other', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments } = one
  const ids = await Promise.all([1, 2, 3].map(async () => (await environments.create({})).id))
  const runs = Array.from({ length: 18 }, async (_, n) => {
    const end = await environments.run(ids[n % 3]!, program(`echo ${n} > f${n}; sleep 0.2; cat f${n}`))
    return Buffer.from(end.stdout).toString()
  })
  assert.deepEqual(
    await Promise.all(runs),
    runs.map((_, n) => `${n}\n`),
  )
  for (const id of ids) assert.equal((await environments.get(id))?.fileCount, 6)
})

const CHILD = fileURLToPath(new URL('./runtime.testing.ts', import.meta.url))

test('a runtime that is killed leaves no process, no mount and no network; the next one has its files', async (t) => {
  // The lab only tells whether sandboxes can be made here.
  if ((await lab(t)) === undefined) return
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-killed-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const child = spawn(process.execPath, [CHILD, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const id = await new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
  })
  const sleeping = () => running('sleep\x009876543').filter((pid) => commandOf(pid).startsWith('sleep'))
  while (sleeping().length < 3) await pause(20)
  const namespaces = new Set(sleeping().map((pid) => readlinkSync(`/proc/${pid}/ns/net`)))
  assert.equal(namespaces.size, 1)
  const state = join(directory, 'state')
  const second = openEnvironments(optionsFor(directory))
  await assert.rejects(second, /in use by process/, 'a second runtime does not touch the first one')
  child.kill('SIGKILL')
  assert.equal(await none('sleep\x009876543'), true)
  assert.equal(await none(state), true, 'no program of the sandbox is left')
  assert.equal(readFileSync('/proc/self/mounts', 'utf8').includes(directory), false)
  const environments = await openEnvironments(optionsFor(directory))
  t.after(() => environments.close())
  assert.deepEqual(groupsOf(child.pid!), [], 'no control group is left')
  const end = await environments.run(id, program('cat f; echo $A'))
  assert.equal(Buffer.from(end.stdout).toString(), 'kept\nb\n')
  assert.deepEqual(
    (await environments.list()).map((record) => record.id),
    [id],
  )
  assert.equal(statSync(state).mode & 0o777, 0o700)
})

/** Control groups that a runtime made, wherever they are. */
function groupsOf(pid: number): string[] {
  const found = globSync('/sys/fs/cgroup/**/sallyport-*')
  return found.filter((group) => group.includes(`/sallyport-${pid}-`))
}

function optionsFor(directory: string) {
  return {
    state: join(directory, 'state'),
    egress: new StubEgress(directory),
    clock: new TestClock(),
    credentials: { placeholder: () => undefined },
    report: () => {},
  }
}
