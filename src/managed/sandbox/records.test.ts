import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Kept, Records } from './records.ts'

const kept = (id: string): Kept => ({
  ...{
    id,
    keep: false,
    frozen: [],
    status: 'active',
    created: 1,
    updated: 2,
    lastAccessed: 3,
    fileCount: 0,
    sizeBytes: 0,
  },
  ...{
    network: { allowlist: [{ domain: 'a.test', transform: { 'X-A': 'spelt out' } }] },
    sources: [],
    env: {},
    warnings: [],
  },
})

test('headers that a rule spells out lie as they are, in a file for the user alone', (t) => {
  const place = join(mkdtempSync(join(tmpdir(), 'records-')), 'environments')
  t.after(() => rmSync(join(place, '..'), { recursive: true }))
  const records = new Records(place)
  for (const id of ['env_a', 'env_b', 'env_c']) mkdirSync(records.directory(id))
  records.write(kept('env_a'))
  const file = join(records.directory('env_a'), 'record.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(place).mode & 0o777, 0o700)
  assert.match(readFileSync(file, 'utf8'), /spelt out/)
  writeFileSync(join(records.directory('env_b'), 'record.json'), JSON.stringify(kept('env_a')))
  assert.deepEqual(records.read(), { kept: [kept('env_a')], broken: ['env_b', 'env_c'] })
})
