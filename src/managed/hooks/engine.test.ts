import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HookPin, ProgramEnd } from '../contract.ts'
import { makeHooks } from './engine.ts'
import { programsOf } from './programs.ts'
import { endOf, fakeWorld } from './world.testing.ts'

const FILE = '/.agents/hooks.json'
const CALL = { name: 'view_file', args: { path: '/workspace/a' } }
const none = () => new AbortController().signal
const hooksOf = (command: string, matcher = '*', event = 'pre_tool_execution') =>
  JSON.stringify({ gate: { [event]: [{ matcher, hooks: [{ type: 'command', command }] }] } })
const DENY = { stdout: '{"decision":"deny"}' }

test('a file is read once for as long as it stays the same', async () => {
  const world = fakeWorld({ files: { [FILE]: hooksOf('a') }, results: { a: {}, b: DENY } })
  const hooks = makeHooks()
  await hooks.provision(world)
  for (let i = 0; i < 3; i++) await hooks.before(world, CALL, none())
  assert.deepEqual(world.reads, [FILE])
  world.tree.set(FILE, Buffer.from(hooksOf('b')))
  assert.equal((await hooks.before(world, CALL, none())).decision, 'deny')
  assert.deepEqual(world.reads, [FILE, FILE])
  hooks.forget('env_1')
  await hooks.before(world, CALL, none())
  assert.equal(world.reads.length, 3)
})

test('what was read of one environment is not used for another', async () => {
  const hooks = makeHooks()
  const stamp = async () => 'same'
  const of = (environment: string, command: string) => {
    const world = fakeWorld({ environment, files: { [FILE]: hooksOf(command) }, results: { a: {}, b: DENY } })
    return { ...world, files: { ...world.files, stamp } }
  }
  assert.equal((await hooks.before(of('env_1', 'a'), CALL, none())).decision, 'allow')
  assert.equal((await hooks.before(of('env_2', 'b'), CALL, none())).decision, 'deny')
})

test('what is wrong with a configuration is marked when it was said before', async () => {
  const world = fakeWorld({ files: { [FILE]: hooksOf('a', '*_file') } })
  const hooks = makeHooks()
  const marks = async () => (await hooks.before(world, CALL, none())).warnings.map(({ id, known }) => [id, known])
  assert.deepEqual(await marks(), [['matcher.invalid', undefined]])
  assert.deepEqual(await marks(), [['matcher.invalid', true]])
  world.tree.set(FILE, Buffer.from('{'))
  assert.deepEqual(await marks(), [['file.broken', undefined]])
})

test('a configuration that cannot be looked at is broken, not absent', async () => {
  const world = fakeWorld({ files: { [FILE]: hooksOf('a') } })
  const files = {
    ...world.files,
    read: async () => {
      throw new Error('the disk is gone')
    },
  }
  const { decision, warnings } = await makeHooks().before({ ...world, files }, CALL, none())
  assert.equal(decision, 'allow')
  assert.match(warnings[0]!.text, /the disk is gone/)
  const closed = await makeHooks({ failClosed: ['gate'] }).before({ ...world, files }, CALL, none())
  assert.equal(closed.decision, 'deny')
})

test('a cancelled call rejects with the reason, and the handlers behind it do not run', async () => {
  const file = JSON.stringify({
    gate: { pre_tool_execution: [{ hooks: ['a', 'b'].map((command) => ({ type: 'command', command })) }] },
  })
  for (const event of ['before', 'after'] as const) {
    const text = event === 'before' ? file : file.replace('pre_', 'post_')
    const world = fakeWorld({ files: { [FILE]: text } })
    const cancel = new AbortController()
    const ran: string[] = []
    const run = (argv: readonly string[], signal: AbortSignal | undefined) =>
      new Promise<ProgramEnd>((done) => {
        ran.push(argv[2]!)
        signal!.addEventListener('abort', () => done({ ...endOf({ exit: null }), cancelled: true }))
        setImmediate(() => cancel.abort(new Error('enough')))
      })
    const killing = { ...world, run: ({ argv, signal }: Parameters<typeof world.run>[0]) => run(argv, signal) }
    const hooks = makeHooks({ failClosed: ['gate'] })
    const verdict =
      event === 'before'
        ? hooks.before(killing, CALL, cancel.signal)
        : hooks.after(killing, CALL, undefined, cancel.signal)
    await assert.rejects(verdict, /enough/)
    assert.deepEqual(ran, ['a'])
    await assert.rejects(hooks.before(killing, CALL, cancel.signal), /enough/)
  }
})

test('a pin that was kept holds in a runtime that was started anew', async () => {
  const world = fakeWorld({ files: { [FILE]: hooksOf('a') }, results: { a: DENY, b: {} } })
  const { pin } = await makeHooks({ pinned: true }).provision(world)
  const kept = JSON.parse(JSON.stringify(pin)) as HookPin
  world.tree.set(FILE, Buffer.from(hooksOf('b')))
  const later = { ...world, pin: kept }
  for (const hooks of [makeHooks({ pinned: true }), makeHooks()])
    assert.equal((await hooks.before(later, CALL, none())).decision, 'deny')
  assert.equal((await makeHooks().before(world, CALL, none())).decision, 'allow')
})

test('no secret of a command, of its output or of an answer is in the trace', async () => {
  const token = `ghp_${'aB3dE5fG7h'.repeat(3)}123456`
  const command = `TOKEN=${token} gate`
  const outputs = [
    { stdout: `token ${token}` },
    { exit: 1, stderr: `no: ${token}` },
    { stdout: `{"decision":"${token}"}` },
  ]
  for (const output of outputs) {
    const world = fakeWorld({ files: { [FILE]: hooksOf(command) }, results: { [command]: output } })
    const verdict = await makeHooks().before(world, CALL, none())
    assert.equal(verdict.warnings.length, 1)
    assert.ok(!JSON.stringify(verdict).includes(token), JSON.stringify(verdict))
  }
})

test('the trace names group, event, matcher and handler', async () => {
  const world = fakeWorld({ files: { [FILE]: hooksOf('a', 'view_.*', 'post_tool_execution') }, results: { a: {} } })
  const { trace } = await makeHooks().after(world, CALL, undefined, none())
  const [{ ms, ...line }] = trace as [(typeof trace)[number]]
  assert.ok(ms >= 0)
  assert.deepEqual(line, {
    ...{ group: 'gate', event: 'post_tool_execution', matcher: 'view_.*', handler: 'a' },
    outcome: 'ignored',
  })
})

/** A command line, and the files that it runs. */
const PROGRAMS: readonly (readonly [string, readonly string[]])[] = [
  ['python3 /.agents/gate.py', ['/.agents/gate.py']],
  ['python3 -u -W ignore /.agents/gate.py --log /workspace/log', ['/.agents/gate.py']],
  ['/.agents/gate.sh x', ['/.agents/gate.sh']],
  ['./gate.sh && node --no-warnings "a b.js"', ['./gate.sh', 'a b.js']],
  ['env -i PATH=/bin timeout -k 5 10s bash gate.sh', ['gate.sh']],
  ['A=1 exec bash gate.sh', ['gate.sh']],
  ['. ./lib.sh; gate', ['./lib.sh']],
  ['cat | jq -e . | sh check.sh', ['check.sh']],
  ['python3 -c "print(1)"', []],
  ['python3 -m gate', []],
  ['bash -c "echo x"', []],
  ["bash -lc 'cd / && node x.js'", ['x.js']],
  ['sh -eu gate.sh', ['gate.sh']],
  ['bash -c', []],
  ['python3 $HOME/gate.py', []],
  ['gate --file x.py', []],
  ['', []],
  ['"', []],
]

test('the files that a command line runs', () => {
  for (const [command, paths] of PROGRAMS)
    assert.deepEqual(
      programsOf(command).map(({ path }) => path),
      paths,
      command,
    )
})
