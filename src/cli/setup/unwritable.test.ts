/** State that cannot be written to, as verbs tell it that are started where the whole disk is read-only. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { need } from '../../../test/need.ts'
import { unwritable } from '../../session/unwritable.ts'

const scratch = mkdtempSync(join(tmpdir(), 'unwritable-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const OUT = 'mend that, or name another place by XDG_STATE_HOME, for the agents as well'

describe('an error of a write is told in words, with its code and the way out', () => {
  const rows: readonly (readonly [code: string, words: string])[] = [
    ['EROFS', 'its file system is read-only (EROFS)'],
    ['EACCES', 'you may not write there (EACCES)'],
    ['EPERM', 'you may not write there (EPERM)'],
    ['ENOSPC', 'no room is left there (ENOSPC)'],
    ['ENOTDIR', 'something on the way to it is no directory (ENOTDIR)'],
    ['EIO', 'EIO'],
  ]
  for (const [code, words] of rows)
    test(code, () =>
      assert.equal(
        unwritable('/s', Object.assign(new Error('x'), { code })),
        `/s cannot be written to: ${words}; ${OUT}`,
      ),
    )
})

const WHY = `cannot be written to: its file system is read-only (EROFS); ${OUT}`

/** The verb, whether the directory is there, and what it says of it (`S`: the directory). */
const verbs: readonly (readonly [verb: string, there: boolean, says: string])[] = [
  ['doctor', false, `sallyport doctor: the state directory S ${WHY}\n`],
  ['doctor', true, `  FAIL store: S/store ${WHY}\n`],
  ['status', false, `sallyport status: the state directory S ${WHY}\n`],
  ['status', true, `the state directory S ${WHY}; what the guard does is not kept\n`],
  ['setup', false, `sallyport setup: the state directory S ${WHY}\n`],
  ['setup', true, `sallyport setup: the state directory S ${WHY}; nothing was changed\n`],
]

describe('on a disk that is read-only', () => {
  for (const [verb, there, says] of verbs)
    test(`${verb}, with ${there ? 'a' : 'no'} state directory`, (t) => {
      if (!need(t, 'bwrap')) return
      const home = mkdtempSync(join(scratch, 'h'))
      const state = join(home, '.local/state/sallyport')
      if (there) mkdirSync(state, { recursive: true, mode: 0o700 })
      const fixed = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--die-with-parent', '--']
      const env = { HOME: home, PATH: '/usr/bin:/bin' }
      const how = { env, encoding: 'utf8', timeout: 60_000 } as const
      if (spawnSync('bwrap', [...fixed, '/bin/true'], how).status !== 0)
        return t.skip('not run: bwrap cannot make a sandbox here')
      const ran = spawnSync('bwrap', [...fixed, process.execPath, 'bin/sallyport.js', verb], how)
      const said = `${ran.stdout}${ran.stderr}`.replaceAll(state, 'S')
      assert.ok(`\n${said}`.includes(`\n${says}`), said)
      assert.equal(ran.status, 1)
    })
})
