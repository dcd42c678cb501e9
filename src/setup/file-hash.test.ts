import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashOfFile } from './file-hash.ts'

const scratch = mkdtempSync(join(tmpdir(), 'hash-'))
after(() => rmSync(scratch, { recursive: true, force: true }))
const file = join(scratch, 'file')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

describe('the hash of a file', () => {
  for (const size of [0, 1, 1024 * 1024 - 1, 1024 * 1024, 3 * 1024 * 1024 + 5])
    test(`of ${size} bytes is that of its content`, () => {
      const bytes = Buffer.alloc(size, 'abcdefg')
      writeFileSync(file, bytes)
      assert.deepEqual([hashOfFile(file), hashOfFile(file)], [sha256(bytes), sha256(bytes)])
    })

  const changes: readonly (readonly [what: string, change: () => void])[] = [
    ['that is written again, as long as before', () => writeFileSync(file, 'bbb')],
    [
      'that is written again and given its old times',
      () => {
        const { atime, mtime } = statSync(file)
        writeFileSync(file, 'bbb')
        utimesSync(file, atime, mtime)
      },
    ],
    [
      'that another one takes the place of',
      () => {
        writeFileSync(`${file}2`, 'bbb')
        renameSync(`${file}2`, file)
      },
    ],
  ]
  for (const [what, change] of changes)
    test(`of one ${what} is another`, () => {
      writeFileSync(file, 'aaa')
      assert.equal(hashOfFile(file), sha256('aaa'))
      change()
      assert.equal(hashOfFile(file), sha256('bbb'))
    })

  test('of one that was left alone is kept, until it is written', async () => {
    writeFileSync(file, 'aaa')
    await sleep(2_100)
    assert.deepEqual([hashOfFile(file), hashOfFile(file)], [sha256('aaa'), sha256('aaa')])
    writeFileSync(file, 'bbb')
    assert.equal(hashOfFile(file), sha256('bbb'))
  })

  test('of none throws', () => assert.throws(() => hashOfFile(join(scratch, 'none')), { code: 'ENOENT' }))
})
