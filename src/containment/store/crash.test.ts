/** Captures whose process dies at any moment, and many at once. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { allIds, placeOf } from './layout.ts'
import { readManifest } from './manifest.ts'
import {
  allOf,
  type Chunk,
  capture,
  captureForever,
  chunksOf,
  ended,
  joined,
  processOf,
  randomOf,
  scratch,
  storeAt,
} from './store.testing.ts'

const SOAK = process.env['SALLYPORT_SOAK'] === '1'
const KILLS = SOAK ? 200 : 20

const first = (seed: number, count: number): Chunk[] => {
  const out: Chunk[] = []
  for (const chunk of chunksOf(seed)) {
    if (out.length === count) break
    out.push(chunk)
  }
  return out
}

/** Every run in a store is whole: its bytes are there, and are what the hashes say. */
function checkStore(dir: string): number {
  const root = join(dir, 'state', 'store')
  const ids = allIds(root, 'run')
  for (const id of ids) {
    const manifest = readManifest(root, id)
    assert.ok(manifest, id)
    const found = storeAt(dir).resolve({ is: 'run', id })
    assert.ok(found.is === 'run', id)
    for (const name of ['stdout', 'stderr', 'merged'] as const) {
      const bytes = allOf(found.capture.stream(name))
      assert.equal(createHash('sha256').update(bytes).digest('hex'), manifest.streams[name].sha256)
    }
  }
  for (const id of allIds(root, 'blob'))
    assert.equal(
      createHash('sha256')
        .update(readFileSync(placeOf(root, 'blob', id)))
        .digest('hex'),
      id,
    )
  return ids.length
}

test('killed at any moment: what was sealed resolves, what was not is recovered as far as it came', async (t) => {
  const random = randomOf(20261130)
  let recovered = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const dir = scratch(t)
    const child = processOf(`m.${captureForever.name}(${JSON.stringify(dir)}, ${kill + 1})`)
    const end = ended(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    await sleep(random(40) + random(1000) / 1000)
    child.kill('SIGKILL')
    const { out, err } = await end
    assert.equal(err, '')
    const store = storeAt(dir)
    const found = store.recover()
    assert.deepEqual(readdirSync(join(dir, 'state', 'store', 'spool')), [])
    for (const line of out.trim().split('\n')) {
      const [, id = ''] = line.split(' ')
      if (id.length === 64) assert.equal(store.resolve({ is: 'run', id }).is, 'run', line)
    }
    for (const sealed of found) {
      recovered++
      // Its child's end was either written down already, or is not known.
      assert.equal(sealed.manifest?.exit === null, sealed.manifest?.partial === true)
      const seed = Number(sealed.manifest?.argv[1])
      const whole = first(seed, 40)
      const merged = allOf(sealed.stream('merged'))
      assert.ok(merged.equals(joined(whole).subarray(0, merged.length)), `${sealed.id}`)
      for (const name of ['stdout', 'stderr'] as const) {
        const own = allOf(sealed.stream(name))
        assert.ok(own.equals(joined(whole, name).subarray(0, own.length)), `${sealed.id} ${name}`)
      }
    }
    assert.ok(found.length <= 1)
    checkStore(dir)
    store.collect({ days: 30 })
    checkStore(dir)
  }
  assert.ok(recovered > 0, 'no kill fell into a capture')
})

test('the next capture seals what was left, and says so', async (t) => {
  const dir = scratch(t)
  const statement = `
    m.storeAt(${JSON.stringify(dir)}).create({ argv: ['left'], cwd: '/' }).append('stdout', Buffer.from('left\\n'))
    process.kill(process.pid, 'SIGKILL')`
  await ended(processOf(statement))
  const store = storeAt(dir)
  const { notice = '' } = capture(store, [['stdout', 'next']])
  const [, id = ''] = /^a capture that was cut off earlier is kept as run:([0-9a-f]{12})$/.exec(notice) ?? []
  const found = store.resolve({ is: 'run', id })
  assert.ok(found.is === 'run')
  assert.equal(allOf(found.capture.stream('merged')).toString(), 'left\n')
  assert.equal(capture(store, [['stdout', 'next']]).notice, undefined)
})

test('a dead spool is sealed by one of those who try, and its job leads to the run', async (t) => {
  const dir = scratch(t)
  const job = '0123456789ab'
  const statement = `
    const spool = m.storeAt(${JSON.stringify(dir)}).create({ argv: ['job'], cwd: '/', job: '${job}' })
    spool.append('stdout', Buffer.from('before the end\\n'))
    process.kill(process.pid, 'SIGKILL')`
  await ended(processOf(statement))
  const tries = await Promise.all(
    Array.from({ length: 3 }, () =>
      ended(processOf(`console.log(m.storeAt(${JSON.stringify(dir)}).recover().map((one) => one.id).join())`)),
    ),
  )
  const ids = tries.map(({ out }) => out.trim()).filter((id) => id !== '')
  assert.equal(ids.length, 1)
  const found = storeAt(dir).resolve({ is: 'job', id: job })
  assert.ok(found.is === 'job')
  assert.equal(found.manifest?.id, ids[0])
  assert.equal(allOf(found.capture.stream('stdout')).toString(), 'before the end\n')
})

test('a capture that grows is readable by others as its job, and is not recovered while its process lives', (t) => {
  const dir = scratch(t)
  const spool = storeAt(dir).create({ argv: ['grow'], cwd: '/', job: 'abcdefabcdef' })
  spool.append('stdout', Buffer.from('one\n'))
  spool.append('stderr', Buffer.from('two\nthr'))
  const other = storeAt(dir)
  assert.deepEqual(other.recover(), [])
  const found = other.resolve({ is: 'job', id: 'abcdef' })
  assert.ok(found.is === 'job')
  assert.equal(found.manifest, undefined)
  assert.equal(allOf(found.capture.stream('merged')).toString(), 'one\ntwo\nthr')
  assert.equal(allOf(found.capture.stream('stderr')).toString(), 'two\nthr')
  assert.equal(found.capture.streams.stderr.lines, 2)
  const { id } = spool.seal({ exit: 0 })
  const after = other.resolve({ is: 'job', id: 'abcdefabcdef' })
  assert.ok(after.is === 'job')
  assert.equal(after.manifest?.id, id)
})

test('a claim whose process died is claimed again', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const spool = store.create({ argv: ['x'], cwd: '/' })
  spool.append('stdout', Buffer.from('kept\n'))
  const root = join(dir, 'state', 'store', 'spool')
  const [name = ''] = readdirSync(root)
  // As if both the capturing and the recovering process had died, the latter in the middle of it.
  const dead = name.replace(/^([0-9a-f]{12})\.\d+\.\d+/, '$1.4194305.1')
  renameSync(join(root, name), join(root, `${dead}.claim.4194306.1.${name.split('.').at(-1)}`))
  mkdirSync(join(root, `${dead}.claim.4194306.1.${name.split('.').at(-1)}`, 'run'))
  writeFileSync(join(root, `${dead}.claim.4194306.1.${name.split('.').at(-1)}`, 'whole'), 'half')
  const [sealed] = store.recover()
  assert.ok(sealed)
  assert.equal(allOf(sealed.stream('stdout')).toString(), 'kept\n')
})

test('a spool or a collection that was half removed is not taken for a whole one', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const { id = '' } = capture(store, [['stdout', 'kept']])
  const spool = store.create({ argv: ['x'], cwd: '/' })
  spool.append('stderr', Buffer.from('of stderr\n'))
  const root = join(dir, 'state', 'store')
  const [name = ''] = readdirSync(join(root, 'spool'))
  const dead = `${name.replace(/^([0-9a-f]{12})\.\d+\.\d+/, '$1.4194305.1')}.gone`
  renameSync(join(root, 'spool', name), join(root, 'spool', dead))
  rmSync(join(root, 'spool', dead, 'order'))
  mkdirSync(join(root, 'trash', 'x.gone'), { recursive: true })
  const half = join(root, 'trash', 'x.gone', `run-${id}`)
  renameSync(placeOf(root, 'run', id), half)
  rmSync(join(half, 'seen.jsonl'))
  utimesSync(join(root, 'trash', 'x.gone'), 1, 1)
  assert.deepEqual(store.recover(), [])
  store.collect({ days: 30 })
  assert.deepEqual([...readdirSync(join(root, 'spool')), ...readdirSync(join(root, 'trash'))], [])
  assert.equal(store.resolve({ is: 'run', id }).is, 'unresolved')
})

test('many processes at once lose nothing', async (t) => {
  const [processes, runs] = SOAK ? [20, 50] : [4, 15]
  const dir = scratch(t)
  const statement = (n: number) => `
    const store = m.storeAt(${JSON.stringify(dir)})
    for (let i = 0; i < ${runs}; i++) {
      store.recover()
      // Every third run is made by all of them alike.
      const name = i % 3 === 0 ? 'all' : '${n}'
      const sealed = m.capture(store, [['stdout', name + ' ' + i + '\\n'], ['stderr', 'e\\n']], [name, String(i)])
      if (store.resolve({ is: 'run', id: sealed.id ?? '' }).is !== 'run') throw new Error('lost ' + name + i)
      if (i % 10 === 5) store.collect({ days: 30 })
    }`
  const results = await Promise.all(Array.from({ length: processes }, (_, n) => ended(processOf(statement(n)))))
  for (const { err, code } of results) assert.deepEqual({ err, code }, { err: '', code: 0 })
  const alike = Math.ceil(runs / 3)
  assert.equal(checkStore(dir), alike + processes * (runs - alike))
  const seen = allIds(join(dir, 'state', 'store'), 'run').map((id) => storeAt(dir).occurrences(id).length)
  assert.equal(
    seen.reduce((a, b) => a + b),
    processes * runs,
  )
})
