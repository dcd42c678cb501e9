/** What is removed, when, and how it is answered afterwards. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Handle } from '../address.ts'
import { allIds, manifestOf, placeOf } from './layout.ts'
import { capture, ended, processOf, scratch, storeAt } from './store.testing.ts'
import type { Store } from './types.ts'

const DAY = 24 * 3600

/** Makes a run or blob as old as `days`. */
function age(dir: string, is: 'run' | 'blob', id: string, days: number): void {
  const root = join(dir, 'state', 'store')
  const at = Date.now() / 1000 - days * DAY
  utimesSync(is === 'run' ? manifestOf(root, id) : placeOf(root, 'blob', id), at, at)
}

const run = (id: string | undefined): Handle => ({ is: 'run', id: id ?? '' })
const why = (store: Store, handle: Handle): string => {
  const found = store.resolve(handle)
  return found.is === 'unresolved' ? `${found.why}: ${found.refused}` : found.is
}
const today = new Date().toISOString().slice(0, 10)

test('gc without a retention spares pinned runs; the others are answered with the day', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const kept = capture(store, [['stdout', 'kept']])
  const lost = capture(store, [['stdout', 'lost']])
  const blob = store.putBytes(Buffer.from('handed over'), {})
  assert.deepEqual(store.pin(run(kept.id?.slice(0, 12))), { id: kept.id })
  const { runs, blobs } = store.collect({ days: 0 })
  assert.deepEqual({ runs, blobs }, { runs: 1, blobs: 2 })
  assert.equal(why(store, run(kept.id)), 'run')
  assert.match(why(store, run(lost.id?.slice(0, 8))), new RegExp(`^gone: run:.* expired on ${today}; run the command`))
  assert.match(why(store, { is: 'blob', id: blob.id ?? '' }), /^gone: blob:/)
  assert.match(why(store, run('ffffffff')), /^unknown: there is no run:ffffffff/)
})

test('age counts from the last time that the run was made', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir, { days: 10 })
  const old = capture(store, [['stdout', 'old']])
  const again = capture(store, [['stdout', 'again']])
  for (const one of [old, again]) {
    age(dir, 'run', one.id ?? '', 11)
    age(dir, 'blob', one.streams.merged.sha256, 11)
  }
  capture(store, [['stdout', 'again']])
  store.collect({ days: 10 })
  assert.match(why(store, run(old.id)), /^gone/)
  assert.equal(why(store, run(again.id)), 'run')
})

test('bytes that two runs share stay as long as one of them', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const one = capture(store, [['stdout', 'same']], ['one'])
  const two = capture(store, [['stdout', 'same']], ['two'])
  age(dir, 'run', one.id ?? '', 40)
  age(dir, 'blob', one.streams.merged.sha256, 40)
  store.collect({ days: 30 })
  assert.match(why(store, run(one.id)), /^gone/)
  assert.equal(why(store, run(two.id)), 'run')
})

test('above the quota what was used longest ago goes first, pins stay', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir, { maxBytes: 100_000 })
  const runs = Array.from({ length: 8 }, (_, i) => capture(store, [['stdout', `${i}`.repeat(20_000)]], [String(i)]))
  for (const [i, one] of runs.entries()) {
    age(dir, 'run', one.id ?? '', 8 - i)
    age(dir, 'blob', one.streams.merged.sha256, 8 - i)
  }
  store.pin(run(runs[0]?.id))
  age(dir, 'run', runs[0]?.id ?? '', 8)
  store.collect({ days: 30 })
  const left = runs.map((one) => why(store, run(one.id)).split(' ')[0])
  assert.deepEqual(left, ['run', 'gone:', 'gone:', 'gone:', 'gone:', 'run', 'run', 'run'])
  assert.match(why(store, run(runs[2]?.id)), /was removed for want of room on/)
})

test('collecting by itself is due after a time or after much was written, and then once', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir, { maxBytes: 16 * 1024 * 1024, days: 10 })
  const old = capture(store, [['stdout', 'x']])
  age(dir, 'run', old.id ?? '', 11)
  store.collect()
  assert.equal(why(store, run(old.id)), 'run', 'not at the first time')
  store.collect()
  assert.equal(why(store, run(old.id)), 'run', 'not so soon')
  capture(store, [['stdout', 'y'.repeat(3_000_000)]])
  store.collect()
  assert.match(why(store, run(old.id)), /^gone/, 'after a sixteenth of the quota')
})

test('a process that kept something collects at its end where that is due', async (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const old = capture(store, [['stdout', 'x']])
  store.collect()
  age(dir, 'run', old.id ?? '', 40)
  const hours = Date.now() / 1000 - 2 * 3600
  utimesSync(join(dir, 'state', 'store', 'collected'), hours, hours)
  const { err } = await ended(processOf(`m.capture(m.storeAt(${JSON.stringify(dir)}), [['stdout', 'new']])`))
  assert.equal(err, '')
  assert.match(why(store, run(old.id)), /^gone/)
})

test('a purge takes one thing with its bytes, or everything, pins too', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const one = capture(store, [['stdout', 'one']], ['tool', 'secret'])
  const two = capture(store, [['stdout', 'two']])
  const job = store.create({ argv: ['job'], cwd: '/', job: '0123456789ab' })
  job.append('stdout', Buffer.from('of a job'))
  const done = job.seal({ exit: 0 })
  store.pin(run(one.id))
  const gone = store.purge(run(one.id?.slice(0, 9)))
  assert.ok(!('is' in gone))
  assert.deepEqual({ runs: gone.runs, blobs: gone.blobs }, { runs: 1, blobs: 1 })
  assert.match(why(store, run(one.id)), new RegExp(`was purged on ${today}$`))
  assert.equal(store.earlier(['tool', 'secret'], '/work'), undefined)
  assert.equal(why(store, run(two.id)), 'run')
  store.pin(run(two.id))
  assert.equal(why(store, { is: 'job', id: '0123456789ab' }), 'job')
  store.purge('all')
  const root = join(dir, 'state', 'store')
  for (const id of [two.id, done.id]) assert.match(why(store, run(id)), /was purged on/)
  assert.match(why(store, { is: 'job', id: '0123456789ab' }), /^unknown/)
  assert.deepEqual([...allIds(root, 'run'), ...allIds(root, 'blob')], [])
  for (const name of ['pins', 'last']) assert.ok(!existsSync(join(root, name)))
})

test('a purge of bytes takes every run that has them', (t) => {
  const store = storeAt(scratch(t))
  const one = capture(store, [['stdout', 'same']], ['one'])
  const two = capture(store, [['stdout', 'same']], ['two'])
  store.purge({ is: 'blob', id: one.streams.merged.sha256 })
  for (const { id } of [one, two]) assert.match(why(store, run(id)), /^gone/)
})

test('a collector at work never takes what is made again at the same time', async (t) => {
  const dir = scratch(t)
  const place = JSON.stringify(dir)
  const collector = processOf(`
    const store = m.storeAt(${place})
    const end = Date.now() + 3000
    let runs = 0
    while (Date.now() < end) runs += store.collect({ days: 1 }).runs
    console.log(runs)`)
  const writer = processOf(`
    import { utimesSync } from 'node:fs'
    import { manifestOf, placeOf } from ${JSON.stringify(new URL('./layout.ts', import.meta.url).href)}
    const store = m.storeAt(${place})
    const root = ${JSON.stringify(join(dir, 'state', 'store'))}
    const end = Date.now() + 2800
    let lost = 0, made = 0
    while (Date.now() < end) {
      // Two runs with the same bytes by turns.
      const sealed = m.capture(store, [['stdout', 'again and again']], ['tool', String(made % 2)])
      made++
      if (sealed.id === undefined) throw new Error('not kept: ' + JSON.stringify(sealed))
      const lives = () => store.resolve({ is: 'run', id: sealed.id ?? '' }).is === 'run'
      // It may be out of sight for the moment in which the collector sees that it is new.
      if (!lives()) await new Promise((resolve) => setTimeout(resolve, 100))
      if (!lives()) lost++
      for (const path of [manifestOf(root, sealed.id), placeOf(root, 'blob', sealed.streams.merged.sha256)])
        try { utimesSync(path, 1e9 + made, 1e9 + made) } catch {}
    }
    console.log(lost, made)`)
  const [took, made] = await Promise.all([ended(collector), ended(writer)])
  assert.equal(took.err + made.err, '')
  assert.ok(Number(took.out) > 0, 'the collector took nothing')
  assert.match(made.out, /^0 /)
  assert.ok(Number(made.out.split(' ')[1]) > 20)
})

test('half-written files of a dead process go with time, what a dead collector moved comes back', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const one = capture(store, [['stdout', 'moved']])
  const root = join(dir, 'state', 'store')
  const trash = join(root, 'trash', 'dead')
  mkdirSync(trash, { recursive: true })
  renameSync(placeOf(root, 'run', one.id ?? ''), join(trash, `run-${one.id}`))
  const half = join(root, 'last', '.0123456789abcdef.tmp')
  const marks = `${placeOf(root, 'blob', one.streams.merged.sha256)}0.idx`
  for (const path of [half, marks]) writeFileSync(path, 'ha')
  const old = Date.now() / 1000 - 2 * DAY
  for (const path of [half, marks, trash]) utimesSync(path, old, old)
  store.collect({ days: 30 })
  assert.equal(why(store, run(one.id)), 'run')
  assert.deepEqual([existsSync(half), existsSync(marks)], [false, false])
  assert.deepEqual(
    readdirSync(join(root, 'trash')).filter((name) => name === 'dead'),
    [],
  )
})
