import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fresh, lay, now, write } from './migrate.testing.ts'
import { breakMigrationLock, lockHolder, migrate, rollback } from './migrate.ts'
import { acquireLock, adoptLock, isAlive, lockDir, startField, startTimeOf } from './migration-lock.ts'

describe('the lock', () => {
  test('is held by one, and free again', () => {
    const dir = fresh()
    const lock = acquireLock(dir, now())
    assert.ok('token' in lock)
    const second = acquireLock(dir, now())
    assert.ok('heldBy' in second && second.heldBy !== 'unknown' && second.heldBy.pid === process.pid)
    lock.release()
    assert.ok('token' in acquireLock(dir, now()))
    assert.deepEqual(readdirSync(dir), ['.migration.lock.d'])
  })

  test('of a process that is gone is taken over; of one that runs, or may, it is not', () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    const rows: readonly [string, object, boolean][] = [
      ['gone', { pid: gone, startTime: '1', token: 't' }, true],
      ['another process of that number', { pid: process.pid, startTime: 'another', token: 't' }, true],
      ['this process', { pid: process.pid, startTime: startTimeOf(process.pid), token: 't' }, false],
      ['no start known', { pid: process.pid, startTime: '', token: 't' }, false],
      ['no number', { pid: -1, startTime: '1', token: 't' }, false],
      ['no name', { x: 1 }, false],
    ]
    for (const [name, meta, taken] of rows) {
      const dir = fresh()
      write(join(lockDir(dir), 'meta.json'), JSON.stringify(meta))
      assert.equal('token' in acquireLock(dir, now()), taken, name)
    }
  })

  test('is handed over: nobody gets in between', () => {
    const { places } = lay('empty')
    const lock = acquireLock(places.data, now())
    assert.ok('token' in lock)
    const taken = adoptLock(places.data, lock.token, now())
    assert.ok(taken !== undefined)
    lock.release()
    assert.match(lockHolder(places) ?? '', new RegExp(`process ${process.pid}`))
    assert.equal(adoptLock(places.data, lock.token, now()), undefined)
    taken.release()
    assert.equal(lockHolder(places), undefined)
  })

  test('stops a migration, and can be broken', () => {
    const options = lay('empty')
    write(join(lockDir(options.places.data), 'meta.json'), '{}')
    assert.match(migrate(options).lines[0]!, /--break-lock/)
    assert.match(rollback(options).lines[0]!, /--break-lock/)
    assert.match(lockHolder(options.places)!, /no name/)
    assert.equal(breakMigrationLock(options.places).code, 0)
    assert.equal(migrate(options).code, 0)
    assert.equal(lockHolder(options.places), undefined)
  })

  test('the start of a process is read behind any name', () => {
    const fields = Array.from({ length: 50 }, (_, i) => String(i + 3)).join(' ')
    for (const name of ['bash', 'bash (subshell)', ') (', ') S 1 2 3'])
      assert.equal(startField(`7 (${name}) ${fields}`), '22', name)
  })

  test('whoever runs under another user is alive', () => {
    assert.equal(isAlive({ pid: 1, startTime: '' }), true)
  })

  test('many at once: one gets it', async () => {
    const dir = fresh()
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    write(join(lockDir(dir), 'meta.json'), JSON.stringify({ pid: gone, startTime: '1', token: 't' }))
    const lines = `
      import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, 'migration-lock.ts'))}
      const lock = acquireLock(${JSON.stringify(dir)}, new Date())
      process.stdout.write('token' in lock ? 'got' : 'not')
      process.stdin.resume()`
    const runs = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module-typescript', '-e', lines]),
    )
    // Whoever got it holds it until all have tried.
    const said = await Promise.all(
      runs.map(
        ({ stdout }) =>
          new Promise((resolve) =>
            stdout.once('data', (part) => resolve(`${part}`)).once('end', () => resolve('nothing')),
          ),
      ),
    )
    for (const { stdin } of runs) stdin.end()
    assert.deepEqual(said.sort(), ['got', 'not', 'not', 'not'])
  })
})
