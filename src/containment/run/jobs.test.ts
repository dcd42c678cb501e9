/** Jobs: they outlive whoever started them, and everybody sees the same of them. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { packed } from '../../../test/packed.testing.ts'
import { spoolsIn } from '../store/recover.ts'
import { readOrder } from './job.ts'
import { alive, type Scratch, scratch, until } from './run.testing.ts'

const HANDLE = /^\[ctx job:([0-9a-f]{12}) \| running in the background \| ctx job \1 --wait\]\n$/

const shippedTo = mkdtempSync(join(tmpdir(), 'ctx-shipped-'))
const shipped = packed(shippedTo)
after(() => rmSync(shippedTo, { recursive: true, force: true }))

async function started(place: Scratch, ...args: string[]): Promise<string> {
  const { code, out, err } = await place.run(['run', ...args])
  assert.equal(code, 0, err)
  const id = HANDLE.exec(out)?.[1]
  assert.ok(id, out)
  return id
}

test('a job is begun, looked at, waited for, and shown as a run', async (t) => {
  const place = scratch(t, await shipped)
  const line = 'echo begun; until test -e go; do sleep 0.05; done; seq 4000; echo bad >&2; exit 3'
  const id = await started(place, '--bg', '--', 'sh', '-c', line)
  assert.ok(await until(() => /^begun/.test(tailOf(place, id))))
  const looked = await place.run(['job', id])
  assert.deepEqual([looked.code, looked.err], [0, ''])
  assert.equal(looked.out, `[ctx job:${id} | running | 1 line, 6 bytes so far]\nL1: begun\n`)
  const listed = await place.run(['jobs'])
  assert.match(listed.out, new RegExp(`^job:${id}  running       sh -c `))
  const late = await place.run(['job', `job:${id}`, '--wait', '--timeout', '0.2'])
  assert.equal(late.code, 1)
  assert.match(late.err, /still runs after 0.2 s/)
  await place.run(['run', '--', 'touch', 'go'])
  const ended = await place.run(['job', id.slice(0, 8), '--wait'])
  assert.equal(ended.code, 1)
  assert.match(ended.out, /^\[ctx exit 3 \| 4002 lines/)
  assert.equal((await place.run(['job', id])).out, ended.out)
  const { jobs } = JSON.parse((await place.run(['jobs', '--json'])).out) as { jobs: { id: string; state: string }[] }
  assert.deepEqual(
    jobs.map((job) => [job.id, job.state]),
    [[id, 'exit 3']],
  )
})

function tailOf(place: Scratch, id: string, bytesAtMost = 100): string {
  const bytes = place.store.bytesOf({ is: 'job', id })
  return 'read' in bytes ? Buffer.from(bytes.read(0, bytesAtMost)).toString() : ''
}

test('the flood of a job is booked once with what a host would have shown, and what is shown again as fetched', async (t) => {
  const place = scratch(t, await shipped)
  const id = await started(place, '--bg', '--', 'seq', '20000')
  for (const args of [['--wait'], [], []]) await place.run(['job', id, ...args])
  const rows = readFileSync(join(place.state, 'ledger.jsonl'), 'utf8').trimEnd().split('\n')
  const booked = rows.map((row) => JSON.parse(row)).filter((row) => row.id === `job:${id}`)
  assert.deepEqual(
    booked.map(({ method, raw, exit }) => [method, raw, exit]),
    [
      ['run', 108_894, 0],
      ['retrieval', 0, null],
      ['retrieval', 0, null],
    ],
  )
  const [{ tokens, delivered }] = booked
  assert.ok(tokens.shown > tokens.delivered && delivered < 4000)
  assert.equal(booked[1].retrieved, delivered)
})

test('the last lines of a job are masked by what stands before them', async (t) => {
  const place = scratch(t, await shipped)
  const key = Array.from(
    { length: 6 },
    (_, i) => `MIIEowIBAAKCAQEA${i}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV`,
  )
  const text = ['-----BEGIN RSA PRIVATE KEY-----', ...key].join('\\n')
  const id = await started(
    place,
    '--bg',
    '--',
    'sh',
    '-c',
    `printf '%b\\n' '${text}'; until test -e go; do sleep 0.05; done`,
  )
  assert.ok(await until(() => tailOf(place, id).includes('MIIEow')))
  const looked = await place.run(['job', id, '--tail', '3'])
  assert.match(looked.out, /running/)
  assert.doesNotMatch(looked.out, /MIIEow/)
  await place.run(['job', id, '--kill'])
})

test('a quick command with --bg-after shows what it would show in the foreground', async (t) => {
  const place = scratch(t, await shipped)
  const other = scratch(t, await shipped)
  const lines = ['seq 5000; exit 4', 'echo small; exit 2', 'true', 'kill -TERM $$', 'cat']
  for (const line of lines) {
    const more = { stdin: 'from stdin\n' }
    const foreground = await place.run(['run', '--', 'sh', '-c', line], more)
    const after = await other.run(['run', '--bg-after', '30', '--', 'sh', '-c', line], more)
    assert.deepEqual([after.code, after.out], [foreground.code, foreground.out])
  }
})

test('a slow one becomes a job and gets nothing from whoever started it any more', async (t) => {
  const place = scratch(t, await shipped)
  const id = await started(place, '--bg-after', '0.5', '--', 'sh', '-c', 'sleep 1.5; echo done')
  const ended = await place.run(['job', id, '--wait'])
  assert.deepEqual([ended.code, ended.out], [0, 'done\n'])
})

test('a timeout holds in the background', async (t) => {
  const place = scratch(t, await shipped)
  const id = await started(place, '--bg', '--timeout', '0.3', '--', 'sh', '-c', 'echo x; sleep 60')
  const ended = await place.run(['job', id, '--wait'])
  assert.equal(ended.code, 1)
  assert.equal(ended.out, 'x\n[ctx exit 124 | timed out | killed by SIGTERM]\n')
  const line = ['--timeout', '0.3', '--', 'sh', '-c', 'echo x; sleep 60']
  const foreground = await place.run(['run', ...line])
  const waited = await place.run(['run', '--bg-after', '30', ...line])
  assert.deepEqual([waited.code, waited.out], [foreground.code, foreground.out])
})

test('what cannot be started is said at once', async (t) => {
  const place = scratch(t, await shipped)
  const { code, out, err } = await place.run(['run', '--bg', '--', 'no-such-command'])
  assert.deepEqual([code, out, err], [127, '', 'ctx run: there is no command "no-such-command"\n'])
  assert.equal((await place.run(['jobs'])).out, 'there are no jobs\n')
})

test('a job that is ended takes all of its processes with it, and what it wrote is kept', async (t) => {
  const place = scratch(t, await shipped)
  const line = 'echo begun; sleep 60 & echo $! > pid; wait'
  const id = await started(place, '--bg', '--', 'sh', '-c', line)
  assert.ok(await until(() => existsSync(join(place.dir, 'pid')) && tailOf(place, id) !== ''))
  const ended = await place.run(['job', id, '--kill'])
  assert.equal(ended.code, 1)
  assert.equal(ended.out, 'begun\n[ctx exit 143 | killed by SIGTERM]\n')
  assert.ok(await until(() => !alive(Number(readFileSync(join(place.dir, 'pid'), 'utf8')))))
})

test('a job whose process was killed is sealed by whoever looks first, and all see the same', async (t) => {
  const place = scratch(t, await shipped)
  const id = await started(place, '--bg', '--', 'sh', '-c', 'seq 3000; echo $$ > pid; sleep 60')
  assert.ok(await until(() => existsSync(join(place.dir, 'pid'))))
  const found = spoolsIn(join(place.state, 'store')).find((spool) => spool.id === id)
  assert.ok(found)
  // What it had not read by then nobody has.
  assert.ok(await until(() => /\n3000\n$/.test(tailOf(place, id, 20_000))))
  process.kill(found.owner.pid, 'SIGKILL')
  assert.ok(await until(() => !alive(found.owner.pid)))
  assert.ok(await until(() => !alive(Number(readFileSync(join(place.dir, 'pid'), 'utf8')))))
  const seen = await Promise.all([1, 2].map(() => place.run(['job', id, '--wait'])))
  assert.equal(seen[0]?.out, seen[1]?.out)
  assert.equal(seen[0]?.code, 1)
  assert.match(seen[0]?.out ?? '', /^\[ctx exit unknown \| 3000 lines/)
})

test('before it is let go a job dies with whoever started it', async (t) => {
  const place = scratch(t, await shipped)
  const run = place.start(['run', '--bg-after', '60', '--', 'sh', '-c', 'echo $$ > pid; sleep 60'])
  assert.ok(await until(() => existsSync(join(place.dir, 'pid'))))
  process.kill(run.pid, 'SIGKILL')
  assert.ok(await until(() => !alive(Number(readFileSync(join(place.dir, 'pid'), 'utf8')))))
})

test('jobs that are not there, and words that are no jobs', async (t) => {
  const place = scratch(t, await shipped)
  for (const [args, words] of [
    [['job', 'abcdef012345'], /there is no job:abcdef012345/],
    [['job', 'x'], /"x" is no job/],
    [['job', 'abcdef012345', '--tail', '41'], /--tail 41/],
    [['job', 'abcdef012345', '--wait', '--timeout', 'x'], /--timeout x/],
  ] as const) {
    const { code, out, err } = await place.run(args)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, words)
  }
})

test('orders are read or refused', () => {
  assert.equal(readOrder('{'), undefined)
  assert.equal(readOrder('null'), undefined)
  assert.equal(readOrder('{"id":"abcdef012345","pipes":1,"control":"x","inherited":[]}'), undefined)
  assert.equal(readOrder('{"id":"abcdef012345","pipes":1,"control":3,"inherited":[]}')?.control, 3)
})
